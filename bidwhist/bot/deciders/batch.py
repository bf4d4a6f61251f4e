"""Batch bots, asked for all decisions that wait for them at once."""

from collections.abc import Callable
from types import ModuleType
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from bidwhist.actions import ACTIONS
from bidwhist.bot.deciders.answers import explanation, no_action
from bidwhist.bot.deciders.scalar import ScalarBot
from bidwhist.bot.python.errors import describe_error
from bidwhist.engine.decider import Decider, DecisionFailed
from bidwhist.faults import Fault
from bidwhist.interrupts import UserInterrupt
from bidwhist.observation import OBSERVATION, Obs
from bidwhist.text import shown

ActBatch: TypeAlias = Callable[[NDArray[np.void]], NDArray[Any]]


class BatchBot(Decider):
    """A function act_batch(rows), or the method of an object: one call for all rows."""

    answers_together = True

    def __init__(self, name: str, act_batch: ActBatch, file: str, module: ModuleType | None = None) -> None:
        """`file` is where the bot's lines are reported from; `module` may explain."""
        super().__init__(name, file)
        self._act_batch = act_batch
        self._module = module

    def in_python(self) -> Decider:
        """The bot, asked for one row at a time."""
        return ScalarBot(self.name, lambda: self._act, str(self.file))

    def _act(self, obs: Obs) -> int:
        return int(self.decide(np.array([obs.row], OBSERVATION), np.zeros(1, np.int64))[0])

    def decide(self, rows: NDArray[np.void], sequences: NDArray[np.int64]) -> NDArray[np.int64]:
        """An action for each OBSERVATION row. Raises DecisionFailed."""
        try:
            answers: object = self._act_batch(rows)
        except UserInterrupt:
            raise
        except BaseException as error:
            raise DecisionFailed(0, describe_error(error, str(self.file)) + _among(len(rows))) from error
        return _checked(answers, len(rows))

    def explain(self, obs: Obs) -> str | None:
        """The reasons of its object, or else of its module."""
        return explanation((getattr(self._act_batch, "__self__", None), self._module), obs)


def _among(rows: int) -> str:
    return f" (asked for {rows} decisions at once, this one the first)" if rows > 1 else ""


def _checked(answers: object, rows: int) -> NDArray[np.int64]:
    wanted = f"act_batch answers with a NumPy array of {rows} integers" + _among(rows)
    if not isinstance(answers, np.ndarray):
        raise DecisionFailed(0, f"answered {shown(repr, answers)} ({type(answers).__name__}): {wanted}", Fault.MESSAGE)
    answers = np.ndarray.view(answers, np.ndarray)  # without what a class of the bot's own has made of it
    if answers.dtype.kind not in "iu":
        raise DecisionFailed(0, f"answered an array of {answers.dtype}: {wanted}", Fault.MESSAGE)
    if answers.shape != (rows,):
        raise DecisionFailed(0, f"answered an array of shape {answers.shape}: {wanted}", Fault.MESSAGE)
    if answers.min() < 0 or answers.max() >= ACTIONS:
        place = int(np.argmax((answers < 0) | (answers >= ACTIONS)))
        raise DecisionFailed(place, no_action(answers[place].item()), Fault.ILLEGAL, answers[:place])
    return answers.astype(np.int64, copy=False)
