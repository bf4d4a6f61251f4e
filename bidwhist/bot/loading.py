"""Loading a bot, whose code may raise anything."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from bidwhist.bot.limits import LIMITS, Limits
from bidwhist.bot.python.errors import describe_error
from bidwhist.errors import BidWhistError, BotSpecError
from bidwhist.interrupts import UserInterrupt, user_interrupts
from bidwhist.rules import Rules

if TYPE_CHECKING:
    from bidwhist.bot.sources.source import BotSource
    from bidwhist.engine.decider import Decider


def load_bot(bot: "BotSource", rules: Rules, limits: Limits = LIMITS) -> "Decider":
    """The bot, loaded to play; to be closed. Raises BotSpecError, whatever its code raises."""
    with blaming(bot):
        return bot.load(rules, limits)


@contextmanager
def blaming(bot: "BotSource") -> Iterator[None]:
    """Turn whatever a bot's code raises while it is loaded into BotSpecError; the user may interrupt it."""
    try:
        with user_interrupts():
            yield
    except (BidWhistError, UserInterrupt):
        raise
    except BaseException as error:
        reason = describe_error(error, str(bot.path))
        raise BotSpecError(f"bot {bot.spec.text!r} cannot be loaded: {reason}") from error
