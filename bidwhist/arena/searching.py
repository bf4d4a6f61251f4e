"""House bots that search, as the engine asks them: they work on a record of their own, for so many worlds or so long.

Their code is compiled when the first of them is to play, and never for others.
"""

import time
from math import log
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from bidwhist._jit import int64, jit, shared
from bidwhist.arena.house_specs import house_parameters
from bidwhist.bot.spec import Spec
from bidwhist.engine.batch import DecisionFailed, Seer
from bidwhist.observation import private_of
from bidwhist.public import CALLING, PLAYING
from bidwhist.solver.values import NO_LIMIT
from bidwhist.solver.workspace import WORKSPACE
from bidwhist_bots import heuristic, mc, oracle, pimc
from bidwhist_bots.search import new_search

# A clock is looked at between slices, each of about so long; a solver gets so many nodes first.
_SLICE_SECONDS: Final = 0.002
_FIRST_NODES: Final = 2_000
_MOST_WORLDS: Final = 10_000  # of a slice: a solver that runs out of nodes at once looks fast

# What is left to the heuristic.
_CALLS, _CARDS = 1, 2


@shared
def _heuristic(private: Any, public: Any, stream: Any) -> int:
    if public["phase"] == PLAYING:
        return heuristic.play(private, public, stream)
    if public["phase"] == CALLING:
        return heuristic.call(private, public, stream)
    return heuristic.prepare(private, public, stream)


# Rows are handed over as their array and a place: the type of a single record takes Python long to tell.


@jit
def _begin(search: Any, rows: Any, place: int, light: int) -> int:
    """Make ready to weigh a decision: the action, if there is nothing to weigh, else -1."""
    ws, private, public = search[0], private_of(rows[place]), rows[place]["public"]
    if light & (_CARDS if public["phase"] == PLAYING else _CALLS) != 0:
        return _heuristic(private, public, ws["stream"])
    mc.begin(ws, private, public)
    return int64(ws["actions"][0]) if ws["candidates"] == 1 else -1


@jit
def _extend_by_rollouts(search: Any, rows: Any, place: int, worlds: int) -> None:
    mc.extend(search[0], private_of(rows[place]), rows[place]["public"], worlds)


@jit
def _extend_by_solver(search: Any, solver: Any, rows: Any, place: int, worlds: int, nodes: int) -> None:
    solver[0]["nodes"], solver[0]["limit"] = 0, nodes
    pimc.extend(search[0], solver[0], private_of(rows[place]), rows[place]["public"], worlds)


@jit
def _extend_by_truth(search: Any, solver: Any, rows: Any, place: int) -> None:
    solver[0]["nodes"], solver[0]["limit"] = 0, NO_LIMIT
    oracle.extend(search[0], solver[0], private_of(rows[place]), rows[place]["public"])


@jit
def _best(search: Any, rows: Any, place: int) -> int:
    return mc.best(search[0], rows[place]["public"])


class _Rollouts:
    """How `mc` weighs."""

    def __init__(self) -> None:
        self.search = new_search()

    def extend(self, rows: NDArray[np.void], place: int, worlds: int, seconds: float | None = None) -> None:
        _extend_by_rollouts(self.search, rows, place, worlds)


class _Solver:
    """How `pimc` weighs. A world may take the solver long: it gets as many nodes as fit, by the speed seen so far, into
    half of the `seconds` that are left."""

    def __init__(self) -> None:
        self.search = new_search()
        self._solver = np.zeros(1, WORKSPACE)
        self._nodes, self._seconds = _FIRST_NODES, _SLICE_SECONDS

    def extend(self, rows: NDArray[np.void], place: int, worlds: int, seconds: float | None = None) -> None:
        limit = NO_LIMIT if seconds is None else max(1, int(seconds / 2 * self._nodes / self._seconds))
        began = time.perf_counter()
        _extend_by_solver(self.search, self._solver, rows, place, worlds, limit)
        if seconds is not None and self._solver[0]["nodes"] >= _FIRST_NODES:
            self._nodes, self._seconds = int(self._solver[0]["nodes"]), max(time.perf_counter() - began, 1e-5)


