"""How well declarers could know whether they will make it: a forecast before the first lead, against what happened.

The forecast is the share of uniform worlds, imagined from what the declarer sees, in which the heuristic in all four
seats makes the contract. It is what a bot that weighs its bids by such worlds believes.
"""

from typing import Any

import numpy as np
import pandas as pd

from bidwhist._jit import jit
from bidwhist.notation import parse_seat
from bidwhist.observation import private_of_seat
from bidwhist.rules import Rules
from bidwhist.state import is_made
from bidwhist.worlds.sample import prepare
from bidwhist_bots.rollout import play_on
from bidwhist_bots.search import imagine, new_search
from evidence.figures import ratio
from evidence.replaying import decisions, hands_once, state_of


@jit
def _share_made(ws: Any, state: Any, seat: int, key: Any, worlds: int) -> float:
    public = state["public"]
    private = private_of_seat(state, seat, 0, key)
    ws["stream"][0] = key
    prepare(ws["view"], private, public)
    made = 0
    for _ in range(worlds):
        imagine(ws, private, public)
        ws["lanes"][0] = ws["world"]
        play_on(ws, 1)
        if is_made(ws["lanes"][0]["public"]):
            made += 1
    return made / worlds


def forecast(state: Any, declarer: int, worlds: int, ws: Any, key: int = 0) -> float:
    """Chance that the contract is made, as its declarer sees it in a STATE before the first lead."""
    return float(_share_made(ws, state, declarer, np.uint64(key), worlds))


def forecasts(frame: pd.DataFrame, rules: Rules, seed: int, most: int, worlds: int) -> pd.DataFrame:
    """Of the first `most` boards of a bot that plays itself: `board`, `level`, `forecast` and `made`."""
    ws, found = new_search()[0], []
    for row in hands_once(frame, most):
        table = next(table for table, _ in decisions(row, rules, seed) if table.phase == "play")
        chance = forecast(state_of(table), parse_seat(row.declarer), worlds, ws, int(row.board))
        found.append((row.board, int(row.level), chance, bool(row.made)))
    return pd.DataFrame(found, columns=["board", "level", "forecast", "made"])


def brier(chances: Any, made: Any) -> float:
    """Mean squared distance of the forecasts from what happened (Brier 1950): 0 is best, 0.25 is to say a half."""
    return float(np.mean((np.asarray(chances, float) - np.asarray(made, float)) ** 2))


def reliability(found: pd.DataFrame, bins: int = 10) -> list[tuple[str, int, float, Any]]:
    """By bins of the forecast: its bounds, hands, mean forecast, and the share that was made with its interval."""
    ends = np.linspace(0, 100, bins + 1)
    place = np.minimum((found["forecast"] * bins).astype(int), bins - 1)
    return [
        (f"{ends[bin]:.0f}-{ends[bin + 1]:.0f}%", *_compared(found[place == bin]))
        for bin in range(bins)
        if (place == bin).any()
    ]


def by_level(found: pd.DataFrame) -> list[tuple[str, int, float, Any, float]]:
    """By level: hands, mean forecast, share made with its interval, Brier score."""
    return [
        (str(level), *_compared(group), brier(group["forecast"], group["made"]))
        for level, group in found.groupby("level")
    ]


def _compared(group: pd.DataFrame) -> tuple[int, float, Any]:
    return len(group), float(group["forecast"].mean()), ratio(group["made"], np.ones(len(group)))
