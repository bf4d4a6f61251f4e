"""Stopping a run early: what is known of two bots from the boards that all parts up to some unit have played.

The verdict depends on the boards and their order alone, and is sought wherever a part of the two bots ends: so a run
stops at the same board with any number of workers, and after any interruption.
"""

from collections.abc import Iterable, Iterator
from pathlib import Path

import msgspec
import numpy as np

from bidwhist.results.manifest import Manifest, Outcome
from bidwhist.results.parts import planned_parts
from bidwhist.results.schema import Part
from bidwhist.results.tally import tally_run
from bidwhist.score import most_points
from bidwhist.stats.sequential import ConfidenceSequence


def outcome_of(run: Path, manifest: Manifest, parts: Iterable[Part]) -> Outcome | None:
    """The outcome of a run that may stop early, by the parts that are there; None if they do not lead to one yet, or if
    it is no such run."""
    if manifest.stop is None:
        return None
    watch = Watch(run, msgspec.structs.replace(manifest, outcome=None))
    for part in parts:
        watch.see(part)
    return watch.outcome


class Watch:
    """Looks at the parts of the two bots that decide when a run stops, as they are finished."""

    def __init__(self, run: Path, manifest: Manifest) -> None:
        assert manifest.stop is not None
        most = 1.0 if manifest.is_games else float(most_points(manifest.rule_set().record()))
        self._run, self._manifest = run, manifest
        names = [bot.name for bot in manifest.bots]
        self._first, self._second = (names.index(name) for name in manifest.stop.bots)
        own = [part for part in planned_parts(manifest) if {part.a, part.b} == {self._first, self._second}]
        self._waiting = sorted(own, key=lambda part: part.first, reverse=True)
        self._finished: set[int] = set()
        self._sequence = ConfidenceSequence(manifest.stop.difference, manifest.stop.alpha, most)
        self._units = 0
        self.outcome: Outcome | None = None

    @property
    def stopped(self) -> int | None:
        """The number of units that all pairings are to play; None as long as there is no verdict."""
        return self.outcome.units if self.outcome and self.outcome.verdict else None

    def see(self, part: Part) -> None:
        """A part is finished, and lies in the run's folder."""
        self._finished.add(part.number)
        while self.stopped is None and self._waiting and self._waiting[-1].number in self._finished:
            self._look(self._waiting.pop())

    def wanted(self, parts: Iterable[Part]) -> Iterator[Part]:
        """Those of the parts that are to be played, by what is known when each is asked for."""
        return (part for part in parts if self.stopped is None or part.first < self.stopped)

    def _look(self, part: Part) -> None:
        sample = tally_run(self._run, self._manifest, [part]).sample
        if sample.met(self._first):
            meeting = sample.meeting(self._first, self._second)
            values = 2 * meeting.values["won"] - 1 if self._manifest.is_games else meeting.values["points"]
            self._sequence.add(np.asarray(values if meeting.a == self._first else -values))
        self._units = part.first + part.units
        verdict = self._sequence.verdict
        if verdict is not None or not self._waiting:
            self.outcome = Outcome(self._units, verdict, self._sequence.interval())
