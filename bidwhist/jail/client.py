"""Starting jailed processes, by way of the server that forks them."""

import contextlib
import os
import pickle
import select
import socket
import subprocess
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Final

from bidwhist.errors import Stopped
from bidwhist.jail.server import LENGTH, NUMBER, Request
from bidwhist.process.child import Child, ends
from bidwhist.process.folder import TemporaryFolder
from bidwhist.process.machine import machine_limits
from bidwhist.process.output import Output
from bidwhist.process.path import installed_first

_START: Final = (
    "import sys; sys.path[:] = {path}; from bidwhist.jail.server import serve; "
    "serve(int(sys.argv[1]), int(sys.argv[2]), sys.argv[3])"
)
_KEPT: Final = ("NUMBA_CACHE_DIR", "XDG_CACHE_HOME", "HOME", "LD_LIBRARY_PATH", "OPENBLAS_CORETYPE")
_SOCKET: Final = "socket"
_WAIT: Final = 60.0  # seconds for the server to load what it needs
_LONGEST: Final = 80  # bytes; an address may have some 100


class Server:
    """The process that forks jailed ones, started by this object and ended with it, or with this process."""

    def __init__(self, prepare: str, hash_seed: str = "0") -> None:
        """`prepare`: written `module:function`, is called in the server; `hash_seed`: its PYTHONHASHSEED."""
        self._folder = _new_folder()
        self.address = str(self._folder.path / _SOCKET)
        self._owner = os.getpid()
        with machine_limits("no process can be started"):
            listening = socket.socket(socket.AF_UNIX)
            listening.bind(self.address)
            Path(self.address).chmod(0o600)
            listening.listen(64)
            watched, self._lifeline = os.pipe()
        code = _START.format(path=ascii(installed_first(sys.path)))
        command = [sys.executable, "-P", "-c", code, str(listening.fileno()), str(watched), prepare]
        variables = {name: os.environ[name] for name in _KEPT if name in os.environ}
        threads = {f"{library}_NUM_THREADS": "1" for library in ("OMP", "OPENBLAS", "MKL", "NUMBA")}
        with machine_limits("no process can be started"):
            self._process = subprocess.Popen(
                command,
                cwd=self._folder.path,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                env={**variables, **threads, "PYTHONHASHSEED": hash_seed},
                pass_fds=(listening.fileno(), watched),
                start_new_session=True,
            )
        os.close(watched)
        listening.close()

    @property
    def pid(self) -> int:
        """Its process id."""
        return self._process.pid

    @property
    def folder(self) -> Path:
        """Its folder, in which those of jailed processes lie."""
        return self._folder.path

    def close(self) -> None:
        """End the server, with all processes that it has forked."""
        if os.getpid() != self._owner:
            return
        with contextlib.suppress(OSError):
            os.close(self._lifeline)
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._process.wait(10)
        self._process.kill()
        self._folder.remove()


def _new_folder() -> TemporaryFolder:
    """A new folder, whose path is short enough for the address of a socket. Jailed processes of another user have their
    folders in it."""
    folder = TemporaryFolder("jail", mode=0o711)
    if len(os.fsencode(folder.path)) > _LONGEST:
        folder.remove()
        folder = TemporaryFolder("jail", mode=0o711, place=Path("/tmp"))
    return folder


class JailedProcess:
    """A process of the server, with what `subprocess.Popen` has for one of ours."""

    def __init__(self, connection: socket.socket) -> None:
        self._connection = connection
        self.returncode: int | None = None
        self.pid = self._number(_WAIT)
        if self.pid < 0:
            connection.close()
            raise OSError(-self.pid, os.strerror(-self.pid))

    def exited(self) -> int | None:
        """Its exit code, negative for a signal, if it has ended."""
        return self.poll()

    def poll(self) -> int | None:
        """The same."""
        if self.returncode is None and select.select([self._connection], [], [], 0)[0]:
            self._take()
        return self.returncode

    def wait(self, timeout: float | None = None) -> int:
        """Wait until it has ended. Raises subprocess.TimeoutExpired."""
        if self.returncode is None:
            if not select.select([self._connection], [], [], timeout)[0]:
                raise subprocess.TimeoutExpired("a jailed process", timeout or 0)
            self._take()
        assert self.returncode is not None
        return self.returncode

    def kill(self) -> None:
        """Have it killed, with all that it has started."""
        with contextlib.suppress(OSError):
            self._connection.shutdown(socket.SHUT_WR)

    def _take(self) -> None:
        self.returncode = self._number(None)
        self._connection.close()

    def _number(self, seconds: float | None) -> int:
        """The next number from the server. Raises Stopped if it has gone."""
        self._connection.settimeout(seconds)
        data = b""
        while len(data) < NUMBER.size:
            try:
                more = self._connection.recv(NUMBER.size - len(data))
            except OSError:
                more = b""
            if not more:
                raise Stopped("the process that starts jailed bots has ended")
            data += more
        number: int = NUMBER.unpack(data)[0]
        return number


def start(
    address: str,
    request: Request,
    output: Output,
    descriptors: Sequence[int] = (),
    line_limit: int | None = None,
    **hooks: Callable[[], None],
) -> Child:
    """Start a jailed process; `descriptors`: file descriptors that it is handed beside its pipes; `hooks`: `at_end` and
    `watch` of a Child.

    Raises OSError, or Stopped if the server has gone or a limit of the machine is met.
    """
    body = pickle.dumps(request)
    with machine_limits("no process can be started"), ends() as (ours, theirs):
        connection = socket.socket(socket.AF_UNIX)
        try:
            try:
                connection.connect(address)
            except OSError as error:
                raise Stopped(f"the process that starts jailed bots cannot be reached: {error.strerror}") from error
            socket.send_fds(connection, [LENGTH.pack(len(body))], [*theirs, *descriptors])
            connection.sendall(body)
            process = JailedProcess(connection)
        except BaseException:
            connection.close()
            raise
        return Child.of(process, ours, theirs, output, line_limit, **hooks)
