"""The pairing "swiss": round after round, bots meet those nearest to them in strength that they have not met.

A round is made from the results of all rounds before it, so the same run has the same rounds wherever it is played.
"""

from collections.abc import Collection, Iterator, Sequence
from itertools import permutations
from pathlib import Path

from bidwhist.results.manifest import Manifest
from bidwhist.results.parts import planned_parts
from bidwhist.results.schedule import Pair
from bidwhist.results.tally import tally_run
from bidwhist.stats.ratings import points_expected

_DIGITS = 9  # mathematical libraries differ in the last bits; who plays whom must not


def next_round(run: Path, manifest: Manifest) -> list[Pair]:
    """The pairings of the next round of a run whose rounds so far are played; none if every bot has met as many others
    as the tournament wants, or all. Raises RunError."""
    assert manifest.rounds is not None
    met = {pair for stage in manifest.stages for pair in stage.pairs or ()}
    absent = set(manifest.stages[-1].without)
    present = [bot for bot in range(len(manifest.bots)) if bot not in absent]
    opponents = {bot: sum(bot in pair for pair in met) for bot in present}
    lacking = [bot for bot in present if opponents[bot] < min(manifest.rounds, len(present) - 1)]
    if not lacking:
        return []
    if not met:
        # Nothing is known: the upper half of the list meets the lower one.
        half = (len(present) + 1) // 2
        return sorted(zip(present[:half], present[half:], strict=False))
    sample = tally_run(run, manifest, planned_parts(manifest)).sample
    ratings = points_expected(sample, present).round(_DIGITS).tolist()
    order = sorted(present, key=lambda bot: (-ratings[bot], bot))
    return round_of(order, ratings, met, lacking)


def round_of(
    order: Sequence[int], ratings: Sequence[float], met: Collection[Pair], lacking: Collection[int]
) -> list[Pair]:
    """The pairings of a round, each bot in one at most: of the bots `lacking` opponents with each other first, and of
    what is left with any that they have not met.

    `order`: the bots, the best first; `ratings` by bot; `met`: pairings of earlier rounds, the lower bot first.
    """
    seen = set(met)
    partner: dict[int, int] = {}

    def may_meet(one: int, other: int) -> bool:
        return one != other and pair_of(one, other) not in seen

    def take(one: int, other: int) -> None:
        partner[one], partner[other] = other, one

    def nearest(bot: int, among: Sequence[int]) -> int | None:
        free = [other for other in among if other not in partner and may_meet(bot, other)]
        return min(free, key=lambda other: (abs(ratings[bot] - ratings[other]), order.index(other)), default=None)

    wanted = [bot for bot in order if bot in lacking]
    for bot in wanted:
        if bot not in partner and (other := nearest(bot, wanted)) is not None:
            take(bot, other)
    # Two that are left have met, but may both meet one of a pairing: that is parted.
    left = [bot for bot in wanted if bot not in partner]
    for one, other in _pairs_of(left):
        if one in partner or other in partner:
            continue
        swap = next(
            (
                (first, second)
                for first in wanted
                if (second := partner.get(first)) is not None and may_meet(one, first) and may_meet(other, second)
            ),
            None,
        )
        if swap is not None:
            take(one, swap[0])
            take(other, swap[1])
    for bot in wanted:
        if bot not in partner and (found := nearest(bot, order)) is not None:
            take(bot, found)
    return sorted({pair_of(one, other) for one, other in partner.items()})


def pair_of(one: int, other: int) -> Pair:
    """A pairing of two bots."""
    return min(one, other), max(one, other)


def _pairs_of(bots: Sequence[int]) -> Iterator[Pair]:
    return (pair for pair in permutations(bots, 2) if pair[0] < pair[1])
