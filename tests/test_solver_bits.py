"""Bits that are gathered and scattered: in plain Python, by one instruction, and by the loops of other processors."""

import random

import numba
import numpy as np
import pytest

from bidwhist import bits


@numba.njit
def native(mask: int, places: int) -> tuple[int, int]:
    return bits.gather(mask, places), bits.scatter(mask, places)


def looped(mask: int, places: int) -> tuple[int, int]:
    return bits._looped_gather(mask, places), bits._looped_scatter(mask, places)


def plain(mask: int, places: int) -> tuple[int, int]:
    return bits.gather(mask, places), bits.scatter(mask, places)


WAYS = [native, looped, plain]


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize(
    ("mask", "places", "gathered", "scattered"),
    [
        (0b1011, 0b1110, 0b101, 0b0110),
        (0b1111, 0, 0, 0),
        (0, 0b1111, 0, 0),
        (1 << 62 | 1, 1 << 62 | 1 << 40, 0b10, 1 << 40),
        ((1 << 63) - 1, (1 << 63) - 1, (1 << 63) - 1, (1 << 63) - 1),
    ],
)
def test_gathered_and_scattered(way: object, mask: int, places: int, gathered: int, scattered: int) -> None:
    assert way(mask, places) == (gathered, scattered)  # type: ignore[operator]


@pytest.mark.parametrize("way", WAYS)
def test_every_place_is_where_it_belongs(way: object) -> None:
    """Told bit by bit: the n-th of the places is bit n of what is gathered, and takes bit n of what is scattered."""
    rng = random.Random(1)
    for _ in range(300):
        mask, places = rng.getrandbits(63), rng.getrandbits(63) & rng.getrandbits(63)
        gathered, scattered = way(mask, places)  # type: ignore[operator]
        order = [place for place in range(64) if places >> place & 1]
        assert [gathered >> n & 1 for n in range(64)] == [mask >> place & 1 for place in order] + [0] * (
            64 - len(order)
        )
        assert {place for place in range(64) if scattered >> place & 1} == {
            p for n, p in enumerate(order) if mask >> n & 1
        }


def test_scattered_is_gathered_again() -> None:
    rng = np.random.default_rng(2)
    for mask, places in rng.integers(0, 1 << 62, (300, 2)):
        assert native(bits.scatter(mask, places), places)[0] == mask & (1 << int(places).bit_count()) - 1
