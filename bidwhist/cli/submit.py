"""`bw-arena submit`."""

import json
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from bidwhist.cli.views.isolation import isolation_of, isolation_options
from bidwhist.cli.views.limits import limit_options, limits_of

if TYPE_CHECKING:
    from bidwhist.arena.run import Progress
    from bidwhist.check.report import Report
    from bidwhist.ladder.submit import Submission


@click.command()
@click.argument("spec")
@click.option(
    "--ladder", "folder", type=click.Path(path_type=Path), default="ladder", help="The ladder's folder (ladder)."
)
@click.option("--name", help="The bot's name on the ladder (default: what it calls itself, or its file's name).")
@click.option("--jobs", type=click.IntRange(min=1), help="Processes (default: the processors at hand).")
@limit_options
@isolation_options
@click.option("--json", "as_json", is_flag=True, help="Machine output.")
def command(
    spec: str,
    folder: Path,
    name: str | None,
    jobs: int | None,
    as_json: bool,
    trust: bool,
    weak: bool,
    **limits: Any,
) -> None:
    """Submit the bot SPEC to a ladder: examine it, and let it play all bots that are there.

    A copy of its source is kept and plays. The first submission makes the ladder. One that was interrupted is gone on
    with by the same command. Exit code 1 if the bot is not fit to play.
    """
    if trust:
        click.echo(f"{spec} runs unprotected, with all your rights", err=as_json)
        sys.stdout.flush()
    from bidwhist.ladder.submit import Options, Told, submit

    told = Told((lambda report: None) if as_json else _show_card, _games)
    submission = submit(
        spec, folder, Options(name, limits_of(**limits), jobs, isolation=isolation_of(trust, weak)), told
    )
    if as_json:
        click.echo(json.dumps(_json(submission, folder), indent=2))
    else:
        _show(submission, folder)
    if submission.bot is None:
        from bidwhist.cli.check import verdict
        from bidwhist.text import printable_name

        why = f": {verdict(submission.report)}" if submission.report else ""
        click.echo(f"{printable_name(spec)} is not submitted{why}", err=True)
        raise click.exceptions.Exit(1)


def _show_card(report: "Report") -> None:
    from bidwhist.cli.check import card

    click.echo(f"\n{card(report)}\n")
    sys.stdout.flush()


@contextmanager
def _games(bot: str) -> "Iterator[Callable[[Progress], None]]":
    from bidwhist.cli.views.progress import run_progress
    from bidwhist.text import printable_name

    click.echo(f"{printable_name(bot)} plays", err=True)
    with run_progress() as report:
        yield report


def _show(submission: "Submission", folder: Path) -> None:
    from bidwhist.cli.ladder import place_line, show_ladder
    from bidwhist.ladder.ladder import open_ladder
    from bidwhist.text import printable_name

    if submission.bot is None:
        click.echo("refused: the ladder is as it was")
        return
    ladder = open_ladder(folder)
    name = printable_name(submission.bot)
    if submission.report is None:
        click.echo(f"the same source is on the ladder already, as {name}")
    click.echo(f"{name}: {place_line(ladder, submission.bot)}\n")
    show_ladder(ladder)


def _json(submission: "Submission", folder: Path) -> dict[str, Any]:
    from bidwhist.cli.ladder import ladder_json
    from bidwhist.ladder.ladder import open_ladder

    report = submission.report.as_dict() if submission.report else None
    found: dict[str, Any] = {"entered": submission.bot is not None, "bot": submission.bot, "report": report}
    if submission.bot is not None:
        found |= ladder_json(open_ladder(folder))
    return found
