"""The options of commands that run bots: whether these are trusted."""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    from bidwhist.bot.jailed.isolation import Isolation


def isolation_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Give a command the options `--trust` and `--allow-weak-isolation`, as trust and weak."""
    for option in (
        click.option(
            "--allow-weak-isolation",
            "weak",
            is_flag=True,
            help="Run strangers' bots though this machine cannot contain them (see bw-arena doctor).",
        ),
        click.option("--trust", is_flag=True, help="The bots are your own: run them unprotected, at full speed."),
    ):
        command = option(command)
    return command


def isolation_of(trust: bool, weak: bool) -> "Isolation":
    """The isolation that these options ask for."""
    from bidwhist.bot.jailed.isolation import Isolation

    return Isolation(trust, weak)
