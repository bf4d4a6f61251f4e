"""Pictures of how many boards a question needs, and of what more of them bring."""

from numbers import Real
from pathlib import Path
from typing import Final

import numpy as np
from matplotlib.ticker import FuncFormatter, NullFormatter

from bidwhist.errors import RunError
from bidwhist.plots.picture import LOOKS, Picture, picture
from bidwhist.plots.seen import Seen, look_at
from bidwhist.plots.words import counted, estimated, leaves_out_0
from bidwhist.results.pilot import pilot_of
from bidwhist.stats.intervals import ENOUGH, Estimate
from bidwhist.stats.planning import POWER
from bidwhist.stats.planning import boards_needed as needed
from bidwhist.text import echo

_STEPS: Final = 60  # numbers of boards at which the interval is drawn
_DIFFERENCES: Final = (0.1, 3.0)  # points a board
_SMALLEST: Final = 0.001
_LARGEST: Final = 1000.0


def convergence(run: str | Path, one: str | None = None, other: str | None = None) -> Picture:
    """The points of a bot against another after the first boards, with the interval that they had then.

    Without names, of the first two of the standings. Raises RunError if they have met on fewer than three boards.
    """
    seen = look_at(run)
    one, other = seen.pair(one, other)
    tally, place, opponent = seen.tally(one, other)
    most = len(tally.sample.meeting(place, opponent))
    if most < 3:
        raise RunError(f"{seen.run}: how an interval shrinks cannot be seen from {counted(most, seen.unit)}")
    numbers = {round(number) for number in np.geomspace(2, most, _STEPS).tolist()} | {min(ENOUGH, most)}
    found = {number: tally.sample.estimate_after("points", place, opponent, number) for number in sorted(numbers)}
    found = {number: each for number, each in found.items() if each.interval is not None}
    first, second, look = seen.labels[one], seen.labels[other], LOOKS[0]
    with picture(f"How did the interval of {first} against {second} shrink?", height=4.4) as figure:
        axes = figure.subplots()
        axes.axhline(0, color="0.4", linewidth=1)
        low, high = np.array([each.interval for each in found.values()], np.float64).reshape(-1, 2).T
        places = list(found)
        axes.fill_between(places, low, high, facecolor="#56B4E9", alpha=0.3, edgecolor="none", label="95% interval")
        axes.plot(places, low, color=look.colour, linewidth=0.8)
        axes.plot(places, high, color=look.colour, linewidth=0.8)
        axes.plot(places, [each.value for each in found.values()], color="black", linewidth=1.8, label="mean")
        if places[0] < ENOUGH <= most:
            axes.axvline(ENOUGH, color="0.4", linestyle=":", label=f"{ENOUGH} {seen.unit}s: rough before")
        # The first intervals are as wide as anything; they may be cut off.
        shown = [each.interval for number, each in found.items() if number >= min(8, most) and each.interval]
        ends = [end for interval in shown for end in interval] or [*low, *high]
        margin = 0.08 * (max(ends) - min(ends) or 1.0)
        axes.set_ylim(min(*ends, 0) - margin, max(*ends, 0) + margin)
        axes.set_xlim(0, most)
        axes.set_xlabel(f"{seen.unit}s played")
        axes.set_ylabel(f"points a {seen.per} (above 0: for the first)")
        axes.legend(loc="upper left", bbox_to_anchor=(1.01, 1.0))
        figure.answer(*_shrunk(seen, found, first, second))
    return figure


def _shrunk(seen: Seen, found: dict[int, Estimate], first: str, second: str) -> list[str]:
    if not found:
        return ["There is no interval: all boards are alike."]
    numbers = list(found)
    early = next((number for number in numbers if number >= ENOUGH), numbers[0])
    last = numbers[-1]
    texts = []
    if early < last:
        texts.append(
            f"After {counted(early, seen.unit)} the interval was {_half(found[early])} points either way, after all "
            f"{last:,} {_half(found[last])}."
        )
    since = last
    for number in reversed(numbers):
        if not leaves_out_0(found[number].interval):
            break
        since = number
    points = estimated(found[last])
    if not leaves_out_0(found[last].interval):
        texts.append(f"At the end it is {points}: {first} and {second} are not told apart.")
    else:
        texts.append(f"From {counted(since, seen.unit)} on it leaves out 0; at the end it is {points}.")
        texts.append("Who stops at the first such moment will too often find a difference where there is none.")
    return texts


