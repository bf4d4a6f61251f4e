"""The order of several bots, as far as their results tell them apart."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Final

import numpy as np
from numpy.typing import NDArray

from bidwhist.stats.intervals import CONFIDENCE
from bidwhist.stats.ratings import points_expected
from bidwhist.stats.sample import Estimates, Sample

_DRAWS: Final = 100_000
_SEED: Final = 20
_BLOCK: Final = 1 << 14
_TINY: Final = 1e-18


@dataclass(frozen=True)
class Difference:
    """The value of one bot less that of another.

    `interval`: a 95% interval for this difference alone; `joint`: one that holds together with those of all other
    pairs; `superiority`: how likely it is that the true difference is above 0, judged by these results alone.
    """

    one: int
    other: int
    value: float
    interval: tuple[float, float] | None
    joint: tuple[float, float] | None
    superiority: float

    @property
    def is_sure(self) -> bool:
        """Whether the two are told apart."""
        return self.joint is not None and (self.joint[0] > 0 or self.joint[1] < 0)

    @property
    def times(self) -> float | None:
        """How many times as many boards would just tell the two apart, if the difference is what it seems to be."""
        if self.joint is None or self.value == 0:
            return None
        half = (self.joint[1] - self.joint[0]) / 2
        return (half / self.value) ** 2


def differences(estimates: Estimates, bots: Sequence[int]) -> list[Difference]:
    """All differences between some bots, the earlier one less the later one; none for those without a value.

    The joint intervals have Bonferroni's correction: with m pairs each has the confidence 1 - 0.05 / m.
    """
    pairs = list(combinations([bot for bot in bots if estimates.df[bot] >= 0], 2))
    found = []
    for one, other in pairs:
        pair = estimates.differences([(one, other)])
        alone, joint = pair.estimate(0), pair.estimate(0, 1 - (1 - CONFIDENCE) / len(pairs))
        assert alone is not None
        assert joint is not None
        found.append(Difference(one, other, alone.value, alone.interval, joint.interval, pair.superiority(0)))
    return found


@dataclass(frozen=True)
class Place:
    """The place of a bot: `rank`, shared by bots that are not told apart; `low` and `high`: the best and the worst rank
    that its results leave possible."""

    bot: int
    rank: int
    low: int
    high: int


def places(order: Sequence[int], found: Sequence[Difference]) -> list[Place]:
    """The places of bots in their order, given what is known of their differences.

    A rank ends where every bot up to there is told apart from every bot behind.
    """
    above: dict[int, set[int]] = {bot: set() for bot in order}  # by bot those that are surely better
    for each in found:
        if each.is_sure:
            better, worse = (each.one, each.other) if each.value > 0 else (each.other, each.one)
            above[worse].add(better)
    below = {bot: sum(bot in others for others in above.values()) for bot in order}
    ranked, rank = [], 1
    for place, bot in enumerate(order):
        before, behind = set(order[:place]), order[place:]
        if all(before <= above[each] for each in behind):
            rank = place + 1
        ranked.append(Place(bot, rank, 1 + len(above[bot]), len(order) - below[bot]))
    return ranked


def rank_probabilities(estimates: Estimates, bots: Sequence[int], draws: int = _DRAWS) -> NDArray[np.float64]:
    """How likely each bot (row) has each rank (column), as far as the results say: float64[n, n].

    True values are drawn from the normal distribution with the estimates' covariance; always the same draws.
    """
    chosen = list(bots)
    covariance = estimates.covariance[np.ix_(chosen, chosen)]
    strengths, directions = np.linalg.eigh(covariance)
    root = directions * np.sqrt(np.maximum(strengths, _TINY))  # so that bots without any difference share the ranks
    generator = np.random.default_rng(_SEED)
    counts = np.zeros((len(chosen), len(chosen)), np.int64)
    for begin in range(0, draws, _BLOCK):
        drawn = generator.standard_normal((min(_BLOCK, draws - begin), len(chosen))) @ root.T
        ranks = np.argsort(np.argsort(-(estimates.values[chosen] + drawn), axis=1, kind="stable"), axis=1)
        for bot in range(len(chosen)):
            counts[bot] += np.bincount(ranks[:, bot], minlength=len(chosen))
    return counts / draws


def runoff(sample: Sample, bots: Sequence[int]) -> list[int]:
    """Bots, the best first, by instant runoff: the weakest by points is dropped, and the others are rated anew by what
    they played among themselves. So it does not matter who wins most of the weak."""
    left, dropped = list(bots), []
    while left:
        values = points_expected(sample, left)
        weakest = min(reversed(left), key=lambda bot: values[bot])
        left.remove(weakest)
        dropped.append(weakest)
    return dropped[::-1]
