"""A process that works for this one: lines to it and from it, its error output, and its end.

Everything is read and written by the thread that asks, through pipes that do not block, so neither a process that does
not read nor one that floods its output can hold up its parent for longer than the deadline.
"""

import contextlib
import os
import selectors
import signal
import subprocess
import sys
import time
import traceback
import warnings
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Final, NamedTuple, Protocol

from bidwhist.faults import Fault
from bidwhist.process.deadline import Deadline
from bidwhist.process.endings import end_all, forget
from bidwhist.process.fault import ProcessEnded, ProcessFault, exit_in_words
from bidwhist.process.machine import machine_limits
from bidwhist.process.output import Output
from bidwhist.process.tree import kill_tree
from bidwhist.text import quoted

_CHUNK: Final = 1 << 16
_INTERRUPTED: Final = 130  # exit code
_GLANCE: Final = 0.05  # seconds between two looks whether a silent process still lives
_GRACE: Final = 1.0  # seconds in which a process that closed a pipe may exit, so that its exit is what is told
_MOST_LEFT: Final = 1 << 20  # most bytes read of what a dead process has left in its error output


class Process(Protocol):
    """The interface of processes, whoever has started them. Exit codes are negative for a signal."""

    @property
    def pid(self) -> int: ...

    @property
    def returncode(self) -> int | None: ...

    def exited(self) -> int | None:
        """Its exit code, None while it lives; its number stays its own until it is waited for."""

    def wait(self, timeout: float | None = None) -> int:
        """Wait until it has ended. Raises subprocess.TimeoutExpired."""

    def kill(self) -> None:
        """Kill it, if it lives, and all that it has started."""


class Pipes(NamedTuple):
    """File descriptors of one end: messages to the other end, messages from it, the error output."""

    to: int
    of: int
    errors: int


@contextmanager
def ends() -> Iterator[tuple[Pipes, Pipes]]:
    """Both ends of three new pipes: ours and those of a process that is to be started. Closed if it is not.

    Raises Stopped for an OSError about a limit of the machine.
    """
    made: list[int] = []
    try:
        with machine_limits("no process can be started"):
            for _ in range(3):
                made += os.pipe()
            (to_read, to_write), (of_read, of_write), (errors_read, errors_write) = zip(
                made[::2], made[1::2], strict=True
            )
            yield Pipes(to_write, of_read, errors_read), Pipes(of_write, to_read, errors_write)
    except BaseException:
        for pipe in made:
            with contextlib.suppress(OSError):  # closed already
                os.close(pipe)
        raise


def _nothing() -> None:
    """Do nothing."""


