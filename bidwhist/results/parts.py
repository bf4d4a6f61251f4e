"""The parts of a run as they lie on disk, held against what they are to be.

Whoever reads a part reads it here. A part is done if its file has the bytes that were written, belongs to this run and
to this place of its schedule, and has rows that the schedule and the rules allow. Files that the schedule does not name
are none of the run's and are not looked at.
"""

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from bidwhist.errors import RunError
from bidwhist.results.columns import BINARY, CARDS, COLUMNS, ROW, Column, part_columns
from bidwhist.results.identity import identity_of
from bidwhist.results.manifest import RUNNING, Manifest
from bidwhist.results.schedule import LINEUPS, Plan, lineups
from bidwhist.results.schema import MOST_PLAYS, PART, PARTS, RUN, Part, part_schema
from bidwhist.results.sealed import BrokenSeal, SealedFile

_MOST_NAMED: Final = 10  # damaged parts that a message lists


class DamagedPart(Exception):
    """A part is not as it is to be; the text says why, after the name of its file."""


def planned_parts(manifest: Manifest) -> list[Part]:
    """All parts that a run is to have, by number."""
    return list(Plan.of(manifest).parts(manifest.stages, manifest.stopped))


def present_parts(run: Path, manifest: Manifest) -> list[Part]:
    """The planned parts whose files are there; all of them in a run that is not under way, as none may be missing."""
    planned = planned_parts(manifest)
    if manifest.state != RUNNING:
        return planned
    return [part for part in planned if (run / PARTS / part.file_name).exists()]


def stray_files(run: Path, manifest: Manifest) -> list[str]:
    """Names of the Parquet files among a run's parts that are none of its planned parts."""
    planned = {part.file_name for part in planned_parts(manifest)}
    return sorted(path.name for path in (run / PARTS).glob("*.parquet") if path.name not in planned)


def is_done(run: Path, manifest: Manifest, part: Part) -> bool:
    """True if a part need not be played."""
    try:
        _read(run, manifest, part, cards=True)
    except DamagedPart:
        return False
    return True


def read_parts(
    run: Path, manifest: Manifest, parts: Iterable[Part], *, cards: bool = False
) -> Iterator[tuple[Part, NDArray[np.void], Any]]:
    """Each part with its rows as ROW records, and if `cards` its columns `discards` and `plays` as a pyarrow table.

    Raises RunError at the end, naming all parts that are damaged.
    """
    damaged: list[str] = []
    for part in parts:
        try:
            rows, columns = _read(run, manifest, part, cards=cards)
        except DamagedPart as damage:
            damaged.append(f"{part.file_name} {damage}")
            continue
        yield part, rows, columns
    _refuse_damaged(run, damaged)


def read_seals(run: Path, manifest: Manifest, parts: Iterable[Part]) -> list[bytes]:
    """The digests of parts, which are read and held against the run, but not their rows. Raises RunError."""
    seals: list[bytes] = []
    damaged: list[str] = []
    for part in parts:
        try:
            seals.append(_open(run, manifest, part).seal)
        except DamagedPart as damage:
            damaged.append(f"{part.file_name} {damage}")
    _refuse_damaged(run, damaged)
    return seals


def _refuse_damaged(run: Path, damaged: list[str]) -> None:
    if damaged:
        more = f"; and {len(damaged) - _MOST_NAMED} more" if len(damaged) > _MOST_NAMED else ""
        named = "; ".join(damaged[:_MOST_NAMED])
        raise RunError(f"{run / PARTS}: {named}{more}; go on with --resume to have what is wrong played again")


def _open(run: Path, manifest: Manifest, part: Part) -> SealedFile:
    """The file of a part, whole and of this run. Raises DamagedPart."""
    try:
        file = SealedFile(run / PARTS / part.file_name)
    except FileNotFoundError:
        raise DamagedPart("is missing") from None
    except OSError as error:
        raise DamagedPart(f"cannot be read: {error.strerror}") from None
    except BrokenSeal as broken:
        raise DamagedPart(str(broken)) from None
    if file.metadata.get(RUN) != identity_of(manifest, part):
        raise DamagedPart("belongs to another run: to another seed, other rules, other bots or another version")
    if file.metadata.get(PART) != part.mark:
        raise DamagedPart("holds another part of the run")
    return file


