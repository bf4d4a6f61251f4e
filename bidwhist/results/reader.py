"""Frames of pandas made of declared columns, from the parts of one run or of several, a part at a time."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any, Final, Literal, TypeAlias, TypedDict

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from bidwhist.actions import FIRST_NAMING
from bidwhist.errors import RunError
from bidwhist.results.columns import COLUMNS, ROW
from bidwhist.results.derive import DERIVED, derive
from bidwhist.results.manifest import Manifest
from bidwhist.results.parts import cards_recorded, present_parts, read_parts
from bidwhist.results.runs import Run, Source, runs_of
from bidwhist.results.schedule import side_number
from bidwhist.results.schema import PARTS, Part, part_schema
from bidwhist.results.selection import Chosen, Selection, each_of
from bidwhist.rules import Rules, known_or_nearest
from bidwhist.text import echo

RUN: Final = "run"
"""The first column of a frame of several runs."""

BOTS: Final = ("bots",)  # in place of texts: names of the manifest's bots
SIDES: Final = ("sides",)  # the same of its sides
MISSING: Final = np.int16(np.iinfo(np.int16).min)
"""Stands for a missing value of a nullable column."""

Values: TypeAlias = dict[str, NDArray[Any]]
Again: TypeAlias = Callable[[Path, Manifest, Part, NDArray[np.void]], Any]
"""The cards of rows of a part, by playing them again, as a pyarrow table with the columns `discards` and `plays`."""


class Choice(TypedDict, total=False):
    """What is wanted of a frame; None takes all. `columns`: their names. The rest selects tables (in the format
    `games` hands): those in which one of `bots` plays, those of two bots, in "mixed" of two sides (`pairing`), those
    with contracts of one `level` or `strain`, or of several, and `boards` from one number to another (or a range)."""

    columns: str | Sequence[str] | None
    bots: str | Sequence[str] | None
    pairing: Sequence[str] | None
    level: int | Sequence[int] | None
    strain: str | Sequence[str] | None
    boards: Sequence[int] | None


@dataclass(frozen=True)
class Rows:
    """The rows of a part: its ROW and DERIVED records, its cards as a pyarrow table, if they were asked for, the
    rules by which they were played, and whether partners are two bots."""

    rows: NDArray[np.void]
    derived: NDArray[np.void]
    cards: Any
    rules: Rules
    is_mixed: bool = False

    def of(self, mask: NDArray[np.bool_]) -> "Rows":
        """Some of the rows."""
        return replace(self, rows=self.rows[mask], derived=self.derived[mask], cards=self.cards.filter(mask))

    @cached_property
    def naming(self) -> NDArray[np.int8]:
        """The namings, counted from the first."""
        return np.asarray(self.rows["naming"] - np.int8(FIRST_NAMING))

    def bot_at(self, seats: NDArray[Any]) -> NDArray[Any]:
        """The bots at `seats` (integers[n] or [n, k])."""
        return _take(self.rows["lineup"], seats)

    def side_at(self, seats: NDArray[Any]) -> NDArray[Any]:
        """The numbers of the sides whose bots sit at `seats`."""
        return _take(self.sides, seats & 1)

    @cached_property
    def sides(self) -> NDArray[Any]:
        """The numbers of the sides (integers[n, 2]) on NS and EW."""
        lineup = self.rows["lineup"]
        return side_number(lineup[:, :2], lineup[:, 2:]) if self.is_mixed else np.asarray(lineup[:, :2])


def _take(table: NDArray[Any], places: NDArray[Any]) -> NDArray[Any]:
    """From each row the values at `places` (integers[n] or [n, k])."""
    wide = places if places.ndim == 2 else places[:, None]
    return np.take_along_axis(table, wide.astype(np.intp), axis=1).reshape(places.shape)


@dataclass(frozen=True)
class FrameColumn:
    """A column of a frame.

    `values`: its values from the Rows of a part (or what a frame has `prepared` of them), one a hand, or in a frame
    with several rows for each hand (n, each) or (1, each); where it has `texts`, as indices into them, -1 for a missing
    one. `meaning`: for the documentation; `games_only`, `mixed_only`, `plays_only`: where there is such a column.
    `nullable`: the type of numbers of which some may be missing, as MISSING.
    """

    name: str
    meaning: str
    values: Callable[[Any], NDArray[Any]]
    texts: Sequence[str] | None = None
    games_only: bool = False
    mixed_only: bool = False
    plays_only: bool = False
    nullable: Literal["Int64", "boolean"] | None = None


@dataclass(frozen=True)
class FrameKind:
    """A frame: its columns, and its rows.

    `each`: rows for each hand; `where`: which of them there are (bool[n, each]), None for all. `plays`: whether cards
    are needed. `prepared`: what columns and `where` are handed of the rows of a part.
    """

    columns: Sequence[FrameColumn]
    each: int = 1
    where: Callable[[Any], NDArray[np.bool_]] | None = None
    plays: bool = False
    prepared: Callable[[Rows], Any] = lambda part: part

    def values(self, wanted: Sequence[FrameColumn], part: Rows) -> Values:
        """The values of the wanted columns, in arrays of their own: a view of records would keep all of them alive."""
        rows = self.prepared(part)
        mask = None if self.where is None else self.where(rows)
        found: Values = {}
        for column in wanted:
            values = column.values(rows)
            if self.each > 1:
                wide = values if values.ndim == 2 else values[:, None]
                values = np.broadcast_to(wide, (len(part.rows), self.each))
                values = values.reshape(-1) if mask is None else values[mask]
            found[column.name] = values if values.base is None else values.copy()
        return found


def kept(name: str, meaning: str = "as in the parts", texts: Sequence[str] | None = None) -> FrameColumn:
    """A column of parts as it is."""
    column = COLUMNS[name]
    return FrameColumn(
        name, meaning, lambda part: column.of(part.rows).astype(column.type, copy=False), texts, column.games_only
    )


def seated(meaning: str, seats: Callable[[Any], NDArray[Any]]) -> tuple[FrameColumn, ...]:
    """The columns of the bots at some seats, of their partners and of their opponents."""
    return (
        FrameColumn("bot", meaning, lambda part: part.bot_at(seats(part)), BOTS),
        FrameColumn("partner", "name of its partner", lambda part: part.bot_at(seats(part) ^ 2), BOTS, mixed_only=True),
        FrameColumn(
            "opponent",
            "name of the other bot; in `mixed` of the other side, as `a + b`",
            lambda part: part.side_at(seats(part) ^ 1),
            SIDES,
        ),
    )


PLACE: Final = (kept("board"), kept("game"), kept("hand"), kept("orientation"))
"""The columns that tell which hand a row belongs to."""


@dataclass(frozen=True)
class _Read:
    """A run of which some is to be read."""

    run: Run
    parts: list[Part]
    chosen: Chosen
    # Among those of all runs, where there are several.
    bots: NDArray[np.int32] | None
    sides: NDArray[np.int32] | None

    def places(self, column: FrameColumn) -> NDArray[np.int32] | None:
        """Where the texts of a column stand among those of all runs; None if they stand where they stood."""
        return self.bots if column.texts is BOTS else self.sides if column.texts is SIDES else None


class Reader:
    """A frame that is read from one run or from several."""

    def __init__(self, kind: FrameKind, source: Source, choice: Choice, again: Again | None = None) -> None:
        """`again`: plays hands again whose cards were not recorded. Raises RunError for what the runs have not."""
        self._kind, self._again = kind, again
        columns, selection = choice.get("columns"), _selection(choice)
        runs = runs_of(source)
        self._labels, self._bots, self._sides = runs.labels, runs.bots, runs.sides
        self._reads = [self._read(run, selection) for run in runs.runs]
        known = [_known(kind, run, columns) for run in runs.runs]
        if any(each != known[0] for each in known):
            raise RunError(_differ(runs.runs))
        self._wanted = known[0]

    def _read(self, run: Run, selection: Selection) -> _Read:
        parts = present_parts(run.folder, run.manifest)
        if not parts:
            raise RunError(f"{run.folder}: has no finished part yet")
        bots = sides = None
        if self._labels is not None:
            bots = np.array([self._bots.index(name) for name in run.bots], np.int32)
            sides = np.array([self._sides.index(name) for name in run.manifest.side_names], np.int32)
        return _Read(run, parts, selection.of(run.manifest, self._bots, self._sides), bots, sides)

    def load(self) -> pd.DataFrame:
        """The whole frame."""
        pieces: dict[str, list[NDArray[Any]]] = {}
        for values in self._values():
            for name, each in values.items():
                pieces.setdefault(name, []).append(each)
        # Column by column, each freed in pieces before the next is made whole.
        return self._frame(lambda name: np.concatenate(pieces.pop(name)))

    def chunks(self) -> Iterator[pd.DataFrame]:
        """The frame in pieces, a part each, with the same columns and categories in all; one at least."""
        return (self._frame(values.pop) for values in self._values())

    def _frame(self, values: Callable[[str], NDArray[Any]]) -> pd.DataFrame:
        columns: dict[str, Any] = {}
        if self._labels is not None:
            columns[RUN] = pd.Categorical.from_codes(values(RUN), pd.Index(self._labels))
        for column in self._wanted:
            texts = self._bots if column.texts is BOTS else self._sides if column.texts is SIDES else column.texts
            columns[column.name] = _finished(column, values(column.name), texts)
        return pd.DataFrame(columns, copy=False)

    def _values(self) -> Iterator[Values]:
        for number, read in enumerate(self._reads):
            for part in self._parts(read):
                values = self._kind.values(self._wanted, part)
                if self._labels is not None:
                    for column in self._wanted:
                        if (places := read.places(column)) is not None:
                            values[column.name] = places[values[column.name]]
                    values[RUN] = np.full(len(next(iter(values.values()), ())), number, np.int32)
                yield values

    def _parts(self, read: _Read) -> Iterator[Rows]:
        """The chosen rows of each part that may hold some, or else none, once."""
        run, manifest = read.run.folder, read.run.manifest
        rules = manifest.rule_set()
        some = read.chosen.parts(read.parts)
        if not some:
            cards = part_schema(games=manifest.is_games).empty_table()
            yield Rows(np.zeros(0, ROW), np.zeros(0, DERIVED), cards, rules, manifest.is_mixed)
        for part, rows, cards in read_parts(run, manifest, some, cards=self._kind.plays):
            missing = self._kind.plays and not cards_recorded(cards)
            if missing and self._again is None:
                file = run / PARTS / part.file_name
                raise RunError(f"{file}: its plays were not recorded (record = {manifest.record!r})")
            found = Rows(rows, derive(rows, manifest, run), cards, rules, manifest.is_mixed)
            mask = read.chosen.rows(rows, found.derived)
            found = found if mask is None else found.of(mask)
            if missing and self._again is not None and len(found.rows):
                found = replace(found, cards=self._again(run, manifest, part, found.rows))
            yield found


def _selection(choice: Choice) -> Selection:
    for name in choice:
        if wrong := known_or_nearest(name, list(Choice.__annotations__)):
            raise TypeError(f"there is no keyword {name!r}; {wrong}")
    # mypy sees the values of a TypedDict as objects.
    return Selection(**{name: value for name, value in choice.items() if name != "columns"})  # type: ignore[arg-type]


def _known(kind: FrameKind, run: Run, columns: str | Sequence[str] | None) -> list[FrameColumn]:
    """The wanted columns of a run, in their own order. Raises RunError."""
    of_format = [
        each
        for each in kind.columns
        if (run.manifest.is_games or not each.games_only) and (run.manifest.is_mixed or not each.mixed_only)
    ]
    known = [each for each in of_format if kind.plays or not each.plays_only]
    names = [each.name for each in known]
    asked = names if columns is None else each_of(columns)
    for name in asked:
        if name not in names:
            raise RunError(f"{run.folder}: {_unknown(name, names, kind.columns)}")
    return [each for each in known if each.name in asked]


def _differ(runs: Sequence[Run]) -> str:
    """Why several runs have no frame of all columns together."""
    first = runs[0].manifest
    what, alike = f"the format {first.format}", "a format"
    if all(run.manifest.format == first.format for run in runs):
        what, alike = f'pairing = "{first.pairing}"', "mixed partnerships"
    return (
        f"{runs[0].folder}: has {what}, and not all others have it, too; load those of {alike} together, or choose "
        f"columns that both have, such as columns=['board']"
    )


def _unknown(name: object, names: list[str], columns: Sequence[FrameColumn]) -> str:
    """Why a frame does not have a column."""
    for column in columns:
        if column.name == name:
            where = "with plays" if column.plays_only else "of games" if column.games_only else 'of "mixed"'
            return f"column {echo(name)} is only in a frame {where}"
    return f"there is no column {echo(name)}; {known_or_nearest(str(name), names)}"


def _finished(column: FrameColumn, values: NDArray[Any], texts: Sequence[str] | None) -> Any:
    """The values of a column as a frame has them: codes turned into categories, -1 missing; integers as int64, since
    small ones would overflow in a user's arithmetic."""
    if texts is not None:
        return pd.Categorical.from_codes(values, pd.Index(list(texts)))
    if column.nullable is not None:
        missing = values == MISSING
        values = np.where(missing, 0, values)
        if column.nullable == "boolean":
            return pd.arrays.BooleanArray(values.astype(np.bool_), missing)
        return pd.arrays.IntegerArray(values.astype(np.int64), missing)
    return values.astype(np.int64, copy=False) if values.dtype.kind in "iu" else values
