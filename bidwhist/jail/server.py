"""The parent of jailed processes: an interpreter that is started once, loads what bots need, and only forks.

It is started from nothing, with variables of its own, and is never told a seed, a hand, or what its children are to
do: a child reads that by itself, from the connection over which it was asked for. So there is nothing in it, or in a
copy of it, that a bot must not find.

A connection stands for a process. Over it goes the request (`Request`, with three file descriptors: messages to the
process, messages from it, its error output), then back the process's number once it is confined, or the negative number
of the system's error, and in the end the status with which it ended. When the client closes its side, or dies, the
process is killed with all that it has started.

To find what a process has started, all processes of the machine are looked through. So a child that may start some
tells the server before it is confined; all others cannot.
"""

import contextlib
import errno
import gc
import os
import pickle
import select
import shutil
import signal
import socket
import struct
import sys
import traceback
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import Any, Final, NamedTuple

from bidwhist.jail.confine import Confinement, confine, hide
from bidwhist.process.child import Pipes
from bidwhist.process.tree import adopt_orphans, kill_tree

NUMBER: Final = struct.Struct("=i")
"""A process id, and a status as os.waitstatus_to_exitcode has it."""
LENGTH: Final = struct.Struct("=I")
"""The size of a request in bytes, which stands before it."""
FAILED: Final = 125
"""Exit code of a process that could not be confined."""
_NUMBER_OF_PIPES: Final = 3


class Request(NamedTuple):
    """A process that is to be started: `target`, written `module:function`, is called with the pipes, the file
    descriptors that were sent along, and `argument`."""

    target: str
    argument: Any
    terms: Confinement


def serve(listening: int, lifeline: int, prepare: str) -> None:
    """The life of the server. `lifeline`: ends it when it is closed; `prepare`: a function, which is called first."""
    adopt_orphans()
    hide()
    with contextlib.suppress(ValueError, OSError):
        signal.signal(signal.SIGINT, signal.SIG_IGN)
    _call(prepare)
    gc.collect()
    gc.freeze()  # a collection in a child would write on pages that it shares with this process
    try:
        _Server(socket.socket(fileno=listening), lifeline).run()
    finally:
        shutil.rmtree(Path.cwd(), ignore_errors=True)


class _Server:
    def __init__(self, listening: socket.socket, lifeline: int) -> None:
        self._listening = listening
        self._lifeline = lifeline
        self._of: dict[int, socket.socket] = {}  # connections by process
        self._poll = select.poll()
        # A child that ends wakes the loop.
        self._wake, self._woken = os.pipe()
        # Numbers of children that may start processes.
        self._free: set[int] = set()
        self._told, self._tell = os.pipe()
        for each in (self._wake, self._woken, self._told):
            os.set_blocking(each, False)
        signal.signal(signal.SIGCHLD, lambda *_: None)
        signal.set_wakeup_fd(self._woken, warn_on_full_buffer=False)
        for each in (listening.fileno(), lifeline, self._wake):
            self._poll.register(each, select.POLLIN)

    def run(self) -> None:
        while True:
            events = dict(self._poll.poll())
            if self._lifeline in events:
                for pid in self._of:
                    kill_tree(pid)
                return
            if self._wake in events:
                with contextlib.suppress(BlockingIOError):
                    os.read(self._wake, 1 << 12)
            for pid, connection in list(self._of.items()):
                if connection.fileno() in events:
                    self._poll.unregister(connection)
                    self._kill(pid)
            self._reap()
            if self._listening.fileno() in events:
                self._accept()

    def _accept(self) -> None:
        connection, _ = self._listening.accept()
        try:
            pid = os.fork()
        except OSError as error:
            with contextlib.suppress(OSError):
                connection.sendall(NUMBER.pack(-(error.errno or errno.EAGAIN)))
            connection.close()
            return
        if pid == 0:
            _live(connection, [each.fileno() for each in self._of.values()], self._tell)
        self._of[pid] = connection
        self._poll.register(connection, select.POLLRDHUP)

    def _reap(self) -> None:
        may_have_left = False
        with contextlib.suppress(ChildProcessError):
            while (found := os.waitpid(-1, os.WNOHANG))[0]:
                # One that is not known is an orphan, which may have left others.
                may_have_left |= self._may_start(found[0]) or found[0] not in self._of
                self._free.discard(found[0])
                self._tell_end(*found)
        if may_have_left:
            self._end_orphans()

    def _may_start(self, pid: int) -> bool:
        """True for a child that may start processes."""
        with contextlib.suppress(BlockingIOError):
            while told := os.read(self._told, NUMBER.size):
                self._free.add(NUMBER.unpack(told)[0])
        return pid in self._free

    def _kill(self, pid: int) -> None:
        """Kill a child and what it has started; it is not waited for yet, so nobody else has its number."""
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(pid, signal.SIGKILL)
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.kill(pid, signal.SIGKILL)  # one that has no group of its own yet
        if self._may_start(pid):
            kill_tree(pid)

    def _tell_end(self, pid: int, status: int) -> None:
        connection = self._of.pop(pid, None)
        if connection is None:
            return  # an orphan of a program
        with contextlib.suppress(KeyError, ValueError):
            self._poll.unregister(connection)
        with contextlib.suppress(OSError):
            connection.setblocking(False)
            connection.sendall(NUMBER.pack(os.waitstatus_to_exitcode(status)))
        connection.close()

    def _end_orphans(self) -> None:
        """Kill what a program has left: while it lives, it adopts what it has started and what that has left."""
        import psutil

        for child in psutil.Process().children():
            if child.pid not in self._of:
                with contextlib.suppress(psutil.NoSuchProcess):
                    child.kill()  # those that it leaves come here next


