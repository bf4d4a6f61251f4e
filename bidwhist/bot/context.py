"""What a bot's object is told when it is made: the rules, its limits, and its source of chance."""

from dataclasses import dataclass, field

from bidwhist.bot.limits import LIMITS, Limits
from bidwhist.errors import BidWhistError
from bidwhist.observation import Obs, Random
from bidwhist.rules import Rules


@dataclass
class Context:
    """What a class gets whose `__init__` has a parameter `ctx`. One for each object."""

    rules: Rules
    limits: Limits = LIMITS
    _obs: Obs | None = field(default=None, repr=False)

    @property
    def random(self) -> Random:
        """The random stream of the decision that the bot is asked for: the same object as `obs.random`.

        Raises BidWhistError while it is asked for none, as in `__init__`, and for batch bots.
        """
        if self._obs is None:
            raise BidWhistError("ctx.random: there is a stream for each decision, and none is asked for now")
        return self._obs.random

    def turn_to(self, obs: Obs) -> None:
        """The bot is asked for the decision of `obs` next."""
        self._obs = obs
