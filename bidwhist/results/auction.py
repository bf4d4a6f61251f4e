"""The auctions of runs as pandas frames: a row for each call, and a row for each contract."""

from typing import Any, Final, Unpack

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from bidwhist.actions import BARE, FIRST_BID, PASS
from bidwhist.cards import SEATS
from bidwhist.notation import SEAT_LETTERS
from bidwhist.results.frame import CALL_TEXTS, FRAME
from bidwhist.results.reader import MISSING, PLACE, Choice, FrameColumn, FrameKind, Reader, Rows, seated
from bidwhist.results.runs import Source
from bidwhist.score import BASE

_PLACES: Final = np.arange(SEATS, dtype=np.int8)
_OF_LOAD: Final = {column.name: column for column in FRAME}


def _callers(part: Rows) -> NDArray[np.int8]:
    """Seats in the order of their calls, from the dealer's left."""
    seats: NDArray[np.int8] = (part.derived["dealer"][:, None] + 1 + _PLACES) % SEATS
    return seats


def _levels(part: Rows) -> NDArray[Any]:
    calls = part.rows["calls"]
    return np.where(calls == PASS, 0, ((calls - FIRST_BID) >> 2) + 1)


def _directions(part: Rows) -> NDArray[Any]:
    calls = part.rows["calls"]
    strains = (calls - FIRST_BID) & 3
    return np.where((calls == PASS) | (strains == BARE), np.int8(-1), strains)


def _best_before(part: Rows) -> NDArray[Any]:
    """Places in CALL_TEXTS of the highest calls before each; -1 where all have passed."""
    best = np.maximum.accumulate(part.rows["calls"] - np.int8(PASS), axis=1)
    before = np.zeros_like(best)
    before[:, 1:] = best[:, :-1]
    return np.where(before == 0, np.int8(-1), before)


def _won(part: Rows) -> NDArray[np.bool_]:
    won: NDArray[np.bool_] = _callers(part) == part.derived["declarer"][:, None]
    return won


def _where_won(part: Rows, values: NDArray[Any]) -> NDArray[Any]:
    """Values of hands where the call has won, MISSING elsewhere."""
    return np.where(_won(part), values[:, None].astype(np.int16), MISSING)


def _declaring_points(part: Rows) -> NDArray[np.int16]:
    lead = part.derived["change"][:, 0] - part.derived["change"][:, 1]
    points: NDArray[np.int16] = np.where(part.derived["declarer"] & 1 == 0, lead, -lead)
    return points


CALLS: Final = (
    *PLACE,
    *seated("name of the bot that called", _callers),
    FrameColumn("seat", "of the caller: N, E, S or W", _callers, SEAT_LETTERS),
    FrameColumn("place", "1 to 4 from the dealer's left", lambda part: (_PLACES + 1)[None]),
    FrameColumn("call", "as `4U`, or `P`", lambda part: part.rows["calls"] - np.int8(PASS), CALL_TEXTS),
    FrameColumn("level", "1 to 7; 0 for a pass", _levels),
    FrameColumn(
        "direction",
        "as spoken: U, D or NT; missing for a pass, and for a bid that says a level alone",
        _directions,
        ("U", "D", "NT"),
    ),
    FrameColumn(
        "best_before", "the highest call before this one; missing if there was only passing", _best_before, CALL_TEXTS
    ),
    FrameColumn("won", "whether the call became the contract", _won),
    FrameColumn(
        "made",
        "for the call that won: whether the contract was made; missing for others",
        lambda part: _where_won(part, part.derived["made"]),
        nullable="boolean",
    ),
    FrameColumn(
        "books",
        "for the call that won: books of the declaring side",
        lambda part: _where_won(part, part.derived["books"]),
        nullable="Int64",
    ),
    FrameColumn(
        "points",
        "for the call that won: points of the caller's side",
        lambda part: _where_won(part, _declaring_points(part)),
        nullable="Int64",
    ),
)
"""The columns of the frame that `calls` makes, in order."""

CONTRACTS: Final = (
    *PLACE,
    *seated("name of the declaring bot", lambda part: part.derived["declarer"]),
    FrameColumn("seat", "of the declarer: N, E, S or W", lambda part: part.derived["declarer"], SEAT_LETTERS),
    FrameColumn(
        "place",
        "of the declarer in the auction: 1 to 4 from the dealer's left",
        lambda part: (part.derived["declarer"] - part.derived["dealer"] - 1) % SEATS + 1,
    ),
    *(_OF_LOAD[name] for name in ("level", "strain", "trump", "direction", "tricks", "books")),
    FrameColumn(
        "margin",
        "books beyond those promised: `books` - `level` - 6; below 0 for a set",
        lambda part: part.derived["books"] - part.derived["level"] - np.int8(BASE),
    ),
    _OF_LOAD["made"],
    FrameColumn("points", "points of the declaring side", _declaring_points),
)
"""The columns of the frame that `contracts` makes, in order."""


def calls(path: Source, **chosen: Unpack[Choice]) -> pd.DataFrame:
    """The calls of a run, or of several, one a row, hand by hand in the order spoken; `CALLS` lists the columns.

    `path` and `chosen` are as in `bidwhist.results.load`; `level` and `strain` choose hands by their contracts.
    Raises RunError.
    """
    return Reader(FrameKind(CALLS, each=SEATS), path, chosen).load()


def contracts(path: Source, **chosen: Unpack[Choice]) -> pd.DataFrame:
    """The contracts of a run, or of several, one a row, as the declaring side sees them; `CONTRACTS` lists the columns.

    `path` and `chosen` are as in `bidwhist.results.load`. Raises RunError.
    """
    return Reader(FrameKind(CONTRACTS), path, chosen).load()
