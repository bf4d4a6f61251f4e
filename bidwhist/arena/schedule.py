"""Who plays whom on which boards, cut into parts. Knows no cards and no files.

A *unit* is a board, or in the format `games` a game. A part holds one pairing on a stretch of units, in both
orientations: the first bot of the pairing on NS, then on EW. What a run is to hold grows in *stages*: more units,
or more bots at the end of the list; a stage adds parts and changes none.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import count
from typing import Final

from bidwhist.results.manifest import Manifest, Stage
from bidwhist.results.schema import Part

MOST_TABLES: Final = 50_000
_PARTS_A_PAIRING: Final = 16  # aimed at, so that little is lost by an interruption and all workers have something
_FEWEST_UNITS: Final = 32


@dataclass(frozen=True)
class Plan:
    """What is to be played: the form of pairing and the number of hands that a unit can have."""

    pairing: str
    challengers: tuple[int, ...]
    hands_a_unit: int

    @classmethod
    def of(cls, manifest: Manifest) -> "Plan":
        """The plan of a run."""
        names = [bot.name for bot in manifest.bots]
        return cls.by_names(manifest.pairing, manifest.challengers, names, manifest.hands_a_unit)

    @classmethod
    def by_names(cls, pairing: str, challengers: Sequence[str], bots: Sequence[str], hands_a_unit: int) -> "Plan":
        """The plan for `bots`, with challengers by name."""
        return cls(pairing, tuple(bots.index(name) for name in challengers), hands_a_unit)

    def pairs(self, bots: int) -> list[tuple[int, int]]:
        """Pairings among the first `bots` bots; a bot more adds pairings at the end."""
        everyone = [(a, b) for b in range(bots) for a in range(b)]
        if self.pairing == "round-robin":
            return everyone
        return [pair for pair in everyone if len(set(pair) & set(self.challengers)) == 1]

    def parts(self, stages: Sequence[Stage]) -> Iterator[Part]:
        """All parts of the stages, in order."""
        numbers = count()
        held: dict[tuple[int, int], int] = {}
        for stage in stages:
            for pair in self.pairs(stage.bots):
                first = held.get(pair, 0)
                for start, units in _stretches(first, stage.units, MOST_TABLES // (2 * self.hands_a_unit)):
                    yield Part(next(numbers), *pair, start, units)
                held[pair] = stage.units

    def most_tables(self, bots: int, units: int) -> int:
        """Tables (rows) of a run, at most; exactly in the format `boards`."""
        return len(self.pairs(bots)) * 2 * units * self.hands_a_unit


def _stretches(first: int, end: int, most: int) -> Iterator[tuple[int, int]]:
    size = min(most, max(_FEWEST_UNITS, -(-(end - first) // _PARTS_A_PAIRING)))
    for start in range(first, end, size):
        yield start, min(size, end - start)


def lineup(part: Part, orientation: int) -> tuple[int, int, int, int]:
    """Bots at N E S W of a part's tables; orientation 1 is the turn by one seat."""
    ns, ew = (part.a, part.b) if orientation == 0 else (part.b, part.a)
    return ns, ew, ns, ew
