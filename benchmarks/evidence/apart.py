"""Declarer and defender apart, where the contract is the same at all tables of a board.

Two bots that call, name and discard alike come to one contract at both tables of a board, declared once by either.
Against the heuristic, the yardstick is a third table with the heuristic in all four seats: what a bot takes beyond it
as declarer, and what it lets the declarer take less as defender. Both together are twice its points on the board.
"""

from typing import NamedTuple

import pandas as pd

from evidence.figures import own_points


class Gains(NamedTuple):
    """Points beyond the yardstick, by board."""

    declarer: "pd.Series[float]"
    defender: "pd.Series[float]"


def gains(frame: pd.DataFrame, bot: str, opponent: str, yardstick: pd.DataFrame) -> Gains:
    """What `bot` gains against `opponent`, which plays itself in `yardstick`.

    Raises ValueError for a board with different contracts.
    """
    ours = _declared(own_points(frame, bot, opponent).join(_what(frame)))
    theirs = _declared(_own_side(yardstick)).drop_duplicates("board").set_index("board").add_suffix("_there")
    joined = ours.join(theirs, on="board").dropna(subset=["points_there"])
    unlike = (joined["contract"] != joined["contract_there"]) | (joined["declarer"] != joined["declarer_there"])
    if unlike.any():
        raise ValueError(f"board {joined.loc[unlike, 'board'].iloc[0]}: the contract is not the same at all tables")
    beyond = joined["points"] - joined["points_there"]
    is_own = joined["declaring_bot"] == bot
    return Gains(*(part.set_axis(joined.loc[part.index, "board"]) for part in (beyond[is_own], -beyond[~is_own])))


def _what(frame: pd.DataFrame) -> pd.DataFrame:
    return frame[["points", "declarer", "contract", "declaring_bot"]].astype(
        {"declarer": str, "contract": str, "declaring_bot": str}
    )


def _own_side(frame: pd.DataFrame) -> pd.DataFrame:
    return frame[["board"]].join(_what(frame))


def _declared(rows: pd.DataFrame) -> pd.DataFrame:
    """The rows with the points of the declaring side."""
    return rows.assign(points=rows["points"].where(rows["declarer"].isin(["N", "S"]), -rows["points"]))
