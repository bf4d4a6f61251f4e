"""`bw-arena bench`."""

import json
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    from bidwhist.bench.figures import Figure


@click.command()
@click.option("--json", "as_json", is_flag=True, help="Print JSON for programs instead.")
@click.option("--only", multiple=True, metavar="TEXT", help="Only figures with TEXT in their name; may be repeated.")
@click.option("--repeats", type=click.IntRange(min=1), help="Rates are medians of that many (default: 7; --quick: 3).")
@click.option("--quick", is_flag=True, help="Smaller samples, and no figure that takes long.")
def command(as_json: bool, only: tuple[str, ...], repeats: int | None, quick: bool) -> None:
    """Measure how fast the engine is on this machine, in CPU time of one core.

    Rates are taken in turns with random deals in plain C, where there is a compiler, and shown as shares of it: the
    ratios of one run say more than its numbers.
    """
    from bidwhist.activity import tell
    from bidwhist.bench.measure import measure

    figures = measure(only, repeats or (3 if quick else 7), quick, tell)
    tell(None)
    if any(figure.is_rate and figure.ratio is None and figure.against for figure in figures) or not figures:
        click.echo("no clang or gcc that compiles the C program (it needs x86-64 with BMI2): no shares of it", err=True)
    if as_json:
        click.echo(json.dumps([figure.as_json() for figure in figures], indent=1))
    else:
        _show(figures)


def _show(figures: "Sequence[Figure]") -> None:
    from rich.text import Text

    from bidwhist.cli.views.screen import Column, sheets, show

    columns = [
        Column("", [_number(figure.value) for figure in figures]),
        Column("", [f"{figure.unit}/s" if figure.is_rate else figure.unit for figure in figures]),
        Column("ratio", ["–" if figure.ratio is None else f"{figure.ratio:.3f}" for figure in figures]),
        Column("against", [figure.against or "–" for figure in figures]),
    ]
    names: list[str | Text] = [Text(figure.name) for figure in figures]
    parts: Iterator[Any] = sheets("Figures of this machine; rates a second of CPU time on one core", names, columns)
    show(parts)


def _number(value: float) -> str:
    return f"{value:,.0f}" if value >= 100 else f"{value:.2f}"
