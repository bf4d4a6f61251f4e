"""The faults of the bots of runs as a pandas frame: a row for each seat and hand in which a bot failed."""

from typing import Final, Unpack

import numpy as np
import pandas as pd

from bidwhist.cards import SEATS
from bidwhist.faults import Fault
from bidwhist.notation import SEAT_LETTERS
from bidwhist.results.frame import DECISION_AT, DECISIONS, FAULT_WORDS
from bidwhist.results.reader import BOTS, PLACE, SIDES, Choice, FrameColumn, FrameKind, Reader
from bidwhist.results.runs import Source

_SEATS: Final = np.arange(SEATS, dtype=np.int8)

INCIDENTS: Final = (
    *PLACE,
    FrameColumn("bot", "name of the bot that failed", lambda part: part.rows["lineup"], BOTS),
    FrameColumn(
        "partner", "name of its partner", lambda part: part.rows["lineup"][:, _SEATS ^ 2], BOTS, mixed_only=True
    ),
    FrameColumn(
        "opponent",
        "name of the other bot; in `mixed` of the other side, as `a + b`",
        lambda part: part.sides[:, 1 - (_SEATS & 1)],
        SIDES,
    ),
    FrameColumn(
        "seat",
        "of the bot: N, E, S or W",
        lambda part: _SEATS[None],
        SEAT_LETTERS,
    ),
    FrameColumn(
        "kind",
        "`crash`, `time`, `illegal`, `message`, `limit` or `unasked`",
        lambda part: part.rows["faults"] - np.int8(Fault.CRASH),
        FAULT_WORDS,
    ),
    FrameColumn(
        "decision",
        "the decision: `call`, `name`, `discard:2` or `play:5`",
        lambda part: DECISION_AT[part.rows["faults_at"]],
        DECISIONS,
    ),
)
"""The columns of the frame that `faults` makes, in order."""


def faults(path: Source, **chosen: Unpack[Choice]) -> pd.DataFrame:
    """The faults of bots in a run, or in several, one a row: the first of each seat in a hand; `INCIDENTS` lists the
    columns.

    `path` and `chosen` are as in `bidwhist.results.load`. Raises RunError.
    """
    kind = FrameKind(INCIDENTS, each=SEATS, where=lambda part: part.rows["faults"] != 0)
    return Reader(kind, path, chosen).load()
