"""Kinds of faults of bots, as they are counted and stored."""

from enum import IntEnum


class Fault(IntEnum):
    """Why a bot gave no legal answer to a question; the codes in the columns of a run's parts."""

    NONE = 0
    CRASH = 1
    """It raised an exception, or its process ended."""
    TIME = 2
    """It used more processor time than it may, or waited without end."""
    ILLEGAL = 3
    """It answered with something that is no legal action."""
    MESSAGE = 4
    """It sent no answer to the question: something malformed, too long, of the wrong shape, or out of turn."""
    LIMIT = 5
    """It broke another limit: of memory, of its scratch folder, of what may be written."""
    UNASKED = 6
    """It was not asked any more in this part, after too many faults."""

    @property
    def word(self) -> str:
        """The kind in tables: `crash`, `time`, ..."""
        return self.name.lower()
