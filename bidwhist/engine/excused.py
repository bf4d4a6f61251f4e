"""A bot in a hand that is played again: it is not asked from the moment on at which it failed before."""

import numpy as np
from numpy.typing import NDArray

from bidwhist.engine.decider import Decider
from bidwhist.engine.moment import moments
from bidwhist.engine.questions import Questions
from bidwhist.layout import taken


class Excused(Decider):
    """Answers as the bot does, and for it where a referee did in the run."""

    def __init__(self, bot: Decider, failed_at: NDArray[np.int8]) -> None:
        """`failed_at` (int8[sequences, hands, 4]): by seat the moment of a fault, -1 without one."""
        super().__init__(bot.name, bot.file)
        self.is_apart = bot.is_apart
        self._bot = bot
        self._failed_at = failed_at

    def decide(self, rows: NDArray[np.void], sequences: NDArray[np.int64]) -> NDArray[np.int64]:
        """An action for each OBSERVATION row. Raises DecisionFailed for a fault that is a new one."""
        asked = Questions.to(self._bot, rows, sequences)
        failed_at = self._failed_at[asked.sequence, asked.hand, asked.seat]
        now = moments(asked.rows)
        actions = asked.fixed_actions()
        places = np.flatnonzero((failed_at < 0) | (now < failed_at))
        if len(places):
            actions[places] = self._bot.decide(taken(asked.rows, places), asked.sequence[places])
        for place in np.flatnonzero(now == failed_at):
            self._bot.restart(int(asked.sequence[place]), int(asked.seat[place]))
        return actions

    def finish(self, sequences: NDArray[np.int64]) -> None:
        """Forget the players of these sequences."""
        self._bot.finish(sequences)
