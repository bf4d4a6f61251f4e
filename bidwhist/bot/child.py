"""A bot's process: lines to it and from it, none of them waited for longer than to a deadline.

Everything is read and written here by one thread, through pipes that do not block, so neither a bot that does not read
nor one that floods its standard error can hold up the arena.
"""

import contextlib
import os
import selectors
import signal
import subprocess
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from bidwhist.bot.errorlog import ErrorLog
from bidwhist.bot.protocol import LINE_LIMIT, ProtocolFault, quoted

_CHUNK: Final = 1 << 16
_GLANCE: Final = 0.05  # seconds between two looks whether a silent process still lives
_GRACE: Final = 1.0  # seconds in which a process that closed a pipe may exit, so that its exit is what is told
_MOST_LEFT: Final = 1 << 20  # most bytes read of what a dead process has left in its standard error


class Deadline:
    """Some seconds from now on."""

    def __init__(self, seconds: float) -> None:
        self.seconds = seconds
        self._end = time.monotonic() + seconds

    def left(self) -> float:
        """Seconds that are left, 0 when the time is over."""
        return max(0.0, self._end - time.monotonic())


class Child:
    """A process in a session of its own, so that what it starts ends with it."""

    def __init__(self, command: Sequence[str], folder: Path, log: ErrorLog) -> None:
        """Start a command in a folder; its standard error goes to `log`. Raises OSError."""
        process = subprocess.Popen(
            command,
            cwd=folder,
            bufsize=0,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            start_new_session=True,
        )
        self._process = process
        self._pipes = [pipe for pipe in (process.stdin, process.stdout, process.stderr) if pipe]
        self._in, self._out, self._err = (pipe.fileno() for pipe in self._pipes)
        self._log = log
        self._waiting = bytearray()  # what it wrote and nobody has taken yet
        self._is_mute = False  # it has closed its standard output
        self._selector = selectors.DefaultSelector()
        for pipe in self._pipes:
            os.set_blocking(pipe.fileno(), False)
        self._selector.register(self._out, selectors.EVENT_READ)
        self._selector.register(self._err, selectors.EVENT_READ)

    def check_silence(self) -> None:
        """Raises ProtocolFault if it has written something since the last line that was taken."""
        self._hear()
        if self._waiting:
            raise ProtocolFault(f"wrote {quoted(self._waiting)} without being asked")

    def send(self, data: bytes, deadline: Deadline) -> None:
        """Write whole lines to it. Raises ProtocolFault."""
        rest = memoryview(data)
        rest = rest[self._write(rest) :]
        if not rest:
            return
        self._selector.register(self._in, selectors.EVENT_WRITE)
        while rest:
            self._wait(deadline, "did not read what it was sent")
            rest = rest[self._write(rest) :]
        self._selector.unregister(self._in)

    def line(self, deadline: Deadline) -> bytes:
        """The next line that it writes. Raises ProtocolFault."""
        while (length := self._waiting.find(b"\n") + 1) == 0:
            said = f"wrote {quoted(self._waiting)}, no whole line," if self._waiting else "wrote nothing"
            self._wait(deadline, said)
        if length > LINE_LIMIT:
            raise self._too_long()
        line = bytes(self._waiting[:length])
        del self._waiting[:length]
        return line

    def farewell(self, data: bytes) -> None:
        """Write last words, as far as they go into the pipe, and close it."""
        with contextlib.suppress(OSError):
            os.write(self._in, data)
        self._pipes[0].close()

    def stop(self, deadline: Deadline | None = None) -> None:
        """Wait for its exit, up to a deadline if there is one; then end whatever is left of it."""
        if deadline:
            self._await_exit(deadline)
        # Its group is ended before it is waited for: up to then nobody else can be given its number.
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(self._process.pid, signal.SIGKILL)
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._process.wait(_GRACE)
        heard = 0
        while heard < _MOST_LEFT and (more := self._hear_errors()):
            heard += more
        self._selector.close()
        for pipe in self._pipes:
            pipe.close()

    def _write(self, data: memoryview) -> int:
        try:
            return os.write(self._in, data)
        except BlockingIOError:
            return 0
        except BrokenPipeError:
            raise self._gone("closed its standard input") from None

    def _wait(self, deadline: Deadline, late: str) -> None:
        """Go on when something has come or can be written. Raises ProtocolFault; `late`: what it did all the time."""
        if self._is_mute:
            raise self._gone("closed its standard output")
        if len(self._waiting) >= LINE_LIMIT:
            raise self._too_long()
        left, before = deadline.left(), len(self._waiting)
        has_come = self._listen(min(left, _GLANCE))
        if not left and len(self._waiting) == before:  # what came in time counts, even if it is looked for too late
            raise ProtocolFault(f"{late} within {deadline.seconds:g} s")
        if not has_come and self._exit_code() is not None:
            self._hear()  # what came between the two looks
            # Its pipes may be held open by processes that it has started and left behind.
            self._is_mute = b"\n" not in self._waiting

    def _listen(self, seconds: float) -> bool:
        """Wait for a pipe and read what has come; False if nothing happened."""
        ready = [key.fd for key, _ in self._selector.select(seconds)]
        if self._err in ready:
            self._hear_errors()
        if self._out in ready:
            self._hear()
        return bool(ready)

    def _hear(self) -> None:
        """Take what it has written, without waiting."""
        data = _read(self._out)
        if data == b"" and not self._is_mute:
            self._is_mute = True
            self._selector.unregister(self._out)
        self._waiting += data or b""

    def _hear_errors(self) -> int:
        """Take what it has written to its standard error, without waiting; how many bytes."""
        data = _read(self._err)
        if data == b"" and self._err in self._selector.get_map():
            self._selector.unregister(self._err)
        self._log.add(data or b"")
        return len(data or b"")

    def _too_long(self) -> ProtocolFault:
        begin = quoted(self._waiting[:80])
        return ProtocolFault(f"wrote more than {LINE_LIMIT:,} bytes where one line was due; they begin with {begin}")

    def _gone(self, otherwise: str) -> ProtocolFault:
        """What is said of a process that exits, or else has only closed a pipe."""
        after = f" after {quoted(self._waiting)}, no whole line" if self._waiting else ""
        code = self._await_exit(Deadline(_GRACE))
        return ProtocolFault((otherwise if code is None else _exit_in_words(code)) + after)

    def _await_exit(self, deadline: Deadline) -> int | None:
        """Its exit code; None if it lives on. What it writes meanwhile is lost, but for its standard error."""
        while (code := self._exit_code()) is None and deadline.left():
            self._listen(_GLANCE / 10)
            self._waiting.clear()
        return code

    def _exit_code(self) -> int | None:
        """Its exit code, negative for a signal; None while it lives. It is not waited for, where the system can."""
        if not hasattr(os, "waitid"):
            return self._process.poll()
        found = os.waitid(os.P_PID, self._process.pid, os.WEXITED | os.WNOHANG | os.WNOWAIT)
        if found is None:
            return None
        return found.si_status if found.si_code == os.CLD_EXITED else -found.si_status


def _read(pipe: int) -> bytes | None:
    """What a pipe has, at most a chunk; None if it has nothing, empty if nothing will come."""
    try:
        return os.read(pipe, _CHUNK)
    except BlockingIOError:
        return None


def _exit_in_words(code: int) -> str:
    if code >= 0:
        return f"exited with code {code}"
    try:
        return f"was ended by {signal.Signals(-code).name}"
    except ValueError:  # a real-time signal
        return f"was ended by signal {-code}"
