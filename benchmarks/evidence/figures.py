"""What is read off the rows of runs, board by board; and the estimates that are made of it."""

import math
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from bidwhist.stats.intervals import Estimate, clustered_mean

ENOUGH = 10  # boards, below which a ratio has no interval


def mean(values: Any) -> Estimate | None:
    """The mean of independent values, a board or a game each; None without any."""
    known = np.asarray(values, np.float64)
    return clustered_mean(known) if len(known) else None


def ratio(over: Any, under: Any) -> Estimate | None:
    """Sum of `over` by sum of `under`, both by board, as of a survey of boards; None if there is nothing under.

    The interval is that of the mean of over - ratio * under, by the mean of under (Cochran 1977, "Sampling
    Techniques", 6.3). There is none with fewer than ENOUGH boards, or if all boards say the same.
    """
    top, bottom = np.asarray(over, np.float64), np.asarray(under, np.float64)
    if not len(bottom) or bottom.sum() == 0:
        return None
    value = float(top.sum() / bottom.sum())
    rest = clustered_mean(top - value * bottom).interval
    if rest is None or len(top) < ENOUGH or rest[0] == rest[1]:
        return Estimate(value, None)
    ends = sorted(value + end / float(bottom.mean()) for end in rest)
    return Estimate(value, (ends[0], ends[1]))


def own_points(frame: pd.DataFrame, bot: str, opponent: str) -> pd.DataFrame:
    """The tables of a pairing, with the points of `bot`: columns `board`, `own`."""
    ns, ew = frame["bot_ns"].astype(str), frame["bot_ew"].astype(str)
    straight, turned = (ns == bot) & (ew == opponent), (ns == opponent) & (ew == bot)
    own = np.where(straight, frame["points"], -frame["points"])
    return pd.DataFrame({"board": frame["board"], "own": own})[straight | turned]


def board_points(frame: pd.DataFrame, bot: str, opponent: str) -> "pd.Series[float]":
    """Points of `bot` by board: the mean of the two tables, of boards that both have played."""
    boards = own_points(frame, bot, opponent).groupby("board")["own"].agg(["mean", "size"])
    return boards.loc[boards["size"] == 2, "mean"]


def games_won(frame: pd.DataFrame, bot: str, opponent: str) -> "pd.Series[float]":
    """Share of its two orientations that `bot` has won, by game; a draw is one half."""
    last = frame[frame["winner"].notna()]
    ns, ew, winner = (last[name].astype(str) for name in ("bot_ns", "bot_ew", "winner"))
    among = ((ns == bot) & (ew == opponent)) | ((ns == opponent) & (ew == bot))
    won = np.where(winner == "draw", 0.5, np.where(winner == "NS", ns == bot, ew == bot).astype(float))
    games = pd.DataFrame({"game": last["game"], "won": won})[among].groupby("game")["won"].agg(["mean", "size"])
    return games.loc[games["size"] == 2, "mean"]


def made(frame: pd.DataFrame, bot: str) -> tuple[int, Estimate | None]:
    """Contracts that `bot` declared, and the share of them that was made."""
    declared = frame[frame["declaring_bot"].astype(str) == bot]
    boards = declared.groupby("board")["made"].agg(["sum", "size"])
    return len(declared), ratio(boards["sum"], boards["size"])


def share_of_way(part: "pd.Series[float]", whole: "pd.Series[float]") -> Estimate | None:
    """What part of the points of one bot another makes, on the boards that both have played against one opponent."""
    joined = pd.concat([part, whole], axis=1, join="inner")
    return ratio(joined.iloc[:, 0], joined.iloc[:, 1])


def difference(one: "pd.Series[float]", other: "pd.Series[float]") -> Estimate | None:
    """How many points more one bot makes than another, on the boards that both have played against one opponent."""
    return mean((one - other).dropna())


def boards_needed(deviation: float, half: float) -> int:
    """Boards after which the 95% interval is the mean plus and minus `half`, if a board deviates by so much."""
    return math.ceil((1.96 * deviation / half) ** 2)


def deviation(values: "pd.Series[float] | NDArray[np.float64]") -> float:
    """Standard deviation of single values."""
    return float(np.std(np.asarray(values, np.float64), ddof=1))
