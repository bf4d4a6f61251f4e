"""The interface of where a bot comes from, whatever kind of bot it is.

A source is found once, by its spec; it can be sent to other processes, and is loaded where the bot plays. A new kind of
bot is a class here and a line in the list of `bidwhist.bot.sources.find`.
"""

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple, Self

from bidwhist.bot.limits import LIMITS, Limits
from bidwhist.bot.metadata import Metadata
from bidwhist.bot.spec import Spec
from bidwhist.results.manifest import BotEntry, Isolated
from bidwhist.rules import Rules

if TYPE_CHECKING:
    from bidwhist.engine.decider import Decider


class NamedBot(NamedTuple):
    """A bot that can be named without a path, as `bw-arena bots` lists it.

    `parameters`: by name the words it may be, the default first, or a mapping with default, least and most; `hidden`:
    why it is not found by its name, None if it is.
    """

    name: str
    about: str | None
    cheats: bool
    parameters: dict[str, Any] | None
    target: str | None
    package: str
    version: str
    hidden: str | None = None


@dataclass(frozen=True)
class BotSource(ABC):
    """A bot that has been found: its entry in a manifest (name, spec as written, hash of its code), and its spec."""

    entry: BotEntry
    spec: Spec

    stays: ClassVar[str] = "its source is as it was"
    """What has to be so for the hash to stay the same."""

    runs_in_process: ClassVar[bool] = False
    """True if to load the bot is to run a stranger's code in the process that loads it."""

    @property
    def replayable(self) -> bool:
        """True if the seed alone replays what it plays, in any version of the program with the same hash."""
        return False

    @property
    def listed(self) -> bool:
        """True where all that lies in a folder is the bot's, so that a copy needs a list of it."""
        return False

    @property
    def by_clock(self) -> bool:
        """True if its answers depend on how fast the machine is."""
        return False

    @property
    def path(self) -> Path | None:
        """The file of a bot that is one."""
        return None

    @classmethod
    @abstractmethod
    def find(cls, spec: Spec, name: str, folders: Sequence[Path]) -> Self | None:
        """The bot of a spec, to be called `name`; None for a spec of another kind.

        A relative path is looked for in `folders` in turn, one of which may be the folder of a copy
        (`bidwhist.bot.sources.keep`); the hash in its entry is the same there. Nothing is imported or started. Raises
        BotSpecError.
        """

    @classmethod
    def named(cls) -> list[NamedBot]:
        """The bots of this kind that have names."""
        return []

    @classmethod
    def names(cls) -> list[str]:
        """Their names; nothing is loaded for them."""
        return []

    @abstractmethod
    def load(self, rules: Rules, limits: Limits = LIMITS) -> "Decider":
        """The bot, loaded to play by `rules` and told of its `limits`; to be closed. Raises BotSpecError."""

    @abstractmethod
    def metadata(self) -> Metadata:
        """What the bot says of itself; it is imported or started for that. Raises BotSpecError."""

    def probe(self, rules: Rules, limits: Limits = LIMITS) -> None:
        """Load the bot once, so that what keeps it from playing is told before a run. Raises BotSpecError."""
        self.load(rules, limits).close()

    def warm_up(self, rules: Rules) -> None:
        """Compile what the bot needs, if that is not to count as the bot's own time."""

    @property
    def identity(self) -> tuple[object, ...]:
        """Equal for sources of the same bot with the same parameters, whatever its files are called."""
        return (type(self).__name__, self.entry.sha256, self.spec.body, tuple(sorted(self.spec.parameters)))

    @property
    def files(self) -> Mapping[str, Path]:
        """The files that the bot is made of, by their places in a copy of it; none for a bot that is not copied."""
        return {}

    @property
    def isolation(self) -> Isolated:
        """Its isolation from the arena: "jail", "process", or "none" for what plays in the arena's own processes."""
        return "none"

    @property
    def contained(self) -> bool:
        """True if its code runs where it cannot harm the process that plays, so that its faults need not stop a run."""
        return self.isolation != "none"

    @property
    def readable(self) -> tuple[Path, ...]:
        """The files and folders that it may read where it is kept from all others."""
        return tuple(self.files.values())

    def moved(self, found: "BotSource") -> "BotSource":
        """The same bot, which was `found` in a copy."""
        return found

    @property
    def stem(self) -> str:
        """A name for it without its path."""
        return self.spec.text
