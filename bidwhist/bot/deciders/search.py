"""House bots that search: each decision is weighed in so many worlds, or for so long."""

import time
from typing import Final

import numpy as np
from numpy.typing import NDArray

from bidwhist.collector import uncollected
from bidwhist.engine.decider import Decider, DecisionFailed, Seer
from bidwhist.interruptible import interruptible
from bidwhist_bots.parameters import Values
from bidwhist_bots.search import Search

# A clock is looked at between slices, each of about so long.
_SLICE_SECONDS: Final = 0.002
_MOST_WORLDS: Final = 10_000  # of a slice: a solver that runs out of nodes at once looks fast


class SearchDecider(Decider):
    """A house bot that searches."""

    def __init__(self, name: str, search: Search, values: Values) -> None:
        """`values`: of the bot's parameters, among them `worlds` or `ms`, or neither for a single world."""
        super().__init__(name)
        self._search = search
        self._worlds = int(values.get("worlds", 1))
        self._seconds = int(values["ms"]) / 1000 if "ms" in values else None

    def decide(self, rows: NDArray[np.void], sequences: NDArray[np.int64]) -> NDArray[np.int64]:
        """An action for each OBSERVATION row."""
        with uncollected():
            return np.array([self._decide(rows, place) for place in range(len(rows))], np.int64)

    def _decide(self, rows: NDArray[np.void], place: int) -> int:
        began = time.perf_counter()
        action = self._search.begin(rows, place)
        if action >= 0:
            return action
        if self._seconds is None:
            self._weigh(rows, place)
        else:
            self._fill_time(rows, place, began + self._seconds)
        return self._search.best(rows, place)

    def _weigh(self, rows: NDArray[np.void], place: int) -> None:
        search, worlds = self._search, self._worlds
        if not search.is_long(rows, place, worlds):
            search.extend(rows, place, worlds)
            return
        search.extend(rows, place, 0)  # compiled here, where an interruption ends that
        interruptible(lambda: search.extend(rows, place, worlds), search.stop)

    def _fill_time(self, rows: NDArray[np.void], place: int, end: float) -> None:
        """Weigh in more and more worlds while another slice fits in before the time `end`.

        A slice may take half of what is left, so that one that takes twice as long as it should is over in time.
        """
        worlds, least, left = 1, 0.0, end - time.perf_counter()
        while left > least and self._search.is_open:
            before = left
            least = self._search.extend_for(rows, place, worlds, left / 2)
            left = end - time.perf_counter()
            fitting = min(_SLICE_SECONDS, left / 2) / max(before - left, 1e-6)
            worlds = max(1, min(2 * worlds, int(worlds * fitting), _MOST_WORLDS))


class OracleDecider(SearchDecider, Seer):
    """A house bot that sees all hands: the one world that it imagines is the truth."""

    _states: NDArray[np.void] | None = None

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
        self._search.reveal(self._states[place])
        return super()._decide(rows, place)
