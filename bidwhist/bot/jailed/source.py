"""A bot in Python that is loaded in jailed processes and nowhere else, not even to learn its name."""

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Self

from bidwhist.bot.jailed.jail import Jail
from bidwhist.bot.limits import LIMITS, Limits
from bidwhist.bot.metadata import Metadata, metadata_of
from bidwhist.bot.sources.python import PythonSource
from bidwhist.bot.sources.source import BotSource
from bidwhist.bot.spec import Spec
from bidwhist.errors import BotSpecError
from bidwhist.process.output import Output
from bidwhist.results.manifest import Isolated
from bidwhist.rules import Rules
from bidwhist.text import echo

if TYPE_CHECKING:
    from bidwhist.bot.jailed.inside import Greeting
    from bidwhist.engine.decider import Decider

_MOST_OUTPUT = 32 * 1024  # bytes


@dataclass(frozen=True)
class JailedSource(BotSource):
    """The bot of another source, and where it is loaded."""

    inner: PythonSource
    jail: Jail

    @classmethod
    def of(cls, inner: PythonSource, jail: Jail) -> "JailedSource":
        """The bot of `inner`, in a jail."""
        return cls(inner.entry, inner.spec, inner, jail)

    @classmethod
    def find(cls, spec: Spec, name: str, folders: Sequence[Path]) -> Self | None:
        """No spec means such a bot: whoever finds one decides whether it is jailed."""
        return None

    def load(self, rules: Rules, limits: Limits = LIMITS) -> "Decider":
        """A bot whose processes are started when its seats are asked."""
        from bidwhist.bot.jailed.decider import JailedBot

        return JailedBot(self._named(), rules, limits, self.jail)

    def metadata(self) -> Metadata:
        """As a jailed process tells it, which is checked here, since the bot may have had a hand in that."""
        told = self._introduced(None, LIMITS).metadata or Metadata()
        return metadata_of(told, f"bot {echo(self.spec.text)}")

    def probe(self, rules: Rules, limits: Limits = LIMITS) -> None:
        """Load the bot in a jailed process; what that compiles is kept."""
        self._introduced(rules, limits)

    def warm_up(self, rules: Rules) -> None:
        """Compile it. A bot that cannot be loaded is reported by `load`, and not here."""
        with suppress(BotSpecError):
            self._introduced(rules, LIMITS)

    def _introduced(self, rules: Rules | None, limits: Limits) -> "Greeting":
        from bidwhist.bot.jailed.decider import Player, introduced
        from bidwhist.bot.jailed.ready import keep_code

        output = Output(_MOST_OUTPUT)
        source = self._named()
        player = Player(self.jail, source, rules, limits, output)
        try:
            greeting = introduced(player, self.spec.text, output)
            if rules is not None:
                keep_code(source, player.scratch.path)
        finally:
            player.end()
        return greeting

    def _named(self) -> PythonSource:
        """The inner source under the name that this one has now."""
        return replace(self.inner, entry=self.entry)

    def moved(self, found: BotSource) -> BotSource:
        """The same bot in its copy."""
        assert isinstance(found, PythonSource)  # a copy is found by the same kind of spec
        return replace(self, entry=found.entry, spec=found.spec, inner=found)

    @property
    def isolation(self) -> Isolated:
        """By what the machine offers."""
        return self.jail.isolation

    @property
    def path(self) -> Path | None:
        """The file that plays."""
        return self.inner.path

    @property
    def identity(self) -> tuple[object, ...]:
        """The identity of the inner bot."""
        return self.inner.identity

    @property
    def listed(self) -> bool:
        """As for the bot."""
        return self.inner.listed

    @property
    def files(self) -> Mapping[str, Path]:
        """Those of the bot."""
        return self.inner.files

    @property
    def stem(self) -> str:
        """The name without its path."""
        return self.inner.stem
