"""`bw-arena rules`."""

from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from bidwhist.rules import Option, Value


@click.command()
@click.argument("preset", default="classic")
@click.option("--list", "as_list", is_flag=True, help="List the presets.")
def command(preset: str, as_list: bool) -> None:
    """Tell the rules of PRESET (default: classic) in words, with what differs from classic.

    Each line ends with the field's name and value as a tournament file has them.
    """
    from bidwhist import rules

    if as_list:
        for name, rule_set in rules.PRESETS.items():
            click.echo(f"{name}: {_summary(rule_set.differences())}")
        return
    chosen = rules.preset(preset)
    different = chosen.differences()
    click.echo(f"{preset}: four players in two partnerships, {chosen.hand_size} cards each")
    click.echo("* marks what differs from classic\n" if different else "the game that other presets start from\n")
    for name, option in rules.OPTIONS.items():
        value = chosen.as_dict()[name]
        mark = "*" if name in different else " "
        instead = f" (classic: {_words(option, option.values[0])})" if name in different else ""
        click.echo(f"{mark} {option.title}: {_words(option, value)}{instead}  [{name} = {rules.as_toml(value)}]")


def _words(option: "Option", value: "Value") -> str:
    return option.words[option.values.index(value)] if option.words else str(value)


def _summary(different: "dict[str, Value]") -> str:
    from bidwhist.rules import as_toml

    return ", ".join(f"{name} = {as_toml(value)}" for name, value in different.items()) or "the game as it is"
