"""95% intervals of means and shares, from what each cluster (a board, or a game) adds to them.

An estimate is a value and the *influence* of every cluster on it: numbers psi_u that add up to 0, and whose squares add
up to the variance of the value. For a mean of n values psi_u = (x_u - mean) / sqrt(n (n - 1)); for what is made of
several means, the same sum of theirs. The sources of the formulas stand in docs/statistics.md.
"""

import math
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

CONFIDENCE: Final = 0.95
ENOUGH: Final = 30
"""Clusters from which on the intervals hold what they promise; with fewer, a note says so."""
_BLOCK: Final = 1 << 16
_ALIKE: Final = 1e-9  # of the largest influence: who differs by less agrees
_ADDED: Final = 4.0  # clusters that differ are counted as so many more: the square of the normal quantile, about


@dataclass(frozen=True)
class Estimate:
    """A value and its interval (low, high), in the unit of the values; None where nothing supports one."""

    value: float
    interval: tuple[float, float] | None


def t_quantile(p: float, df: float) -> float:
    """The t with P(T <= t) = p, of Student's t distribution with `df` degrees of freedom."""
    from scipy.special import stdtrit  # here: it takes a while to load

    return float(stdtrit(df, p))


def spread(influence: NDArray[np.float64], unseen: float = 0.0) -> float:
    """The variance of an estimate from the influence (float64[n]) of its n clusters, and of what was not seen."""
    return float((influence**2).sum()) + not_seen(influence, unseen)


def not_seen(influence: NDArray[np.float64], unseen: float = 0.0) -> float:
    """The part of the variance that is due to what was not seen.

    Where most clusters agree and few differ, one more or less of these would have changed much: they count as if there
    were _ADDED more of the same size. If none differs, their size is `unseen`.
    """
    # Sums in another order differ in the last bits.
    step = _ALIKE * max(float(np.abs(influence).max(initial=0.0)), unseen) or 1.0
    cases, counts = np.unique(np.round(influence / step), return_counts=True)
    usual = cases[counts.argmax()] * step if 2 * counts.max() >= len(influence) else 0.0
    others = influence[np.abs(influence - usual) > step] - usual
    size = float((others**2).mean()) if len(others) else unseen**2
    rest = 1 - len(others) / len(influence) if usual else 1.0  # of a share: 1 - p, as in its variance
    return _ADDED * rest * size


def mean_interval(
    value: float, influence: NDArray[np.float64], df: float, unseen: float = 0.0, confidence: float = CONFIDENCE
) -> tuple[float, float] | None:
    """The interval of a mean: value ± t standard errors. None if its width would be 0, or with no degree of freedom."""
    if df < 1:
        return None
    half = t_quantile((1 + confidence) / 2, df) * math.sqrt(spread(influence, unseen))
    return (value - half, value + half) if half > 0 else None


def share_interval(
    value: float, influence: NDArray[np.float64], df: float, unseen: float = 0.0, confidence: float = CONFIDENCE
) -> tuple[float, float] | None:
    """The interval of a share, within 0 and 1: that of Clopper and Pearson for as many independent trials as have the
    variance of the clusters (Korn and Graubard), and at least that of a mean."""
    from scipy.special import betaincinv

    as_mean = mean_interval(value, influence, df, unseen, confidence)
    if as_mean is None:
        return None
    trials, variance = float(len(influence)), float((influence**2).sum())
    if 0 < value < 1 and variance > 0:
        ratio = t_quantile((1 + confidence) / 2, math.inf) / t_quantile((1 + confidence) / 2, df)
        trials = value * (1 - value) / variance * ratio**2
    won, tail = value * trials, (1 - confidence) / 2
    low = float(betaincinv(won, trials - won + 1, tail)) if won > 0 else 0.0
    high = float(betaincinv(won + 1, trials - won, 1 - tail)) if won < trials else 1.0
    return min(low, max(as_mean[0], 0.0)), max(high, min(as_mean[1], 1.0))


def superiority(value: float, influence: NDArray[np.float64], df: float, unseen: float = 0.0) -> float:
    """How likely it is that the true mean is above 0, judged by these results alone: P(T < value / error)."""
    from scipy.special import stdtr

    error = math.sqrt(spread(influence, unseen))
    if df < 1 or error == 0:
        return 0.5 + 0.5 * float(np.sign(value))
    return float(stdtr(df, value / error))


def influence_of_mean(
    values: NDArray[np.float64], weights: NDArray[np.signedinteger[Any]] | None = None
) -> tuple[float, NDArray[np.float64]]:
    """The mean of values (float64[n]), weighted perhaps, and the influence (float64[n]) of each; 0 for a single one.

    A weighted mean is a ratio of sums, and so is its influence (Cochran).
    """
    number = len(values)
    shares = np.full(number, 1 / number) if weights is None else weights / int(weights.sum())
    mean = _total(shares * values)
    if number == 1:
        return mean, np.zeros(1)
    return mean, shares * (values - mean) * math.sqrt(number / (number - 1))


def _total(values: NDArray[np.float64]) -> float:
    """The sum, the same on any machine; block by block, since numbers of Python take room."""
    return math.fsum(math.fsum(values[begin : begin + _BLOCK].tolist()) for begin in range(0, len(values), _BLOCK))


def clustered_mean(values: NDArray[np.float64]) -> Estimate:
    """The mean over groups of their means, from an array (clusters,), or (clusters, groups), NaN where a group has no
    value. Raises ValueError for a group without values."""
    table = values.reshape(len(values), -1)
    is_there = ~np.isnan(table)
    if table.shape[1] == 0 or not is_there.any(axis=0).all():
        raise ValueError("every group needs a value")
    influence, mean = np.zeros(len(table)), 0.0
    for group in range(table.shape[1]):
        places = np.flatnonzero(is_there[:, group])
        own, psi = influence_of_mean(table[places, group])
        mean += own / table.shape[1]
        influence[places] += psi / table.shape[1]
    fewest = int(is_there.sum(axis=0).min())
    return Estimate(mean, mean_interval(mean, influence[is_there.any(axis=1)], fewest - 1))


def mean_of_rows(
    units: NDArray[np.int64], values: NDArray[np.float64], most: float, *, is_share: bool = False
) -> Estimate:
    """The mean of rows, of which those of a unit belong together; a share if all values are from 0 to 1.

    A ratio of two sums over units (Cochran). `most`: the largest distance of a value from a usual one; it bounds what
    was not seen. Raises ValueError for no rows.
    """
    if not len(values):
        raise ValueError("a mean needs a row at least")
    _, places, counts = np.unique(units, return_inverse=True, return_counts=True)
    mean, influence = influence_of_mean(np.bincount(places, values) / counts, counts)
    interval = share_interval if is_share else mean_interval
    return Estimate(mean, interval(mean, influence, len(counts) - 1, most / len(counts)))
