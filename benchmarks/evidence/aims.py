"""What is aimed at, and what has come of it."""

from collections.abc import Iterator
from typing import Any, Final, NamedTuple

import pandas as pd

from bidwhist.stats.intervals import Estimate
from evidence.figures import board_points, games_won, mean, share_of_way
from evidence.found import Found, Run
from evidence.plan import BASE, BEST, ORACLES, RUNG, SLOW, calls_of, cards_of
from evidence.text import Grid, percent, points, share

_MC, _BELIEF = RUNG[2:]
_UNKNOWN: Final = "not played yet"
_NONE: Final = pd.Series(dtype=float)


class Aim(NamedTuple):
    """What is aimed at: the least, and what would be good; `kind` is how figures of it are written."""

    what: str
    least: float
    good: float
    kind: Any = points


_ABOUT: Final = (
    "An aim is met if the lower end of the interval reaches it; of games and of the way, if the figure does. Points "
    "per board are the mean of both tables. The aims were set by trials of another program, which counted the *sum* of "
    "both tables: there the heuristic was 11.3 points above `random`, more than the 7 that a table of `classic` can "
    "bring; here it is half of that. So points are judged twice, and the last column is what the aims meant."
)


def aims(found: Found) -> Grid:
    """Every aim with its figure."""
    head = ("what", "figure", "boards or games", "at least", "good", "met", "sum of both tables", "met by the sum")
    return Grid("Aims", head, [_row(aim, figure) for aim, figure in _figures(found)], _ABOUT)


def _row(aim: Aim, values: tuple[Estimate, int] | None) -> tuple[Any, ...]:
    least, good = (aim.kind(Estimate(value, None)) for value in (aim.least, aim.good))
    if values is None:
        return aim.what, _UNKNOWN, "-", least, good, "-", "-", "-"
    estimate, number = values
    judged = aim.what, aim.kind(estimate), number, least, good, verdict(aim, estimate)
    if aim.kind is not points:
        return *judged, "-", "-"
    total = twice(estimate)
    return *judged, points(total), verdict(aim, total)


def twice(estimate: Estimate) -> Estimate:
    """The sum of two tables whose mean is `estimate`."""
    ends = estimate.interval
    return Estimate(2 * estimate.value, None if ends is None else (2 * ends[0], 2 * ends[1]))


def verdict(aim: Aim, estimate: Estimate) -> str:
    """What is to be said of a figure."""
    reached = estimate.value
    if aim.kind is points:
        reached = estimate.interval[0] if estimate.interval else float("-inf")
    if reached >= aim.good:
        return "good"
    return "yes" if reached >= aim.least else "no"


def _figures(found: Found) -> Iterator[tuple[Aim, tuple[Estimate, int] | None]]:
    over = {bot: _boards(found, ("pairings", "slow", "best"), bot, BASE) for bot in (_MC, SLOW, _BELIEF, BEST)}
    won = {bot: _games(found, bot) for bot in over}
    yield Aim(f"`{_MC}` over `{BASE}`", 1.5, 2.8), _figure(over[_MC])
    yield Aim(f"`{_MC}` against `{BASE}`, games", 0.75, 0.88, share), _figure(won[_MC])
    for aim, name, bot, other in (
        (Aim(f"`{_MC}`, cards alone", 0.6, 1.1), "cards", cards_of(_MC), BASE),
        (Aim(f"`{_MC}`, calls alone", 0.7, 1.5), "calls", calls_of(_MC), BASE),
        (Aim(f"`{_BELIEF}` over `{_MC}`, cards alone", 0.0, 0.4), "cards", cards_of(_BELIEF), cards_of(_MC)),
    ):
        yield aim, _figure(_boards(found, (name,), bot, other))
    yield Aim(f"`{SLOW}` over `{BASE}`", 1.0, 2.3), _figure(over[SLOW])
    yield Aim(f"`{SLOW}` against `{BASE}`, games", 0.70, 0.85, share), _figure(won[SLOW])
    best = max(over, key=lambda bot: over[bot].mean() if len(over[bot]) else float("-inf"))
    yield Aim(f"the best bot, `{best}`, over `{BASE}`", 2.0, 3.6), _figure(over[best])
    yield Aim(f"`{best}` against `{BASE}`, games", 0.80, 0.93, share), _figure(won[best])
    whole = _boards(found, ("oracles",), ORACLES[-1], BASE)
    way, both = share_of_way(over[best], whole), len(whole.index.intersection(over[best].index))
    yield (
        Aim(f"`{best}` on the way from `{BASE}` to `{ORACLES[-1]}`", 0.35, 0.55, percent),
        (way, both) if way else None,
    )


def _figure(values: "pd.Series[float]") -> tuple[Estimate, int] | None:
    estimate = mean(values)
    return None if estimate is None else (estimate, len(values))


def _boards(found: Found, names: tuple[str, ...], bot: str, other: str) -> "pd.Series[float]":
    """Points by board, of the first of these experiments that has the pairing; empty if none has."""
    return next((board_points(run.frame, bot, other) for run in _with_both(found, names, bot, other)), _NONE)


def _games(found: Found, bot: str) -> "pd.Series[float]":
    return next(
        (
            games_won(run.frame, bot, BASE)
            for run in _with_both(found, ("games", "games-slow", "games-best"), bot, BASE)
        ),
        _NONE,
    )


def _with_both(found: Found, names: tuple[str, ...], bot: str, other: str) -> list[Run]:
    return [run for run in found.those(*names) if {bot, other} <= set(run.bots)]
