"""`bw-arena ratings`."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from bidwhist.cli.views.screen import Column, dim, sheets, show
from bidwhist.ladder.ladder import FILE, RUN
from bidwhist.results.manifest import read_manifest
from bidwhist.text import printable_name

if TYPE_CHECKING:
    from bidwhist.results.pooled import Pool
    from bidwhist.stats.intervals import Estimate


@click.command()
@click.argument("runs", metavar="RUN...", nargs=-1, required=True, type=click.Path(path_type=Path))
@click.option("--json", "as_json", is_flag=True, help="Print JSON for programs instead.")
def command(runs: tuple[Path, ...], as_json: bool) -> None:
    """Rate the bots of several runs, or ladders, by all that they have played.

    A bot is the same in all of them if its name and its source are.
    """
    from bidwhist.results.pooled import pool

    folders = list({(run / RUN if (run / FILE).exists() else run).resolve(): run for run in runs})
    pooled = pool(folders)
    if as_json:
        click.echo(json.dumps(ratings_json(pooled), indent=2))
    else:
        show(_screen(pooled, folders))


def ratings_json(pooled: "Pool") -> dict[str, Any]:
    """The ratings for programs: `ratings`, the best first, and `groups` of bots that have met."""
    rows = []
    for place in pooled.places:
        points, elo = pooled.points.estimates.estimate(place.bot), pooled.elo.estimates.estimate(place.bot)
        assert points is not None
        rows.append(
            {
                "bot": pooled.names[place.bot],
                "rank": place.rank,
                "rank_range": (place.low, place.high),
                "points": points.value,
                "ci95": points.interval,
                "rating": None if elo is None else elo.value,
                "rating_ci95": None if elo is None else elo.interval,
                "runs": pooled.runs[place.bot],
                "opponents": len(pooled.sample.met(place.bot)),
                "boards": pooled.sample.boards(place.bot),
            }
        )
    return {"ratings": rows, "groups": [[pooled.names[bot] for bot in group] for group in _met(pooled)]}


def _met(pooled: "Pool") -> list[list[int]]:
    """The groups of bots that have met, those left out that met nobody."""
    return [group for group in pooled.points.groups if len(group) > 1]


def _screen(pooled: "Pool", runs: list[Path]) -> Iterator[Any]:
    is_games = read_manifest(runs[0]).is_games
    yield f"{len(runs)} run{'s' if len(runs) > 1 else ''}, {len(pooled.places)} bots"
    groups = _met(pooled)
    if len(groups) > 1:
        yield f"{len(groups)} groups of bots have never met, and their ratings say nothing of each other:"
        yield from (f"  {', '.join(printable_name(pooled.names[bot]) for bot in group)}" for group in groups)
    yield ""
    points, elo = pooled.points.estimates, pooled.elo.estimates
    columns = [
        Column(
            f"points\na {'hand' if is_games else 'board'}",
            [_text(points.estimate(p.bot), "+.2f") for p in pooled.places],
        ),
        Column("rating\n(Elo)", [_text(elo.estimate(p.bot), "+.0f") for p in pooled.places]),
        Column("possible\nranks", [str(p.low) if p.low == p.high else f"{p.low} to {p.high}" for p in pooled.places]),
        Column("runs", [str(pooled.runs[p.bot]) for p in pooled.places]),
        Column("opponents", [str(len(pooled.sample.met(p.bot))) for p in pooled.places]),
        Column("boards", [f"{pooled.sample.boards(p.bot):,}" for p in pooled.places]),
    ]
    names = [f"{place.rank}  {printable_name(pooled.names[place.bot])}" for place in pooled.places]
    yield from sheets("Ratings", names, columns)
    yield dim(
        "Points are ratings: what a bot would make a board against one at 0; their differences say the same of two."
    )
    yield dim("The 95% interval is value ± what stands there. Ranks are shared by bots that are not told apart.")


def _text(estimate: "Estimate | None", digits: str) -> str:
    if estimate is None:
        return "–"
    half = f" ±{(estimate.interval[1] - estimate.interval[0]) / 2:{digits[1:]}}" if estimate.interval else ""
    return f"{estimate.value:{digits}}{half}"
