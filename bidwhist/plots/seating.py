"""Pictures of where points are made: by seat and dealer, and as declarer or defender."""

from pathlib import Path
from typing import Final

import pandas as pd

from bidwhist.notation import SEAT_LETTERS
from bidwhist.plots.picture import LOOKS, MOST_LINES, Picture, legend, panel_grid, panels, picture, point
from bidwhist.plots.seen import Seen, is_few, look_at, mean_points, units_of
from bidwhist.plots.words import counted, estimated, shown_of, signed, verdict
from bidwhist.stats.intervals import Estimate

_SIDES: Final = ("NS", "EW")
_ROLES: Final = (
    ("declares, makes it", True, True),
    ("declares, is set", True, False),
    ("defends, they make it", False, True),
    ("defends, they are set", False, False),
)


def seats(run: str | Path) -> Picture:
    """Points a table by the side on which a bot sits and by the dealer, of every bot."""
    seen = look_at(run)
    bots = seen.bots[:MOST_LINES]
    down, across = panel_grid(len(bots))
    few = False
    with picture(
        "Does it matter where a bot sits, and who deals?",
        width=max(7.0, 3.2 * across + 1.2),
        height=1.6 + 2.7 * down,
    ) as figure:
        axes = panels(figure, [seen.labels[bot] for bot in bots], x="dealer", y="points a table, 95% interval")
        for panel, bot in zip(axes, bots, strict=True):
            rows = seen.of(bot)
            panel.axhline(0, color="0.6", linewidth=1)
            for side, look in enumerate(LOOKS[: len(_SIDES)]):
                for place, dealer in enumerate(SEAT_LETTERS):
                    some = rows[(rows["side"] == side) & (rows["dealer"] == dealer)]
                    if not len(some):
                        continue
                    point(panel, place + 0.24 * (side - 0.5), mean_points(seen, some), look, is_few(units_of(some)))
                    few |= is_few(units_of(some))
        low, high = axes[0].get_ylim()  # intervals of a handful of boards are wider than points can be
        axes[0].set_ylim(max(low, -1.1 * seen.most_points), min(high, 1.1 * seen.most_points))
        axes[0].set_xlim(-0.5, len(SEAT_LETTERS) - 0.5)
        axes[0].set_xticks(range(len(SEAT_LETTERS)), list(SEAT_LETTERS))
        legend(axes[across - 1], _SIDES, title="the bot sits", lines=False)
        figure.answer(_worth(seen), seen.hollow(few), shown_of(len(bots), len(seen.bots)))
    return figure


def _worth(seen: Seen) -> str:
    """The worth of the deal and of the seats, over all bots."""
    rows = seen.tables[seen.tables["side"] == 0]
    fair = rows[~rows["bot"].isin(seen.aside) & ~rows["opponent"].isin(seen.aside)]
    rows = fair if len(fair) else rows
    dealer_is_ns = rows["dealer"].isin(["N", "S"])
    deal = mean_points(seen, rows, rows["points"].where(dealer_is_ns, -rows["points"]))
    north = mean_points(seen, rows)
    return (
        f"Over all bots, the dealer's side makes {estimated(deal)} points a table{verdict(deal)}; "
        f"North-South makes {estimated(north)}{verdict(north)} "
        f"({counted(len(rows), 'table')}). In duplicate play every bot sits on both sides of every board, so neither "
        "favours anybody."
    )


def roles(run: str | Path) -> Picture:
    """The points a table that every bot has as declarer, and as defender."""
    seen = look_at(run)
    bots = seen.bots[:MOST_LINES]
    found = {bot: _roles_of(seen, seen.of(bot)) for bot in bots}
    few = False
    with picture("Where do the points come from?", width=9.0, height=4.6) as figure:
        axes = figure.subplots()
        axes.axhline(0, color="0.6", linewidth=1)
        for number, (estimates, look) in enumerate(zip(found.values(), LOOKS, strict=False)):
            for place, (points, cases) in enumerate(estimates):
                at = place + 0.7 * (number - (len(bots) - 1) / 2) / len(bots)
                axes.vlines(at, min(0, points.value), max(0, points.value), color=look.colour, linewidth=4, alpha=0.35)
                point(axes, at, points, look, is_few(cases))
                few |= is_few(cases)
        axes.set_xticks(range(len(_ROLES)), [name.replace(", ", ",\n") for name, *_ in _ROLES])
        axes.set_ylabel("points a table that this adds, 95% interval")
        axes.grid(axis="y")
        legend(axes, [seen.labels[bot] for bot in bots], title="bot", lines=False)
        figure.answer(*_told(seen, found), seen.hollow(few), shown_of(len(bots), len(seen.bots)))
    return figure


def _roles_of(seen: Seen, rows: pd.DataFrame) -> list[tuple[Estimate, int]]:
    """By role what it adds to the points a table, and on how many boards, or in how many games, the bot had it."""
    masks = [(rows["declares"] == declares) & (rows["made"] == made) for _, declares, made in _ROLES]
    return [(mean_points(seen, rows, rows["points"].where(mask, 0)), units_of(rows[mask])) for mask in masks]


def _told(seen: Seen, found: dict[str, list[tuple[Estimate, int]]]) -> list[str]:
    texts = []
    for bot in list(found)[:3]:
        values = [estimate.value for estimate, _ in found[bot]]
        declaring, defending = values[0] + values[1], values[2] + values[3]
        share = float(seen.of(bot)["declares"].mean())
        texts.append(
            f"{seen.labels[bot]} declares at {share:.0%} of its tables, which adds {signed(declaring)} points a table; "
            f"defending adds {signed(defending)}."
        )
    return texts
