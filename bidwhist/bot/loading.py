"""Loading a bot, whose code may raise anything."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from bidwhist.bot.limits import LIMITS, Limits
from bidwhist.bot.python.errors import describe_error
from bidwhist.errors import BidWhistError, BotSpecError, Stopped
from bidwhist.interrupts import UserInterrupt, user_interrupts
from bidwhist.process.machine import limit_in_words
from bidwhist.rules import Rules
from bidwhist.text import echo

if TYPE_CHECKING:
    from bidwhist.bot.sources.source import BotSource
    from bidwhist.engine.decider import Decider


def load_bot(bot: "BotSource", rules: Rules, limits: Limits = LIMITS) -> "Decider":
    """The bot, loaded to play; to be closed. Raises what `blaming` does."""
    with blaming(bot):
        return bot.load(rules, limits)


@contextmanager
def blaming(bot: "BotSource") -> Iterator[None]:
    """Turn whatever a bot's code raises while it is loaded into BotSpecError; the user may interrupt it.

    Raises Stopped if it comes upon a limit of the machine.
    """
    cannot = f"bot {echo(bot.spec.text)} cannot be loaded"
    try:
        with user_interrupts():
            yield
    except UserInterrupt:
        raise
    except BaseException as error:
        origin = error.__cause__ if isinstance(error, BotSpecError) else error
        limit = limit_in_words(origin) if isinstance(origin, OSError) else None
        if limit:
            raise Stopped(f"{cannot}: {limit}") from error
        if isinstance(error, BidWhistError):
            raise
        raise BotSpecError(f"{cannot}: {describe_error(error, str(bot.path))}") from error
