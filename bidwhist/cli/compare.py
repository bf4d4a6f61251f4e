"""`bw-arena compare`."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from bidwhist.cli.views.screen import dim, show
from bidwhist.text import printable_name

if TYPE_CHECKING:
    from bidwhist.results.compared import Comparison
    from bidwhist.stats.intervals import Estimate


@click.command()
@click.argument("run", type=click.Path(path_type=Path))
@click.argument("one", metavar="A")
@click.argument("other", metavar="B")
@click.option(
    "--control",
    nargs=3,
    metavar="RUN C D",
    help="Another run with the same seed, and two bots that met in it on these boards and on more.",
)
@click.option("--json", "as_json", is_flag=True, help="Print JSON for programs instead.")
def command(run: Path, one: str, other: str, control: tuple[str, str, str] | None, as_json: bool) -> None:
    """Compare the bots A and B, by name, that have met in a run.

    With --control the luck of the boards is taken out, as two other bots had it on them.
    """
    from bidwhist.results.compared import compare

    found = compare(run, one, other, (Path(control[0]), control[1], control[2]) if control else None)
    if as_json:
        click.echo(json.dumps(comparison_json(found), indent=2))
    else:
        show(_screen(found))


def comparison_json(found: "Comparison") -> dict[str, Any]:
    """A comparison for programs."""
    control = found.control
    return {
        "bot": found.one,
        "opponent": found.other,
        "format": found.format,
        "points_per_board": found.points.value,
        "ci95": found.points.interval,
        "superiority": found.superiority,
        "stopped_early": found.stopped_early,
        **{name: getattr(found, name) for name in ("won", "tied", "lost")},
        "control": None
        if control is None
        else {
            "points_per_board": control.estimate.value,
            "ci95": control.estimate.interval,
            **{name: getattr(control, name) for name in ("slope", "correlation", "worth", "helps")},
        },
    }


def _screen(found: "Comparison") -> Iterator[Any]:
    is_games = found.format == "games"
    number = found.won + found.tied + found.lost
    yield f"{printable_name(found.one)} against {printable_name(found.other)}: {number:,} {found.format}"
    yield f"  {_text(found.points)} points a {'hand' if is_games else 'board'}"
    yield f"  won {found.won:,}, tied {found.tied:,}, lost {found.lost:,}; truly better with {found.superiority:.1%}"
    if found.stopped_early:
        yield dim("  the run has stopped early: what `table` says holds, and this leans towards its verdict")
    if found.control is not None:
        yield from _controlled(found, number)


def _controlled(found: "Comparison", number: int) -> Iterator[Any]:
    control = found.control
    assert control is not None
    if not control.helps:
        yield f"  the control does not help (correlation {control.correlation:+.2f}), and is left out"
        return
    yield f"  {_text(control.estimate)} points a board, the luck of the boards taken out"
    how = f"{control.slope:+.2f} for a point of the control, correlation {control.correlation:+.2f}"
    yield dim(f"  as much as {control.worth * number:,.0f} boards would tell: {how}")


def _text(estimate: "Estimate") -> str:
    if estimate.interval is None:
        return f"{estimate.value:+.2f}"
    low, high = estimate.interval
    return f"{estimate.value:+.2f} ({low:+.2f} to {high:+.2f})"
