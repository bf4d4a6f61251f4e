"""A confidence sequence: an interval of a mean that holds at all times at once, however often it is looked at.

A gambler bets on every board that its value is above m. If the mean is not above m, the capital is a supermartingale,
and ever reaches 1/p with the probability p at most (Ville's inequality): so an m at which it has done so is left out.
The idea is that of Waudby-Smith and Ramdas (2024), "Estimating means of bounded random variables by betting". Nothing
is asked of the values but that they are bounded, and that the boards are drawn independently.
"""

import math
from collections.abc import Iterator
from typing import Final, Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

Verdict: TypeAlias = Literal["ahead", "behind", "close"]

# The best stake on a mean of d is d / variance. The capital is divided among bets on these multiples of the difference
# that is sought.
_MULTIPLES: Final = np.array([[0.5], [1.0], [2.0], [4.0], [16.0]])
_LARGEST: Final = 0.95  # share of the capital that may be lost on a board
_HALVINGS: Final = 30
_BLOCK: Final = 1 << 14
_ABOVE: Final = 1
_BELOW: Final = -1


class ConfidenceSequence:
    """What can be said of the mean of values that come board after board, at any time.

    `difference`: the mean that is sought, in size; `most`: what no value exceeds, in size. With the probability
    1 - `alpha` at least, nothing that is ever said is wrong. Raises ValueError for numbers that do not fit.
    """

    def __init__(self, difference: float, alpha: float, most: float) -> None:
        if not 0 < difference < most or not 0 < alpha < 1:
            raise ValueError("0 < difference < most and 0 < alpha < 1 are needed")
        self._difference, self._most = difference, most
        self._needed = math.log(2 / alpha)  # half of alpha for either side
        self._values = np.zeros(0)

    def add(self, values: NDArray[np.float64]) -> None:
        """The values of the next boards, in order: float64[n]."""
        self._values = np.concatenate([self._values, values])

    @property
    def boards(self) -> int:
        """Boards so far."""
        return len(self._values)

    @property
    def verdict(self) -> Verdict | None:
        """Whether the mean is above 0 ("ahead"), below 0, or closer to 0 than the difference; None: not known yet."""
        if self._excludes(0.0, _ABOVE):
            return "ahead"
        if self._excludes(0.0, _BELOW):
            return "behind"
        is_close = self._excludes(-self._difference, _ABOVE) and self._excludes(self._difference, _BELOW)
        return "close" if is_close else None

    def interval(self) -> tuple[float, float]:
        """The means that have never been left out: (low, high)."""
        return self._end(_ABOVE), self._end(_BELOW)

    def _end(self, side: int) -> float:
        """The end of the interval on one side: the last mean that is left out there."""
        out, within = -side * self._most, side * self._most
        for _ in range(_HALVINGS):
            middle = (out + within) / 2
            if self._excludes(middle, side):
                out = middle
            else:
                within = middle
        return out

    def _excludes(self, mean: float, side: int) -> bool:
        """Whether the capital of bets on values above (or below) `mean` has ever been enough."""
        capital = np.full((len(_MULTIPLES), 1), -math.log(len(_MULTIPLES)))  # logarithms
        largest = _LARGEST / (self._most + side * mean)  # of the loss that a value can bring
        for values, stakes in self._bets():
            gains = side * np.minimum(stakes, largest) * (values - mean)
            courses = capital + np.cumsum(np.log1p(gains), axis=1)
            if np.logaddexp.reduce(courses, axis=0).max() >= self._needed:
                return True
            capital = courses[:, -1:]
        return False

    def _bets(self) -> Iterator[tuple[NDArray[np.float64], NDArray[np.float64]]]:
        """The values in blocks, each with the stakes: float64[multiples, n]. A stake knows earlier values only."""
        # As if there had been one value before, neither small nor large.
        number, total, squares = 1, 0.0, (self._most / 4) ** 2
        for begin in range(0, len(self._values), _BLOCK):
            values = self._values[begin : begin + _BLOCK]
            numbers = np.arange(number, number + len(values))
            totals = np.cumsum(np.concatenate([[total], values]))
            sums = np.cumsum(np.concatenate([[squares], values**2]))
            variances = sums[:-1] / numbers - (totals[:-1] / numbers) ** 2
            yield values, _MULTIPLES * self._difference / variances
            number, total, squares = number + len(values), float(totals[-1]), float(sums[-1])
