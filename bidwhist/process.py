"""A Python process that works for this one: it is spoken to through a pipe, and dies with its parent.

Unlike multiprocessing's own start methods this never imports the user's script anew, so a script needs no guard around
the line that starts a tournament. What the process prints, or its bots print, is kept up to a limit.
"""

import json
import multiprocessing
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Mapping
from contextlib import suppress
from importlib import import_module
from multiprocessing.connection import Connection
from typing import Any, Final

import psutil

_START: Final = (
    "import json, sys; sys.path[:] = json.loads(sys.argv[4]); "
    "from bidwhist.process import serve; serve(int(sys.argv[1]), int(sys.argv[2]), sys.argv[3])"
)
_MOST_OUTPUT: Final = 64 * 1024  # bytes
_LAST_LINES: Final = 3


class Child:
    """A process that runs `target`, written `module:function`, with its end of the pipe."""

    def __init__(self, target: str, environment: Mapping[str, str] | None = None) -> None:
        """`environment`: variables to set beside those of this process. Sets of texts have a fixed order there."""
        self.pipe, theirs = multiprocessing.Pipe()
        watched, self._lifeline = os.pipe()
        command = [sys.executable, "-c", _START, str(theirs.fileno()), str(watched), target, json.dumps(sys.path)]
        try:
            # In a group of its own, so that Ctrl-C reaches the parent alone, which then ends its children.
            self.process = subprocess.Popen(
                command,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                env={**os.environ, "PYTHONHASHSEED": "0", **(environment or {})},
                pass_fds=(theirs.fileno(), watched),
                process_group=0,
            )
        finally:
            theirs.close()
            os.close(watched)
        assert self.process.stdout is not None
        self.output = Output(os.dup(self.process.stdout.fileno()))
        self.process.stdout.close()

    def end(self, patience: float = 0) -> None:
        """Let the process end by itself for some seconds, then kill it with all that it has started."""
        try:
            self.process.wait(patience)
        except subprocess.TimeoutExpired:
            kill_tree(self.process.pid)
        self.process.wait()
        with suppress(OSError):
            os.killpg(self.process.pid, signal.SIGKILL)  # what it has started and left in its group
        self.output.close()
        self.pipe.close()
        os.close(self._lifeline)


def kill_tree(pid: int) -> None:
    """Kill a process and all that descend from it, in whatever sessions they are."""
    with suppress(psutil.NoSuchProcess):
        process = psutil.Process(pid)
        for each in [*process.children(recursive=True), process]:
            with suppress(psutil.NoSuchProcess):
                each.kill()


class Output:
    """What comes out of a process: its beginning, up to a limit, and how much there was. Read as it comes."""

    def __init__(self, source: int) -> None:
        """`source`: a file descriptor, closed at its end."""
        self._source = source
        self._kept = bytearray()
        self.size = 0  # bytes
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    def _read(self) -> None:
        while data := os.read(self._source, 1 << 16):
            self._kept += data[: max(0, _MOST_OUTPUT - len(self._kept))]
            self.size += len(data)
        os.close(self._source)

    def close(self) -> None:
        """Wait for the rest; not for long, as someone else may hold the other end."""
        self._reader.join(timeout=0.5)

    @property
    def text(self) -> str:
        """What was kept, and a line that tells of what was not."""
        text = self._kept.decode("utf-8", "replace")
        dropped = self.size - len(self._kept)
        return f"{text}\n... and {dropped} bytes more\n" if dropped else text

    def last_words(self) -> str:
        """The last lines, in one, to be put behind a message; '' if there are none."""
        lines = [line.strip() for line in self._kept.decode("utf-8", "replace").splitlines() if line.strip()]
        words = " / ".join(lines[-_LAST_LINES:])
        return "; its last words: " + "".join(each if each.isprintable() else " " for each in words) if words else ""


def serve(channel: int, lifeline: int, target: str) -> None:
    """The life of a child: `target` speaks over the file descriptor `channel`.

    The parent holds the other end of `lifeline` as long as it lives.
    """
    threading.Thread(target=_die_with_parent, args=(lifeline,), daemon=True).start()
    module, _, name = target.partition(":")
    getattr(import_module(module), name)(Connection(channel))


def or_end(speak: Callable[..., Any], *words: Any) -> Any:
    """Speak with the parent; if it is no longer there, end this process and all that it has started, without a word."""
    try:
        return speak(*words)
    except (EOFError, OSError):
        kill_tree(os.getpid())


def _die_with_parent(lifeline: int) -> None:
    """The same as soon as the parent is gone, even if it was killed without a chance to tell."""
    os.read(lifeline, 1)
    kill_tree(os.getpid())
