"""An attack, and what came of it."""

from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum

from bidwhist.doctor.scene import Scene


class Outcome(StrEnum):
    """The outcome of an attack."""

    HELD = "held"
    SUCCEEDED = "SUCCEEDED"
    IMPOSSIBLE = "not possible here"


@dataclass(frozen=True)
class Attack:
    """`run` tells whether the attack succeeded; whatever it raises means that it did not.

    `title`: what it tries, in a few words; `needs_root`: it can only succeed as root, even without a jail; `allowed`:
    a program, unlike a bot in Python, may do this.
    """

    run: Callable[[Scene], bool]
    title: str
    needs_root: bool = False
    allowed: bool = False

    @property
    def name(self) -> str:
        """The name of its function."""
        return self.run.__name__


class Attacks(list[Attack]):
    """Attacks of a theme."""

    def add(
        self, title: str, *, needs_root: bool = False, allowed: bool = False
    ) -> Callable[[Callable[[Scene], bool]], Callable[[Scene], bool]]:
        """Add the function that this decorates."""

        def added(function: Callable[[Scene], bool]) -> Callable[[Scene], bool]:
            self.append(Attack(function, title, needs_root, allowed))
            return function

        return added
