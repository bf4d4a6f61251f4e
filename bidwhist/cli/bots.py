"""`bw-arena bots`."""

import json
from typing import Any

import click


@click.command()
@click.option("--json", "as_json", is_flag=True, help="Print JSON for programs instead.")
def command(as_json: bool) -> None:
    """List the bots that have names: the house bots with their parameters (the default value first), and those that
    installed packages provide."""
    from bidwhist.bot.sources.find import named_bots

    bots = [bot._asdict() for bot in named_bots()]
    if as_json:
        click.echo(json.dumps(bots, indent=1))
        return
    for bot in bots:
        if bot["target"] is None:
            mark = " (never ranked)" if bot["cheats"] else ""
            click.echo(f"{bot['name']}{mark}: {bot['about']}")
            for key, values in bot["parameters"].items():
                click.echo(f"  ?{key}={_in_words(values)}")
    provided = [bot for bot in bots if bot["target"] is not None]
    if provided:
        click.echo("\nOf installed packages:")
    for bot in provided:
        hidden = f"\n  cannot be named so: {bot['hidden']}" if bot["hidden"] else ""
        click.echo(f"{bot['name']}: {bot['target']}, of {bot['package']} {bot['version']}{hidden}")
    click.echo("\nYour own: path/file.py[:Name] or package.module:Name, anywhere a bot is named.")


def _in_words(values: Any) -> str:
    """A parameter's values: words, the default first, or a whole number with its bounds."""
    if isinstance(values, list):
        return "|".join(values)
    default = "" if values["default"] is None else f", default {values['default']}"
    return f"{values['least']} to {values['most']}{default}"
