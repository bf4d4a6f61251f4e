"""A bot of which is noted what it is asked, for the case that it ends the process that plays."""

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bidwhist.cards import Seat
from bidwhist.engine.decider import Decider, DecisionFailed
from bidwhist.engine.fault import failed, where


class Traced(Decider):
    """Answers as the bot does. Before each question the beginning of a message is noted, which stands if the bot ends
    the process, and afterwards an empty text."""

    def __init__(self, bot: Decider, sequences: NDArray[np.void], note: Callable[[str], None]) -> None:
        """`sequences`: the SEQUENCE records that are played."""
        super().__init__(bot.name, bot.file)
        self.is_apart = bot.is_apart
        self.answers_together = bot.answers_together
        self._bot = bot
        self._sequences = sequences
        self._note = note

    def decide(self, rows: NDArray[np.void], sequences: NDArray[np.int64]) -> NDArray[np.int64]:
        """An action for each OBSERVATION row, asked for one at a time where the bot does the same."""
        size = len(rows) if self.answers_together else 1
        answers = np.empty(len(rows), np.int64)
        for place in range(0, len(rows), size):
            asked = slice(place, place + size)
            try:
                answers[asked] = self._ask(rows[asked], sequences[asked])
            except DecisionFailed as failure:
                before = np.concatenate((answers[:place], failure.answers))
                raise DecisionFailed(
                    place + failure.place, failure.reason, failure.fault, before
                ) from failure.__cause__
        return answers

    def _ask(self, rows: NDArray[np.void], sequences: NDArray[np.int64]) -> Any:
        others = f" (the first of {len(rows)} that it was asked for at once)" if len(rows) > 1 else ""
        self._note(failed(self.name, where(rows[0]["public"], self._sequences[sequences[0]])) + others)
        try:
            return self._bot.decide(rows, sequences)
        finally:
            self._note("")

    def restart(self, sequence: int, seat: Seat) -> None:
        """Forget the player of a seat in a sequence."""
        self._bot.restart(sequence, seat)

    def reset(self) -> None:
        """Forget all that was asked."""
        self._bot.reset()

    def finish(self, sequences: NDArray[np.int64]) -> None:
        """Forget the players of these sequences."""
        self._note(f"bot {self.name!r} failed when its tables were over")
        self._bot.finish(sequences)
        self._note("")
