"""How many boards a question needs: from the variance of the boards of a pilot run."""

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from bidwhist.stats.intervals import CONFIDENCE, influence_of_mean, not_seen, t_quantile

POWER = 0.8


@dataclass(frozen=True)
class Pilot:
    """The boards of a pilot run: how many, and the variance of their values, with the upper end of its 95% interval."""

    boards: int
    variance: float
    most: float

    @classmethod
    def of(cls, values: NDArray[np.float64], most: float = 0.0) -> "Pilot":
        """From values (float64[n]), a board or game each, of `most` in size; where most boards agree, what was not seen
        is in the variance, as it is in intervals. Raises ValueError for fewer than two."""
        number = len(values)
        if number < 2:
            raise ValueError("a pilot needs two boards at least")
        variance = float(values.var(ddof=1))
        if 2 * np.unique(values, return_counts=True)[1].max() >= number:
            variance += number * not_seen(influence_of_mean(values)[1], most / number)
        fourth = float(((values - values.mean()) ** 4).mean())
        # The standard error of a variance, whatever the distribution (Kendall and Stuart, volume 1).
        error = math.sqrt(max(0.0, fourth - variance**2) / number)
        return cls(number, variance, variance + t_quantile((1 + CONFIDENCE) / 2, math.inf) * error)


def boards_needed(variance: float, difference: float, *, power: float = POWER, alpha: float = 1 - CONFIDENCE) -> int:
    """Boards after which a true difference is found with the probability `power`, and with `alpha` one where none is.

    The two-sided test of a mean, with Guenther's correction for Student's t (1981, "Sample size formulas for normal
    theory T tests"). Raises ValueError for a difference of 0, or probabilities that are none.
    """
    if not (difference != 0 and math.isfinite(difference)) or not 0 < alpha < 1 or not 0 < power < 1:
        raise ValueError("a difference that is not 0, and probabilities between 0 and 1, are needed")
    sure, found = t_quantile(1 - alpha / 2, math.inf), t_quantile(power, math.inf)
    number = (sure + max(found, 0.0)) ** 2 * variance / difference**2 + sure**2 / 2
    return max(2, math.ceil(number))
