"""Means over opponents with 95% intervals that know that all opponents were met on the same boards.

A bot's value is the mean over its K opponents of m_k, its mean over the n_k boards played against opponent k. Boards
are the clusters: what a bot scores on a board against several opponents is correlated (the cards are the same), boards
are independent. With d_bk = x_bk - m_k on the boards played against k, else 0, the variance is estimated by

    V = sum over boards b of (sum over opponents k of d_bk / (K sqrt(n_k (n_k - 1)))) ** 2,

the cluster-robust estimator with the bias-reducing correction "CR2" of Bell and McCaffrey (2002, "Bias reduction in
standard errors for linear regression with multi-stage samples"), which for one mean per group has this closed form.
With one opponent it is the textbook s^2 / n; with all boards played against all opponents, s^2 / n of the boards' means
over opponents. Student's t has the degrees of freedom of the opponent met on the fewest boards, less one: exact in both
cases, and cautious when opponents were met on unequal numbers of boards.
"""

import math
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from bidwhist.stats.student import t_quantile

CONFIDENCE: Final = 0.95


@dataclass(frozen=True)
class Estimate:
    """A mean and its 95% interval (low, high), in the unit of the values; None with fewer than two boards."""

    mean: float
    interval: tuple[float, float] | None


def mean_over_groups(counts: NDArray[np.int64], sums: NDArray[np.float64], products: NDArray[np.float64]) -> Estimate:
    """The estimate for K groups (opponents) from sums over clusters (boards), each an array (K, K).

    Over the clusters in which both group k and group l have a value: `counts[k, l]` is their number, `sums[k, l]` the
    sum of the values of k, `products[k, l]` of the values of k times those of l. Raises ValueError for an empty group.
    """
    sizes = np.diag(counts)
    if len(sizes) == 0 or sizes.min() < 1:
        raise ValueError("every group needs a value")
    means = np.diag(sums) / sizes
    mean = sum(means.tolist()) / len(means)  # added in order: the same to the last bit on any machine
    if sizes.min() < 2:
        return Estimate(mean, None)
    crossed = sums * means
    deviations = products - crossed - crossed.T + counts * np.outer(means, means)
    weights = 1 / (len(sizes) * np.sqrt(sizes * (sizes - 1.0)))
    # Never negative but for rounding, when all boards net the same.
    variance = max(0.0, float((deviations * np.outer(weights, weights)).sum()))
    half = t_quantile((1 + CONFIDENCE) / 2, int(sizes.min()) - 1) * math.sqrt(variance)
    return Estimate(mean, (mean - half, mean + half))


def clustered_mean(values: NDArray[np.float64]) -> Estimate:
    """The estimate from an array (clusters,), or (clusters, groups) with NaN where a group has no value.

    Raises ValueError for a group without values.
    """
    table = values.reshape(len(values), -1)
    present = ~np.isnan(table)
    known, ones = np.where(present, table, 0.0), present.astype(np.float64)
    return mean_over_groups((ones.T @ ones).astype(np.int64), known.T @ ones, known.T @ known)
