"""The sums from which the intervals of every bot of a run follow, gathered board by board in a single pass.

Any number of quantities are summed. The value of a quantity for a pairing on a board is that of the pairing's first
bot. The two bots' values add up to the quantity's *whole*, so the second bot's follows: with a whole of 0 it is the
negative (points), with a whole of 1 the rest of a share. Memory does not grow with the boards, and as they are added
one by one, in their order, the sums are the same to the last bit on any machine.
"""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bidwhist._jit import int64, jit, shared
from bidwhist.stats.intervals import Estimate, mean_over_groups


@jit
def _add(values: Any, boards: Any, column: Any, sign: Any, whole: float, sums: Any, products: Any) -> None:
    """Add one quantity, `values` (units, pairings) of each pairing's first bot."""
    bots = len(column)
    for bot in range(bots):
        for k in range(bots):
            for other in range(bots):
                p, q = column[bot, k], column[bot, other]
                if p < 0 or q < 0:
                    continue
                # Summed in a register from what was there, unit by unit: the same to the last bit in any blocks.
                total, product = sums[bot, k, other], products[bot, k, other]
                sign_p, sign_q = float(sign[bot, k]), float(sign[bot, other])
                rest_p, rest_q = (1.0 - sign_p) / 2 * whole, (1.0 - sign_q) / 2 * whole
                for unit in range(len(values)):
                    if boards[unit, p] > 0 and boards[unit, q] > 0:
                        own = rest_p + sign_p * values[unit, p]
                        total += own
                        product += own * (rest_q + sign_q * values[unit, q])
                sums[bot, k, other], products[bot, k, other] = total, product


@jit
def _count_common(boards: Any, column: Any, counts: Any) -> None:
    """Count the units that each bot played against both of two opponents."""
    bots = len(column)
    for bot in range(bots):
        for k in range(bots):
            for other in range(bots):
                p, q = column[bot, k], column[bot, other]
                if p < 0 or q < 0:
                    continue
                for unit in range(len(boards)):
                    if boards[unit, p] > 0 and boards[unit, q] > 0:
                        counts[bot, k, other] += 1


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

    `quantities`: the whole of each quantity that is summed, by its name. What is played against the bots `aside` counts
    by itself, and among all opponents only for who met no others.
    """

    def __init__(self, bots: int, quantities: Mapping[str, float], aside: Sequence[int] = ()) -> None:
        self.pairings = bots * (bots - 1) // 2
        self._column = np.full((bots, bots), -1, np.int64)
        self._sign = np.ones((bots, bots), np.int64)
        for second in range(bots):
            for first in range(second):
                self._column[first, second] = self._column[second, first] = self.column(first, second)
                self._sign[second, first] = -1
        # Of each bot, by two opponents.
        self._counts = np.zeros((bots, bots, bots), np.int64)
        self._wholes = dict(quantities)
        self._sums = {name: np.zeros((bots, bots, bots)) for name in quantities}
        self._products = {name: np.zeros((bots, bots, bots)) for name in quantities}
        self._boards = np.zeros((bots, bots), np.int64)  # by opponent
        self._kinds = np.array([bot in aside for bot in range(bots)], np.int64)
        self._units_of, self._boards_of = np.zeros((bots, 2), np.int64), np.zeros((bots, 2), np.int64)  # by kind

    @staticmethod
    def column(first: int, second: int) -> int:
        """Column of the pairing of two bots, `first` < `second`, in what `add` takes."""
        return second * (second - 1) // 2 + first

    def add(self, values: Mapping[str, NDArray[np.float64]], boards: NDArray[np.int16]) -> None:
        """Add units.

        `values`: by quantity (units, pairings), of each pairing's first bot; `boards` (units, pairings): the number of
        boards in the unit, 0 where the pairing did not play it.
        """
        for name, whole in self._wholes.items():
            _add(values[name], boards, self._column, self._sign, whole, self._sums[name], self._products[name])
        _count_common(boards, self._column, self._counts)
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

    def estimate(self, quantity: str, bot: int, opponent: int | None = None) -> Estimate | None:
        """Mean of a quantity of a bot against one opponent, or over those that count, all weighing the same.

        None if it met none.
        """
        met = self.counting(bot) if opponent is None else [opponent]
        if not met or not self.units(bot, met[0]):
            return None
        block = np.ix_(met, met)
        sums, products = self._sums[quantity][bot][block], self._products[quantity][bot][block]
        return mean_over_groups(self._counts[bot][block], sums, products)
