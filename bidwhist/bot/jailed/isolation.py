"""From a bot, and what is known of its author, to the way in which it plays: the one place that decides that."""

import os
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Final

from bidwhist.bot.jailed.jail import Jail
from bidwhist.bot.jailed.program import JailedStart
from bidwhist.bot.jailed.source import JailedSource
from bidwhist.bot.sources.command import CommandSource
from bidwhist.bot.sources.python import PythonSource
from bidwhist.bot.sources.source import BotSource
from bidwhist.errors import BotSpecError
from bidwhist.jail.confine import is_available
from bidwhist.text import echo


class Level(StrEnum):
    """The isolation that a machine can give strangers' bots."""

    JAIL = "jail"
    """Processes of their own that reach no files but their own, no network and no other process."""
    PROCESS = "process"
    """Processes of their own with limits of memory and time, and nothing that keeps them from the machine."""
    NONE = "none"


def level() -> Level:
    """The level that this machine offers."""
    if is_available():
        return Level.JAIL
    return Level.PROCESS if hasattr(os, "fork") else Level.NONE


@dataclass(frozen=True)
class Isolation:
    """A user's choice: `trust` lets bots play in the arena's own processes, `weak` allows a level below `jail`."""

    trust: bool = False
    weak: bool = False


STRANGERS: Final = Isolation()
TRUSTED: Final = Isolation(trust=True)


def contained(source: BotSource, isolation: Isolation = STRANGERS) -> BotSource:
    """The bot as it shall play: in a jail, unless it is a house bot or trusted.

    Raises BotSpecError if this machine cannot contain it and nobody has allowed less.
    """
    if isolation.trust or not isinstance(source, PythonSource | CommandSource):
        return source
    reached = level()
    if reached != Level.JAIL and not isolation.weak:
        raise BotSpecError(
            f"bot {echo(source.spec.text)}: this machine cannot contain it (its level is {reached}; `bw-arena doctor` "
            f"tells what is missing); --trust plays your own bots, --allow-weak-isolation plays it all the same"
        )
    if reached == Level.NONE:
        return source
    jail = Jail(reached == Level.JAIL).started()
    if isinstance(source, CommandSource):
        return replace(source, starter=JailedStart(jail))
    return JailedSource.of(source, jail)


def as_played(source: BotSource) -> BotSource:
    """A bot of a run, as its entry says that it has played there. Raises BotSpecError if this machine cannot."""
    how = source.entry.isolation
    return contained(source, Isolation(trust=how == "none", weak=how == "process"))
