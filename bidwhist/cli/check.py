"""`bw-arena check`."""

import json
from typing import TYPE_CHECKING, Any

import click

from bidwhist.cli.views.isolation import isolation_of, isolation_options
from bidwhist.cli.views.limits import limit_options, limits_of
from bidwhist.text import printable

if TYPE_CHECKING:
    from bidwhist.check.report import Report


@click.command()
@click.argument("spec")
@click.option("--preset", "presets", multiple=True, help="Where it shall play (default: what it claims, or all).")
@limit_options
@isolation_options
@click.option("--boards", type=click.IntRange(0, 1_000_000), help="Boards against each opponent (by its speed).")
@click.option("--json", "as_json", is_flag=True, help="Machine output.")
def command(
    spec: str, presets: tuple[str, ...], as_json: bool, boards: int | None, trust: bool, weak: bool, **limits: Any
) -> None:
    """Examine the bot SPEC, and print its report card.

    It plays in a jail, unless you trust it. Exit code 1 if it has a fault.
    """
    from bidwhist.check.examine import check

    report = check(
        spec, presets=presets, limits=limits_of(**limits), boards=boards, isolation=isolation_of(trust, weak)
    )
    click.echo(json.dumps(report.as_dict(), indent=1) if as_json else card(report))
    if not report.passed:
        raise click.exceptions.Exit(1)


_MARKS = {True: "ok   ", False: "FAULT", None: "-    "}


def card(report: "Report") -> str:
    """A report card as text."""
    version = f" {report.version}" if report.version else ""
    lines = [f"{report.name}{version}  ({report.spec}, SHA-256 {report.sha256[:12]})", ""]
    width = max((len(line.title) for line in report.lines), default=0)
    lines += [f"{_MARKS[line.passed]}  {line.title:<{width}}  {line.words}" for line in report.lines]
    if report.output.strip():
        lines += ["", "what it printed:", *(f"  | {printable(line[:200])}" for line in report.output.splitlines()[:20])]
    lines += ["", verdict(report)]
    return "\n".join(lines)


def verdict(report: "Report") -> str:
    """What came out, in a few words."""
    found = len(report.faults)
    return "fit to play" if report.passed else f"{found} {'fault' if found == 1 else 'faults'}"
