"""A pairing of a run as a pilot: how its boards vary, and how long they took."""

from dataclasses import dataclass
from pathlib import Path

import numpy as np

from bidwhist.errors import RunError
from bidwhist.results.encounter import encounter
from bidwhist.results.processor_time import read_timings
from bidwhist.results.schema import Part
from bidwhist.stats.intervals import Estimate
from bidwhist.stats.planning import Pilot


@dataclass(frozen=True)
class PilotPairing:
    """Two bots on the boards (in `games` games) of a run: the points of the first, how its boards vary, and the
    processor time of a board in seconds, None if it was not kept."""

    one: str
    other: str
    units: str
    points: Estimate
    pilot: Pilot
    tables: float  # of a board
    seconds: float | None


def pilot_of(run: Path, one: str, other: str) -> PilotPairing:
    """The pairing of two bots, by name, in a run. Raises RunError if they have not met on two boards at least."""
    met = encounter(run, one, other, fewest=2)
    meeting, points, values = met.meeting, met.points, met.values("points")
    weights = meeting.tables / meeting.tables.mean() if met.manifest.is_games else 1.0
    # Of a ratio, as in games, the linear part varies.
    pilot = Pilot.of(np.asarray(points.value + weights * (values - points.value)), met.sample.most["points"])
    seconds = _seconds(run, met.parts)
    return PilotPairing(
        one,
        other,
        met.manifest.format,
        points,
        pilot,
        float(meeting.tables.mean()),
        None if seconds is None else seconds / len(meeting),
    )


def _seconds(run: Path, parts: list[Part]) -> float | None:
    """Processor time of parts; None if that of one of them was not kept."""
    try:
        kept = read_timings(run)
    except RunError:
        return None
    return sum(kept[part.number].cpu_seconds for part in parts) if all(part.number in kept for part in parts) else None