def _half(estimate: Estimate) -> str:
    low, high = estimate.interval or (0.0, 0.0)
    return f"{(high - low) / 2:.2f}"


def boards_needed(
    run: str | Path, one: str | None = None, other: str | None = None, *, difference: float = 0.5
) -> Picture:
    """The number of boards that would find a difference between two bots, by the variance of the boards of this run.

    `difference`: the one, in points a board, of which the caption tells. Without names, of the first two of the
    standings. Raises RunError if they have met on fewer than two boards.
    """
    seen = look_at(run)
    one, other = seen.pair(one, other)
    pairing = pilot_of(seen.run, one, other)
    if not (isinstance(difference, Real) and _SMALLEST <= difference <= _LARGEST):
        raise RunError(f"difference: {echo(difference)} is no number of points from {_SMALLEST:g} to {_LARGEST:g}")
    worth = seen.pairing(one, other).score.boards_worth
    first, second = seen.labels[one], seen.labels[other]
    differences = np.geomspace(min(_DIFFERENCES[0], difference), max(_DIFFERENCES[1], difference), 80)
    variance = pairing.pilot.variance
    with picture(f"How many {seen.unit}s does it take to tell {first} and {second} apart?", height=4.6) as figure:
        axes = figure.subplots()
        if worth is not None:
            single = [needed(variance * worth, each) for each in differences]
            axes.plot(differences, single, color=LOOKS[1].colour, linestyle="--", label="new cards at every table")
        curve = [needed(variance, each) for each in differences]
        most = [needed(pairing.pilot.most, each) for each in differences]
        axes.plot(differences, curve, color=LOOKS[0].colour, linewidth=1.8, label="duplicate play")
        axes.fill_between(
            differences,
            curve,
            most,
            facecolor="none",
            edgecolor=LOOKS[0].colour,
            hatch="////",
            linewidth=0,
            label="at most",
        )
        axes.plot([difference], [needed(variance, difference)], "o", color="black", markersize=7, zorder=3)
        axes.annotate(
            f"{needed(variance, difference):,} {seen.unit}s",
            (difference, needed(variance, difference)),
            (-8, -12),
            textcoords="offset points",
            ha="right",
        )
        axes.set_xscale("log")
        axes.set_yscale("log")
        ticks = [each for each in (0.1, 0.2, 0.5, 1.0, 2.0, 3.0) if differences[0] <= each <= differences[-1] * 1.001]
        axes.set_xticks(ticks, [f"{each:g}" for each in ticks])
        axes.xaxis.set_minor_formatter(NullFormatter())
        axes.yaxis.set_minor_formatter(NullFormatter())
        axes.yaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:,.0f}"))
        axes.grid()
        axes.set_xlabel(f"true difference, points a {seen.per}")
        axes.set_ylabel(f"{seen.unit}s needed")
        axes.legend(loc="upper left", bbox_to_anchor=(1.01, 1.0))
        figure.answer(
            *_needed_told(seen, pairing.pilot.variance, pairing.pilot.most, worth, difference, pairing.pilot.boards)
        )
    return figure


def _needed_told(
    seen: Seen, variance: float, most: float, worth: float | None, difference: float, pilot: int
) -> list[str]:
    boards, at_most = needed(variance, difference), needed(most, difference)
    texts = [
        f"Judged by {counted(pilot, seen.unit)}, a true difference of {difference:g} points a {seen.per} is found in "
        f"{POWER:.0%} of all runs with {counted(boards, seen.unit)} ({at_most:,} at most)."
    ]
    if worth is not None:
        single = needed(variance * worth, difference)
        verb = "saves" if single > boards else "does not save"
        texts.append(
            f"With new cards at every table it would take {single:,}: a board played twice is worth {worth:.1f} of "
            f"them, so duplicate play {verb} boards here."
        )
    return texts