def _read(run: Path, manifest: Manifest, part: Part, *, cards: bool) -> tuple[NDArray[np.void], Any]:
    """The ROW records of a part, and its cards. Raises DamagedPart."""
    file = _open(run, manifest, part)
    columns = [column for column in part_columns(games=manifest.is_games) if cards or not column.optional]
    try:
        table = file.read([column.name for column in columns])
    except BrokenSeal as broken:
        raise DamagedPart(str(broken)) from None
    expected = part_schema(games=manifest.is_games)
    rows = np.zeros(table.num_rows, ROW)
    for column in columns:
        if column.name not in table.column_names:
            raise DamagedPart(f"has no column {column.name}")
        values = table.column(column.name).combine_chunks()
        if values.type != expected.field(column.name).type:
            raise DamagedPart(f"column {column.name}: is of the type {values.type}")
        if column.optional:
            _check_cards(column, values)
            continue
        if values.null_count:
            raise DamagedPart(f"column {column.name}: has nulls")
        numbers = np.from_dlpack(values)
        _check_range(column, numbers)
        column.of(rows)[:] = numbers
    if not manifest.is_games:
        rows["unit"] = rows["board"]
        rows["orientation"] = np.arange(len(rows)) % 2
    if len(rows) and rows["calls"].max(axis=1).min() == COLUMNS["call_1"].least:
        raise DamagedPart("has an auction without a bid")
    if np.any((rows["faults"] == 0) != (rows["faults_at"] < 0)):
        raise DamagedPart("has a fault without its moment, or a moment without a fault")
    if not _is_as_planned(rows, part, manifest):
        raise DamagedPart("does not have the rows that the schedule wants")
    return rows, table.select([column.name for column in CARDS if cards])


def _check_range(column: Column, numbers: NDArray[Any]) -> None:
    if column.least is None or column.most is None or not len(numbers):
        return
    if numbers.min() < column.least or numbers.max() > column.most:
        raise DamagedPart(f"column {column.name}: has values that are not from {column.least} to {column.most}")


def _check_cards(column: Column, values: Any) -> None:
    """The cards of a part are recorded in all rows or in none. Raises DamagedPart."""
    if values.null_count == len(values):
        return
    if values.null_count:
        raise DamagedPart(f"column {column.name}: has nulls")
    if column.type != BINARY:
        _check_range(column, np.from_dlpack(values))
        return
    _, ends, data = values.buffers()
    _check_range(column, np.frombuffer(data, np.uint8) if data else np.zeros(0, np.uint8))
    lengths = np.diff(np.frombuffer(ends, np.int32, len(values) + 1))
    if lengths.max(initial=0) > MOST_PLAYS:
        raise DamagedPart(f"column {column.name}: has more than {MOST_PLAYS} cards in a row")


def _is_as_planned(rows: NDArray[np.void], part: Part, manifest: Manifest) -> bool:
    """True if every unit is there in both orientations, in order, hand after hand, with the right bots and boards."""
    hands_a_unit = manifest.hands_a_unit
    # A sequence is a unit in one orientation: 2 x unit + orientation, counted from the part's first.
    sequence = (rows["unit"] - part.first) * 2 + rows["orientation"]
    begins = np.flatnonzero(rows["hand"] == 0)
    if len(begins) != 2 * part.units or (len(rows) and begins[0] != 0):
        return False
    lengths = np.diff(np.append(begins, len(rows)))
    if lengths.max(initial=0) > hands_a_unit:
        return False
    planned = np.repeat(np.arange(2 * part.units), lengths)
    seated = np.array(lineups(manifest.pairing, part), rows["lineup"].dtype)
    return bool(
        np.array_equal(sequence, planned)
        and np.array_equal(rows["hand"], np.arange(len(rows)) - np.repeat(begins, lengths))
        and np.array_equal(rows["board"], rows["unit"] * hands_a_unit + rows["hand"])
        and np.array_equal(rows["lineup"], seated.take(planned % LINEUPS, axis=0))
    )


def cards_recorded(cards: Any) -> bool:
    """True if the cards of a part's rows, as `read_parts` gives them, were recorded."""
    return bool(cards.num_columns) and cards.column("plays").null_count == 0
