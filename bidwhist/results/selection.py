"""Which rows of a run are wanted: parts that cannot hold any are not read, the others are looked through row by row."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from operator import index
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from bidwhist.errors import RunError
from bidwhist.results.manifest import Manifest
from bidwhist.results.schema import STRAINS, Part
from bidwhist.rules import known_or_nearest
from bidwhist.text import echo

ABSENT: Final = -1  # the place of a bot that does not play in a run

_LEVELS: Final = range(1, 8)


@dataclass(frozen=True)
class Selection:
    """The rows that a reader wants; what is None takes all.

    `bots`: rows in which one of these plays, by name; `pairing`: rows of these two, in "mixed" of these two sides;
    `level`, `strain`: of contracts;
    `boards`: from the first number up to the second, which is left out.
    """

    bots: str | Sequence[str] | None = None
    pairing: Sequence[str] | None = None
    level: int | Sequence[int] | None = None
    strain: str | Sequence[str] | None = None
    boards: Sequence[int] | None = None

    def of(self, manifest: Manifest, known: Sequence[str], known_sides: Sequence[str]) -> "Chosen":
        """The choice in a run, one of those in which the bots `known` play, on the sides `known_sides`. Raises RunError
        for what none can have."""

        def places(given: Any, names: Sequence[str], among: Sequence[str], what: str) -> frozenset[int]:
            wanted = [among[_place(name, among, what)] for name in each_of(given)]
            return frozenset(names.index(name) if name in names else ABSENT for name in wanted)

        bots = None if self.bots is None else places(self.bots, [bot.name for bot in manifest.bots], known, "bot")
        pair = None
        if self.pairing is not None:
            given, what = each_of(self.pairing), "side" if manifest.is_mixed else "bot"
            if len(given) != 2 or given[0] == given[1]:
                raise RunError(f"a pairing is two {what}s, and not {', '.join(map(echo, given)) or 'none'}")
            pair = places(given, manifest.side_names, known_sides, what)
        levels = None if self.level is None else [_level(each) for each in each_of(self.level)]
        strains = None if self.strain is None else [_place(each, STRAINS, "strain") for each in each_of(self.strain)]
        boards = None if self.boards is None else _stretch(self.boards)
        return Chosen(manifest, bots, pair, levels, strains, boards)


@dataclass(frozen=True)
class Chosen:
    """A selection in a run: bots by their places in the manifest, a pairing by the numbers of its sides, strains by
    their places in STRAINS."""

    manifest: Manifest
    bots: frozenset[int] | None
    pair: frozenset[int] | None
    levels: list[int] | None
    strains: list[int] | None
    boards: tuple[int, int] | None

    def parts(self, parts: Iterable[Part]) -> list[Part]:
        """Those parts that may hold chosen rows."""
        hands = self.manifest.hands_a_unit
        return [part for part in parts if self._may_have(part, hands)]

    def _may_have(self, part: Part, hands_a_unit: int) -> bool:
        if self.bots is not None and self.bots.isdisjoint(self.manifest.bots_of(part)):
            return False
        if self.pair is not None and {part.a, part.b} != self.pair:
            return False
        if self.levels == [] or self.strains == []:
            return False
        if self.boards is None:
            return True
        first, end = (number * hands_a_unit for number in (part.first, part.first + part.units))
        return first < self.boards[1] and end > self.boards[0]

    def rows(self, rows: NDArray[np.void], derived: NDArray[np.void]) -> NDArray[np.bool_] | None:
        """Whether each row of such a part is chosen (bool[n]); None if all are."""
        wanted: list[NDArray[np.bool_]] = []
        if self.levels is not None:
            wanted.append(np.isin(derived["level"], self.levels))
        if self.strains is not None:
            wanted.append(np.isin(derived["strain"], self.strains))
        if self.boards is not None:
            wanted.append((rows["board"] >= self.boards[0]) & (rows["board"] < self.boards[1]))
        return np.logical_and.reduce(wanted) if wanted else None


def each_of(given: Any) -> list[Any]:
    """The values that a user has given: a list of them, or a single one."""
    return [given] if isinstance(given, str) or not isinstance(given, Iterable) else list(given)


def _place(name: object, known: Sequence[str], what: str) -> int:
    if not isinstance(name, str) or name not in known:
        raise RunError(f"there is no {what} {echo(name)}; {known_or_nearest(str(name), list(known))}")
    return known.index(name)


def _level(given: object) -> int:
    level = _whole(given)
    if level not in _LEVELS:
        raise RunError(f"level {echo(given)}: levels are {_LEVELS[0]} to {_LEVELS[-1]}")
    return level


def _stretch(given: Any) -> tuple[int, int]:
    """The first board and the one after the last."""
    if isinstance(given, range):
        if given.step != 1:
            raise RunError(f"boards {echo(given)}: a range without steps is wanted")
        given = given.start, given.stop
    found = [_whole(each) for each in each_of(given)]
    if len(found) != 2 or not -1 < found[0] < found[1]:
        raise RunError(f"boards {echo(given)}: two whole numbers are wanted, the first from 0, the second higher")
    return found[0], found[1]


def _whole(given: Any) -> int:
    """A whole number, of whatever type; -1 for what is none."""
    try:
        return index(given)
    except TypeError:
        return -1