class Child:
    """A process in a session of its own; what it has started and left in that session, or below it, ends with it."""

    def __init__(
        self,
        process: Process,
        pipes: Pipes,
        output: Output,
        line_limit: int | None = None,
        at_end: Callable[[], None] = _nothing,
        watch: Callable[[], None] = _nothing,
    ) -> None:
        """`output` takes what the process writes to its standard error; `line_limit`: most bytes of a line from it.

        `at_end` is called when the process has ended; `watch` again and again while one waits for it, and may raise
        ProcessFault.
        """
        self.output = output
        self._watch = watch
        self._at_end = at_end
        self._process = process
        self._pipes = pipes
        self._line_limit = line_limit
        self._open = set(pipes)
        self._arrived = bytearray()
        self._is_mute = False  # it has closed its end of the messages
        self._selector = selectors.DefaultSelector()
        for pipe in pipes:
            os.set_blocking(pipe, False)
        self._selector.register(pipes.of, selectors.EVENT_READ)
        self._selector.register(pipes.errors, selectors.EVENT_READ)

    @classmethod
    def start(
        cls,
        command: Sequence[str],
        output: Output,
        *,
        line_limit: int | None = None,
        folder: Path | None = None,
        environment: Mapping[str, str] | None = None,
        pass_fds: Sequence[int] = (),
    ) -> "Child":
        """Start a command that speaks over its standard input and output.

        `environment`: variables to set beside those of this process. Raises OSError, or Stopped if it is about a limit
        of the machine.
        """
        with ends() as (ours, theirs):
            process = subprocess.Popen(
                command,
                cwd=folder,
                stdin=theirs.of,
                stdout=theirs.to,
                stderr=theirs.errors,
                env=None if environment is None else {**os.environ, **environment},
                pass_fds=pass_fds,
                start_new_session=True,
            )
            return cls.of(_Started(process), ours, theirs, output, line_limit)

    @classmethod
    def fork(cls, work: Callable[[Pipes], None], output: Output, *, terminal: bool = False) -> "Child":
        """Do `work` in a copy of this process, with its own ends of the pipes; it ends when `work` returns.

        `terminal`: it shares the standard streams of this process, and its session. Raises OSError, or Stopped if it is
        about a limit of the machine.
        """
        sys.stdout.flush()
        with ends() as (ours, theirs), warnings.catch_warnings():
            warnings.simplefilter("ignore", DeprecationWarning)  # of threads, whose locks the work does not need
            pid = os.fork()
            if pid == 0:
                _work(work, theirs, ours, terminal)
            return cls.of(_Forked(pid), ours, theirs, output)

    @classmethod
    def of(
        cls,
        process: Process,
        ours: Pipes,
        theirs: Pipes,
        output: Output,
        line_limit: int | None = None,
        at_end: Callable[[], None] = _nothing,
        watch: Callable[[], None] = _nothing,
    ) -> "Child":
        """A process that has been started with one of both `ends` of its pipes, which is closed here."""
        for pipe in theirs:
            os.close(pipe)
        try:
            return cls(process, ours, output, line_limit, at_end, watch)
        except OSError:
            process.kill()
            process.wait()
            raise

    @property
    def pid(self) -> int:
        """Its process id."""
        return self._process.pid

    @property
    def exit_code(self) -> int | None:
        """Its exit code, negative for a signal, once it has been ended; None before."""
        return self._process.returncode

    def send(self, lines: bytes, deadline: Deadline | None = None) -> None:
        """Send whole lines. Raises ProcessFault."""
        due = deadline or Deadline()
        rest = memoryview(lines)
        rest = rest[self._write(rest) :]
        if not rest:
            return
        self._selector.register(self._pipes.to, selectors.EVENT_WRITE)
        while rest:
            self._wait(due, "did not read what it was sent")
            rest = rest[self._write(rest) :]
        self._selector.unregister(self._pipes.to)

    def receive(self, deadline: Deadline | None = None) -> bytes:
        """The next line, with its end. Raises ProcessFault."""
        due = deadline or Deadline()
        while (length := self._arrived.find(b"\n") + 1) == 0:
            self._wait(due, f"wrote {self._part}," if self._arrived else "wrote nothing")
        if self._line_limit is not None and length > self._line_limit:
            raise self._too_long()
        line = bytes(self._arrived[:length])
        del self._arrived[:length]
        return line

    def wait(self, deadline: Deadline, late: str) -> None:
        """Wait for a moment, or until something has arrived. Raises ProcessFault; `late`: words for it when the time
        is over."""
        self._wait(deadline, late)

    def take_arrived(self) -> bytes:
        """All that has arrived, as far as it has been read."""
        data = bytes(self._arrived)
        self._arrived.clear()
        return data

    def take_unasked(self) -> bytes:
        """What it has written since the last line that was received; b'' if nothing."""
        self._read_messages()
        return bytes(self._arrived)

    def read_errors(self) -> None:
        """Take what it has written to its standard error so far, without waiting, up to a limit."""
        read = 0
        while read < _MOST_LEFT and (more := self._read_errors()):
            read += more

    def close_input(self, last: bytes) -> None:
        """Send last lines, as far as they go into the pipe, and nothing after them."""
        with contextlib.suppress(OSError):
            os.write(self._pipes.to, last)
        self._close(self._pipes.to)

    def end(self, deadline: Deadline | None = None) -> None:
        """Let it exit by itself until a deadline, then end whatever is left of it and of what it has started.

        One that has been ended already is left alone.
        """
        if not self._open:
            return
        if deadline:
            self._await_exit(deadline)
        self._process.kill()
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._process.wait(_GRACE)
        self.read_errors()
        self._selector.close()
        for pipe in tuple(self._open):
            self._close(pipe)
        self._at_end()

    def _close(self, pipe: int) -> None:
        self._open.discard(pipe)
        os.close(pipe)

    def _write(self, data: memoryview) -> int:
        try:
            return os.write(self._pipes.to, data)
        except BlockingIOError:
            return 0
        except BrokenPipeError:
            raise self._gone("closed its standard input") from None

    def _wait(self, deadline: Deadline, late: str) -> None:
        """Go on when something has arrived or can be written. Raises ProcessFault; `late`: what it did all the time."""
        if self._is_mute:
            raise self._gone("closed its standard output")
        if self._line_limit is not None and len(self._arrived) >= self._line_limit:
            raise self._too_long()
        self._watch()
        left, before = deadline.left, len(self._arrived)
        has_come = self._listen(min(left, _GLANCE))
        if not left and len(self._arrived) == before:  # what came in time counts, even if it is looked for too late
            raise ProcessFault(f"{late} {deadline.words}", Fault.TIME)
        if not has_come and self._process.exited() is not None:
            self._read_messages()  # what came between the two looks
            # Its pipes may be held open by processes that it has started and left behind.
            self._is_mute = True

    def _listen(self, seconds: float) -> bool:
        """Wait for a pipe and read what has come; False if nothing happened."""
        ready = [key.fd for key, _ in self._selector.select(seconds)]
        if self._pipes.errors in ready:
            self._read_errors()
        if self._pipes.of in ready:
            self._read_messages()
        return bool(ready)

    def _read_messages(self) -> None:
        """Take what it has sent, without waiting."""
        data = _read(self._pipes.of)
        if data == b"" and self._pipes.of in self._selector.get_map():
            self._is_mute = True
            self._selector.unregister(self._pipes.of)
        self._arrived += data or b""

    def _read_errors(self) -> int:
        """Take what it has written to its standard error, without waiting; how many bytes."""
        data = _read(self._pipes.errors)
        if data == b"" and self._pipes.errors in self._selector.get_map():
            self._selector.unregister(self._pipes.errors)
        self.output.add(data or b"")
        return len(data or b"")

    def _gone(self, otherwise: str) -> ProcessFault:
        """The fault of a process that has exited, or else has only closed a pipe."""
        after = f" after {self._part}" if self._arrived else ""
        code = self._await_exit(Deadline(_GRACE))
        if code is None:
            return ProcessFault(otherwise + after)
        fault = Fault.LIMIT if code == -getattr(signal, "SIGXFSZ", 0) else Fault.CRASH  # a file that is too large
        return ProcessEnded(exit_in_words(code) + after, fault)

    @property
    def _part(self) -> str:
        return f"{quoted(self._arrived)}, no whole line"

    def _too_long(self) -> ProcessFault:
        begin = quoted(self._arrived[:80])
        return ProcessFault(
            f"wrote more than {self._line_limit:,} bytes where one line was due; they begin with {begin}",
            Fault.MESSAGE,
        )

    def _await_exit(self, deadline: Deadline) -> int | None:
        """Its exit code; None if it lives on. What it sends meanwhile is lost, but for its error output."""
        while (code := self._process.exited()) is None and deadline.left:
            self._listen(_GLANCE / 10)
            self._arrived.clear()
        return code


