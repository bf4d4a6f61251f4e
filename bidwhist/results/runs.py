"""One run or several, as a user names them: a folder, a list of folders, or a mapping of labels to folders."""

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from typing import TypeAlias

from bidwhist.errors import RunError
from bidwhist.results.manifest import Manifest, read_manifest
from bidwhist.text import echo

Folder: TypeAlias = str | PathLike[str]
Source: TypeAlias = Folder | Iterable[Folder] | Mapping[str, Folder]
"""One run, or several."""


@dataclass(frozen=True)
class Run:
    """A run: its folder and its manifest."""

    folder: Path
    manifest: Manifest

    @property
    def bots(self) -> list[str]:
        """Names of its bots."""
        return [bot.name for bot in self.manifest.bots]


@dataclass(frozen=True)
class Runs:
    """The runs that a user has named, and their labels; those are None for one that was named alone."""

    runs: list[Run]
    labels: list[str] | None

    @property
    def bots(self) -> list[str]:
        """Names of the bots of all runs, each once."""
        return list(dict.fromkeys(name for run in self.runs for name in run.bots))

    @property
    def sides(self) -> list[str]:
        """Names of the sides of all runs, each once: bots, or in "mixed" two partners."""
        return list(dict.fromkeys(name for run in self.runs for name in run.manifest.side_names))

    def labelled(self, label: object) -> Run:
        """The run of a label. Raises RunError."""
        if self.labels is None or label not in self.labels:
            known = f"known are {', '.join(self.labels)}" if self.labels else "a single run was given"
            raise RunError(f"there is no run {echo(label)}; {known}")
        return self.runs[self.labels.index(str(label))]


def runs_of(source: Source) -> Runs:
    """The runs of a source; those of a list are called by their names, or by their folders where two names are alike.

    Raises RunError for what is no run's folder, for no runs at all, and for labels that are alike.
    """
    if isinstance(source, str | PathLike):
        return Runs([_run(source)], None)
    if isinstance(source, Mapping):
        runs = [_run(folder) for folder in source.values()]
        labels = list(source)
    elif isinstance(source, Iterable):
        runs = [_run(folder) for folder in source]
        names = Counter(run.manifest.name for run in runs)
        labels = [run.manifest.name if names[run.manifest.name] == 1 else str(run.folder) for run in runs]
    else:
        raise RunError(
            f"{echo(source)}: is neither a run's folder nor a list of folders, nor a mapping of labels to them"
        )
    if not runs:
        raise RunError("no run is given")
    for label in labels:
        if not isinstance(label, str):
            raise RunError(f"the label {echo(label)} of a run is no text")
        if labels.count(label) > 1:
            raise RunError(f"two runs are called {echo(label)}; give labels, as in {{'before': …, 'after': …}}")
    return Runs(runs, labels)


def _run(folder: object) -> Run:
    if not isinstance(folder, str | PathLike):
        raise RunError(f"{echo(folder)}: is no run's folder: it must be a path")
    path = Path(folder)
    return Run(path, read_manifest(path))
