"""Tables of what the game is like: promises of a double-dummy search, forecasts, and the measures of nature.py."""

from typing import Any, Final

import numpy as np
import pandas as pd

from evidence.figures import mean, ratio
from evidence.forecasts import brier, by_level, forecasts, reliability
from evidence.found import Run
from evidence.nature import Nature, nature
from evidence.plan import RANDOM
from evidence.promises import promises
from evidence.text import Grid, number, points, share

WORLDS: Final = 100  # of a forecast


def promised_and_taken(selves: dict[str, Run], most: int) -> Grid:
    """By bot and level: the tricks that the solver promises the declarer, and what he took against his like."""
    rows = []
    for bot, run in selves.items():
        if bot != RANDOM:
            found = promises(run.frame, run.rules, run.manifest.seed or 0, most)
            rows += [(bot, level, *_promise(group)) for level, group in found.groupby("level")]
            rows.append((bot, "all", *_promise(found)))
    head = ("bot", "level", "hands", "promised", "taken", "promised beyond taken", "made if promised", "made")
    about = (
        "A bot plays against itself. *Promised*: tricks of the declaring side with all cards seen and best play by "
        "all, before the first lead; *made if promised*: the share of contracts that hold by that."
    )
    return Grid("Promises of a double-dummy search", head, rows, about)


def _promise(group: pd.DataFrame) -> tuple[Any, ...]:
    ones = np.ones(len(group))
    return (
        len(group),
        f"{group['promised'].mean():.2f}",
        f"{group['taken'].mean():.2f}",
        points(mean(group["promised"] - group["taken"])),
        share(ratio(group["holds"], ones)),
        share(ratio(group["made"], ones)),
    )


def calibration(selves: dict[str, Run], most: int) -> list[Grid]:
    """Reliability of the declarer's forecast, by forecast and by level, with its Brier score."""
    found = {
        bot: forecasts(run.frame, run.rules, run.manifest.seed or 0, most, WORLDS)
        for bot, run in selves.items()
        if bot != RANDOM
    }
    bins = [
        (bot, bounds, hands, f"{100 * said:.0f}%", share(came))
        for bot, frame in found.items()
        for bounds, hands, said, came in reliability(frame)
    ]
    levels = [
        (bot, level, hands, f"{100 * said:.0f}%", share(came), f"{score:.3f}")
        for bot, frame in found.items()
        for level, hands, said, came, score in by_level(frame)
    ]
    scores = [(bot, len(frame), *_scores(frame)) for bot, frame in found.items()]
    about = (
        f"The declarer's forecast before the first lead: in how many of {WORLDS} uniform worlds that agree with what "
        "he sees the contract is made, if all play as the heuristic. Against it, how often it was made."
    )
    return [
        Grid("Forecasts by what they say", ("bot", "forecast", "hands", "mean forecast", "made"), bins, about),
        Grid("Forecasts by level", ("bot", "level", "hands", "mean forecast", "made", "Brier score"), levels),
        Grid(
            "Brier scores",
            ("bot", "hands", "of the forecast", "of the share made at the level", "of the share made", "bold by"),
            scores,
            "Mean squared error of the forecast; of always saying how often contracts of this level, or all of them, "
            "are made in these hands; and by how much more than they are made the forecast says on average.",
        ),
    ]


def _scores(frame: pd.DataFrame) -> tuple[str, str, str, str]:
    made = frame["made"].astype(float)
    level = made.groupby(frame["level"]).transform("mean")
    bold = points(mean(frame["forecast"] - made))
    scores = (brier(chances, made) for chances in (frame["forecast"], level, np.full(len(made), made.mean())))
    first, second, third = (f"{score:.3f}" for score in scores)
    return first, second, third, bold


def natures(selves: dict[str, Run], most: int) -> list[Grid]:
    """Leaf correlation, bias and disambiguation of hands between bots of a kind."""
    found = {bot: nature(run.frame, run.rules, run.manifest.seed or 0, most) for bot, run in selves.items()}
    return [_leaves(found), _shrinking(found)]


def _leaves(found: dict[str, Nature]) -> Grid:
    rows = [
        (
            bot,
            each.hands,
            share(mean(each.favoured)),
            len(each.leaves),
            number(mean(each.leaves["same_points"])),
            number(mean(each.leaves["same_fate"])),
            number(_factor(each.shrinking)),
        )
        for bot, each in found.items()
    ]
    head = ("played by", "hands", "bias", "with a last choice", "leaf correlation", "of the contract", "disambiguation")
    about = (
        "*Bias*: hands in which the declaring side scores more than the other. *Leaf correlation*: the chance that two "
        "cards at the last choice of a hand come to the same points; *of the contract*: to the same fate of the "
        "contract; only of hands after whose last choice all is forced. *Disambiguation*: which part of the layouts "
        "that a player thought possible at a card are impossible at his next one."
    )
    return Grid("Leaf correlation, bias, disambiguation", head, rows, about)


def _factor(shrinking: pd.DataFrame) -> Any:
    shrinking = shrinking[shrinking["before"] > 1]  # who knows all learns nothing
    gone = 1 - shrinking["after"] / shrinking["before"]
    boards = gone.groupby(shrinking["board"]).agg(["sum", "size"])
    return ratio(boards["sum"], boards["size"])


def _shrinking(found: dict[str, Nature]) -> Grid:
    tricks = sorted({trick for each in found.values() for trick in each.shrinking["trick"].unique()})
    rows = []
    for bot, each in found.items():
        layouts = np.log10(each.shrinking["before"]).groupby(each.shrinking["trick"]).mean()
        rows.append((bot, *(f"{layouts.get(trick, np.nan):.1f}" for trick in tricks)))
    about = "The mean power of ten of the layouts that agree with what a player has seen, when he plays to a trick."
    return Grid("Layouts by trick", ("played by", *tricks), rows, about)
