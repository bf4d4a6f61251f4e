"""Quantiles of Student's t distribution, so that SciPy is not needed to run the arena."""

import math
from statistics import NormalDist
from typing import Final

# From here on the asymptotic expansion is as good as the sum: both agree to 1e-11.
_LARGE: Final = 400


def t_quantile(p: float, df: int) -> float:
    """The t with P(T <= t) = p for `df` >= 1 degrees of freedom and 0.5 <= p < 1. Raises ValueError."""
    if not 0.5 <= p < 1.0 or df < 1:
        raise ValueError(f"t_quantile({p}, {df}): needs 0.5 <= p < 1 and df >= 1")
    normal = NormalDist().inv_cdf(p)
    return _expanded(normal, df) if df >= _LARGE else _solved(p, df, normal)


def _expanded(z: float, df: int) -> float:
    """Abramowitz and Stegun 26.7.5: the quantile from the normal one, z, in powers of 1/df."""
    terms = (
        (z**3 + z) / 4,
        (5 * z**5 + 16 * z**3 + 3 * z) / 96,
        (3 * z**7 + 19 * z**5 + 17 * z**3 - 15 * z) / 384,
        (79 * z**9 + 776 * z**7 + 1482 * z**5 - 1920 * z**3 - 945 * z) / 92160,
    )
    return z + sum(float(term / df**power) for power, term in enumerate(terms, 1))


def _solved(p: float, df: int, start: float) -> float:
    """Newton's method on the distribution function.

    It is concave for t > 0 and `start` is below the root, so the steps approach the root from below.
    """
    t = start
    for _ in range(100):
        step = (p - t_distribution(t, df)) / _density(t, df)
        t += step
        if abs(step) <= 1e-13 * t:
            break
    return t


def t_distribution(t: float, df: int) -> float:
    """P(T <= t) for t >= 0: the finite sums of Abramowitz and Stegun 26.7.3 (odd df) and 26.7.4 (even df)."""
    angle = math.atan(t / math.sqrt(df))
    sine, cosine = math.sin(angle), math.cos(angle)
    odd = df % 2
    term = cosine if odd else 1.0
    total = term if df > 1 else 0.0
    for k in range(2 + odd, df, 2):
        term *= (k - 1) / k * cosine * cosine
        total += term
    inside = 2 / math.pi * (angle + sine * total) if odd else sine * total
    return 0.5 + inside / 2


def _density(t: float, df: int) -> float:
    scale = math.exp(math.lgamma((df + 1) / 2) - math.lgamma(df / 2)) / math.sqrt(df * math.pi)
    return scale * math.pow(1 + t * t / df, -(df + 1) / 2)
