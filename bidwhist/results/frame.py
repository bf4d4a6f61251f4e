"""All rows of a run as a pandas frame, with everything that follows from them."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, Final

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from bidwhist.actions import FIRST_NAMING, LAST_BID, NAMINGS, PASS, direction_of, trump_of
from bidwhist.cards import SEAT_NAMES, SEATS, SIDE_NAMES
from bidwhist.engine.moment import MOMENTS, decision_name
from bidwhist.errors import RunError
from bidwhist.faults import Fault
from bidwhist.notation import DIRECTION_LETTERS, SEAT_LETTERS, SUIT_NAMES, format_call, format_contract
from bidwhist.results.columns import CARDS, COLUMNS, ROW
from bidwhist.results.derive import DERIVED, derive
from bidwhist.results.manifest import Manifest, read_manifest
from bidwhist.results.parts import cards_recorded, present_parts, read_parts
from bidwhist.results.schema import PARTS, STRAINS, Part, part_schema
from bidwhist.results.selection import Chosen, Selection, each_of
from bidwhist.rules import known_or_nearest
from bidwhist.score import UNDECIDED
from bidwhist.text import echo

_CALLS: Final = [format_call(action) for action in range(PASS, LAST_BID + 1)]
_NAMINGS: Final = range(FIRST_NAMING, FIRST_NAMING + NAMINGS)
_CONTRACTS: Final = [format_contract(level, naming) for level in range(1, 8) for naming in _NAMINGS]
_TRUMPS: Final = np.array([trump_of(naming) for naming in _NAMINGS], np.int8)
_DIRECTIONS: Final = np.array([direction_of(naming) for naming in _NAMINGS], np.int8)
_FAULTS: Final = [fault.word for fault in Fault if fault]
_NAMES: Final = [decision_name(moment) for moment in range(MOMENTS)]
_DECISIONS: Final = list(dict.fromkeys(_NAMES))
_AT: Final = np.array([*map(_DECISIONS.index, _NAMES), -1], np.int8)  # by moment; -1, the last one, for none


@dataclass(frozen=True)
class _Rows:
    """The rows of a part: its ROW and DERIVED records, and its cards as a pyarrow table, if they were asked for."""

    rows: NDArray[np.void]
    derived: NDArray[np.void]
    cards: Any

    def of(self, mask: NDArray[np.bool_]) -> "_Rows":
        """Some of the rows."""
        return _Rows(self.rows[mask], self.derived[mask], self.cards.filter(mask))

    @cached_property
    def naming(self) -> NDArray[np.int8]:
        """Index into `_NAMINGS`."""
        return np.asarray(self.rows["naming"] - np.int8(FIRST_NAMING))


BOTS: Final = ("bots",)  # in place of texts: names of the manifest's bots


@dataclass(frozen=True)
class FrameColumn:
    """A column of the frame.

    `values`: its values from the rows of a part; where it has `texts`, as indices into them, -1 for a missing one.
    `meaning`: for the documentation.
    """

    name: str
    meaning: str
    values: Callable[[_Rows], NDArray[Any]]
    texts: Sequence[str] | None = None
    games_only: bool = False
    plays_only: bool = False


def _kept(name: str, meaning: str = "as in the parts", texts: Sequence[str] | None = None) -> FrameColumn:
    """A column of parts as it is."""
    column = COLUMNS[name]
    return FrameColumn(
        name, meaning, lambda part: column.of(part.rows).astype(column.type, copy=False), texts, column.games_only
    )


def _declaring_bot(part: _Rows) -> NDArray[Any]:
    seats = part.derived["declarer"][:, None].astype(np.intp)
    return np.take_along_axis(part.rows["lineup"], seats, axis=1)[:, 0]


FRAME: Final = (
    _kept("board"),
    _kept("game"),
    _kept("hand"),
    _kept("orientation"),
    *(_kept(name, "names of the bots", BOTS) for name in SEAT_NAMES),
    FrameColumn("bot_ns", "name of the bot of each side", lambda part: part.rows["lineup"][:, 0], BOTS),
    FrameColumn("bot_ew", "name of the bot of each side", lambda part: part.rows["lineup"][:, 1], BOTS),
    FrameColumn("declaring_bot", "name of the bot that was declarer", _declaring_bot, BOTS),
    FrameColumn("dealer", "N, E, S or W", lambda part: part.derived["dealer"], SEAT_LETTERS),
    *(
        FrameColumn(
            f"call_{place + 1}",
            "calls as text, as `4U`, or `P`, from the dealer's left",
            lambda part, place=place: part.rows["calls"][:, place] - PASS,  # type: ignore[misc]
            _CALLS,
        )
        for place in range(SEATS)
    ),
    FrameColumn("declarer", "N, E, S or W", lambda part: part.derived["declarer"], SEAT_LETTERS),
    FrameColumn(
        "contract",
        "as `4US`",
        lambda part: (part.derived["level"] - 1) * np.int16(NAMINGS) + part.naming,
        _CONTRACTS,
    ),
    FrameColumn("strain", "uptown, downtown or no trump", lambda part: part.derived["strain"], STRAINS),
    FrameColumn(
        "trump",
        "spades, hearts, diamonds, clubs or none",
        lambda part: _TRUMPS[part.naming],
        (*SUIT_NAMES, "none"),
    ),
    FrameColumn(
        "direction",
        "U, D, or L for downtown with aces low",
        lambda part: _DIRECTIONS[part.naming],
        DIRECTION_LETTERS,
    ),
    FrameColumn("level", "1 to 7", lambda part: part.derived["level"]),
    _kept("tricks", "won by the declaring side"),
    FrameColumn(
        "kitty_side",
        "side that has the kitty's book: NS, EW or none",
        lambda part: np.where(part.rows["kitty_side"] < 0, np.int8(len(SIDE_NAMES)), part.rows["kitty_side"]),
        (*SIDE_NAMES, "none"),
    ),
    FrameColumn(
        "books", "`tricks` with the kitty, where it counts for the declaring side", lambda part: part.derived["books"]
    ),
    FrameColumn("made", "whether the contract was made", lambda part: part.derived["made"]),
    FrameColumn("change_ns", "change of the scores by the hand", lambda part: part.derived["change"][:, 0]),
    FrameColumn("change_ew", "change of the scores by the hand", lambda part: part.derived["change"][:, 1]),
    FrameColumn(
        "points",
        "of NS: its change less that of EW",
        lambda part: part.derived["change"][:, 0] - part.derived["change"][:, 1],
    ),
    FrameColumn("score_ns", "scores before the hand", lambda part: part.derived["scores"][:, 0], games_only=True),
    FrameColumn("score_ew", "scores before the hand", lambda part: part.derived["scores"][:, 1], games_only=True),
    FrameColumn(
        "winner",
        "at the last hand of a game NS, EW or draw",
        lambda part: np.where(part.derived["winner"] == UNDECIDED, np.int8(-1), part.derived["winner"]),
        (*SIDE_NAMES, "draw"),
        games_only=True,
    ),
    FrameColumn(
        "forfeit",
        "side that forfeits the table: NS or EW",
        lambda part: part.derived["forfeit"],
        SIDE_NAMES,
    ),
    *(
        FrameColumn(
            f"fault_{name[0]}",
            "by seat: kind of its bot's fault in the hand",
            lambda part, seat=seat: part.rows["faults"][:, seat] - Fault.CRASH,  # type: ignore[misc]
            _FAULTS,
        )
        for seat, name in enumerate(SEAT_NAMES)
    ),
    *(
        FrameColumn(
            f"fault_at_{name[0]}",
            "by seat: decision of that fault, as `play:5`",
            lambda part, seat=seat: _AT[part.rows["faults_at"][:, seat]],  # type: ignore[misc]
            _DECISIONS,
        )
        for seat, name in enumerate(SEAT_NAMES)
    ),
    *(
        FrameColumn(
            column.name,
            "as in the parts",
            lambda part, name=column.name: part.cards.column(name).to_numpy(),  # type: ignore[misc]
            plays_only=True,
        )
        for column in CARDS
    ),
)
"""The columns of the frame that `load` makes, in order."""


def load(
    path: str | Path,
    *,
    plays: bool = False,
    columns: str | Sequence[str] | None = None,
    bots: str | Sequence[str] | None = None,
    pairing: Sequence[str] | None = None,
    level: int | Sequence[int] | None = None,
    strain: str | Sequence[str] | None = None,
    boards: Sequence[int] | None = None,
) -> pd.DataFrame:
    """The rows of the run in folder `path`, one for each table (in the format `games` for each hand).

    `FRAME` in this module lists the columns with what each means, and so does docs/tournaments.md. Texts are
    categories, numbers int64, `made` bool. With `plays` there are also `discards` (a mask) and `plays` (a byte a card,
    in the order played).

    `columns`: only these, in the order of FRAME. The rest selects rows, and parts that hold none of them are not read:
    those in which one of `bots` plays, those of two bots (`pairing`), those with contracts of one `level` or `strain`,
    or of several, and `boards` from one number up to another (or a range). Memory is taken for what is chosen, and for
    a part at a time.

    Raises RunError for a folder that is no run's, for `plays` that were not recorded, and for what the run has not.
    """
    selection = Selection(bots, pairing, level, strain, boards)
    wanted, found = _wanted(Path(path), plays, columns, selection)
    pieces: dict[str, list[NDArray[Any]]] = {column.name: [] for column in wanted}
    for values in found:
        for name, each in values.items():
            pieces[name].append(each)
    texts = _names(Path(path))
    # Column by column, each freed in pieces before the next is made whole.
    return pd.DataFrame(
        {each.name: _with_texts(each, _wide(each, np.concatenate(pieces.pop(each.name))), texts) for each in wanted},
        copy=False,
    )


def chunks(
    path: str | Path,
    *,
    plays: bool = False,
    columns: str | Sequence[str] | None = None,
    bots: str | Sequence[str] | None = None,
    pairing: Sequence[str] | None = None,
    level: int | Sequence[int] | None = None,
    strain: str | Sequence[str] | None = None,
    boards: Sequence[int] | None = None,
) -> Iterator[pd.DataFrame]:
    """The frame of `load` in pieces, a part of the run each, with the same columns and categories in all.

    So a run is read that has more rows than there is memory for. At least one piece comes, though it may have no rows.
    """
    selection = Selection(bots, pairing, level, strain, boards)
    wanted, found = _wanted(Path(path), plays, columns, selection)
    texts = _names(Path(path))

    def frame(values: dict[str, NDArray[Any]]) -> pd.DataFrame:
        columns = {each.name: _with_texts(each, _wide(each, values[each.name]), texts) for each in wanted}
        return pd.DataFrame(columns, copy=False)

    return map(frame, found)


def _names(run: Path) -> list[str]:
    return [bot.name for bot in read_manifest(run).bots]


def _wanted(
    run: Path, plays: bool, columns: str | Sequence[str] | None, selection: Selection
) -> tuple[list[FrameColumn], Iterator[dict[str, NDArray[Any]]]]:
    """The wanted columns, and their values part by part. Raises RunError."""
    manifest = read_manifest(run)
    parts = present_parts(run, manifest)
    if not parts:
        raise RunError(f"{run}: has no finished part yet")
    known = [each for each in FRAME if (manifest.is_games or not each.games_only) and (plays or not each.plays_only)]
    names = [each.name for each in known]
    asked = names if columns is None else each_of(columns)
    for name in asked:
        if name not in names:
            raise RunError(f"{run}: {_missing(name, names)}")
    chosen = selection.of(manifest)
    wanted = [each for each in known if each.name in asked]
    return wanted, _values(run, manifest, parts, wanted, chosen, plays)


def _missing(name: object, names: list[str]) -> str:
    """Why a frame of these columns does not have another."""
    for column in FRAME:
        if column.name == name:
            return f"column {echo(name)} is only in a frame {'with plays' if column.plays_only else 'of games'}"
    return f"there is no column {echo(name)}; {known_or_nearest(str(name), names)}"


def _values(
    run: Path, manifest: Manifest, parts: list[Part], wanted: list[FrameColumn], chosen: Chosen, plays: bool
) -> Iterator[dict[str, NDArray[Any]]]:
    """The values of each part that may hold chosen rows, or else none of each column, once."""
    some = chosen.parts(parts)
    if not some:
        cards = part_schema(games=manifest.is_games).empty_table()
        yield _own_values(wanted, _Rows(np.zeros(0, ROW), np.zeros(0, DERIVED), cards))
    for part, rows, cards in read_parts(run, manifest, some, cards=plays):
        if plays and not cards_recorded(cards):
            file = run / PARTS / part.file_name
            raise RunError(f"{file}: its plays were not recorded (record = {manifest.record!r})")
        found = _Rows(rows, derive(rows, manifest, run), cards)
        mask = chosen.rows(rows, found.derived)
        yield _own_values(wanted, found if mask is None else found.of(mask))


def _own_values(wanted: list[FrameColumn], part: _Rows) -> dict[str, NDArray[Any]]:
    """The values of the wanted columns, in arrays of their own: a view of the records would keep all of them alive."""
    values = ((each.name, each.values(part)) for each in wanted)
    return {name: each if each.base is None else each.copy() for name, each in values}


def _wide(column: FrameColumn, values: NDArray[Any]) -> NDArray[Any]:
    """The values of a column; numbers as int64, as small ones would overflow in a user's arithmetic."""
    return values.astype(np.int64, copy=False) if column.texts is None and values.dtype.kind in "iu" else values


def _with_texts(column: FrameColumn, values: NDArray[Any], bots: list[str]) -> Any:
    """The values of a column, codes turned into categories; -1 becomes missing."""
    if column.texts is None:
        return values
    return pd.Categorical.from_codes(values, pd.Index(bots if column.texts is BOTS else list(column.texts)))
