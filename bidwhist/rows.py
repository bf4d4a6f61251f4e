"""Helpers for batch bots: for all rows at once what `Obs` and `bidwhist.bits` do for one.

The functions of masks are NumPy ufuncs: they take arrays of int64, or numbers, and broadcast them. All are compiled.
"""

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bidwhist import bits, streams
from bidwhist._jit import elementwise
from bidwhist.state import first_action, is_among

__all__ = ["actions", "are_legal", "below", "count", "highest", "lowest", "nth", "real"]


@elementwise("int64(int64)")
def count(masks: Any) -> Any:
    """Number of set bits of each mask (int64)."""
    return bits.count(masks)


@elementwise("int64(int64)")
def lowest(masks: Any) -> Any:
    """Index of the lowest set bit of each mask (int64); 64 for an empty one."""
    return bits.lowest(masks)


@elementwise("int64(int64)")
def highest(masks: Any) -> Any:
    """Index of the highest set bit of each mask (int64); -1 for an empty one."""
    return bits.highest(masks)


@elementwise("int64(int64, int64)")
def nth(masks: Any, n: Any) -> Any:
    """Index of the n-th set bit of each mask (int64), counted from the lowest, n = 0 .. count(masks) - 1."""
    return bits.nth(masks, n)


def actions(rows: NDArray[np.void], bits: ArrayLike) -> NDArray[np.int64]:
    """The actions that bits of `legal` stand for: bit k is card k or word 54 + k, by the phase of each row."""
    actions: NDArray[np.int64] = _action(rows["public"]["phase"], bits)
    return actions


def are_legal(rows: NDArray[np.void], actions: ArrayLike) -> NDArray[np.bool_]:
    """Whether each action is legal where its row asks."""
    found: NDArray[np.bool_] = _is_among(rows["legal"], actions, rows["public"]["phase"])
    return found


def below(rows: NDArray[np.void], n: ArrayLike, draw: int = 0) -> NDArray[np.int64]:
    """A uniform integer 0 .. n - 1 for each row, each from its row's own stream; `n`: one number or one for each row.

    What `obs.random.below(n)` gives at its first call; at a later one with draw = 1, 2 and so on. Raises ValueError
    for an `n` below 1 or from 2**31 on.
    """
    if np.min(n) < 1 or np.max(n) >= 1 << 31:
        raise ValueError(f"below({np.min(n)} to {np.max(n)}): n must be 1 to {(1 << 31) - 1}")
    numbers: NDArray[np.int64] = _below(rows["key"], n, draw)
    return numbers


def real(rows: NDArray[np.void], draw: int = 0) -> NDArray[np.float64]:
    """A uniform float in [0, 1) for each row, from its own stream, as `obs.random.random()` gives; `draw` as above."""
    numbers: NDArray[np.float64] = _real(rows["key"], draw)
    return numbers


@elementwise("int64(int8, int64)")
def _action(phase: Any, bit: Any) -> Any:
    return first_action(phase) + bit


@elementwise("bool(int64, int64, int8)")
def _is_among(legal: Any, action: Any, phase: Any) -> Any:
    return is_among(legal, action, phase)


@elementwise("int64(uint64, int64, int64)")
def _below(key: Any, n: Any, draw: Any) -> Any:
    return streams.share(streams.word(key, draw), n)


@elementwise("float64(uint64, int64)")
def _real(key: Any, draw: Any) -> Any:
    return streams.fraction(streams.word(key, draw))
