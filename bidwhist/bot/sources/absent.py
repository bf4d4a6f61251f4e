"""Bots that have played and cannot play any more, as their source is lost or does not load."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Self

from bidwhist.bot.limits import LIMITS, Limits
from bidwhist.bot.metadata import Metadata
from bidwhist.bot.sources.source import BotSource
from bidwhist.bot.spec import Spec
from bidwhist.errors import BotSpecError
from bidwhist.results.manifest import BotEntry
from bidwhist.rules import Rules

if TYPE_CHECKING:
    from bidwhist.engine.decider import Decider


@dataclass(frozen=True)
class AbsentSource(BotSource):
    """An entry without its bot, and the reason."""

    reason: str

    @classmethod
    def of(cls, entry: BotEntry, reason: str) -> "AbsentSource":
        """The bot of an entry that cannot be loaded."""
        return cls(entry, Spec(entry.spec, entry.spec, ()), reason)

    @classmethod
    def find(cls, spec: Spec, name: str, folders: Sequence[Path]) -> Self | None:
        """No spec means such a bot."""
        return None

    def load(self, rules: Rules, limits: Limits = LIMITS) -> "Decider":
        """Raises BotSpecError."""
        raise BotSpecError(self.reason)

    def metadata(self) -> Metadata:
        """Raises BotSpecError."""
        raise BotSpecError(self.reason)
