"""Processes that are attacked: one of the user, and a partner that tries to leave something for the attacker."""

import ctypes
import fcntl
import mmap
import os
import signal
import socket
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any, Final, NamedTuple

import msgspec

from bidwhist.doctor.calls import NotHere, call
from bidwhist.doctor.scene import NOTE, SECRET
from bidwhist.process.child import Pipes

_TOLD: Final = 77


class Told(msgspec.Struct):
    """A victim's report of itself: where its secret lies, and since it last told, whether that is unchanged and how
    many signals came."""

    address: int
    unchanged: bool
    signals: int


class Legacy(NamedTuple):
    """Traces that a partner is to leave: `note` and `key` are names, `shared` and `old` files that both may read."""

    note: Path
    key: int
    shared: Path
    old: Path


def live(pipes: Pipes, more: list[int], legacy: Legacy | None) -> None:
    """Tell what happened, again and again, whenever a byte comes; end when none will come."""
    count = 0

    def note(number: int, frame: Any) -> None:
        nonlocal count
        count += 1

    signal.signal(signal.SIGURG, note)
    secret = ctypes.create_string_buffer(SECRET)
    kept = _leave(legacy) if legacy else None
    while True:
        told = Told(ctypes.addressof(secret), secret.value == SECRET, count)
        secret.value, count = SECRET, 0
        os.write(pipes.to, msgspec.json.encode(told) + b"\n")
        if not os.read(pipes.of, 1):
            break
    del kept


def main() -> None:
    """A victim that was started as a program."""
    live(Pipes(1, 0, 2), [], None)


def _leave(legacy: Legacy) -> list[object]:
    """Try everything that the attacker could see."""
    kept: list[object] = []

    def shared_memory() -> None:
        libc = ctypes.CDLL(None, use_errno=True)
        libc.shmat.restype = ctypes.c_void_p
        number = call("shmget", legacy.key, 4096, 0o1666)
        ctypes.memmove(libc.shmat(number, None, 0), SECRET, len(SECRET))

    def semaphore() -> None:
        call("semctl", call("semget", legacy.key, 1, 0o1666), 0, 16, _TOLD)

    def message_queue() -> None:
        message = ctypes.create_string_buffer(b"\1" + bytes(7) + SECRET)
        call("msgsnd", call("msgget", legacy.key, 0o1666), message, len(SECRET), 0o4000)

    def posix_queue() -> None:
        call("mq_open", legacy.note.name.encode(), os.O_CREAT | os.O_RDWR, 0o666, None)

    def file_in_memory() -> None:
        legacy.note.write_bytes(SECRET)

    def scratch() -> None:
        Path(NOTE).write_bytes(SECRET)

    def locks() -> None:
        kept.append(file := legacy.shared.open("rb"))
        fcntl.flock(file, fcntl.LOCK_SH)

    def record_locks() -> None:
        kept.append(file := legacy.shared.open("rb"))
        fcntl.lockf(file, fcntl.LOCK_SH)

    def reading() -> None:
        kept.append(file := legacy.old.open("rb"))
        file.read(1)

    def mapping() -> None:
        kept.append(file := legacy.shared.open("rb"))
        kept.append(mmap.mmap(file.fileno(), 0, prot=mmap.PROT_READ))

    def abstract() -> None:
        kept.append(made := socket.socket(socket.AF_UNIX))
        made.bind(f"\0bidwhist-{legacy.key}")
        made.listen()

    ways: tuple[Callable[[], None], ...] = (
        *(shared_memory, semaphore, message_queue, posix_queue, file_in_memory, scratch, locks, record_locks),
        *(reading, mapping, abstract),
    )
    for way in ways:
        with suppress(OSError, NotHere, ValueError):
            way()
    return kept
