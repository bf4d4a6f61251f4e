"""Limits of a bot: the time and the room that it has on the machine it plays on."""

import math
from dataclasses import dataclass, fields
from typing import Final


@dataclass(frozen=True)
class Limits:
    """Limits of a bot. Times are seconds of processor time, which only the bot's own work uses up.

    `decision`: for 99 of 100 decisions, in a check; `answer`: for any decision; `start`: to be loaded; `run`: for all
    that one of its processes does; `idle`: seconds without work after which no answer is waited for any more;
    `memory` and `scratch`: megabytes, of memory and of the folder that it may write.
    """

    decision: float = 0.05
    memory: int = 512
    start: float = 10.0
    answer: float = 2.0
    run: float = math.inf
    idle: float = 10.0
    scratch: int = 64


MOST_TOGETHER: Final = 5
"""A bot that answers several questions at once may take as long as for so many single ones, at most."""

LEAST: Final = Limits(decision=0.0, memory=16, start=0.05, answer=0.01, run=0.05, idle=0.1, scratch=1)
"""Limits below these no bot can keep: an interpreter takes some 8 MB and 0.04 s to start. `decision` ends nothing, and
may be anything."""

LIMITS: Final = Limits()


def too_low(limits: Limits) -> str | None:
    """The first limit that no bot can keep, and why, as in 'memory: must be 16 or more'; None without one."""
    for each in fields(limits):
        least = getattr(LEAST, each.name)
        if getattr(limits, each.name) < least:
            return f"{each.name}: must be {least:g} or more; no bot can start and answer with less"
    return None
