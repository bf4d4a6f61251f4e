"""A pairing of a run as a pilot: how its boards vary, and how long they took."""

from dataclasses import dataclass
from pathlib import Path

import numpy as np

from bidwhist.errors import RunError
from bidwhist.results.manifest import read_manifest
from bidwhist.results.parts import present_parts
from bidwhist.results.processor_time import read_timings
from bidwhist.results.schema import Part
from bidwhist.results.tally import tally_run
from bidwhist.rules import known_or_nearest
from bidwhist.stats.intervals import Estimate
from bidwhist.stats.planning import Pilot
from bidwhist.text import echo


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
    manifest = read_manifest(run)
    names = [bot.name for bot in manifest.bots]
    for name in (one, other):
        if name not in names:
            raise RunError(f"{run}: has no bot {echo(name)}; {known_or_nearest(name, names)}")
    first, second = names.index(one), names.index(other)
    pair = {first, second}
    parts = [part for part in present_parts(run, manifest) if {part.a, part.b} == pair]
    tally = tally_run(run, manifest, parts)
    if first == second or not tally.sample.met(first) or len(tally.sample.meeting(first, second)) < 2:
        raise RunError(f"{run}: {echo(one)} and {echo(other)} have not met on two {manifest.format} at least")
    meeting = tally.sample.meeting(first, second)
    weights = meeting.tables / meeting.tables.mean() if manifest.is_games else 1.0
    estimate = tally.sample.estimate("points", first, second)
    values = meeting.values["points"] * (1 if first == meeting.a else -1)
    # Of a ratio, as in games, the linear part varies.
    pilot = Pilot.of(np.asarray(estimate.value + weights * (values - estimate.value)))
    seconds = _seconds(run, parts)
    return PilotPairing(
        one,
        other,
        manifest.format,
        estimate,
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