class _Truth:
    """How `oracle` weighs: in one world, the true one."""

    def __init__(self) -> None:
        self.search = new_search()
        self._solver = np.zeros(1, WORKSPACE)

    def extend(self, rows: NDArray[np.void], place: int, worlds: int, seconds: float | None = None) -> None:
        _extend_by_truth(self.search, self._solver, rows, place)


_WEIGH: Final[dict[str, type[_Rollouts | _Solver | _Truth]]] = {
    "mc": _Rollouts,
    "belief": _Rollouts,
    "pimc": _Solver,
    "oracle-rollout": _Rollouts,
    "oracle": _Truth,
}


class SearchDecider:
    """A house bot that searches, as the engine asks it."""

    def __init__(self, spec: Spec, name: str) -> None:
        """Raises BotSpecError for an unknown bot or parameter."""
        bot, given = house_parameters(spec)
        parameters = dict(given)
        self._name = name
        self._worlds = int(parameters.get("worlds", 1))
        self._seconds = int(parameters["ms"]) / 1000 if "ms" in parameters else None
        self._light = _CALLS * (parameters["calls"] != "own") + _CARDS * (parameters["cards"] != "own")
        self._weigh = _WEIGH[bot]()
        search = self._weigh.search
        search["calls_weight"] = -log(int(parameters.get("calls_floor", 100)) / 100)
        search["plays_weight"] = -log(int(parameters.get("plays_floor", 100)) / 100)
        search["steps"] = int(parameters.get("steps", 0))

    @property
    def name(self) -> str:
        """The bot's name in messages."""
        return self._name

    def decide(self, rows: NDArray[np.void], sequences: NDArray[np.int64]) -> NDArray[np.int64]:
        """An action for each OBSERVATION row."""
        return np.array([self._decide(rows, place) for place in range(len(rows))], np.int64)

    def finish(self, sequences: NDArray[np.int64]) -> None:
        """Nothing to forget: each decision begins anew."""

    def _decide(self, rows: NDArray[np.void], place: int) -> int:
        end = time.perf_counter() + (self._seconds or 0.0)
        action = int(_begin(self._weigh.search, rows, place, self._light))
        if action >= 0:
            return action
        if self._seconds is None:
            self._weigh.extend(rows, place, self._worlds)
        else:
            self._fill_time(rows, place, end)
        return int(_best(self._weigh.search, rows, place))

    def _fill_time(self, rows: NDArray[np.void], place: int, end: float) -> None:
        """Weigh in more and more worlds until the time `end`; a slice is as many worlds as fit into it."""
        worlds, now = 1, time.perf_counter()
        while now < end:
            began = now
            self._weigh.extend(rows, place, worlds, end - now)
            now = time.perf_counter()
            fitting = min(_SLICE_SECONDS, end - now) / max(now - began, 1e-6)
            worlds = max(1, min(2 * worlds, int(worlds * fitting), _MOST_WORLDS))


class OracleDecider(SearchDecider, Seer):
    """A house bot that sees all hands: the one world that it imagines is the truth."""

    def __init__(self, spec: Spec, name: str) -> None:
        """Raises BotSpecError for an unknown bot or parameter."""
        super().__init__(spec, name)
        self._weigh.search["knows"] = 1
        self._states: NDArray[np.void] | None = None

    def see(self, states: NDArray[np.void]) -> None:
        """The STATE records of the decisions that it is asked for next."""
        self._states = states

    def decide(self, rows: NDArray[np.void], sequences: NDArray[np.int64]) -> NDArray[np.int64]:
        """An action for each OBSERVATION row. Raises DecisionFailed if it has not been shown the hands."""
        if self._states is None:
            raise DecisionFailed(0, "sees all hands, and was shown none")
        actions = super().decide(rows, sequences)
        self._states = None
        return actions

    def _decide(self, rows: NDArray[np.void], place: int) -> int:
        assert self._states is not None  # `decide` has seen to that
        self._weigh.search["truth"][0] = self._states[place]
        return super()._decide(rows, place)
