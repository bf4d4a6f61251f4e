"""The counts of a run as pandas frames: standings, pairings, differences between bots, and processor times."""

from collections.abc import Callable, Sequence
from typing import Any, Final

import pandas as pd

from bidwhist.errors import RunError
from bidwhist.results.parts import present_parts
from bidwhist.results.processor_time import read_timings
from bidwhist.results.reader import RUN
from bidwhist.results.runs import Run, Source, runs_of
from bidwhist.results.schedule import MIXED
from bidwhist.results.standings import DIFFERENCES, PAIRINGS, STANDINGS, derived_rows, standings_of
from bidwhist.results.statistics import (
    DIFFERENCES_COLUMNS,
    PAIRINGS_COLUMNS,
    PARTNERS_COLUMNS,
    STANDINGS_COLUMNS,
    TableColumn,
)

TIMINGS_COLUMNS: Final = (
    TableColumn("part", "int64", "number of the part"),
    TableColumn("bot", "string", "name of its first bot; in `mixed` of its first side, as `a + b`"),
    TableColumn("opponent", "string", "name of the other bot, or side"),
    TableColumn("tables", "int64", "its tables, in `games` hands"),
    TableColumn("seconds", "float64", "processor time of its play: of its bots and of what plays them"),
    TableColumn("microseconds", "float64", "the same for each table, in millionths of a second"),
)

_MICROSECONDS: Final = 1e6

# Whole numbers may be missing in one frame and not in another; these types are the same in both.
_TYPES: Final = {"int32": "Int64", "int64": "Int64", "float64": "float64", "bool_": "bool"}


def standings(path: Source) -> pd.DataFrame:
    """The standings of a run, one bot a row, the best first: the columns of `standings.parquet`.

    They are those that the run has written, or counted now where these are not up to date. `path` may also be a list of
    folders, or a mapping of labels to folders; the first column, `run`, then tells the run. Raises RunError.
    """
    return _frame(path, STANDINGS_COLUMNS, lambda run: _derived(run, STANDINGS))


def pairings(path: Source) -> pd.DataFrame:
    """Each bot of a run against each of its opponents, or in "mixed" with each of its partners, one a row: the columns
    of `pairings.parquet`.

    As `standings` otherwise. Raises RunError, also for runs in "mixed" together with others.
    """
    of_runs = {run.manifest.is_mixed: run for run in runs_of(path).runs}
    if len(of_runs) == 2:
        raise RunError(f'{of_runs[True].folder}: has pairing = "{MIXED}", and others have not; load them apart')
    columns = PARTNERS_COLUMNS if True in of_runs else PAIRINGS_COLUMNS
    return _frame(path, columns, lambda run: _derived(run, PAIRINGS))


def differences(path: Source) -> pd.DataFrame:
    """The pairs of bots of a run that have a rank, the one that is ahead first: the columns of `differences.parquet`.

    As `standings` otherwise. Raises RunError.
    """
    return _frame(path, DIFFERENCES_COLUMNS, lambda run: _derived(run, DIFFERENCES))


def timings(path: Source) -> pd.DataFrame:
    """The processor times of a run, one part a row: `TIMINGS_COLUMNS`. A part whose time was not kept is left out.

    They are kept for parts, in which two bots play or more, and not for bots or decisions. `path` is as in `standings`.
    Raises RunError, also if the run has kept no times.
    """
    return _frame(path, TIMINGS_COLUMNS, _timings)


def _derived(run: Run, name: str) -> list[dict[str, Any]]:
    return derived_rows(standings_of(run.folder))[name]


def _timings(run: Run) -> list[dict[str, Any]]:
    kept = read_timings(run.folder)
    return [
        {
            "part": part.number,
            "bot": run.manifest.side_name(part.a),
            "opponent": run.manifest.side_name(part.b),
            "tables": timing.tables,
            "seconds": timing.cpu_seconds,
            "microseconds": _MICROSECONDS * timing.cpu_seconds / timing.tables if timing.tables else None,
        }
        for part in present_parts(run.folder, run.manifest)
        if (timing := kept.get(part.number)) is not None
    ]


def _frame(
    path: Source, columns: Sequence[TableColumn], rows_of: Callable[[Run], list[dict[str, Any]]]
) -> pd.DataFrame:
    runs = runs_of(path)
    found = [rows_of(run) for run in runs.runs]
    rows = [row for each in found for row in each]
    values: dict[str, Any] = {}
    if runs.labels is not None:
        labels = [label for label, each in zip(runs.labels, found, strict=True) for _ in each]
        values[RUN] = pd.Categorical(labels, categories=pd.Index(runs.labels))
    for column in columns:
        cells = [row[column.name] for row in rows]
        if column.type == "string":  # names of bots, of parts those of sides
            names = runs.sides if columns is TIMINGS_COLUMNS else runs.bots
            values[column.name] = pd.Categorical(cells, categories=pd.Index(names))
        else:
            values[column.name] = pd.Series(cells, dtype=_TYPES[column.type])
    return pd.DataFrame(values)
