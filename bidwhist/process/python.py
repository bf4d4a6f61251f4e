"""A process that runs a function of ours: objects go to and fro, and it dies with its parent.

Unlike multiprocessing's own start methods this never imports the user's script anew, so a script needs no guard around
the line that starts a tournament. What the process prints, or its bots print, is kept up to a limit.
"""

import atexit
import os
import pickle
import sys
import threading
from base64 import b64decode, b64encode
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager
from importlib import import_module
from pathlib import Path
from typing import Any, Final, NamedTuple, Self

from bidwhist.activity import listening
from bidwhist.interrupts import keep_interrupts_to_bots
from bidwhist.process.child import Child, Pipes
from bidwhist.process.deadline import Deadline
from bidwhist.process.machine import machine_limits
from bidwhist.process.output import Output
from bidwhist.process.path import installed_first
from bidwhist.process.tree import adopt_orphans, end_children, kill_tree

# With our path before the first import that looks for a file.
_START: Final = (
    "import sys; sys.path[:] = {path}; from bidwhist.process.python import serve; serve(int(sys.argv[1]), sys.argv[2])"
)
_MOST_OUTPUT: Final = 64 * 1024  # bytes


class PythonChild:
    """A process that exchanges objects with this one."""

    def __init__(self, child: Child, lifeline: int | None = None) -> None:
        """`lifeline`: a file descriptor to hold open as long as the process shall live."""
        self.child = child
        self._lifeline = lifeline

    @classmethod
    def start(cls, target: str, environment: Mapping[str, str] | None = None, folder: Path | None = None) -> Self:
        """A new interpreter that calls `target`, written `module:function`, with its Channel to this process.

        `environment`: variables to set beside those of this process. Sets of texts have a fixed order there. `folder`:
        its working folder.
        """
        with machine_limits("no process can be started"):
            watched, lifeline = os.pipe()
        code = _START.format(path=ascii(installed_first(sys.path)))
        command = [sys.executable, "-P", "-c", code, str(watched), target]
        variables = {"PYTHONHASHSEED": "0", **(environment or {})}
        try:
            child = Child.start(
                command, Output(_MOST_OUTPUT), environment=variables, folder=folder, pass_fds=(watched,)
            )
        finally:
            os.close(watched)
        return cls(child, lifeline)

    @classmethod
    def fork(cls, work: Callable[["Channel"], None], *, terminal: bool = False) -> Self:
        """A copy of this process that calls `work` with its Channel to this process, and ends.

        `terminal`: it shares the standard streams of this process, and its session.
        """
        return cls(Child.fork(lambda pipes: work(Channel(pipes)), Output(_MOST_OUTPUT), terminal=terminal))

    def send(self, message: object) -> None:
        """Send an object. Raises ProcessFault."""
        self.child.send(_encoded(message))

    def receive(self, deadline: Deadline | None = None) -> Any:
        """The next object that it sends. Raises ProcessFault."""
        return _decoded(self.child.receive(deadline))

    @property
    def last_words(self) -> str:
        """The end of what it has printed, to be put behind a message; '' if it has printed nothing."""
        tail = self.child.output.tail
        return f"; its last words: {tail}" if tail else ""

    def end(self, patience: float = 0) -> None:
        """Let the process end by itself for some seconds, then kill it with all that it has started."""
        self.child.end(Deadline(patience))
        if self._lifeline is not None:
            os.close(self._lifeline)
            self._lifeline = None


class Channel:
    """The way from such a process to its parent. When the parent is gone, the process ends with all that it started."""

    def __init__(self, pipes: Pipes) -> None:
        self._to, self._of = os.fdopen(pipes.to, "wb"), os.fdopen(pipes.of, "rb")
        self._lock = threading.Lock()
        self._owner = os.getpid()

    def send(self, message: object) -> None:
        """Send an object. Any thread may."""
        self._check_owner()
        try:
            with self._lock:
                self._to.write(_encoded(message))
                self._to.flush()
        except OSError:
            kill_tree(os.getpid())

    def receive(self) -> Any:
        """The next object."""
        self._check_owner()
        line = self._of.readline()
        if not line.endswith(b"\n"):
            kill_tree(os.getpid())
        return _decoded(line)

    def _check_owner(self) -> None:
        """End a process that a bot has forked: it has come back from the bot's code, and nobody hears it."""
        if os.getpid() != self._owner:
            os._exit(1)


class Activity(NamedTuple):
    """A message: what a process does that may keep others waiting, in words; None when that is over."""

    words: str | None


def reporting_to(channel: Channel) -> AbstractContextManager[None]:
    """Have the activities of this process sent over a channel, as Activity, while the context is open."""
    return listening(lambda words: channel.send(Activity(words)))


def _encoded(message: object) -> bytes:
    return b64encode(pickle.dumps(message)) + b"\n"


def _decoded(line: bytes) -> Any:
    return pickle.loads(b64decode(line))


def serve(lifeline: int, target: str) -> None:
    """The life of a process that was started for `target`.

    The parent holds the other end of `lifeline` as long as it lives. What the process has started ends with it.
    """
    adopt_orphans()
    atexit.register(end_children)  # the first, so it is called after those of bots
    keep_interrupts_to_bots()
    threading.Thread(target=_die_with_parent, args=(lifeline,), daemon=True).start()
    module, _, name = target.partition(":")
    channel = Channel(Pipes(os.dup(1), os.dup(0), 2))
    # What is printed, by whomever, goes where the errors go, and nobody reads what is meant for the channel.
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.close(nothing)
    os.dup2(2, 1)
    getattr(import_module(module), name)(channel)


def _die_with_parent(lifeline: int) -> None:
    """End with the parent, even if it was killed without a chance to tell."""
    os.read(lifeline, 1)
    kill_tree(os.getpid())
