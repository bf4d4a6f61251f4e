"""Pictures of the bidding: which contracts are made, and whether bids promise what is won."""

from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.ticker import PercentFormatter

from bidwhist.errors import RunError
from bidwhist.plots.picture import LOOKS, MOST_LINES, Look, Picture, legend, panel_grid, panels, picture, point
from bidwhist.plots.seen import Seen, is_few, look_at, mean_books, share_made, units_of
from bidwhist.plots.words import between, counted, leaves_out_0, listed, percent, shown_of, signed
from bidwhist.results.schema import STRAINS
from bidwhist.score import BASE
from bidwhist.stats.intervals import Estimate

_PLACES: Final = {1: "first", 2: "second", 3: "third", 4: "last"}  # in the auction; the dealer is last
_FEWEST: Final = 10  # contracts of a level that is named in a caption


def bids_made(run: str | Path) -> Picture:
    """The share of the contracts that were made, by level, by strain and by the declarer's place, of every bot."""
    seen = look_at(run)
    bots, contracts = _declaring(seen)
    all_ = pd.concat(contracts.values())
    levels = _levels(contracts)
    strains = [strain for strain in STRAINS if (all_["strain"] == strain).any()]
    groups: dict[str, tuple[list[Any], list[str], str]] = {
        "level": (levels, [str(level) for level in levels], "level of the contract"),
        "strain": (strains, [strain.replace(" ", "\n") for strain in strains], "strain of the contract"),
        "place": (list(_PLACES), list(_PLACES.values()), "the declarer called"),
    }
    few = False
    with picture("Which bids are made?", width=12.0, height=4.6) as figure:
        widths = [max(len(levels), 3), 1.3 * max(len(strains), 2), len(_PLACES)]
        panels = figure.subplots(1, len(groups), sharey=True, width_ratios=widths)
        for panel, (column, (values, names, what)) in zip(panels, groups.items(), strict=True):
            few |= _shares(panel, column, values, contracts, lines=column == "level")
            panel.set_xticks(range(len(values)), names)
            panel.set_xlim(-0.6, len(values) - 0.4)
            panel.set_xlabel(what)
            panel.grid(axis="y")
        panels[0].set_ylim(-0.04, 1.04)
        panels[0].yaxis.set_major_formatter(PercentFormatter(1))
        panels[0].set_ylabel("contracts made, and 95% interval")
        legend(panels[-1], [seen.labels[bot] for bot in bots], title="declaring bot")
        figure.answer(_most_made(seen, contracts), seen.hollow(few), shown_of(len(bots), len(seen.bots)))
    return figure


def _declaring(seen: Seen) -> tuple[list[str], dict[str, pd.DataFrame]]:
    """The bots that are shown, and the contracts of each. Raises RunError if nobody declared."""
    bots = seen.bots[:MOST_LINES]
    contracts = {bot: seen.declared_by(bot) for bot in bots}
    if not any(len(rows) for rows in contracts.values()):
        raise RunError(f"{seen.run}: the first {len(bots)} bots have declared no contract")
    return bots, contracts


def _levels(contracts: dict[str, pd.DataFrame]) -> list[int]:
    """All levels from the lowest of some contracts to the highest."""
    levels = pd.concat(contracts.values())["level"]
    return list(range(int(levels.min()), int(levels.max()) + 1))


def _shares(axes: Axes, column: str, groups: list[Any], contracts: dict[str, pd.DataFrame], *, lines: bool) -> bool:
    """Draw the shares of contracts made by group; whether one of them rests on few boards."""
    few = False
    for number, (rows, look) in enumerate(zip(contracts.values(), LOOKS, strict=False)):
        shift = 0.5 * (number - (len(contracts) - 1) / 2) / len(contracts)
        some = {place: rows[rows[column] == group] for place, group in enumerate(groups)}
        estimates = {place: (share_made(each), units_of(each)) for place, each in some.items() if len(each)}
        few |= _points(axes, estimates, look, shift, line=lines)
    return few


def _points(axes: Axes, found: dict[int, tuple[Estimate, int]], look: Look, shift: float, *, line: bool) -> bool:
    """Draw estimates by place, each with the number of its boards. True if one of them rests on few boards."""
    places = [place + shift for place in found]
    if line:
        values = [estimate.value for estimate, _ in found.values()]
        axes.plot(places, values, color=look.colour, linestyle=look.line, linewidth=1.2)
    for place, (estimate, number) in zip(places, found.values(), strict=True):
        point(axes, place, estimate, look, is_few(number))
    return any(is_few(number) for _, number in found.values())


