"""Questions to a bot, and what is taken for it where it does not answer: the lowest legal action."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from bidwhist.actions import WORDS
from bidwhist.engine.decider import Decider
from bidwhist.layout import copied
from bidwhist.public import NAMING


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

    @property
    def first(self) -> NDArray[np.int64]:
        """By row: the action that bit 0 of the mask of legal actions stands for."""
        return np.where(self.rows["public"]["phase"] <= NAMING, WORDS, 0)

    def fixed_actions(self) -> NDArray[np.int64]:
        """By row: the lowest of the legal actions."""
        legal = self.rows["legal"]
        _, exponents = np.frexp((legal & -legal).astype(np.float64))  # of a power of two, exactly
        found: NDArray[np.int64] = self.first + exponents - 1
        return found

    def are_legal(self, places: NDArray[np.intp], answers: NDArray[np.int64]) -> NDArray[np.bool_]:
        """Whether the answers to the questions at these places are legal."""
        bits = answers - self.first[places]
        masks = self.rows["legal"][places]
        within = bits.view(np.uint64) < 63  # and not negative
        found: NDArray[np.bool_] = within & (masks >> (bits & 63) & 1 == 1)
        return found
