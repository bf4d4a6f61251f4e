"""Scalar bots, asked for one decision at a time."""

from collections import defaultdict
from collections.abc import Callable, Iterator
from types import ModuleType
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from bidwhist.actions import ACTIONS, is_action
from bidwhist.bot.deciders.answers import explanation, no_action
from bidwhist.bot.python.errors import describe_error
from bidwhist.cards import SEATS, Seat
from bidwhist.engine.decider import Decider, DecisionFailed
from bidwhist.faults import Fault
from bidwhist.interrupts import UserInterrupt
from bidwhist.observation import Obs, observations

Act: TypeAlias = Callable[[Obs], int]


class ScalarBot(Decider):
    """A function act(obs), or a class with such a method: one call for each decision."""

    def __init__(self, name: str, make: Callable[[], Act], file: str, module: ModuleType | None = None) -> None:
        """`make` gives the `act` of a new player; `file` is where its lines are reported from; `module` may explain."""
        super().__init__(name, file)
        self._make = make
        self._module = module
        self._players: defaultdict[int, Act] = defaultdict(make)  # by 4 x sequence + seat

    def in_python(self) -> "ScalarBot":
        """The bot with a single player, which is made now: a debugger would stop where it is made."""
        act = self._make()
        return ScalarBot(self.name, lambda: act, str(self.file), self._module)

    def decide(self, rows: NDArray[np.void], sequences: NDArray[np.int64]) -> NDArray[np.int64]:
        """An action for each OBSERVATION row. Raises DecisionFailed."""
        return np.array([*self.answers(rows, sequences)], np.int64)

    def answers(self, rows: NDArray[np.void], sequences: NDArray[np.int64]) -> Iterator[int]:
        """The same actions, one after the other, as they are given. Raises DecisionFailed."""
        players = self._players
        keys: list[int] = (SEATS * sequences + rows["seat"]).tolist()
        given: list[int] = []
        try:
            for key, obs in zip(keys, observations(rows), strict=True):
                answer: object = players[key](obs)
                if not ((type(answer) is int and 0 <= answer < ACTIONS) or is_action(answer)):
                    break
                given.append(answer)
                yield answer
            else:
                return
        except UserInterrupt:
            raise
        except DecisionFailed as failure:
            raise DecisionFailed(len(given), failure.reason, failure.fault, given) from failure
        except BaseException as error:
            reason = describe_error(error, str(self.file))
            raise DecisionFailed(len(given), reason, Fault.CRASH, given) from error
        raise DecisionFailed(len(given), no_action(answer), Fault.ILLEGAL, given)

    def explain(self, obs: Obs) -> str | None:
        """The reasons of the player of this seat in sequence 0."""
        return explanation((getattr(self._players[obs.seat], "__self__", None), self._module), obs)

    def restart(self, sequence: int, seat: Seat) -> None:
        """Forget the player of a seat in a sequence."""
        self._players.pop(SEATS * sequence + seat, None)

    def finish(self, sequences: NDArray[np.int64]) -> None:
        """Forget the players of these sequences."""
        for sequence in sequences.tolist():
            for seat in range(SEATS):
                self._players.pop(SEATS * sequence + seat, None)
