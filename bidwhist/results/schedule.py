"""Who plays whom on which boards, cut into parts. Knows no cards and no files.

A *unit* is a board, or in the format `games` a game. A *side* is the bots that sit together: one bot twice, or in
"mixed" two bots, by their number. A part holds one pairing of sides on a stretch of units, in both orientations: the
first side of the pairing on NS, then on EW. What a run is to hold grows in *stages*: more units,
more bots at the end of the list, or in "swiss" a round; a stage adds parts and changes none. Bots may be left out of a
stage: they keep what they have played, and play nothing more unless a later stage has them again.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import count, groupby, pairwise
from math import comb, isqrt
from operator import itemgetter
from typing import TYPE_CHECKING, Final, Protocol, TypeAlias

import numpy as np
from numpy.typing import NDArray

from bidwhist.results.schema import Part

if TYPE_CHECKING:
    from bidwhist.results.manifest import Manifest

MOST_TABLES: Final = 50_000
"""Tables of a part, at most."""

# Little is lost by an interruption and all workers have something to do if there are many parts; a file for a handful
# of tables is wasted. So a pairing has up to so many parts, and a part that is one of many so many units at least.
_PARTS_A_PAIRING: Final = 16
_FEWEST_UNITS: Final = 32
_ENOUGH_UNITS: Final = 128
_MANY_PARTS: Final = 64


Pair: TypeAlias = tuple[int, int]
Lineup: TypeAlias = tuple[int, int, int, int]
"""Bots at N E S W."""

MIXED: Final = "mixed"
PARTNERS: Final = " + "
"""Stands between the names of two partners."""

LINEUPS: Final = 16
"""After so many tables of a part (in the format `games` games) its bots sit as they did before."""


class Stage(Protocol):
    """What a run is to hold: its first `bots` bots, on `units` units, those of indices `without` left out.

    `pairs`: of a round, the pairings that it adds; None where they follow from the form of pairing.
    """

    @property
    def bots(self) -> int: ...

    @property
    def units(self) -> int: ...

    @property
    def without(self) -> Sequence[int]: ...

    @property
    def pairs(self) -> Sequence[Pair] | None: ...


@dataclass(frozen=True)
class _Addition:
    """Pairings that a stage adds units to, the units at which their parts begin, and the first that is not added."""

    pairs: list[Pair]
    starts: Sequence[int]
    end: int


@dataclass(frozen=True)
class Plan:
    """What is to be played: the form of pairing, the number of hands that a unit can have, whether the run may stop
    early, after any part, and in "swiss" how many others every bot meets.

    The pairings of "swiss" follow from results: they stand in the stages."""

    pairing: str
    challengers: tuple[int, ...]
    hands_a_unit: int
    may_stop: bool = False
    rounds: int | None = None

    @classmethod
    def of(cls, manifest: "Manifest") -> "Plan":
        """The plan of a run."""
        return cls.by_names(
            manifest.pairing,
            manifest.challengers,
            [bot.name for bot in manifest.bots],
            manifest.hands_a_unit,
            may_stop=manifest.stop is not None,
            rounds=manifest.rounds,
        )

    @classmethod
    def by_names(
        cls,
        pairing: str,
        challengers: Sequence[str],
        bots: Sequence[str],
        hands_a_unit: int,
        *,
        may_stop: bool = False,
        rounds: int | None = None,
    ) -> "Plan":
        """The plan for `bots`, with challengers by name."""
        return cls(pairing, tuple(bots.index(name) for name in challengers), hands_a_unit, may_stop, rounds)

    def pairs(self, bots: int, held: int = 0) -> list[Pair]:
        """Pairings of sides among the first `bots` bots that are none among the first `held`; a bot more adds some at
        the end."""
        if self.pairing == "swiss":
            return []
        if self.pairing == MIXED:
            made = [frozenset(each) for each in sides(MIXED, bots)]
            first = len(sides(MIXED, held))
            return [(a, b) for b in range(first, len(made)) for a in range(b) if made[a].isdisjoint(made[b])]
        everyone = [(a, b) for b in range(held, bots) for a in range(b)]
        if self.pairing == "round-robin":
            return everyone
        challengers = set(self.challengers)
        return [(a, b) for a, b in everyone if (a in challengers) != (b in challengers)]

    def parts(self, stages: Sequence[Stage], stopped: int | None = None) -> Iterator[Part]:
        """All parts of the stages, by number; of a run that has stopped early only the units before `stopped`."""
        numbers = count()
        for added in self._additions(stages):
            end = added.end if stopped is None else min(added.end, stopped)
            for pair in added.pairs:
                for start, following in pairwise([*added.starts, added.end]):
                    number = next(numbers)
                    if start < end:
                        yield Part(number, *pair, start, min(following, end) - start)

    def count_parts(self, stages: Sequence[Stage]) -> int:
        """The number of parts, without making them."""
        return sum(len(each.pairs) * len(each.starts) for each in self._additions(stages))

    def count_pairs(self, bots: int) -> int:
        """The number of pairings among so many bots; of "swiss" about."""
        if self.rounds is not None:
            return -(-bots * min(self.rounds, bots - 1) // 2)
        return 3 * comb(bots, 4) if self.pairing == MIXED else len(self.pairs(bots))

    def parts_of_rounds(self, bots: int, units: int) -> int:
        """The number of parts that all rounds of "swiss" have, about; otherwise 0."""
        if self.rounds is None:
            return 0
        return self.count_pairs(bots) * -(-units // self._size(units, bots // 2))

    def most_tables(self, bots: int, units: int) -> int:
        """Tables (rows) of a run, at most; exactly in the format `boards`, and about in "swiss"."""
        return self.count_pairs(bots) * 2 * units * self.hands_a_unit

    def _additions(self, stages: Sequence[Stage]) -> Iterator[_Addition]:
        bots = units = 0
        held: dict[Pair, None] = {}
        behind: dict[Pair, int] = {}  # units of pairings that have fewer than the others
        for stage in stages:
            old = dict.fromkeys(held, units) if stage.units > units else {}
            new = self.pairs(stage.bots, bots) if stage.pairs is None else stage.pairs
            held.update(dict.fromkeys(new))
            lacking = {**old, **behind, **dict.fromkeys(new, 0)}
            absent = set(stage.without)
            behind = {pair: units_held for pair, units_held in lacking.items() if absent & self._bots_of(pair)}
            added = [(pair, units_held) for pair, units_held in lacking.items() if pair not in behind]
            for first, group in groupby(added, itemgetter(1)):
                pairs = [pair for pair, _ in group]
                yield _Addition(pairs, self._starts(first, stage.units, len(added)), stage.units)
            bots, units = stage.bots, stage.units

    def _bots_of(self, pair: Pair) -> set[int]:
        return {bot for number in pair for bot in side(self.pairing, number)}

    def _starts(self, first: int, end: int, pairs: int) -> Sequence[int]:
        """The units at which parts begin. Where a run may stop, that does not depend on how far it might go."""
        if not self.may_stop:
            return range(first, end, self._size(end - first, pairs))
        starts, start = [first], 0
        while start < end:
            if start > first:
                starts.append(start)
            start += min(max(_FEWEST_UNITS, start // _PARTS_A_PAIRING), MOST_TABLES // (2 * self.hands_a_unit))
        return starts

    def _size(self, units: int, pairs: int) -> int:
        """Units of a part where so many are added, in a stage of so many pairings."""
        aimed = max(-(-units // _PARTS_A_PAIRING), min(_ENOUGH_UNITS, -(-units * pairs // _MANY_PARTS)), _FEWEST_UNITS)
        return min(aimed, MOST_TABLES // (2 * self.hands_a_unit))


def by_stretch(parts: Iterable[Part]) -> list[Part]:
    """Parts in the order in which they are played and counted: all pairings on the first units, then on the next.

    So a run that is stopped has nearly the same units in every pairing, and none behind one that is missing.
    """
    return sorted(parts, key=lambda part: (part.first, part.number))


def side(pairing: str, number: int) -> Pair:
    """The two bots of a side: one bot twice, or in "mixed" two, in an order to which a bot more adds some at the
    end."""
    if pairing != MIXED:
        return number, number
    last = (1 + isqrt(1 + 8 * number)) // 2
    return number - comb(last, 2), last


def side_number(one: NDArray[np.int16], other: NDArray[np.int16]) -> NDArray[np.int32]:
    """The numbers of the sides of two different bots each."""
    last = np.maximum(one, other).astype(np.int32)
    return np.asarray(last * (last - 1) // 2 + np.minimum(one, other), np.int32)


def sides(pairing: str, bots: int) -> list[Pair]:
    """The two bots of every side that so many bots make."""
    return [side(pairing, number) for number in range(comb(bots, 2) if pairing == MIXED else bots)]


def lineup(one: Pair, other: Pair, unit: int, orientation: int) -> Lineup:
    """Where the bots of two sides sit: the first side on NS, in orientation 1 on EW.

    Partners change seats with each other from unit to unit: those of `one` with every unit, and those of `other` at the
    same units or at the other ones, in turn by four. So in four units each of them sits at either seat and, the dealer
    moving on with the boards, once at each place of the auction, and in eight units as often before either opponent.
    """
    is_swapped = unit & 1
    ns, ew = _swapped(one, is_swapped), _swapped(other, is_swapped ^ (unit >> 2 & 1))
    if orientation:
        ns, ew = ew, ns
    return ns[0], ew[0], ns[1], ew[1]


def _swapped(partners: Pair, is_swapped: int) -> Pair:
    return (partners[1], partners[0]) if is_swapped else partners


def lineups(pairing: str, part: Part) -> list[Lineup]:
    """The lineups of the tables of a part, unit by unit in both orientations, until they begin again."""
    one, other = side(pairing, part.a), side(pairing, part.b)
    return [lineup(one, other, part.first + (number >> 1), number & 1) for number in range(LINEUPS)]
