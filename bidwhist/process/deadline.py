"""A point in time up to which something is waited for."""

import math
import time


class Deadline:
    """So many seconds from now on; without a number, never."""

    def __init__(self, seconds: float = math.inf) -> None:
        self.seconds = seconds
        self._end = time.monotonic() + seconds

    @property
    def words(self) -> str:
        """The time in words that follow what was not done: `within 2 s`."""
        return f"within {self.seconds:g} s"

    @property
    def left(self) -> float:
        """Seconds that are left; 0 when the time is over."""
        return max(0.0, self._end - time.monotonic())
