"""The attacks, by theme. Their functions tell whether they succeeded, and may raise anything if they did not."""

from typing import Final

from bidwhist.doctor.attack import Attack
from bidwhist.doctor.attacks import files, kernel, processes, sharing, sockets, storage

ATTACKS: Final[dict[str, tuple[Attack, ...]]] = {
    "files": tuple(files.ATTACKS),
    "sockets": tuple(sockets.ATTACKS),
    "processes": tuple(processes.ATTACKS),
    "memory and disk": tuple(storage.ATTACKS),
    "partners": tuple(sharing.ATTACKS),
    "kernel": tuple(kernel.ATTACKS),
}
"""By theme: a machine on which one of them succeeds cannot contain a bot."""

CHANNELS: Final = tuple(sharing.CHANNELS)
"""Covert channels that a machine may leave open; docs/isolation.md describes them."""

BY_NAME: Final = {
    attack.name: attack for attack in (*(each for found in ATTACKS.values() for each in found), *CHANNELS)
}
"""All of them."""
