"""A batch bot: any legal action, all as likely, drawn as the house bot `random` draws."""

from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from bidwhist.actions import WORDS
from bidwhist.public import NAMING

# One step of a stream (see bidwhist.streams), for many streams at once.
_STEP: Final = np.uint64(0x9E3779B97F4A7C15)
_ROUNDS: Final = ((np.uint64(30), np.uint64(0xBF58476D1CE4E5B9)), (np.uint64(27), np.uint64(0x94D049BB133111EB)))
_LAST: Final = np.uint64(31)
_HALF: Final = np.uint64(32)


def act_batch(rows: NDArray[Any]) -> NDArray[np.int64]:
    """An action for each OBSERVATION row."""
    legal = rows["legal"].copy()
    passed_over = _below(rows["key"], _count(legal))
    for place in range(int(passed_over.max())):
        legal = np.where(passed_over > place, legal & (legal - 1), legal)
    chosen = np.frexp((legal & -legal).astype(np.float64))[1] - 1
    first = np.where(rows["public"]["phase"] <= NAMING, WORDS, 0)
    actions: NDArray[np.int64] = chosen + first
    return actions


def _below(keys: NDArray[np.uint64], n: NDArray[np.int64]) -> NDArray[np.int64]:
    """A uniform number below each `n`, the first that the stream of each key gives."""
    word = keys + _STEP
    for shift, factor in _ROUNDS:
        word = (word ^ word >> shift) * factor
    word ^= word >> _LAST
    return ((word >> _HALF) * n.astype(np.uint64) >> _HALF).astype(np.int64)


def _count(masks: NDArray[np.int64]) -> NDArray[np.int64]:
    """The bits set in each mask: of pairs, of fours, of bytes, then of all bytes in the top one."""
    pairs = masks - (masks >> 1 & 0x5555555555555555)
    fours = (pairs & 0x3333333333333333) + (pairs >> 2 & 0x3333333333333333)
    in_bytes = fours + (fours >> 4) & 0x0F0F0F0F0F0F0F0F
    counts: NDArray[np.int64] = in_bytes * 0x0101010101010101 >> 56
    return counts
