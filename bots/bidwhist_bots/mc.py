"""The house bot `mc`: every action is weighed in the same imagined worlds, each played out by the heuristic.

Worlds are drawn uniformly from those that agree with what was seen (`bidwhist.worlds`); hands are played out by rules
of thumb in all seats, each seeing only its own cards, so that no action is weighed by what nobody can know. The action
of the best mean is taken. Levy (1989) proposed to sample the hidden hands; Ginsberg (2001, "GIB: Imperfect information
in a computationally challenging game") made a strong player of it.
"""

import time
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from bidwhist._jit import int64, jit, shared
from bidwhist.observation import Private, private_of
from bidwhist.public import CALLING, PLAYING
from bidwhist_bots import calling, choosing, heuristic
from bidwhist_bots.parameters import Parameter, Values
from bidwhist_bots.search import SHARES, Search, effort, new_search

ABOUT: Final = (
    "imagines the hidden hands and plays each of its actions out in them, as the heuristic plays; "
    "ms=50 instead of worlds: as many worlds as fit into 50 ms"
)
PARAMETERS: Final[dict[str, Parameter]] = {**effort(200), **SHARES}

_CALL_WORLDS: Final = 4  # times as many worlds for a call, which more hangs on than on a card and is made once
_CALLS, _CARDS = 1, 2  # shares that are left to the heuristic


@jit
def begin(ws: Any, private: Private, public: Any) -> None:
    """Make ready to weigh a decision."""
    ws["stream"][0] = private.key
    if public["phase"] == CALLING:
        calling.begin(ws, private, public)
    else:
        choosing.begin(ws, private, public)


@jit
def extend(ws: Any, private: Private, public: Any, worlds: int) -> None:
    """Weigh it in so many worlds more."""
    if public["phase"] == CALLING:
        calling.extend(ws, private, public, _CALL_WORLDS * worlds)
    else:
        choosing.extend(ws, private, public, worlds)


@jit
def best(ws: Any, public: Any) -> int:
    """The action that has done best."""
    return calling.best(ws) if public["phase"] == CALLING else choosing.best(ws)


@shared
def _heuristic(private: Any, public: Any, stream: Any) -> int:
    if public["phase"] == PLAYING:
        return heuristic.play(private, public, stream)
    if public["phase"] == CALLING:
        return heuristic.call(private, public, stream)
    return heuristic.prepare(private, public, stream)


@jit
def _begin(search: Any, rows: Any, place: int, light: int) -> int:
    ws, private, public = search[0], private_of(rows[place]), rows[place]["public"]
    if light & (_CARDS if public["phase"] == PLAYING else _CALLS) != 0:
        return _heuristic(private, public, ws["stream"])
    begin(ws, private, public)
    return int64(ws["actions"][0]) if ws["candidates"] == 1 else -1


@jit
def _extend(search: Any, rows: Any, place: int, worlds: int) -> None:
    extend(search[0], private_of(rows[place]), rows[place]["public"], worlds)


@jit
def _best(search: Any, rows: Any, place: int) -> int:
    return best(search[0], rows[place]["public"])


class Rollouts(Search):
    """Weighs by hands that are played out."""

    def __init__(self, values: Values) -> None:
        """`values`: of the parameters in SHARES, and perhaps others."""
        self.record = new_search()
        self._light = _CALLS * (values["calls"] != "own") + _CARDS * (values["cards"] != "own")

    def begin(self, rows: NDArray[np.void], place: int) -> int:
        """Begin to weigh a decision."""
        return int(_begin(self.record, rows, place, self._light))

    def extend(self, rows: NDArray[np.void], place: int, worlds: int) -> None:
        """Weigh in more worlds."""
        _extend(self.record, rows, place, worlds)

    def extend_for(self, rows: NDArray[np.void], place: int, worlds: int, seconds: float) -> float:
        """Weigh in more worlds; another world takes as long as these took."""
        began = time.perf_counter()
        self.extend(rows, place, worlds)
        return (time.perf_counter() - began) / worlds

    def best(self, rows: NDArray[np.void], place: int) -> int:
        """The action that has done best."""
        return int(_best(self.record, rows, place))


def search(values: Values) -> Search:
    """The bot's search."""
    return Rollouts(values)
