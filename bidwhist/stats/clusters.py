"""The sums from which the interval of every bot of a run follows, gathered board by board in a single pass.

The value of a pairing on a board is that of its first bot; the second bot's is its negative. Memory does not grow with
the boards, and as they are added one by one, in their order, the sums are the same to the last bit on any machine.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bidwhist._jit import int64, jit, shared
from bidwhist.stats.intervals import Estimate, mean_over_groups


@jit
def _add(values: Any, boards: Any, column: Any, sign: Any, counts: Any, sums: Any, products: Any) -> None:
    bots = len(column)
    for bot in range(bots):
        for k in range(bots):
            for other in range(bots):
                p, q = column[bot, k], column[bot, other]
                if p < 0 or q < 0:
                    continue
                # Summed in a register from what was there, unit by unit: the same to the last bit in any blocks.
                number, total, product = counts[bot, k, other], sums[bot, k, other], products[bot, k, other]
                both = sign[bot, k] * sign[bot, other]
                for unit in range(len(values)):
                    if boards[unit, p] > 0 and boards[unit, q] > 0:
                        number += 1
                        total += sign[bot, k] * values[unit, p]
                        product += both * values[unit, p] * values[unit, q]
                counts[bot, k, other], sums[bot, k, other], products[bot, k, other] = number, total, product


@jit
def _count(boards: Any, column: Any, kinds: Any, met: Any, units: Any, played: Any) -> None:
    """Count each bot's boards against each opponent, and its units and boards against any opponent of each kind."""
    for bot in range(len(column)):
        for unit in range(len(boards)):
            for kind in range(2):
                most = _most_boards(boards[unit], column[bot], kinds, kind, met[bot])
                if most > 0:
                    units[bot, kind] += 1
                    played[bot, kind] += most


@shared
def _most_boards(boards: Any, column: Any, kinds: Any, kind: int, met: Any) -> int:
    """Boards that a unit has at most for a bot against an opponent of a kind; they are added to those against each."""
    most = 0
    for k in range(len(column)):
        p = column[k]
        if p >= 0 and kinds[k] == kind and boards[p] > 0:
            met[k] += boards[p]
            most = max(most, int64(boards[p]))
    return most


class ClusterSums:
    """Sums for each of `bots` bots over the units (boards or games) played against each of the others.

    What is played against the bots `aside` counts by itself, and among all opponents only for who met no others.
    """

    def __init__(self, bots: int, aside: Sequence[int] = ()) -> None:
        self.pairings = bots * (bots - 1) // 2
        self._column = np.full((bots, bots), -1, np.int64)
        self._sign = np.ones((bots, bots), np.int64)
        for second in range(bots):
            for first in range(second):
                self._column[first, second] = self._column[second, first] = self.column(first, second)
                self._sign[second, first] = -1
        # Of each bot, by two opponents.
        self._counts = np.zeros((bots, bots, bots), np.int64)
        self._sums, self._products = np.zeros((bots, bots, bots)), np.zeros((bots, bots, bots))
        self._boards = np.zeros((bots, bots), np.int64)  # by opponent
        self._kinds = np.array([bot in aside for bot in range(bots)], np.int64)
        self._units_of, self._boards_of = np.zeros((bots, 2), np.int64), np.zeros((bots, 2), np.int64)  # by kind

    @staticmethod
    def column(first: int, second: int) -> int:
        """Column of the pairing of two bots, `first` < `second`, in what `add` takes."""
        return second * (second - 1) // 2 + first

    def add(self, values: NDArray[np.float64], boards: NDArray[np.int16]) -> None:
        """Add units: `values` (units, pairings) of each pairing's first bot, `boards` (units, pairings) the number of
        boards in the unit, 0 where the pairing did not play it."""
        _add(values, boards, self._column, self._sign, self._counts, self._sums, self._products)
        _count(boards, self._column, self._kinds, self._boards, self._units_of, self._boards_of)

    def met(self, bot: int) -> list[int]:
        """The opponents that a bot met."""
        return [other for other in range(len(self._boards)) if self._boards[bot, other]]

    def kind(self, bot: int) -> int:
        """The kind of opponents that count for a bot: 0, or, if all that it met are aside, 1."""
        return int(not self._units_of[bot, 0])

    def counting(self, bot: int) -> list[int]:
        """The opponents that a bot met and that count for it."""
        return [other for other in self.met(bot) if self._kinds[other] == self.kind(bot)]

    def units(self, bot: int, opponent: int | None = None) -> int:
        """Different units that a bot played, against one opponent or any that counts."""
        if opponent is None:
            return int(self._units_of[bot, self.kind(bot)])
        return int(self._counts[bot, opponent, opponent])

    def boards(self, bot: int, opponent: int | None = None) -> int:
        """Different boards that a bot played, against one opponent or any that counts."""
        return int(self._boards_of[bot, self.kind(bot)] if opponent is None else self._boards[bot, opponent])

    def estimate(self, bot: int, opponent: int | None = None) -> Estimate | None:
        """Mean of a bot against one opponent, or over those that count, all weighing the same; None if it met none."""
        met = self.counting(bot) if opponent is None else [opponent]
        if not met or not self.units(bot, met[0]):
            return None
        block = np.ix_(met, met)
        return mean_over_groups(self._counts[bot][block], self._sums[bot][block], self._products[bot][block])
