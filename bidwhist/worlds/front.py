"""Worlds from Python: layouts that agree with an observation, and states to play on from."""

from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from bidwhist._jit import jit
from bidwhist.cards import SEATS, Mask, is_number
from bidwhist.errors import PositionError
from bidwhist.observation import Obs, private_of
from bidwhist.state import STATE
from bidwhist.streams import mixed_key, new_stream
from bidwhist.worlds.sample import draw_many, prepare
from bidwhist.worlds.view import new_worlds
from bidwhist.worlds.whole import write_world

_SLICE: Final = 10_000  # worlds drawn in a call, some milliseconds: Python handles signals in between


def _row(obs: Any) -> Any:
    return obs.row if isinstance(obs, Obs) else obs


def count_worlds(obs: Any, ws: Any = None) -> float:
    """How many layouts agree with `obs` (an Obs or an OBSERVATION record); exact below 2**53.

    With a WORLDS record `ws`, that is ready then to draw them. Raises PositionError if there is none, which no
    observation of a hand can bring about.
    """
    row = _row(obs)
    found = float(prepare(new_worlds() if ws is None else ws, private_of(row), row["public"]))
    if found == 0:
        raise PositionError("observation: no hidden hands agree with it")
    return found


def sample_worlds(obs: Any, count: int, key: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Draw `count` layouts that agree with `obs`, uniformly and independently; the same ones for the same `key`.

    `obs` is an Obs or an OBSERVATION record. Returns hands int64[count, 4], as held now, and dead int64[count]: the
    kitty as long as nobody has taken it up, then what the declarer has buried. Raises PositionError as `count_worlds`.
    """
    if not is_number(count, 1 << 63):
        raise PositionError(f"{count!r} is no count of worlds: a count is an integer, 0 or more")
    ws, stream = new_worlds(), _stream(key)
    count_worlds(obs, ws)
    hands, dead = np.zeros((count, SEATS), np.int64), np.zeros(count, np.int64)
    for begin in range(0, count, _SLICE):
        draw_many(ws, stream, hands[begin : begin + _SLICE], dead[begin : begin + _SLICE])
    return hands, dead


def _stream(key: int) -> NDArray[np.uint64]:
    """A stream by a key that a person has chosen. Raises PositionError."""
    try:
        return new_stream(mixed_key(key))
    except ValueError as error:
        raise PositionError(str(error)) from None


@jit
def _write_world(row: Any, hands: Any, dead: Mask, stream: Any, state: Any) -> None:
    write_world(private_of(row), row["public"], hands, dead, stream, state)


def world_state(obs: Any, hands: Any, dead: Mask, key: int = 0) -> Any:
    """A STATE record of the hand as it stands in a layout that agrees with `obs` (an Obs or an OBSERVATION record).

    `hands` (four masks) and `dead` as from `sample_worlds`. A kitty taken up that the seat has not seen is drawn by
    `key` from the cards that the declarer has had. Raises PositionError for a key that is none.
    """
    state = np.zeros(1, STATE)[0]
    _write_world(_row(obs), np.array(hands, np.int64), int(dead), _stream(key), state)
    return state
