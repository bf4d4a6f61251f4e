"""The processor time of the parts of a run, as it was noted while they were played."""

from pathlib import Path
from typing import Final

import msgspec

from bidwhist.errors import RunError
from bidwhist.files import read_file

TIMINGS: Final = "timings/parts.jsonl"


class Timing(msgspec.Struct, frozen=True):
    """The processor time of a part, by its number, and the tables that it has."""

    part: int
    tables: int
    cpu_seconds: float


def read_timings(run: Path) -> dict[int, Timing]:
    """The times that a run has kept, by the numbers of parts; the last one of a part that was played again.

    Raises RunError if there are none, or if they cannot be read.
    """
    path = run / TIMINGS
    found: dict[int, Timing] = {}
    try:
        for number, line in enumerate(read_file(path).splitlines(), 1):
            try:
                timing = msgspec.json.decode(line, type=Timing)
            except (msgspec.MsgspecError, RecursionError) as error:
                raise RunError(f"{path}: line {number} is no time of a part: {error}") from None
            found[timing.part] = timing
    except OSError as error:
        raise RunError(f"{path}: the times of the run cannot be read: {error.strerror}") from None
    return found
