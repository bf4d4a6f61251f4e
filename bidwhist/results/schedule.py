"""Who plays whom on which boards, cut into parts. Knows no cards and no files.

A *unit* is a board, or in the format `games` a game. A part holds one pairing on a stretch of units, in both
orientations: the first bot of the pairing on NS, then on EW. What a run is to hold grows in *stages*: more units,
or more bots at the end of the list; a stage adds parts and changes none. Bots may be left out of a stage: they keep
what they have played, and play nothing more unless a later stage has them again.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import count, groupby
from operator import itemgetter
from typing import TYPE_CHECKING, Final, Protocol

from bidwhist.results.schema import Part

if TYPE_CHECKING:
    from bidwhist.results.manifest import Manifest

MOST_TABLES: Final = 50_000
"""Tables of a part, at most."""

# Little is lost by an interruption and all workers have something to do if there are many parts; a file for a handful
# of tables is wasted. So a pairing has up to so many parts, and a part that is one of many so many units at least.
_PARTS_A_PAIRING: Final = 16
_LOOKS: Final = 64  # in place of that where a run may stop after any part
_FEWEST_UNITS: Final = 32
_ENOUGH_UNITS: Final = 128
_MANY_PARTS: Final = 64


class Stage(Protocol):
    """What a run is to hold: its first `bots` bots, on `units` units, those of indices `without` left out."""

    @property
    def bots(self) -> int: ...

    @property
    def units(self) -> int: ...

    @property
    def without(self) -> Sequence[int]: ...


@dataclass(frozen=True)
class _Addition:
    """Pairings that a stage adds units to, and the units: `first` .. `end - 1`, so many in a part."""

    pairs: list[tuple[int, int]]
    first: int
    end: int
    size: int


@dataclass(frozen=True)
class Plan:
    """What is to be played: the form of pairing, the number of hands that a unit can have, and whether the run may stop
    early, after any part."""

    pairing: str
    challengers: tuple[int, ...]
    hands_a_unit: int
    may_stop: bool = False

    @classmethod
    def of(cls, manifest: "Manifest") -> "Plan":
        """The plan of a run."""
        names = [bot.name for bot in manifest.bots]
        stops = manifest.stop is not None
        return cls.by_names(manifest.pairing, manifest.challengers, names, manifest.hands_a_unit, may_stop=stops)

    @classmethod
    def by_names(
        cls, pairing: str, challengers: Sequence[str], bots: Sequence[str], hands_a_unit: int, *, may_stop: bool
    ) -> "Plan":
        """The plan for `bots`, with challengers by name."""
        return cls(pairing, tuple(bots.index(name) for name in challengers), hands_a_unit, may_stop)

    def pairs(self, bots: int, held: int = 0) -> list[tuple[int, int]]:
        """Pairings among the first `bots` bots that are none among the first `held`; a bot more adds some at the
        end."""
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
                for start in range(added.first, added.end, added.size):
                    number = next(numbers)
                    if start < end:
                        yield Part(number, *pair, start, min(added.size, end - start))

    def count_parts(self, stages: Sequence[Stage]) -> int:
        """The number of parts, without making them."""
        return sum(len(each.pairs) * -(-(each.end - each.first) // each.size) for each in self._additions(stages))

    def most_tables(self, bots: int, units: int) -> int:
        """Tables (rows) of a run, at most; exactly in the format `boards`."""
        return len(self.pairs(bots)) * 2 * units * self.hands_a_unit

    def _additions(self, stages: Sequence[Stage]) -> Iterator[_Addition]:
        bots = units = 0
        behind: dict[tuple[int, int], int] = {}  # units of pairings that have fewer than the others
        for stage in stages:
            old = dict.fromkeys(self.pairs(bots), units) if stage.units > units else {}
            lacking = {**old, **behind, **dict.fromkeys(self.pairs(stage.bots, bots), 0)}
            absent = set(stage.without)
            behind = {pair: held for pair, held in lacking.items() if absent & {*pair}}
            added = [(pair, held) for pair, held in lacking.items() if pair not in behind]
            for held, group in groupby(added, itemgetter(1)):
                pairs = [pair for pair, _ in group]
                yield _Addition(pairs, held, stage.units, self._size(stage.units - held, len(added)))
            bots, units = stage.bots, stage.units

    def _size(self, units: int, pairs: int) -> int:
        """Units of a part where so many are added, in a stage of so many pairings."""
        most = _LOOKS if self.may_stop else _PARTS_A_PAIRING
        aimed = max(-(-units // most), min(_ENOUGH_UNITS, -(-units * pairs // _MANY_PARTS)), _FEWEST_UNITS)
        return min(aimed, MOST_TABLES // (2 * self.hands_a_unit))


def by_stretch(parts: Iterable[Part]) -> list[Part]:
    """Parts in the order in which they are played and counted: all pairings on the first units, then on the next.

    So a run that is stopped has nearly the same units in every pairing, and none behind one that is missing.
    """
    return sorted(parts, key=lambda part: (part.first, part.number))


def lineup(part: Part, orientation: int) -> tuple[int, int, int, int]:
    """Bots at N E S W of a part's tables; orientation 1 is the turn by one seat."""
    ns, ew = (part.a, part.b) if orientation == 0 else (part.b, part.a)
    return ns, ew, ns, ew