def wait_for(children: Iterable[Child]) -> list[Child]:
    """Wait until one of the processes has sent something, or has ended; those that have. Their error output is read."""
    waiting = list(children)
    while True:
        found = [child for child in waiting if child._arrived or child._is_mute or child._process.exited() is not None]
        if found:
            return found
        with selectors.DefaultSelector() as selector:
            for child in waiting:
                for pipe in child._selector.get_map():
                    selector.register(pipe, selectors.EVENT_READ)
            selector.select(_GLANCE * 10)
        for child in waiting:
            child._listen(0)


class _Own(ABC):
    """A child of this process."""

    pid: int
    returncode: int | None

    @abstractmethod
    def poll(self) -> int | None:
        """Its exit code, None while it lives; it is waited for if it has ended."""

    def exited(self) -> int | None:
        if self.returncode is not None or not hasattr(os, "waitid"):
            return self.poll()
        found = os.waitid(os.P_PID, self.pid, os.WEXITED | os.WNOHANG | os.WNOWAIT)
        if found is None:
            return None
        return found.si_status if found.si_code == os.CLD_EXITED else -found.si_status

    def kill(self) -> None:
        if self.exited() is None:
            kill_tree(self.pid)
        # Its group is ended before it is waited for: up to then nobody else can be given its number.
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(self.pid, signal.SIGKILL)


class _Started(_Own):
    """A process that was started."""

    def __init__(self, process: subprocess.Popen[bytes]) -> None:
        self._process = process
        self.pid = process.pid

    @property
    def returncode(self) -> int | None:  # type: ignore[override]  # read only here
        return self._process.returncode

    def poll(self) -> int | None:
        return self._process.poll()

    def wait(self, timeout: float | None = None) -> int:
        return self._process.wait(timeout)


class _Forked(_Own):
    """A forked process."""

    def __init__(self, pid: int) -> None:
        self.pid = pid
        self.returncode = None

    def poll(self) -> int | None:
        if self.returncode is None:
            done, status = os.waitpid(self.pid, os.WNOHANG)
            if done:
                self.returncode = os.waitstatus_to_exitcode(status)
        return self.returncode

    def wait(self, timeout: float | None = None) -> int:
        deadline = Deadline() if timeout is None else Deadline(timeout)
        while (code := self.poll()) is None:
            if not deadline.left:
                raise subprocess.TimeoutExpired("a forked process", deadline.seconds)
            time.sleep(_GLANCE / 10)
        return code


def _work(work: Callable[[Pipes], None], pipes: Pipes, foreign: Pipes, terminal: bool) -> None:
    """Do the work of a forked process and end it, without a way back."""
    code = 1
    try:
        forget()
        for pipe in foreign:
            os.close(pipe)
        if not terminal:
            os.setsid()
            os.dup2(pipes.errors, 1)
            os.dup2(pipes.errors, 2)
        work(pipes)
        code = 0
    except KeyboardInterrupt:
        code = _INTERRUPTED  # who waits for this process says so
    except BaseException:
        traceback.print_exc()
    finally:
        with contextlib.suppress(BaseException):
            end_all()
            sys.stdout.flush()
        os._exit(code)


def _read(pipe: int) -> bytes | None:
    """What a pipe has, at most a chunk; None if it has nothing, empty if nothing will come."""
    try:
        return os.read(pipe, _CHUNK)
    except BlockingIOError:
        return None
