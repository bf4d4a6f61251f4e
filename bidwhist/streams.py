"""Random numbers: keys by use, a seed for each board, and the fast stream that deals and that bots draw from.

The seed of a run gives one key for each use by a keyed hash (BLAKE2b). A counter-based generator (Philox 4x64-10;
Salmon et al. 2011, "Parallel random numbers: as easy as 1, 2, 3") turns key and board number into 256 fresh bits, so
that any board can be had alone, anywhere, in any order. A *stream* is an array of one uint64, the state of a generator
in the manner of Wang Yi's wyrand: a counter, whose product with itself, some bits turned over, is folded in half.
"""

import hashlib
from typing import Any, Final, TypeAlias

import numpy as np
from numpy.typing import NDArray

from bidwhist._jit import int64, jit, jit_wrapping, shared
from bidwhist.bits import high_product
from bidwhist.cards import is_number

Key: TypeAlias = tuple[Any, Any]  # two uint64; a tuple, as kernels count the references to an array

_PHILOX_0: Final = np.uint64(0xD2E7470EE14C6C93)
_PHILOX_1: Final = np.uint64(0xCA5A826395121157)
_WEYL_0: Final = np.uint64(0x9E3779B97F4A7C15)
_WEYL_1: Final = np.uint64(0xBB67AE8584CAA73B)
_TURNED: Final = np.uint64(0xBF58476D1CE4E5B9)


def use_key(seed: int, use: str) -> Key:
    """The key of one use ('deals', 'bots') of a run's seed, of 128 bits."""
    digest = hashlib.blake2b(use.encode(), key=seed.to_bytes(16, "little"), digest_size=16).digest()
    first, second = np.frombuffer(digest, "<u8").astype(np.uint64)
    return first, second


def mixed_key(number: int) -> Any:
    """A key (uint64) made of a number that a person has chosen: those of 0, 1, 2 and so on have nothing in common.

    A key is the state of a counter, so numbers that are close to each other must not be keys themselves. Keys of a run
    come from `philox` and need no mixing. Raises ValueError unless `number` is an integer from 0 to 2**64 - 1.
    """
    if not is_number(number, 1 << 64):
        raise ValueError(f"{number!r} is no key: a key is an integer from 0 to 2**64 - 1")
    digest = hashlib.blake2b(int(number).to_bytes(8, "little"), digest_size=8).digest()
    return np.uint64(int.from_bytes(digest, "little"))


@jit_wrapping
def philox(key: Key, counter: int) -> tuple[Any, Any, Any, Any]:
    """Four uint64 words of Philox 4x64-10 for a key and the counter (counter, 0, 0, 0)."""
    zero = np.uint64(0)
    a, b, c, d = np.uint64(counter), zero, zero, zero
    k0, k1 = key[0], key[1]
    for _ in range(10):
        high_a, low_a = high_product(_PHILOX_0, a), _PHILOX_0 * a
        high_c, low_c = high_product(_PHILOX_1, c), _PHILOX_1 * c
        a, b, c, d = high_c ^ b ^ k0, low_c, high_a ^ d ^ k1, low_a
        k0 += _WEYL_0
        k1 += _WEYL_1
    return a, b, c, d


@jit_wrapping
def decision_key(seat_key: Any, decision: int) -> Any:
    """Key of a seat's `decision`-th decision in a hand, from the seat's key for that board.

    The stride differs from that of a stream, so that the streams of two decisions do not run into each other; the
    structure that the keys have is gone after the product.
    """
    return seat_key + _WEYL_1 * np.uint64(decision + 1)


@shared
def _fold(state: Any) -> Any:
    other = state ^ _TURNED
    return high_product(state, other) ^ (state * other)


@jit_wrapping
def draw(stream: Any) -> Any:
    """The next uint64 of a stream."""
    state = stream[0] + _WEYL_0
    stream[0] = state
    return _fold(state)


@jit_wrapping
def word(key: Any, place: int) -> Any:
    """The uint64 that the `place`-th draw, from 0, of a stream that starts at `key` gives."""
    return _fold(key + _WEYL_0 * np.uint64(place + 1))


@shared
def share(word: Any, n: int) -> int:
    """A number 0 .. n - 1 made of a random uint64, for 1 <= n < 2**31."""
    return int64(high_product(word, np.uint64(n)))


@shared
def fraction(word: Any) -> float:
    """A float in [0, 1) made of the upper 53 bits of a random uint64."""
    return np.float64(int64(word >> np.uint64(11))) * (1.0 / 9007199254740992.0)


@jit
def below(stream: Any, n: int) -> int:
    """A uniform number 0 .. n - 1, for 1 <= n < 2**31; no value is favoured by more than n / 2**64 of its share."""
    return share(draw(stream), n)


@jit
def real(stream: Any) -> float:
    """A uniform float in [0, 1) with 53 random bits."""
    return fraction(draw(stream))


def new_stream(key: int) -> NDArray[np.uint64]:
    """A stream that starts at `key`."""
    return np.array([key], np.uint64)
