"""Pictures of two bots against each other: the swings of their boards, and what made them."""

from pathlib import Path
from typing import Final

import numpy as np
from matplotlib.ticker import MaxNLocator
from numpy.typing import NDArray

from bidwhist.errors import RunError
from bidwhist.plots.picture import LOOKS, Picture, picture, point
from bidwhist.plots.seen import Seen, is_few, look_at, mean_points
from bidwhist.plots.words import counted, estimated, percent, signed, verdict
from bidwhist.stats.intervals import ENOUGH, Estimate

_BINS: Final = 25  # of values that are no whole numbers
_LARGEST: Final = 0.1  # share of the boards whose swings are the largest
_HATCHES: Final = ("////", "", "....")  # lost, level, won


def swings(run: str | Path, one: str | None = None, other: str | None = None) -> Picture:
    """The distribution of the swings between two bots: the points of the first at both tables of a board together.

    In games: its points a hand in both orientations of a game. Without names, of the first two of the standings.
    """
    seen = look_at(run)
    one, other = seen.pair(one, other)
    values = seen.values(one, other)
    games = seen.manifest.is_games
    found = values if games else 2 * values  # a board's value is the mean of its two tables
    first, second = seen.labels[one], seen.labels[other]
    with picture(f"How large are the swings between {first} and {second}?", height=4.4) as figure:
        axes = figure.subplots()
        if games:
            width = max(float(np.ptp(found)), 0.1) / _BINS
        else:
            width = 1.0
        edges = (np.arange(np.round(found.min() / width), np.round(found.max() / width) + 2) - 0.5) * width
        middles = (edges[1:] + edges[:-1]) / 2
        level = "about level" if games else "level"
        numbers, _ = np.histogram(found, edges)
        signs = np.sign(np.round(middles / width)).astype(int)
        for sign, hatch, name in zip((-1, 0, 1), _HATCHES, (f"for {second}", level, f"for {first}"), strict=True):
            some = signs == sign
            if numbers[some].any():
                look = LOOKS[{-1: 1, 0: 5, 1: 0}[sign]]
                axes.bar(
                    middles[some],
                    numbers[some],
                    np.diff(edges)[some] * 0.9,
                    facecolor="0.85" if sign == 0 else "white",
                    edgecolor="0.3" if sign == 0 else look.colour,
                    hatch=hatch,
                    label=name,
                )
        axes.axvline(0, color="0.4", linewidth=1)
        points = "points a hand" if games else "points, both tables together"
        axes.set_xlabel(f"swing: {points} (above 0: for the first)")
        axes.set_ylabel(f"{seen.unit}s")
        axes.legend(loc="upper left", bbox_to_anchor=(1.01, 1.0))
        axes.yaxis.set_major_locator(MaxNLocator(integer=True, steps=[1, 2, 5, 10]))
        if not games:
            axes.xaxis.set_major_locator(MaxNLocator(integer=True, steps=[1, 2, 5, 10]))
        figure.answer(_swings_told(seen, one, other, found))
    return figure


def _swings_told(seen: Seen, one: str, other: str, found: NDArray[np.float64]) -> str:
    score = seen.pairing(one, other).score
    first, second = seen.labels[one], seen.labels[other]
    number = len(found)
    both = ", played both ways round," if seen.manifest.is_games else ""
    won, lost, tied = score.duplicates_won, score.duplicates_lost, score.duplicates_tied
    text = (
        f"Of {counted(number, seen.unit)}{both} {first} won {won:,}, {second} {lost:,}, and {tied:,} "
        f"{'was' if tied == 1 else 'were'} level."
    )
    sizes = np.sort(np.abs(found))[::-1]
    if number >= ENOUGH and sizes.sum() > 0:
        largest = max(1, round(_LARGEST * number))
        share = float(sizes[:largest].sum() / sizes.sum())
        text += f" The {largest} largest swings, a tenth, hold {percent(share)} of all points that changed hands."
    mean = Estimate(score.points_per_board, score.ci95)
    return f"{text} On average {first} makes {estimated(mean)} points a {seen.per}{verdict(mean)}."


def sources(run: str | Path, one: str | None = None, other: str | None = None) -> Picture:
    """The difference between two bots in two parts: boards with the same contract at both tables, where only the card
    play differs, and the others, where the bidding does.

    Without names, of the first two of the standings. Raises RunError for a run of games.
    """
    seen = look_at(run)
    if seen.manifest.is_games:
        raise RunError(f"{seen.run}: whether bidding or card play decides is shown for the format boards alone")
    one, other = seen.pair(one, other)
    rows = seen.of(one)
    rows = rows[rows["opponent"] == other].sort_values(["board", "side"], ignore_index=True)
    ns, ew = rows[rows["side"] == 0], rows[rows["side"] == 1]
    # The tables of a board: in the same seat the same contract, though it is another bot's.
    alike = ns["contract"].to_numpy() == ew["contract"].to_numpy()
    alike &= ns["declarer"].to_numpy() == ew["declarer"].to_numpy()
    points = (ns["points"].to_numpy() + ew["points"].to_numpy()) / 2
    parts = {
        "same contract\nat both tables:\ncard play": (np.where(alike, points, 0.0), int(alike.sum())),
        "another contract\nor declarer:\nbidding, then play": (np.where(alike, 0.0, points), int((~alike).sum())),
        "all boards": (points, len(points)),
    }
    first, second = seen.labels[one], seen.labels[other]
    look = LOOKS[0]
    estimates = []
    with picture(f"Bidding or card play: what decides between {first} and {second}?", height=4.4) as figure:
        axes = figure.subplots()
        axes.axhline(0, color="0.6", linewidth=1)
        for place, (values, cases) in enumerate(parts.values()):
            found = mean_points(seen, ns.assign(points=values))
            estimates.append(found)
            point(axes, place, found, look, is_few(cases))
            text = f"{signed(found.value)}\n{counted(cases, 'board')}"
            axes.annotate(text, (place, found.value), (10, 0), textcoords="offset points", va="center")
        axes.set_xticks(range(len(parts)), list(parts))
        axes.set_xlim(-0.5, len(parts) - 0.3)
        axes.margins(y=0.15)
        axes.set_ylabel("points a board, 95% interval")
        axes.grid(axis="y")
        figure.answer(
            _sources_told(first, estimates, [cases for _, cases in parts.values()]),
            seen.hollow(any(is_few(cases) for _, cases in parts.values())),
        )
    return figure


def _sources_told(first: str, estimates: list[Estimate], cases: list[int]) -> str:
    play, bidding, _ = estimates
    texts = []
    for name, found, number in (("the same contract", play, cases[0]), ("different contracts", bidding, cases[1])):
        if number:
            verb = "adds" if number == 1 else "add"
            text = f"{counted(number, 'board')} with {name} at the two tables {verb} {estimated(found)}{verdict(found)}"
        else:
            text = f"there is no board with {name} at the two tables"
        texts.append(text)
    return f"Of the points a board that {first} makes: {texts[0]}; {texts[1]}."