def _live(connection: socket.socket, others: list[int], tell: int) -> None:
    """The life of a child, without a way back. `tell`: where it writes its number if it may start processes."""
    code = FAILED
    answer, is_confined = connection.fileno(), False
    try:
        os.setsid()
        for each in others:
            os.close(each)
        request, pipes = _receive(connection)
        if request.terms.may_start:
            os.write(tell, NUMBER.pack(os.getpid()))
        nothing = os.open(os.devnull, os.O_RDONLY)
        os.dup2(nothing, 0)
        os.dup2(pipes[2], 1)
        os.dup2(pipes[2], 2)
        ends = Pipes(pipes[0], pipes[1], 2)
        more = pipes[_NUMBER_OF_PIPES:]
        confine(request.terms, [ends.to, ends.of, *more, answer])
        is_confined = True
        os.write(answer, NUMBER.pack(os.getpid()))
        connection.close()
        code = 1
        _call(request.target, ends, more, request.argument)
        code = 0
    except SystemExit as ended:
        code = ended.code if isinstance(ended.code, int) else 1
    except BaseException as error:
        with contextlib.suppress(BaseException):
            if not is_confined and isinstance(error, OSError):  # the machine's fault, and not the bot's
                os.write(answer, NUMBER.pack(-(error.errno or errno.EAGAIN)))
            traceback.print_exc()
    finally:
        with contextlib.suppress(BaseException):
            sys.stdout.flush()
        os._exit(code)


def _receive(connection: socket.socket) -> tuple[Request, list[int]]:
    data, descriptors, flags, _ = socket.recv_fds(connection, LENGTH.size, 8)
    if flags & socket.MSG_CTRUNC:
        raise OSError(errno.EMFILE, os.strerror(errno.EMFILE))
    while len(data) < LENGTH.size:
        data += _some(connection, LENGTH.size - len(data))
    (length,) = LENGTH.unpack(data)
    body = bytearray()
    while len(body) < length:
        body += _some(connection, length - len(body))
    request: Request = pickle.loads(body)
    return request, descriptors


def _some(connection: socket.socket, most: int) -> bytes:
    data = connection.recv(min(most, 1 << 16))
    if not data:
        raise EOFError("the client has gone")
    return data


def _call(target: str, *arguments: Any) -> Any:
    module, _, name = target.partition(":")
    function: Callable[..., Any] = getattr(import_module(module), name)
    return function(*arguments)


def run_program(pipes: Pipes, more: list[int], argument: tuple[list[str], Path]) -> None:
    """The target for another program: `argument` is its command and its working folder."""
    command, folder = argument
    os.chdir(folder)
    os.dup2(pipes.of, 0)
    os.dup2(pipes.to, 1)
    for each in (0, 1):
        os.set_inheritable(each, True)
    os.closerange(3, 256)
    os.execv(command[0], command)
