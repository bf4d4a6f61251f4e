"""An attack in the process of an attacker."""

import os

import msgspec

from bidwhist.doctor.attack import Outcome
from bidwhist.doctor.attacks import BY_NAME
from bidwhist.doctor.calls import NotHere
from bidwhist.doctor.scene import Scene
from bidwhist.process.child import Pipes


class Said(msgspec.Struct):
    """The attacker's report of its attack, and the words in which it failed."""

    outcome: Outcome
    words: str = ""


def prepare() -> None:
    """In the parent of jailed processes: everything is loaded with this module."""


def attempt(name: str, scene: Scene) -> Said:
    """Try an attack."""
    try:
        reached = BY_NAME[name].run(scene)
    except NotHere as error:
        return Said(Outcome.IMPOSSIBLE, str(error))
    except OSError as error:
        return Said(Outcome.HELD, error.strerror or str(error))
    except BaseException as error:  # MemoryError, and what the C library makes of a refusal
        return Said(Outcome.HELD, f"{type(error).__name__}: {error}".rstrip(": "))
    return Said(Outcome.SUCCEEDED if reached else Outcome.HELD)


def attack(pipes: Pipes, more: list[int], argument: tuple[str, Scene]) -> None:
    """The life of an attacker: one attack."""
    os.write(pipes.to, msgspec.json.encode(attempt(*argument)) + b"\n")
