"""House bots that search, as the engine asks them: they work on a record of their own, for so many worlds or so long.

Their code is compiled when the first of them is to play, and never for others.
"""

import time
from math import log
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from bidwhist._jit import jit, shared
from bidwhist.arena.house_specs import house_parameters
from bidwhist.bot.spec import Spec
from bidwhist.observation import private_of
from bidwhist.public import CALLING, PLAYING
from bidwhist_bots import heuristic, mc
from bidwhist_bots.search import new_search

# A clock is looked at between slices: the first of so many worlds, the next of so long.
_FIRST_SLICE: Final = 4
_SLICE_SECONDS: Final = 0.002

# What is left to the heuristic.
_NOTHING, _CALLS, _CARDS = 0, 1, 2


@shared
def _is_light(phase: int, light: int) -> bool:
    """True if the heuristic decides in this phase."""
    return light & (_CARDS if phase == PLAYING else _CALLS) != 0


@shared
def _heuristic(private: Any, public: Any, stream: Any) -> int:
    if public["phase"] == PLAYING:
        return heuristic.play(private, public, stream)
    if public["phase"] == CALLING:
        return heuristic.call(private, public, stream)
    return heuristic.prepare(private, public, stream)


@jit
def _decide(ws: Any, rows: Any, actions: Any, worlds: int, light: int) -> None:
    """The actions of all rows, each weighed in so many worlds."""
    for place in range(len(rows)):
        private, public = private_of(rows[place]), rows[place]["public"]
        if _is_light(public["phase"], light):
            actions[place] = _heuristic(private, public, ws["stream"])
            continue
        mc.begin(ws, private, public)
        if ws["candidates"] > 1:
            mc.extend(ws, private, public, worlds)
        actions[place] = mc.best(ws, public)


@jit
def _begin(ws: Any, row: Any, light: int) -> int:
    """Make ready to weigh a decision: the action, if there is nothing to weigh, else -1."""
    private, public = private_of(row), row["public"]
    if _is_light(public["phase"], light):
        return _heuristic(private, public, ws["stream"])
    mc.begin(ws, private, public)
    return mc.best(ws, public) if ws["candidates"] == 1 else -1


@jit
def _extend(ws: Any, row: Any, worlds: int) -> int:
    """Weigh it in so many worlds more; the best action so far."""
    private, public = private_of(row), row["public"]
    mc.extend(ws, private, public, worlds)
    return mc.best(ws, public)


class SearchDecider:
    """A house bot that searches, as the engine asks it."""

    def __init__(self, spec: Spec, name: str) -> None:
        """Raises BotSpecError for an unknown bot or parameter."""
        _, given = house_parameters(spec)
        parameters = dict(given)
        self._name = name
        self._worlds = int(parameters["worlds"])
        self._seconds = int(parameters["ms"]) / 1000 if "ms" in parameters else None
        self._light = _CALLS * (parameters["calls"] != "own") + _CARDS * (parameters["cards"] != "own")
        self._search = new_search()
        self._search["calls_weight"] = -log(int(parameters.get("calls_floor", "100")) / 100)
        self._search["plays_weight"] = -log(int(parameters.get("plays_floor", "100")) / 100)
        self._search["steps"] = int(parameters.get("steps", "0"))

    @property
    def name(self) -> str:
        """The bot's name in messages."""
        return self._name

    def decide(self, rows: NDArray[np.void], sequences: NDArray[np.int64]) -> NDArray[np.int64]:
        """An action for each OBSERVATION row."""
        actions = np.empty(len(rows), np.int64)
        if self._seconds is None:
            _decide(self._search, rows, actions, self._worlds, self._light)
        else:
            actions[:] = [self._in_time(row, self._seconds) for row in rows]
        return actions

    def _in_time(self, row: Any, seconds: float) -> int:
        end = time.perf_counter() + seconds
        action = int(_begin(self._search, row, self._light))
        worlds, now = _FIRST_SLICE, time.perf_counter()
        while action < 0 or now < end:
            before = now
            action = int(_extend(self._search, row, worlds))
            now = time.perf_counter()
            worlds = max(1, int(worlds * min(_SLICE_SECONDS, end - now) / max(now - before, 1e-6)))
        return action

    def finish(self, sequences: NDArray[np.int64]) -> None:
        """Nothing to forget: each decision begins anew."""
