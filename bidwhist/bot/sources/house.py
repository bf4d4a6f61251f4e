"""House bots: named in the list of `bidwhist_bots`, compiled or searching."""

from collections.abc import Sequence
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, ClassVar, Self

from bidwhist._version import __version__
from bidwhist.bot.limits import LIMITS, Limits
from bidwhist.bot.metadata import Metadata
from bidwhist.bot.sources.package import package_hash
from bidwhist.bot.sources.source import BotSource, NamedBot
from bidwhist.bot.spec import Spec
from bidwhist.errors import BotSpecError
from bidwhist.results.manifest import BotEntry
from bidwhist.rules import Rules
from bidwhist.text import echo
from bidwhist_bots import HOUSE_BOTS, HouseBot
from bidwhist_bots.parameters import Number, Values, parameters_of

if TYPE_CHECKING:
    from bidwhist.engine.decider import Decider

_PACKAGE = "bidwhist_bots"


@dataclass(frozen=True)
class HouseSource(BotSource):
    """A house bot. Its module, and with it the compiler, is loaded for parameters or to play, and not before."""

    values: Values
    """Its parameters as they are given, the defaults left out."""

    stays: ClassVar[str] = "the house bots are as they were, in the version of bidwhist that has played"

    @classmethod
    def find(cls, spec: Spec, name: str, folders: Sequence[Path]) -> Self | None:
        """A house bot by its name."""
        bot = HOUSE_BOTS.get(spec.body)
        if bot is None:
            return None
        values: Values = {}
        if spec.parameters:
            try:
                values = parameters_of(_module(bot)).parse(bot.name, spec.parameters)
            except ValueError as error:
                raise BotSpecError(f"bot {echo(spec.text)}: {error}") from None
        return cls(BotEntry(name, spec.text, package_hash(_PACKAGE), bot.cheats), spec, values)

    @classmethod
    def named(cls) -> list[NamedBot]:
        """All house bots."""
        return [_listed(bot) for bot in HOUSE_BOTS.values()]

    @classmethod
    def names(cls) -> list[str]:
        """Their names in the list."""
        return list(HOUSE_BOTS)

    def load(self, rules: Rules, limits: Limits = LIMITS) -> "Decider":
        """The bot in the engine's kernel, or the search that it makes."""
        module = _module(self._bot)
        values = parameters_of(module).fill(self.values)
        if not self._bot.searches:
            from bidwhist.bot.deciders.kernel import HouseDecider

            return HouseDecider(self.entry.name, self._bot.name, values)
        from bidwhist.bot.deciders.search import OracleDecider, SearchDecider

        kind = OracleDecider if self._bot.cheats else SearchDecider
        return kind(self.entry.name, module.search(values), values)

    def metadata(self) -> Metadata:
        """Nothing in particular: a house bot plays all presets."""
        return Metadata()

    def probe(self, rules: Rules, limits: Limits = LIMITS) -> None:
        """Nothing: it is found by its name, and to load it is to load the compiler."""

    @property
    def replayable(self) -> bool:
        """True unless it plays by the clock."""
        return not self.by_clock

    @property
    def by_clock(self) -> bool:
        """True for a bot that is given milliseconds."""
        return bool(self.values) and parameters_of(_module(self._bot)).has_clock(self.values)

    def warm_up(self, rules: Rules) -> None:
        """Have it play a hand: to compile a house bot is none of its time."""
        from bidwhist.bot.playing import play_one_hand

        play_one_hand(self.load(rules), rules)

    @property
    def _bot(self) -> HouseBot:
        return HOUSE_BOTS[self.spec.body]


def _module(bot: HouseBot) -> ModuleType:
    return import_module(f"{_PACKAGE}.{bot.module}")


def _listed(bot: HouseBot) -> NamedBot:
    module = _module(bot)
    parameters = {
        key: {"default": each.default, "least": each.least, "most": each.most} if isinstance(each, Number) else [*each]
        for key, each in parameters_of(module).items()
    }
    return NamedBot(bot.name, module.ABOUT, bot.cheats, parameters, None, "bidwhist", __version__)
