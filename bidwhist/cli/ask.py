"""`bw-arena ask`."""

import contextlib
import json
import sys
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from bidwhist.cli.apart import Say, apart
from bidwhist.cli.views.isolation import isolation_of, isolation_options
from bidwhist.cli.views.screen import show
from bidwhist.results.manifest import MANIFEST
from bidwhist.text import echo

if TYPE_CHECKING:
    from bidwhist.bot.jailed.isolation import Isolation


@click.command()
@click.argument("spec")
@click.argument("run", type=click.Path(path_type=Path), required=False)
@click.option("--observation", type=click.Path(path_type=Path), help="A file with the decision, instead of a run.")
@click.option("--board", type=click.IntRange(min=0), help="Of the run: number of the board.")
@click.option("--game", type=click.IntRange(min=0), help="In the format games: number of the game.")
@click.option("--hand", type=click.IntRange(min=0), help="With --game: which hand of it, from 0 (the default).")
@click.option("--pairing", metavar="A,B", help="The two bots (or sides, as a + b) that played it.")
@click.option("--table", type=click.Choice(["1", "2"]), help="Its first table or its second, as `show` has them.")
@click.option("--seat", type=click.Choice(["N", "E", "S", "W"], case_sensitive=False), help="The seat that decides.")
@click.option("--decision", metavar="WHICH", help="call, name, discard:2 (the card) or play:5 (the trick), from 1.")
@click.option("--dump", type=click.Path(path_type=Path), help="Write the observation into a file, too.")
@click.option("--debug", is_flag=True, help="Stop at the bot's first line in Python's debugger.")
@isolation_options
@click.option("--json", "as_json", is_flag=True, help="Print JSON for programs instead.")
def command(spec: str, dump: Path | None, debug: bool, as_json: bool, trust: bool, weak: bool, **which: Any) -> None:
    """Ask the bot SPEC for one decision: one of a run in the folder RUN, or one in a file.

    The bot is asked now, as it is now; a bot that remembers is asked for all earlier decisions of its seat in that hand
    first. What was done in the run stands beside its answer. Exit code 1 if the answer is not legal.
    """
    if debug and as_json:
        raise click.UsageError("--debug and --json do not go together")
    _check_decision(which)
    if which["run"] is not None and not (which["run"] / MANIFEST).exists() and (Path(spec) / MANIFEST).exists():
        raise click.UsageError(f"the bot comes first, and then the run: bw-arena ask {which['run']} {spec} ...")
    isolation = isolation_of(trust or debug, weak)  # who looks at a bot's lines has it in the same process
    asking = partial(_ask, spec, isolation, which, dump, debug, as_json)
    title = f"bot {echo(spec)} gave no answer"
    answer = apart(asking, title=title, hear=partial(show, wrap=False), debugger=debug)
    if as_json:
        click.echo(json.dumps(answer, indent=1))
    click.get_current_context().exit(1 if answer["fault"] else 0)


def _check_decision(which: dict[str, Any]) -> None:
    """Raises UsageError for options that do not say which decision is meant."""
    given = [name for name, value in which.items() if value is not None]
    if ("observation" in given) == ("run" in given):
        raise click.UsageError("say which decision: RUN with --board, --seat and --decision, or --observation FILE")
    if "run" in given:
        missing = [name for name in ("seat", "decision") if name not in given]
        if missing:
            raise click.UsageError(f"a decision of a run needs --{missing[0]}")
    elif len(given) > 1:
        other = next(name for name in given if name != "observation")
        raise click.UsageError(f"--observation goes without --{other}, which chooses a decision of a run")


def _ask(
    spec: str, isolation: "Isolation", which: dict[str, Any], dump: Path | None, debug: bool, as_json: bool, say: Say
) -> dict[str, Any]:
    """The answer for programs; unless programs ask, the lines for people are said."""
    from bidwhist.cli.views.asked import answer_json, answer_lines, situation_in_file, situation_in_run

    # What the bot prints must not come between what programs read.
    with contextlib.redirect_stdout(sys.stderr) if as_json else contextlib.nullcontext():
        bot, situation = (situation_in_run if which["run"] else situation_in_file)(spec, isolation, which, debug)
        if dump:
            situation.dump(dump)
        if not as_json:
            say(list(situation.lines()))
        with bot:
            answer = bot.ask_why(situation.obs, situation.state)
        if not as_json:
            say(list(answer_lines(situation, answer)))
        return answer_json(situation, answer)
