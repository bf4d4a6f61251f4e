"""Pictures of the standings: the order of the bots, and who beats whom."""

from pathlib import Path
from typing import Final

import matplotlib as mpl
import numpy as np

from bidwhist.plots.picture import LOOKS, Picture, picture
from bidwhist.plots.seen import Seen, is_few, look_at
from bidwhist.plots.words import between, counted, leaves_out_0, listed, shown_of, signed, told_apart
from bidwhist.results.standings import BotDifference, Standing

_MOST_BOTS: Final = 25  # in the standings
_MOST_CROSS: Final = 10  # in the cross table


def standings(run: str | Path) -> Picture:
    """Points of every bot with their 95% intervals, in the order of the standings."""
    seen = look_at(run)
    shown = [each for each in seen.standings.standings if each.score.points_per_board is not None][:_MOST_BOTS]
    with picture("Who is ahead, and how surely?", height=1.9 + 0.36 * len(shown)) as figure:
        axes = figure.subplots()
        axes.axvline(0, color="0.6", linewidth=1)
        for place, each in enumerate(shown):
            points, interval = each.score.points_per_board, each.score.ci95
            look = LOOKS[0]
            if interval:
                ends = [[points - interval[0]], [interval[1] - points]]
                axes.errorbar([points], [place], xerr=ends, fmt="none", capsize=4, color=look.colour)
            inside = "white" if _is_rough(seen, each) else look.colour
            axes.plot([points], [place], look.marker, color=look.colour, markerfacecolor=inside)
            text = f"{signed(points)}  ({between(interval)})"
            axes.annotate(text, (1.02, place), xycoords=("axes fraction", "data"), va="center", annotation_clip=False)
        axes.set_yticks(range(len(shown)), [_ranked(seen, each) for each in shown])
        axes.set_ylim(len(shown) - 0.5, -0.5)
        axes.margins(x=0.08)
        axes.set_xlabel(f"points a {seen.per}, and the 95% interval")
        figure.answer(
            _lead(seen),
            seen.hollow(any(_is_rough(seen, each) for each in shown)),
            "* sees all hands, and has no rank." if any(each.cheats for each in shown) else "",
            "! is disqualified." if any(each.disqualified for each in shown) else "",
            shown_of(len(shown), len(seen.bots)),
        )
    return figure


def _is_rough(seen: Seen, standing: Standing) -> bool:
    return is_few(_units(seen, standing))


def _ranked(seen: Seen, standing: Standing) -> str:
    mark = "!" if standing.disqualified else ""
    return f"{seen.labels[standing.bot]}  {standing.rank or '*'}{mark}"


def _lead(seen: Seen) -> str:
    """Who is ahead, in words."""
    ranked = [each for each in seen.standings.standings if not each.cheats]
    if len(ranked) < 2 or not seen.standings.differences:
        return "There are no two bots with a rank to be compared."
    first = [each.bot for each in ranked if each.rank == ranked[0].rank]
    pair = _difference(seen, ranked[0].bot, ranked[1].bot)
    units = min(_units(seen, each) for each in ranked[:2])
    words = told_apart(pair, seen.labels, units, seen.unit)
    if len(ranked) == 2:
        return words
    if len(first) == 1:
        return f"{seen.labels[first[0]]} is ahead of all others. {words}"
    names = listed([seen.labels[bot] for bot in first]) if len(first) < 5 else _all_or_first(len(first), len(ranked))
    return f"{names} share the first rank. {words}"


def _all_or_first(number: int, all_: int) -> str:
    return f"All {number} bots" if number == all_ else f"The first {number} bots"


def _units(seen: Seen, standing: Standing) -> int:
    return int(standing.score.games if seen.manifest.is_games else standing.score.boards)


def _difference(seen: Seen, bot: str, other: str) -> BotDifference:
    return next(each for each in seen.standings.differences if (each.bot, each.other) == (bot, other))


def cross_table(run: str | Path) -> Picture:
    """Points of every bot against every other, as a heat map with numbers."""
    seen = look_at(run)
    bots = seen.bots[:_MOST_CROSS]
    scores = {
        (each.bot, each.opponent): each.score
        for each in seen.standings.pairings
        if each.bot in bots and each.opponent in bots and each.score.points_per_board is not None
    }
    values = np.full((len(bots), len(bots)), np.nan)
    for (bot, other), score in scores.items():
        values[bots.index(bot), bots.index(other)] = score.points_per_board
    largest = float(np.nanmax(np.abs(values), initial=0.0)) or 1.0
    size = len(bots)
    with picture("Who beats whom?", width=max(6.0, 3.2 + 0.85 * size), height=2.0 + 0.52 * size) as figure:
        axes = figure.subplots()
        shades = mpl.colormaps["cividis"]
        image = axes.imshow(values, cmap=shades, vmin=-largest, vmax=largest, aspect="auto")
        for (bot, other), score in scores.items():
            points, interval = score.points_per_board, score.ci95
            half = "" if interval is None else f"\n±{(interval[1] - interval[0]) / 2:.2f}"
            axes.text(
                bots.index(other),
                bots.index(bot),
                f"{signed(points)}{half}",
                ha="center",
                va="center",
                size=8.5,
                weight="bold" if leaves_out_0(interval) else "normal",
                color="white" if points < -0.1 * largest else "black",
                style="italic" if is_few(seen.units(bot, other)) else "normal",
            )
        axes.set_yticks(range(size), [f"{seen.labels[bot]}  ({place})" for place, bot in enumerate(bots, 1)])
        axes.set_xticks(range(size), [f"({place})" for place in range(1, size + 1)])
        axes.set_ylabel("points of this bot …")
        axes.set_xlabel("… against this one")
        axes.spines[:].set_visible(False)
        axes.tick_params(length=0)
        figure.colorbar(image, label=f"points a {seen.per}")
        few = any(is_few(seen.units(*pair)) for pair in scores)
        figure.answer(
            _one_sided(seen, [pair for pair in scores if bots.index(pair[0]) < bots.index(pair[1])]),
            "Below the points stands half of the 95% interval.",
            seen.hollow(few, "Italic numbers"),
            shown_of(size, len(seen.bots)),
        )
    return figure


def _one_sided(seen: Seen, pairs: list[tuple[str, str]]) -> str:
    scores = [seen.pairing(*pair).score for pair in pairs]
    sure = sum(leaves_out_0(score.ci95) for score in scores)
    most = max(pairs, key=lambda pair: abs(seen.pairing(*pair).score.points_per_board))
    points = seen.pairing(*most).score.points_per_board
    winner, loser = most if points > 0 else most[::-1]
    if len(pairs) == 1:
        verdict = "the interval leaves out 0 (bold)" if sure else "the interval holds 0, so they are not told apart"
        if scores[0].ci95 is None:
            verdict = f"one {seen.unit} gives no interval"
        lead = ""
    else:
        verdict = (
            f"of {counted(len(pairs), 'pairing')} {sure} {'has' if sure == 1 else 'have'} an interval without 0 (bold)"
        )
        lead = "Most one-sided: "
    if points == 0:
        return f"All pairings are level; {verdict}."
    return (
        f"{lead}{seen.labels[winner]} makes {signed(abs(points))} points a {seen.per} against {seen.labels[loser]}; "
        f"{verdict}."
    )
