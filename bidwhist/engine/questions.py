"""Questions to a bot, and what is taken for it where it does not answer: the lowest legal action."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from bidwhist.engine.decider import Decider
from bidwhist.layout import copied
from bidwhist.rows import actions, lowest


@dataclass(frozen=True)
class Questions:
    """Questions to a bot: OBSERVATION rows and their sequences."""

    rows: NDArray[np.void]
    sequence: NDArray[np.int64]

    @classmethod
    def to(cls, bot: Decider, rows: NDArray[np.void], sequences: NDArray[np.int64]) -> "Questions":
        """Those that a bot is asked: in copies, unless it cannot write on what it is shown."""
        return cls(rows, sequences) if bot.is_apart else cls(copied(rows), sequences.copy())

    @property
    def seat(self) -> NDArray[np.int8]:
        """By row: who is asked."""
        found: NDArray[np.int8] = self.rows["seat"]
        return found

    @property
    def hand(self) -> NDArray[np.int16]:
        """By row: the number of the hand in its sequence."""
        found: NDArray[np.int16] = self.rows["public"]["hand_number"]
        return found

    def fixed_actions(self) -> NDArray[np.int64]:
        """By row: the lowest of the legal actions."""
        return actions(self.rows, lowest(self.rows["legal"]))
