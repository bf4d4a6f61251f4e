"""What a bot may use of the machine it plays on."""

from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True)
class Limits:
    """Limits of a bot: seconds for a decision (99 of 100 take less), megabytes, seconds to start; and seconds after
    which an answer is no longer waited for, where the arena can do without."""

    decision: float = 0.05
    memory: int = 512
    start: float = 10.0
    answer: float = 10.0


LIMITS: Final = Limits()
