"""Time that another process has used, measured from outside."""

import math
import time
from contextlib import suppress
from pathlib import Path

from bidwhist.process.deadline import Deadline


def processor_seconds(pid: int) -> float:
    """Processor time of all threads of a process, in seconds; 0 if it is gone."""
    try:
        return time.clock_gettime((-pid - 1) * 8 + 2)  # as clock_getcpuclockid(3) makes it
    except OSError:
        return 0.0


def _waiting_seconds(pid: int) -> float:
    """Time in which a process could have run, and the machine was busy with others; 0 if it is not known."""
    with suppress(OSError, ValueError, IndexError):
        return int(Path(f"/proc/{pid}/schedstat").read_bytes().split()[1]) / 1e9
    return 0.0


class ProcessorDeadline(Deadline):
    """Over when a process has used so many seconds of processor time, or has been idle for `idle` seconds, or has used
    `run` seconds since it was started.

    A process that waits for a processor, since the machine is busy, is not idle; so a busy machine ends nothing.
    """

    def __init__(self, pid: int, seconds: float, idle: float = math.inf, run: float = math.inf) -> None:
        super().__init__(seconds)
        self._pid = pid
        self._idle = idle
        self._run = run
        self.renew()

    def renew(self) -> None:
        """Begin anew now."""
        self._began = time.monotonic()
        self._used = processor_seconds(self._pid)
        self._waited: float | None = None  # up to the first look at it, which comes late, as it takes a while

    @property
    def words(self) -> str:
        """The time in words that follow what was not done."""
        used = processor_seconds(self._pid)
        if used >= self._run:
            return f"and has used up the {self._run:g} s of processor time of its process (limits.run)"
        if used - self._used < self.seconds:
            return f"and did nothing for {self._idle:g} s"
        return f"within {self.seconds:g} s of processor time"

    @property
    def left(self) -> float:
        """Seconds that have to pass at least before the time is over; 0 when it is."""
        total = processor_seconds(self._pid)
        used = total - self._used
        rest = min(self.seconds - used, self._run - total)
        passed = time.monotonic() - self._began
        if passed - used > self._idle / 2:  # it is worth a look
            waited = _waiting_seconds(self._pid)
            if self._waited is None:
                self._waited = waited
            rest = min(rest, self._idle - (passed - used - (waited - self._waited)))
        return max(0.0, rest)
