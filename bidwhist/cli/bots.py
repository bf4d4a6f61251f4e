"""`bw-arena bots`."""

import json
from typing import Any

import click


@click.command()
@click.option("--json", "as_json", is_flag=True, help="Print JSON for programs instead.")
def command(as_json: bool) -> None:
    """List the bots that have names: the house bots with their parameters (the default value first), and those that
    installed packages provide."""
    house, provided = _house(), _provided()
    if as_json:
        click.echo(json.dumps(house + provided, indent=1))
        return
    for bot in house:
        mark = " (never ranked)" if bot["cheats"] else ""
        click.echo(f"{bot['name']}{mark}: {bot['about']}")
        for key, values in bot["parameters"].items():
            click.echo(f"  ?{key}={_in_words(values)}")
    if provided:
        click.echo("\nOf installed packages:")
    for bot in provided:
        hidden = f"\n  cannot be named so: {bot['hidden']}" if bot["hidden"] else ""
        click.echo(f"{bot['name']}: {bot['target']}, of {bot['package']} {bot['version']}{hidden}")
    click.echo("\nYour own: path/file.py[:Name] or package.module:Name, anywhere a bot is named.")


def _house() -> list[dict[str, Any]]:
    from bidwhist._version import __version__
    from bidwhist_bots import HOUSE_BOTS, Number

    return [
        {
            "name": name,
            "about": bot.about,
            "cheats": bot.cheats,
            "parameters": {
                key: vars(values) if isinstance(values, Number) else list(values)
                for key, values in bot.parameters.items()
            },
            "target": None,
            "package": "bidwhist",
            "version": __version__,
            "hidden": None,
        }
        for name, bot in HOUSE_BOTS.items()
    ]


def _in_words(values: Any) -> str:
    """A parameter's values: words, the default first, or a whole number with its bounds."""
    if isinstance(values, list):
        return "|".join(values)
    default = "" if values["default"] is None else f", default {values['default']}"
    return f"{values['least']} to {values['most']}{default}"


def _provided() -> list[dict[str, Any]]:
    """The bots of packages, which are not imported for it, so that what they are is all that is told of them."""
    from bidwhist.bot.provided import provided_bots
    from bidwhist_bots import HOUSE_BOTS

    bots = provided_bots()
    names = [bot.name for bot in bots]
    return [
        {
            "name": bot.name,
            "about": None,
            "cheats": False,
            "parameters": None,
            "target": bot.target,
            "package": bot.package,
            "version": bot.version,
            "hidden": _hidden(bot.name, bot.name in HOUSE_BOTS, names.count(bot.name)),
        }
        for bot in bots
    ]


def _hidden(name: str, is_house: bool, times: int) -> str | None:
    """Why a bot of a package is not found by its name; None if it is."""
    if is_house:
        return f"{name} is a house bot"
    return f"it is provided {'twice' if times == 2 else f'{times} times'}" if times > 1 else None
