"""A control variate: the mean of boards, with the luck taken out that other bots had on the same boards.

Two bots play the same boards as the two that are compared, and many more besides. Where their values rise and fall with
those of the others, it is known how lucky the boards were: their mean on these boards less that on all. The estimator
is that of regression with one control (Lavenberg and Welch 1981, "A perspective on the use of control variables to
increase the efficiency of Monte Carlo simulations").
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from bidwhist.stats.intervals import Estimate, influence_of_mean, mean_interval

FEWEST = 30
"""Boards that must have been played by both, for the slope to be worth anything."""


@dataclass(frozen=True)
class Controlled:
    """A mean with the luck of the boards taken out.

    `slope`: points for each point of the control; `correlation`: of the two on the common boards; `worth`: how many
    times as many boards without a control would have told as much.
    """

    estimate: Estimate
    slope: float
    correlation: float
    worth: float

    @property
    def helps(self) -> bool:
        """Whether it says more than the boards alone."""
        return self.worth > 1


def controlled(values: NDArray[np.float64], places: NDArray[np.int64], control: NDArray[np.float64]) -> Controlled:
    """The mean of `values` (float64[n]), board by board, with a control (float64[m]) that has played more boards.

    `places` (int64[n]): where in the control the board of each value is.

    Raises ValueError if it is too few boards, if a board stands there twice, or if all values of the control are alike.
    """
    own = control[places]
    number = len(values)
    if number < FEWEST or len(np.unique(places)) != number:
        raise ValueError(f"{FEWEST} different boards at least are needed")
    if np.ptp(own) == 0:
        raise ValueError("all values of the control are alike")
    slope = float(np.cov(values, own)[0, 1] / own.var(ddof=1))
    correlation = float(np.corrcoef(values, own)[0, 1]) if np.ptp(values) else 0.0
    rest, psi = influence_of_mean(values - slope * own)
    luck, psi_of_all = influence_of_mean(control)
    influence = slope * psi_of_all
    influence[places] += psi
    value = rest + slope * luck
    plain = float((influence_of_mean(values)[1] ** 2).sum())
    variance = float((influence**2).sum()) * (number - 1) / (number - 2)
    interval = mean_interval(value, influence * np.sqrt((number - 1) / (number - 2)), number - 2)
    return Controlled(Estimate(value, interval), slope, correlation, plain / variance if variance else 1.0)
