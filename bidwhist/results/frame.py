"""All rows of a run as a pandas frame, with everything that follows from them."""

from collections.abc import Iterator
from typing import Final, Unpack

import numpy as np
import pandas as pd

from bidwhist.actions import FIRST_NAMING, LAST_BID, NAMINGS, PASS, direction_of, trump_of
from bidwhist.cards import SEAT_NAMES, SEATS, SIDE_NAMES
from bidwhist.engine.moment import MOMENTS, decision_name
from bidwhist.faults import Fault
from bidwhist.notation import DIRECTION_LETTERS, SEAT_LETTERS, SUIT_NAMES, format_call, format_contract
from bidwhist.results.columns import CARDS
from bidwhist.results.reader import BOTS, PLACE, SIDES, Choice, FrameColumn, FrameKind, Reader, kept
from bidwhist.results.runs import Source
from bidwhist.results.schema import STRAINS
from bidwhist.score import UNDECIDED

CALL_TEXTS: Final = [format_call(action) for action in range(PASS, LAST_BID + 1)]
FAULT_WORDS: Final = [fault.word for fault in Fault if fault]
_NAMINGS: Final = range(FIRST_NAMING, FIRST_NAMING + NAMINGS)
_CONTRACTS: Final = [format_contract(level, naming) for level in range(1, 8) for naming in _NAMINGS]
_TRUMPS: Final = np.array([trump_of(naming) for naming in _NAMINGS], np.int8)
_DIRECTIONS: Final = np.array([direction_of(naming) for naming in _NAMINGS], np.int8)
_NAMES: Final = [decision_name(moment) for moment in range(MOMENTS)]
DECISIONS: Final = list(dict.fromkeys(_NAMES))
DECISION_AT: Final = np.array([*map(DECISIONS.index, _NAMES), -1], np.int8)
"""Places in DECISIONS by moment; -1, the last one, for no moment."""

# mypy infers no type for a lambda with a default.
FRAME: Final = (
    *PLACE,
    *(kept(name, "names of the bots", BOTS) for name in SEAT_NAMES),
    FrameColumn(
        "bot_ns", "name of the bot of each side; in `mixed` of both, as `a + b`", lambda part: part.sides[:, 0], SIDES
    ),
    FrameColumn(
        "bot_ew", "name of the bot of each side; in `mixed` of both, as `a + b`", lambda part: part.sides[:, 1], SIDES
    ),
    FrameColumn(
        "declaring_bot",
        "name of the bot that was declarer",
        lambda part: part.bot_at(part.derived["declarer"]),
        BOTS,
    ),
    FrameColumn("dealer", "N, E, S or W", lambda part: part.derived["dealer"], SEAT_LETTERS),
    *(
        FrameColumn(
            f"call_{place + 1}",
            "calls as text, as `4U`, or `P`, from the dealer's left",
            lambda part, place=place: part.rows["calls"][:, place] - PASS,  # type: ignore[misc]
            CALL_TEXTS,
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
    kept("tricks", "won by the declaring side"),
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
            FAULT_WORDS,
        )
        for seat, name in enumerate(SEAT_NAMES)
    ),
    *(
        FrameColumn(
            f"fault_at_{name[0]}",
            "by seat: decision of that fault, as `play:5`",
            lambda part, seat=seat: DECISION_AT[part.rows["faults_at"][:, seat]],  # type: ignore[misc]
            DECISIONS,
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


def load(path: Source, *, plays: bool = False, **chosen: Unpack[Choice]) -> pd.DataFrame:
    """The rows of the run in folder `path`, one for each table (in the format `games` for each hand).

    `FRAME` in this module lists the columns with what each means, and so does docs/tournaments.md. Texts are
    categories, numbers int64, `made` bool. With `plays` there are also `discards` (a mask) and `plays` (a byte a card,
    in the order played).

    `path` may also be a list of folders, or a mapping of labels to folders: the first column, `run`, then tells the run
    of each row, by its name or label.

    `columns`: only these, in the order of FRAME. The rest selects rows, and parts that hold none of them are not read:
    those in which one of `bots` plays, those of two bots (`pairing`), those with contracts of one `level` or `strain`,
    or of several, and `boards` from one number up to another (or a range). Memory is taken for what is chosen, and for
    a part at a time.

    Raises RunError for a folder that is no run's, for `plays` that were not recorded, and for what the run has not.
    """
    return Reader(FrameKind(FRAME, plays=plays), path, chosen).load()


def chunks(path: Source, *, plays: bool = False, **chosen: Unpack[Choice]) -> Iterator[pd.DataFrame]:
    """The frame of `load` in pieces, a part of a run each, with the same columns and categories in all.

    So a run is read that has more rows than there is memory for. At least one piece comes, though it may have no rows.
    """
    return Reader(FrameKind(FRAME, plays=plays), path, chosen).chunks()