def _most_made(seen: Seen, contracts: dict[str, pd.DataFrame]) -> str:
    """The share of its contracts that each bot makes, and the level at which the first one makes the smallest share."""
    parts = []
    for bot, rows in contracts.items():
        if len(rows):
            share = share_made(rows)
            ends = "" if share.interval is None else f" ({' to '.join(map(percent, share.interval))})"
            parts.append(f"{seen.labels[bot]} makes {percent(share.value)} of {counted(len(rows), 'contract')}{ends}")
        else:
            parts.append(f"{seen.labels[bot]} has declared none")
    first = next(bot for bot, rows in contracts.items() if len(rows))
    rows = contracts[first]
    sizes = {level: rows[rows["level"] == level] for level in sorted(rows["level"].unique())}
    enough = {level: share_made(each).value for level, each in sizes.items() if len(each) >= _FEWEST}
    worst = ""
    if len(enough) > 1:
        level = min(enough, key=lambda each: enough[each])
        worst = f" {seen.labels[first]} makes the smallest share at level {level}: {percent(enough[level])}."
    return "; ".join(parts) + "." + worst


def calibration(run: str | Path) -> Picture:
    """Books won against books promised, by strain, for every bot."""
    seen = look_at(run)
    bots, contracts = _declaring(seen)
    silent = [seen.labels[bot] for bot in bots if not len(contracts[bot])]
    bots = [bot for bot in bots if len(contracts[bot])]
    levels = _levels(contracts)
    down, across = panel_grid(len(bots))
    few = False
    with picture("Do bids promise what is won?", width=max(7.0, 3.4 * across + 1.6), height=1.6 + 3.0 * down) as figure:
        labels = [seen.labels[bot] for bot in bots]
        axes = panels(figure, labels, x="books promised", y="books won, and 95% interval")
        for panel, bot in zip(axes, bots, strict=True):
            few |= _promised_and_won(panel, contracts[bot], levels)
        axes[0].set_xticks(range(len(levels)), [str(level + BASE) for level in levels])
        axes[0].set_xlim(-0.6, len(levels) - 0.4)
        axes[0].set_ylim(-0.5, 2 * BASE + 1.5)
        legend(axes[across - 1], STRAINS, title="strain", lines=False)
        figure.answer(
            _kept(seen, {bot: contracts[bot] for bot in bots}),
            f"{listed(silent)} declared no contract." if silent else "",
            "On the grey steps a contract is just made.",
            seen.hollow(few),
            shown_of(min(len(seen.bots), MOST_LINES), len(seen.bots)),
        )
    return figure


def _promised_and_won(axes: Axes, rows: pd.DataFrame, levels: list[int]) -> bool:
    edges = np.arange(len(levels) + 1) - 0.5
    axes.stairs([level + BASE for level in levels], edges, baseline=None, color="0.45", linewidth=1.5)
    few = False
    for number, (strain, look) in enumerate(zip(STRAINS, LOOKS, strict=False)):
        some = rows[rows["strain"] == strain]
        by_level = {place: some[some["level"] == level] for place, level in enumerate(levels)}
        found = {
            place: (mean_books(each, each["books"]), units_of(each)) for place, each in by_level.items() if len(each)
        }
        few |= _points(axes, found, look, 0.24 * (number - 1), line=False)
    return few


def _margin(rows: pd.DataFrame) -> Estimate:
    """Books won less books promised."""
    return mean_books(rows, rows["margin"])


def _kept(seen: Seen, contracts: dict[str, pd.DataFrame]) -> str:
    """Whether bots win more books than they promise, or fewer."""
    groups: dict[str, list[str]] = {"more": [], "fewer": [], "as many": []}
    for bot, rows in contracts.items():
        margin = _margin(rows)
        interval = "no interval" if margin.interval is None else f"interval {between(margin.interval)}"
        text = f"{seen.labels[bot]} ({signed(margin.value)}, {interval})"
        if not leaves_out_0(margin.interval):
            groups["as many"].append(text)
        else:
            groups["more" if margin.value > 0 else "fewer"].append(text)
    words: dict[str, Callable[[str, str], str]] = {
        "more": lambda names, ends: f"{names} win{ends} more books than promised",
        "fewer": lambda names, ends: f"{names} win{ends} fewer books than promised",
        "as many": lambda names, ends: f"for {names} more or fewer than promised cannot be told",
    }
    told = [words[group](listed(names), "s" if len(names) == 1 else "") for group, names in groups.items() if names]
    text = "On average " + "; ".join(told) + "."
    first, rows = next(iter(contracts.items()))
    margins = {strain: _margin(some) for strain in STRAINS if len(some := rows[rows["strain"] == strain]) >= _FEWEST}
    if len(margins) < 2:
        return text
    low, high = (choose(margins, key=lambda each: margins[each].value) for choose in (min, max))
    return (
        f"{text} By strain, {seen.labels[first]} wins the most against its promise in {high} "
        f"({signed(margins[high].value)}) and the least in {low} ({signed(margins[low].value)})."
    )
