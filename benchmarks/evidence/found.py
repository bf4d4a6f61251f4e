"""What has been found so far: the runs of the experiments, read when they are asked for."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import msgspec
import pandas as pd

from bidwhist.results import load
from bidwhist.results.manifest import Manifest, read_manifest
from bidwhist.results.standings import Standings, standings_of
from bidwhist.rules import Rules
from evidence.plan import AGAIN, Experiment


@dataclass(frozen=True)
class Run:
    """A run of an experiment."""

    experiment: Experiment
    folder: Path

    @cached_property
    def manifest(self) -> Manifest:
        """Its manifest."""
        return read_manifest(self.folder)

    @cached_property
    def frame(self) -> pd.DataFrame:
        """Its rows; with plays, if they were recorded."""
        return load(self.folder, plays=self.experiment.plays)

    @cached_property
    def standings(self) -> Standings:
        """Its standings."""
        return standings_of(self.folder)

    @property
    def rules(self) -> Rules:
        """Its rules."""
        return self.manifest.rule_set()

    @property
    def bots(self) -> list[str]:
        """The names of its bots; a second self is none."""
        return [bot.name for bot in self.manifest.bots if not bot.name.endswith(AGAIN)]

    def cpu_seconds(self) -> float | None:
        """CPU time of its parts; None if it is not known any more."""
        try:
            lines = (self.folder / "timings" / "parts.jsonl").read_bytes().splitlines()
            return float(sum(msgspec.json.decode(line)["cpu_seconds"] for line in lines))
        except (FileNotFoundError, msgspec.DecodeError):
            return None


@dataclass(frozen=True)
class Found:
    """The runs by the names of their experiments, and the bots that experiments lack."""

    runs: Mapping[str, Run]
    missing: Mapping[str, Sequence[str]]

    def those(self, *names: str) -> list[Run]:
        """The runs of these names that there are."""
        return [self.runs[name] for name in names if name in self.runs]

    def why_not(self, *names: str) -> str:
        """A sentence on the bots that experiments of these names lack; empty if they lack none."""
        absent = dict.fromkeys(bot.partition("?")[0] for name in names for bot in self.missing.get(name, ()))
        return (
            f"Left out, since there are no such bots yet: {', '.join(f'`{bot}`' for bot in absent)}." if absent else ""
        )
