"""The columns of a run's parts, each declared once: how it is stored, what it means, and where it comes from.

The schema of parts, the columns that a played part gives, the ROW records that are read back and the table in
docs/tournaments.md all follow from this list.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final, Literal, TypeAlias

import numpy as np

from bidwhist.cards import CARDS as DECK
from bidwhist.cards import SEAT_NAMES, SEATS
from bidwhist.faults import Fault

# How values are laid out for the compressor. What counts up hardly changes from row to row; of small numbers all bytes
# but the lowest are zero, and kept apart they cost nothing. Dictionaries, the usual way, take twice the time, and
# 2 bytes a row for `board`.
Encoding: TypeAlias = Literal["DELTA_BINARY_PACKED", "BYTE_STREAM_SPLIT", "DELTA_LENGTH_BYTE_ARRAY"]

BINARY: Final = "binary"

# As in bidwhist.actions, which would load the compiler; a test compares them.
_CALLS: Final = (54, 82)
_NAMINGS: Final = (83, 97)
_MOMENTS: Final = 68  # as in bidwhist.engine.moment


@dataclass(frozen=True)
class Column:
    """A column of a part.

    `type`: as Arrow and NumPy name it, or BINARY for cards in order, a byte each. `meaning`: for the documentation.
    `field` and `place`: the field of ROW or OUTCOME records that it holds, and which of its values if it has several.
    `least` and `most`: what its values may be, where the schedule does not say them one by one. `has_range`: whether
    lowest and highest value stand in the footer of a part. `optional`: null in the rows of a part whose cards were not
    recorded.
    """

    name: str
    type: str
    meaning: str
    field: str
    place: int | None = None
    encoding: Encoding = "BYTE_STREAM_SPLIT"
    least: int | None = None
    most: int | None = None
    has_range: bool = False
    games_only: bool = False
    optional: bool = False

    def of(self, fields: Any) -> Any:
        """Its values, from arrays by field (a mapping or a structured array) or from one record."""
        values = fields[self.field]
        return values if self.place is None else values[..., self.place]


# Which table this is: from the schedule.
TABLE: Final = (
    Column("board", "int64", "board number", "board", encoding="DELTA_BINARY_PACKED", has_range=True),
    *(
        Column(name, "int16", "place of the bot in the manifest's list, from 0", "lineup", seat)
        for seat, name in enumerate(SEAT_NAMES)
    ),
    Column(
        "game",
        "int32",
        "number of the game",
        "unit",
        encoding="DELTA_BINARY_PACKED",
        has_range=True,
        games_only=True,
    ),
    Column(
        "hand",
        "int16",
        "number of the hand in its game, from 0",
        "hand",
        encoding="DELTA_BINARY_PACKED",
        games_only=True,
    ),
    Column("orientation", "int8", "0, or 1 for the exchanged lineup", "orientation", games_only=True),
)

# What came of it: from the OUTCOME record of the engine.
RESULT: Final = (
    *(
        Column(
            f"call_{place + 1}",
            "int8",
            "[actions](bots.md#actions) in the order spoken, from the dealer's left",
            "calls",
            place,
            least=_CALLS[0],
            most=_CALLS[1],
        )
        for place in range(SEATS)
    ),
    Column("naming", "int8", "action of the naming", "naming", least=_NAMINGS[0], most=_NAMINGS[1]),
    Column("tricks", "int8", "tricks won by the declaring side, the kitty not counted", "tricks", least=0, most=13),
    Column("kitty_side", "int8", "side that has the kitty's book: 0 NS, 1 EW, -1 none", "kitty_side", least=-1, most=1),
)

# Where bots failed: from the referees.
FAULTS: Final = (
    *(
        Column(
            f"fault_{name[0]}",
            "int8",
            "by seat: 0, or the [code](#faults) of its bot's fault in this hand",
            "faults",
            seat,
            least=0,
            most=max(Fault),
        )
        for seat, name in enumerate(SEAT_NAMES)
    ),
    *(
        Column(
            f"fault_at_{name[0]}",
            "int8",
            "by seat: the [moment](#faults) of that fault, -1 without one",
            "faults_at",
            seat,
            least=-1,
            most=_MOMENTS - 1,
        )
        for seat, name in enumerate(SEAT_NAMES)
    ),
)

# The cards, where they are recorded; from the OUTCOME record too.
CARDS: Final = (
    Column(
        "discards",
        "int64",
        "the declarer's discards as a mask, bit *k* for card *k*",
        "discards",
        least=0,
        most=(1 << DECK) - 1,
        optional=True,
    ),
    Column(
        "plays",
        BINARY,
        "the cards in the order played, one byte each",
        "plays",
        encoding="DELTA_LENGTH_BYTE_ARRAY",
        least=0,
        most=DECK - 1,
        optional=True,
    ),
)

COLUMNS: Final[Mapping[str, Column]] = {column.name: column for column in (*TABLE, *RESULT, *FAULTS, *CARDS)}


def part_columns(*, games: bool) -> list[Column]:
    """The columns of a part of one format, in order."""
    return [column for column in COLUMNS.values() if games or not column.games_only]


def _row_fields() -> list[tuple[str, str, tuple[int, ...]]]:
    """Fields of ROW: `unit`, the board or in `games` the game, then all fields of columns but the cards."""
    columns = [column for column in (*TABLE, *RESULT, *FAULTS) if column.field != "unit"]
    places = {column.field: (column.place + 1,) for column in columns if column.place is not None}
    types = {column.field: column.type for column in columns}
    return [("unit", "i8", ()), *((field, kind, places.get(field, ())) for field, kind in types.items())]


# A row of a part, but for its cards. Compiled code reads it.
ROW: Final = np.dtype(_row_fields(), align=True)
