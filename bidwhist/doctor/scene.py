"""The surroundings of an attack: files, sockets and processes that it must not reach."""

from pathlib import Path
from typing import Final, NamedTuple

SECRET: Final = b"the queen of hearts lies in the kitty"
"""A text in files and in the memory of processes that must not be read."""
VARIABLE: Final = "BIDWHIST_DOCTOR"
"""A variable in the environment of the doctor and of other processes, with the secret as its value."""
NOTE: Final = "note"
"""The file in its scratch folder in which the partner keeps the secret."""

LEFT: Final = "left-behind"
"""The file in its scratch folder in which an attacker notes the number of a process that is to live on."""

SHELL: Final = 77
"""Exit code of an attacker that has become a shell."""


class Process(NamedTuple):
    """A process that is to be attacked. `address`: where in its memory the secret lies, 0 if that is not known."""

    pid: int
    address: int = 0


class Ports(NamedTuple):
    """Addresses of sockets that somebody listens to."""

    tcp: int
    tcp6: int
    udp: int
    stream: str
    datagram: str
    abstract: str


class Scene(NamedTuple):
    """A scene. All folders and files but `scratch` belong to the user who has called the doctor.

    `scratch`: the attacker's own folder; `outside`: a folder with the secret file and what is in `BEFORE`; `shared`: a
    file that the attacker and its partner may read; `old`: another one, last read long ago by anybody but the partner;
    `host` and `arena`: processes of the user; `server`: the parent; `partner`: a process like the attacker's, which
    tries to leave something for it under the number `key`; `memory` and `room`: MB that the attacker may take, and
    write.
    """

    scratch: Path
    outside: Path
    shared: Path
    old: Path
    ports: Ports
    host: Process
    arena: Process
    server: Process
    partner: Process
    key: int
    memory: int
    room: int

    @property
    def secret(self) -> Path:
        """A file with the secret."""
        return self.outside / "secret"

    @property
    def processes(self) -> tuple[Process, ...]:
        """All processes that must not be reached."""
        return (self.host, self.arena, self.server, self.partner)

    @property
    def note(self) -> Path:
        """A name that the partner uses for what it leaves for the attacker."""
        return Path("/dev/shm") / f"bidwhist-{self.key}"
