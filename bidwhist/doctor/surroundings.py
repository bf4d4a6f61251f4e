"""The scene of the attacks, made beforehand and looked over after each one."""

import os
import secrets
import shutil
import signal
import socket
import sys
from collections.abc import Callable
from contextlib import ExitStack, suppress
from pathlib import Path
from types import TracebackType
from typing import Any, Final, Self

import msgspec

from bidwhist.doctor.calls import NotHere, call
from bidwhist.doctor.scene import SECRET, VARIABLE, Ports, Process, Scene
from bidwhist.doctor.victim import Legacy, Told
from bidwhist.process.child import Child
from bidwhist.process.deadline import Deadline
from bidwhist.process.folder import TemporaryFolder
from bidwhist.process.output import Output

_VICTIM: Final = "import sys; sys.path[:] = {path!r}; from bidwhist.doctor.victim import main; main()"
_WAIT: Final = 20.0  # seconds for a victim to answer
_LONG_AGO: Final = (1_000_000, 2_000_000)  # seconds, time of access and of change


class Surroundings:
    """Everything an attack might reach. A context manager; at its end nothing is left of it."""

    def __init__(self, memory: int, room: int) -> None:
        """`memory` and `room`: megabytes that the attacker may take, and write."""
        self._memory = memory
        self._room = room
        self._closing = ExitStack()
        self._signals = 0
        self._before: dict[str, Any] = {}
        self._children: dict[str, Child] = {}
        self._listening: list[socket.socket] = []
        self._left_open: int | None = None

    def __enter__(self) -> Self:
        with ExitStack() as stack:
            self._build(stack)
            self._closing = stack.pop_all()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._closing.close()
        if self._left_open is not None:
            os.close(self._left_open)

    def _build(self, stack: ExitStack) -> None:
        folder = stack.enter_context(TemporaryFolder("doctor", mode=0o755))
        self.folder = folder
        self.outside = folder / "outside"
        self.readable = folder / "readable"
        for each in (self.outside, self.readable):
            each.mkdir(0o755)
        self.shared, self.old = self.readable / "shared", self.readable / "old"
        for each in (self.shared, self.old):
            each.write_bytes(SECRET)
        os.utime(self.old, _LONG_AGO)
        self.ports = self._listen(stack)
        self._furnish()
        self._mark_environment(stack)
        self._note_signals(stack)
        command = [sys.executable, "-P", "-c", _VICTIM.format(path=sys.path)]
        host = Child.start(command, Output(1 << 12))
        stack.callback(host.end)
        self._children["a process of the user"] = host
        self.host = Process(host.pid, self._hear(host).address)
        self.arena = Process(os.getpid())
        self.key = secrets.randbelow(1 << 30) + 1
        stack.callback(self._remove_traces)

    def _furnish(self) -> None:
        """Make the files anew that attacks change."""
        for name in ("secret", "victim"):
            (self.outside / name).write_bytes(SECRET)
            (self.outside / name).chmod(0o600)
        for name in ("empty", "full"):
            (self.outside / name).mkdir(exist_ok=True)
        (self.outside / "full" / "file").write_bytes(SECRET)
        if self._left_open is not None:
            os.close(self._left_open)
        self._left_open = os.open(self.outside / "secret", os.O_RDONLY)  # attackers must not inherit it
        self._before = self._files()

    def _listen(self, stack: ExitStack) -> Ports:
        def made(family: int, kind: int, address: object) -> socket.socket:
            listening = stack.enter_context(socket.socket(family, kind))
            listening.bind(address)  # type: ignore[arg-type]  # addresses differ by family
            if kind == socket.SOCK_STREAM:
                listening.listen()
            listening.setblocking(False)
            self._listening.append(listening)
            return listening

        tcp = made(socket.AF_INET, socket.SOCK_STREAM, ("127.0.0.1", 0)).getsockname()[1]
        udp = made(socket.AF_INET, socket.SOCK_DGRAM, ("127.0.0.1", 0)).getsockname()[1]
        tcp6 = 0
        with suppress(OSError):
            tcp6 = made(socket.AF_INET6, socket.SOCK_STREAM, ("::1", 0)).getsockname()[1]
        names = {}
        for name, kind in (("stream", socket.SOCK_STREAM), ("datagram", socket.SOCK_DGRAM)):
            names[name] = str(self.folder / name)
            made(socket.AF_UNIX, kind, names[name])
        abstract = f"\0bidwhist-doctor-{secrets.token_hex(8)}"
        with suppress(OSError):
            made(socket.AF_UNIX, socket.SOCK_STREAM, abstract)
        return Ports(tcp, tcp6, udp, names["stream"], names["datagram"], abstract)

    def _mark_environment(self, stack: ExitStack) -> None:
        os.environ[VARIABLE] = SECRET.decode()
        stack.callback(os.environ.pop, VARIABLE, None)

    def _note_signals(self, stack: ExitStack) -> None:
        def note(number: int, frame: Any) -> None:
            self._signals += 1

        before = signal.signal(signal.SIGURG, note)
        stack.callback(signal.signal, signal.SIGURG, before)

    def add_partner(self, start: Callable[[Legacy], Child]) -> Process:
        """Have a partner started, which leaves its traces; it ends with the surroundings."""
        partner = start(Legacy(Path("/dev/shm") / f"bidwhist-{self.key}", self.key, self.shared, self.old))
        self._closing.callback(partner.end)
        self._children["the partner"] = partner
        return Process(partner.pid, self._hear(partner).address)

    def scene(self, scratch: Path, server: Process, partner: Process) -> Scene:
        """The scene for an attacker with a scratch folder."""
        return Scene(
            scratch=scratch,
            outside=self.outside,
            shared=self.shared,
            old=self.old,
            ports=self.ports,
            host=self.host,
            arena=self.arena,
            server=server,
            partner=partner,
            key=self.key,
            memory=self._memory,
            room=self._room,
        )

    def _hear(self, child: Child) -> Told:
        return msgspec.json.decode(child.receive(Deadline(_WAIT)), type=Told)

    def traces(self) -> list[str]:
        """The traces of an attack, in words; all is as before then."""
        found = []
        if self._files() != self._before:
            found.append("files are not as they were")
            self._furnish_again()
        if self._heard():
            found.append("somebody was connected to")
        for name, child in self._children.items():
            child.send(b".")
            told = self._hear(child)
            if told.signals or not told.unchanged:
                found.append(f"{name} was reached")
        if self._signals:
            found.append("the arena got a signal")
            self._signals = 0
        return found

    def _files(self) -> dict[str, Any]:
        """All that can be seen of the files but the time at which they were read."""
        found: dict[str, Any] = {}
        for path in sorted([self.folder, *self.folder.rglob("*")]):
            what = path.lstat()
            is_read = path.is_file() and not path.is_symlink() and path != self.old  # whose time of access counts
            content = path.read_bytes() if is_read else b""
            rights = (what.st_mode, what.st_uid, what.st_gid, what.st_nlink, what.st_mtime_ns)
            names = os.listxattr(path, follow_symlinks=False) if hasattr(os, "listxattr") else []
            found[str(path)] = (*rights, content, tuple(names))
        return found

    def _furnish_again(self) -> None:
        for path in self.folder.iterdir():
            if path.name == "temporary":
                path.unlink()
        shutil.rmtree(self.outside)
        self.outside.mkdir(0o755)
        self._furnish()

    def _heard(self) -> bool:
        heard = False
        for each in self._listening:
            with suppress(BlockingIOError):
                if each.type == socket.SOCK_STREAM:
                    each.accept()[0].close()
                else:
                    each.recv(10)
                heard = True
        return heard

    def _remove_traces(self) -> None:
        """Whatever partners have left in the kernel."""
        note = Path("/dev/shm") / f"bidwhist-{self.key}"
        removals: tuple[Callable[[], object], ...] = (
            note.unlink,
            lambda: call("mq_unlink", note.name.encode()),
            lambda: call("shmctl", call("shmget", self.key, 0, 0), 0, None),
            lambda: call("semctl", call("semget", self.key, 0, 0), 0, 0, 0),
            lambda: call("msgctl", call("msgget", self.key, 0), 0, None),
        )
        for remove in removals:
            with suppress(OSError, NotHere):
                remove()
