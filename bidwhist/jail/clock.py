"""Time that another process has used, measured from outside."""

import math
import time
from contextlib import suppress
from pathlib import Path
from typing import Final, NamedTuple

from bidwhist.process.deadline import Deadline

_LOOK: Final = 0.05  # seconds without work of a process, after which it is worth a look at what it has started
_SELDOM: Final = 1.0  # seconds between two looks otherwise


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


class Spent(NamedTuple):
    """Seconds of a process and all that it has started.

    `used`: of processor time; `waited`: in which they could have run, and the machine was busy with others.
    """

    used: float
    waited: float


class ProcessorClock:
    """The processor time of a process and of all that descends from it, also of what has ended and was waited for.

    To look at the process itself takes a microsecond, to look for the others some milliseconds, so that is done seldom.
    """

    def __init__(self, pid: int) -> None:
        self._pid = pid
        self._of_others = 0.0
        self._next_look = 0.0

    @property
    def own(self) -> float:
        """Seconds that the process itself has used."""
        return processor_seconds(self._pid)

    @property
    def total(self) -> float:
        """Seconds that all have used; those of the others as they were a second ago, perhaps."""
        if time.monotonic() >= self._next_look:
            self.look()
        return self.own + self._of_others

    def look(self) -> Spent:
        """Look at all processes."""
        import psutil  # here: only slow answers are looked at so closely

        of_others, waited = 0.0, _waiting_seconds(self._pid)
        with suppress(psutil.Error):
            process = psutil.Process(self._pid)
            times = process.cpu_times()
            of_others = times.children_user + times.children_system
            for child in process.children(recursive=True):
                with suppress(psutil.Error):
                    of_others += sum(child.cpu_times()[:4])  # of itself and of its children
                    waited += _waiting_seconds(child.pid)
        self._of_others = max(self._of_others, of_others)  # what ends without being waited for is not forgotten
        self._next_look = time.monotonic() + _SELDOM
        return Spent(self.own + self._of_others, waited)


class ProcessorDeadline(Deadline):
    """Over when a process, with all that it has started, has used so many seconds of processor time.

    It is also over when they have been idle for `idle` seconds, or have used `total` seconds since the process began.
    Processes that wait for a processor, since the machine is busy, are not idle; so a busy machine ends nothing.
    """

    def __init__(self, clock: ProcessorClock, seconds: float, idle: float = math.inf, total: float = math.inf) -> None:
        super().__init__(seconds)
        self._clock = clock
        self._idle = idle
        self._total = total
        self._words = super().words
        self.renew()

    def renew(self) -> None:
        """Begin anew now."""
        self._began = time.monotonic()
        self._own = self._clock.own
        self._first_look: tuple[Spent, float] | None = None  # and what the process itself had used then

    @property
    def words(self) -> str:
        """The time that is over, in words that follow what was not done."""
        return self._words

    @property
    def left(self) -> float:
        """Seconds that have to pass at least before the time is over; 0 when it is."""
        used = self._clock.own - self._own
        passed = time.monotonic() - self._began
        idle = 0.0
        if passed - used > _LOOK:
            spent = self._clock.look()
            if self._first_look is None:
                self._first_look = spent, used
            before, used_before = self._first_look
            used = used_before + spent.used - before.used
            idle = passed - used - (spent.waited - before.waited)
        rests = [
            (self.seconds - used, f"within {self.seconds:g} s of processor time"),
            (self._idle - idle, f"and did nothing for {self._idle:g} s"),
        ]
        if self._total < math.inf:
            rest = self._total - self._clock.total
            rests.append((rest, f"and has used up the {self._total:g} s of processor time of its process (limits.run)"))
        rest, self._words = min(rests)
        return max(0.0, rest)
