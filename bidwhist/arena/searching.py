"""House bots that search, as the engine asks them: they work on a record of their own, for so many worlds or so long.

Their code is compiled when the first of them is to play, and never for others.
"""

import gc
import time
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from math import log
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from bidwhist._jit import int64, jit, shared
from bidwhist.arena.house_specs import house_parameters
from bidwhist.bot.spec import Spec
from bidwhist.cards import CARDS
from bidwhist.engine.batch import DecisionFailed, Seer
from bidwhist.observation import private_of
from bidwhist.public import CALLING, PLAYING
from bidwhist.solver.values import NO_LIMIT
from bidwhist.solver.workspace import WORKSPACE
from bidwhist_bots import heuristic, mc, oracle, pimc
from bidwhist_bots.search import new_search

# A clock is looked at between slices, each of about so long.
_SLICE_SECONDS: Final = 0.002
_FIRST_SPEED: Final = 1e6  # of a solver: nodes a second
_LEAST_NODES: Final = 2_000  # to take a speed from
_LEAST_SECONDS: Final = 0.0002  # worth a slice of a solver, which takes a while to begin
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
def _begin_solver(search: Any, solver: Any, rows: Any, place: int) -> None:
    pimc.begin(search[0], solver[0], private_of(rows[place]), rows[place]["public"])


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


@contextmanager
def _uncollected() -> Iterator[None]:
    """Python collects no garbage meanwhile, which may take it more than a decision's time."""
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()


@cache
def _solver() -> NDArray[np.void]:
    """The workspace of all bots of this process that ask the solver: they take turns, and it forgets between decisions.

    It is written on at once: memory that comes page by page looks like that of a bot that never gives any back.
    """
    workspace = np.zeros(1, WORKSPACE)
    workspace.view(np.uint8).fill(0)
    return workspace


class _Rollouts:
    """How `mc` weighs."""

    def __init__(self) -> None:
        self.search = new_search()

    def begin(self, rows: NDArray[np.void], place: int, light: int) -> int:
        """Make ready to weigh a decision: the action, if there is nothing to weigh, else -1."""
        return int(_begin(self.search, rows, place, light))

    def extend(self, rows: NDArray[np.void], place: int, worlds: int) -> None:
        """Weigh in so many worlds more."""
        _extend_by_rollouts(self.search, rows, place, worlds)

    def extend_for(self, rows: NDArray[np.void], place: int, worlds: int, seconds: float) -> float:
        """Weigh in so many worlds more, which should take so long; how long a slice of one world takes."""
        began = time.perf_counter()
        self.extend(rows, place, worlds)
        return (time.perf_counter() - began) / worlds


class _Solver(_Rollouts):
    """How `pimc` weighs. A world may take the solver long: it gets as many nodes as fit into a slice, by the speed seen
    so far, and leaves a world that takes more."""

    def __init__(self) -> None:
        super().__init__()
        self._solver = _solver()
        self._speed = _FIRST_SPEED

    def begin(self, rows: NDArray[np.void], place: int, light: int) -> int:
        action = super().begin(rows, place, light)
        if action < 0:
            _begin_solver(self.search, self._solver, rows, place)
        return action

    def extend(self, rows: NDArray[np.void], place: int, worlds: int) -> None:
        _extend_by_solver(self.search, self._solver, rows, place, worlds, NO_LIMIT)

    def extend_for(self, rows: NDArray[np.void], place: int, worlds: int, seconds: float) -> float:
        if not self.search["is_solved"][0]:
            return super().extend_for(rows, place, worlds, seconds)
        began = time.perf_counter()
        _extend_by_solver(self.search, self._solver, rows, place, worlds, int(seconds * self._speed))
        nodes = int(self._solver["nodes"][0])
        if nodes >= _LEAST_NODES:
            self._speed = nodes / (time.perf_counter() - began)
        return _LEAST_SECONDS


class _Truth(_Solver):
    """How `oracle` weighs: in one world, the true one."""

    def extend(self, rows: NDArray[np.void], place: int, worlds: int) -> None:
        _extend_by_truth(self.search, self._solver, rows, place)


_WEIGH: Final[dict[str, type[_Rollouts]]] = {
    "rollout": _Rollouts,
    "solver": _Solver,
    "both": _Solver,
    "truth": _Truth,
}

# What tells the worth of a card, by bot, where that is no parameter; the most cards in hand for which it is the solver.
_LEAF: Final = {"mc": "rollout", "pimc": "solver", "oracle-rollout": "rollout", "oracle": "truth"}
_MOST_CARDS: Final = {"both": 6}


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
        leaf = str(parameters.get("leaf") or _LEAF[bot])
        self._weigh = _WEIGH[leaf]()
        search = self._weigh.search
        search["most_cards"] = _MOST_CARDS.get(leaf, CARDS)
        search["calls_weight"] = -log(int(parameters.get("calls_floor", 100)) / 100)
        search["plays_weight"] = -log(int(parameters.get("plays_floor", 100)) / 100)
        search["steps"] = int(parameters.get("steps", 0))

    @property
    def name(self) -> str:
        """The bot's name in messages."""
        return self._name

    def decide(self, rows: NDArray[np.void], sequences: NDArray[np.int64]) -> NDArray[np.int64]:
        """An action for each OBSERVATION row."""
        with _uncollected():
            return np.array([self._decide(rows, place) for place in range(len(rows))], np.int64)

    def finish(self, sequences: NDArray[np.int64]) -> None:
        """Nothing to forget: each decision begins anew."""

    def _decide(self, rows: NDArray[np.void], place: int) -> int:
        began = time.perf_counter()
        action = self._weigh.begin(rows, place, self._light)
        if action >= 0:
            return action
        if self._seconds is None:
            self._weigh.extend(rows, place, self._worlds)
        else:
            self._fill_time(rows, place, began + self._seconds)
        return int(_best(self._weigh.search, rows, place))

    def _fill_time(self, rows: NDArray[np.void], place: int, end: float) -> None:
        """Weigh in more and more worlds while another slice fits in before the time `end`.

        A slice may take half of what is left, so that one that takes twice as long as it should is over in time.
        """
        worlds, least, left = 1, 0.0, end - time.perf_counter()
        while left > least and self._weigh.search["candidates"][0] > 1:
            before = left
            least = self._weigh.extend_for(rows, place, worlds, left / 2)
            left = end - time.perf_counter()
            fitting = min(_SLICE_SECONDS, left / 2) / max(before - left, 1e-6)
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
