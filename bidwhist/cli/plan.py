"""`bw-arena plan`."""

import json
import math
from pathlib import Path
from typing import Any, Final

import click

from bidwhist.cli.views.isolation import isolation_of, isolation_options
from bidwhist.text import printable_name

_PILOT: Final = 200  # boards


@click.command()
@click.argument("one", metavar="A")
@click.argument("other", metavar="B")
@click.option("--difference", type=float, required=True, help="Points a board that shall be found.")
@click.option("--from", "run", type=click.Path(path_type=Path), help="A run in which both bots, by name, have met.")
@click.option("--power", type=click.FloatRange(0, 1, True, True), default=0.8, show_default=True, help="How surely.")
@click.option(
    "--alpha",
    type=click.FloatRange(0, 1, True, True),
    default=0.05,
    show_default=True,
    help="How often a difference may be found where none is.",
)
@click.option("--rules", "preset", default="classic", show_default=True, help="The preset of the pilot run.")
@click.option("--boards", type=click.IntRange(min=30), default=_PILOT, show_default=True, help="Of the pilot run.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON for programs instead.")
@isolation_options
def command(
    one: str,
    other: str,
    difference: float,
    run: Path | None,
    power: float,
    alpha: float,
    preset: str,
    boards: int,
    as_json: bool,
    **isolation: bool,
) -> None:
    """Say how many boards it takes to find a difference between the bots A and B.

    How much boards vary, and how long they take, comes from a pilot run, or from a run in which they have met.
    """
    if difference == 0 or not math.isfinite(difference):
        raise click.UsageError(f"--difference: {difference:g} cannot be found")
    found = _answer(run, one, other, difference, power, alpha) if run else None
    if found is None:
        from bidwhist.process.folder import TemporaryFolder

        with TemporaryFolder("plan") as folder:
            one, other = _play(folder / "run", (one, other), preset, boards, isolation)
            found = _answer(folder / "run", one, other, difference, power, alpha)
    if as_json:
        click.echo(json.dumps(found, indent=2))
    else:
        _tell(found)


def _play(folder: Path, specs: tuple[str, str], preset: str, boards: int, isolation: dict[str, bool]) -> list[str]:
    """Play a pilot run in a folder; the names of its bots."""
    from bidwhist.arena.config import make_config
    from bidwhist.arena.run import run
    from bidwhist.arena.tournament import prepare
    from bidwhist.cli.views.progress import run_progress

    fields: dict[str, Any] = {"name": "pilot", "rules": preset, "seed": "secret", "boards": boards, "bots": [*specs]}
    tournament = prepare(make_config(fields, "plan"), [Path.cwd()], None, isolation_of(**isolation))
    with run_progress() as report:
        run(tournament, folder, report=report)
    return [bot.entry.name for bot in tournament.bots]


def _answer(run: Path, one: str, other: str, difference: float, power: float, alpha: float) -> dict[str, Any]:
    from bidwhist.results.pilot import pilot_of
    from bidwhist.stats.planning import boards_needed

    pairing = pilot_of(run, one, other)
    needed, most = (
        boards_needed(variance, difference, power=power, alpha=alpha)
        for variance in (pairing.pilot.variance, pairing.pilot.most)
    )
    seconds = pairing.seconds
    return {
        "bot": pairing.one,
        "opponent": pairing.other,
        "units": pairing.units,
        "pilot": pairing.pilot.boards,
        "points_per_board": pairing.points.value,
        "ci95": pairing.points.interval,
        "standard_deviation": pairing.pilot.variance**0.5,
        "difference": difference,
        "power": power,
        "alpha": alpha,
        "needed": needed,
        "needed_at_most": most,
        "tables": round(needed * pairing.tables),
        "cpu_hours": None if seconds is None else needed * seconds / 3600,
    }


def _tell(found: dict[str, Any]) -> None:
    units = found["units"]
    bot, opponent = (printable_name(found[name]) for name in ("bot", "opponent"))
    interval = "" if found["ci95"] is None else " ({:+.2f} to {:+.2f})".format(*found["ci95"])
    click.echo(
        f"pilot: {found['pilot']:,} {units}; {bot} against {opponent}: "
        f"{found['points_per_board']:+.2f}{interval}, standard deviation {found['standard_deviation']:.2f}"
    )
    click.echo(
        f"to find a difference of {abs(found['difference']):g} points in {100 * found['power']:g} of 100 runs, and one "
        f"that is none in {100 * found['alpha']:g}:"
    )
    click.echo(f"  {found['needed']:,} {units} ({found['needed_at_most']:,} at most), {found['tables']:,} tables")
    if found["cpu_hours"] is not None:
        click.echo(f"  {_hours(found['cpu_hours'])} of one processor")


def _hours(hours: float) -> str:
    for size, name in ((1.0, "hours"), (1 / 60, "minutes")):
        if hours >= 2 * size:
            return f"{hours / size:,.0f} {name}"
    return f"{max(1, math.ceil(hours * 3600))} seconds"
