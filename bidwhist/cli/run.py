"""`bw-arena run`."""

import sys
from pathlib import Path
from typing import Any

import click

from bidwhist.cli.apart import Say, apart
from bidwhist.cli.views.isolation import isolation_of, isolation_options


@click.command()
@click.argument("file", type=click.Path(path_type=Path))
@click.option("--out", type=click.Path(path_type=Path), help="The run's own folder (default: results/<name>).")
@click.option("--resume", is_flag=True, help="Go on with the run in the folder; a new one is started if there is none.")
@click.option("--seed", help='An integer, or "secret".')
@click.option("--boards", type=int, help="Boards for every pairing.")
@click.option("--games", type=int, help="Games for every pairing.")
@click.option("--jobs", type=click.IntRange(min=1), help="Processes (default: the processors at hand).")
@click.option("--executor", default="processes", help="Where parts play: processes (the default) or inline.")
@isolation_options
@click.option("--dry-run", is_flag=True, help="Say what would be played, and play nothing.")
def command(
    file: Path,
    out: Path | None,
    resume: bool,
    seed: str | None,
    boards: int | None,
    games: int | None,
    jobs: int | None,
    executor: str,
    dry_run: bool,
    **isolation: bool,
) -> None:
    """Run the tournament in FILE.

    Options override the file. A run that was interrupted goes on with --resume, and one that is finished is extended
    by it: with more boards or games, or with bots added at the end of the file.
    """
    from bidwhist.arena.config import read_config

    given = {"seed": _seed(seed), "boards": boards, "games": games}
    config = read_config(file, {key: value for key, value in given.items() if value is not None})
    _say(f"{config.name}: {len(config.bots)} bots, {config.units} {config.format} for every pairing")

    from bidwhist.arena.run import OUTPUT, run
    from bidwhist.arena.tournament import default_folder, prepare
    from bidwhist.cli.views.progress import run_progress
    from bidwhist.text import echo

    folder = out or default_folder(config)
    tournament = prepare(
        config, [file.resolve().parent, Path.cwd()], folder if resume else None, isolation_of(**isolation)
    )
    if dry_run:
        _announce(tournament, folder)
        return
    if tournament.is_guessable:
        click.echo(
            'the seed is a small number, which a bot can find out by dealing; for bots of others take seed = "secret"',
            err=True,
        )
    for bot in tournament.bots:
        if bot.entry.uncovered:
            _say(f"{echo(bot.entry.name, bare=True)}: neither hash nor copy covers {bot.entry.uncovered}")
    with run_progress() as report:
        if executor == "inline":
            title = f"{config.name}: a bot has ended the run (--executor processes tells which)"
            apart(lambda say: _run_inline(tournament, folder, resume, say), title=title, hear=report)
        else:
            run(tournament, folder, resume=resume, jobs=jobs, executor=executor, report=report)

    from bidwhist.cli.table import show_standings

    _say(f"results in {folder}")
    if (folder / OUTPUT).exists():
        _say(f"what bots have printed: {folder / OUTPUT}")
    show_standings(folder)


def _run_inline(tournament: Any, folder: Path, resume: bool, say: Say) -> None:
    """Play in this process, which is a copy of the command's own."""
    from bidwhist.arena.run import run

    run(tournament, folder, resume=resume, executor="inline", report=say)


def _say(text: str) -> None:
    click.echo(text)
    sys.stdout.flush()


def _seed(text: str | None) -> int | str | None:
    if text is None:
        return None
    try:
        return int(text)
    except ValueError:
        return text


def _announce(tournament: Any, folder: Path) -> None:
    config = tournament.config
    pairings = tournament.plan().count_pairs(len(config.bots))
    for bot in tournament.bots:
        _say(f"  {bot.entry.name}  {bot.entry.sha256[:12]}  {bot.path or bot.spec.body}")
    if config.format == "boards":
        _say(f"{pairings} pairings, {tournament.most_tables()} tables, into {folder}")
    else:
        _say(f"{pairings} pairings, {2 * pairings * config.games} games, into {folder}")
