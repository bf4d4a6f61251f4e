"""All that two bots of a run have played against each other."""

from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from bidwhist.errors import RunError
from bidwhist.results.manifest import Manifest, read_manifest
from bidwhist.results.parts import present_parts
from bidwhist.results.schedule import MIXED
from bidwhist.results.schema import Part
from bidwhist.results.tally import tally_run
from bidwhist.rules import known_or_nearest
from bidwhist.stats.intervals import Estimate
from bidwhist.stats.sample import Estimates, Meeting, Sample
from bidwhist.text import echo


@dataclass(frozen=True)
class Encounter:
    """The duplicates of two bots in a run, given by name and seen by the first, and the parts that hold them."""

    run: Path
    manifest: Manifest
    one: int
    other: int
    parts: list[Part]
    sample: Sample

    @property
    def meeting(self) -> Meeting:
        """The duplicates, seen by the bot that comes first in the run."""
        return self.sample.meeting(self.one, self.other)

    def values(self, quantity: str) -> NDArray[np.float64]:
        """The values of the first bot, float64[n], by board or game."""
        values = self.meeting.values[quantity]
        return values if self.one == self.meeting.a else self.sample.quantities[quantity] - values

    @property
    def points(self) -> Estimate:
        """The points of the first bot."""
        return self.sample.estimate("points", self.one, self.other)

    def against(self) -> Estimates:
        """The same with the influence of every unit."""
        return self.sample.against("points", self.one, self.other)


def encounter(run: Path, one: str, other: str, fewest: int = 1) -> Encounter:
    """The encounter of two bots of a run. Raises RunError if they have not met on so many boards or games at least."""
    manifest = read_manifest(run)
    if manifest.is_mixed:
        raise RunError(f'{run}: has pairing = "{MIXED}", in which no bot plays another one without partners')
    names = [bot.name for bot in manifest.bots]
    for name in (one, other):
        if name not in names:
            raise RunError(f"{run}: has no bot {echo(name)}; {known_or_nearest(name, names)}")
    first, second = names.index(one), names.index(other)
    pair = {first, second}
    parts = [part for part in present_parts(run, manifest) if {part.a, part.b} == pair]
    sample = tally_run(run, manifest, parts).sample
    if first == second or not sample.met(first) or len(sample.meeting(first, second)) < fewest:
        least = "a board" if fewest == 1 else f"{fewest} {manifest.format} at least"
        raise RunError(f"{run}: {echo(one)} and {echo(other)} have not met on {least}")
    return Encounter(run, manifest, first, second, parts, sample)
