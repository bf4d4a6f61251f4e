"""Every fault that a user can cause, each with one clear sentence."""


class BidWhistError(Exception):
    """Base of all errors raised on purpose; the text is meant for the person who caused it."""


class NotationError(BidWhistError):
    """A text is not a card, hand, deal, call or contract."""


class RulesError(BidWhistError):
    """A rule field has no such value, or the fields together make no game."""


class IllegalAction(BidWhistError):
    """An action is not legal now; the text says why."""


class ConfigError(BidWhistError):
    """A tournament file or option is wrong; the text names file, field and reason."""


class BotSpecError(BidWhistError):
    """A bot cannot be found or loaded; the text names the spec and the reason."""


class RunError(BidWhistError):
    """A run's folder cannot be used, read or continued."""


class Stopped(BidWhistError):
    """A run was stopped by a fault; its finished parts stay."""


class BotFault(Stopped):
    """A bot failed while it played; the text names bot, board, decision and the line in its file. `bot`: its name."""

    def __init__(self, text: str, bot: str | None = None) -> None:
        super().__init__(text)
        self.bot = bot


class LimitReached(BidWhistError):
    """A search has reached its limit of nodes before it had an answer."""


class PositionError(BidWhistError):
    """Cards that are no position to solve; the text says why."""


def bare(error: BidWhistError) -> BidWhistError:
    """The same error without its cause and its traceback, fit to be sent to another process."""
    return BotFault(str(error), error.bot) if isinstance(error, BotFault) else type(error)(str(error))
