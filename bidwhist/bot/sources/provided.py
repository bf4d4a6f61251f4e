"""Bots that installed packages provide under a name, by the entry point group `bw_arena.bots`."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from importlib.metadata import entry_points
from pathlib import Path
from typing import Final, Self

from bidwhist.bot.sources.python import ModuleSource
from bidwhist.bot.sources.source import NamedBot
from bidwhist.bot.spec import Spec
from bidwhist.errors import BotSpecError
from bidwhist.text import echo
from bidwhist_bots import HOUSE_BOTS

GROUP: Final = "bw_arena.bots"


@dataclass(frozen=True)
class Provided:
    """A bot of an installed package: its name, its target (`package.module:Name` or `package.module`), and whose."""

    name: str
    target: str
    package: str
    version: str


def provided_bots() -> list[Provided]:
    """All bots that installed packages provide, by name; the same name may stand there twice."""
    found = {
        Provided(each.name, each.value.replace(" ", ""), each.dist.name, each.dist.version)
        for each in entry_points(group=GROUP)
        if each.dist is not None
    }
    return sorted(found, key=lambda bot: (bot.name, bot.package, bot.target))


class ProvidedSource(ModuleSource):
    """A module by the name that its package gives it. It is imported to play, and not before."""

    @classmethod
    def find(cls, spec: Spec, name: str, folders: Sequence[Path]) -> Self | None:
        """The one bot that is provided under the spec's name."""
        found = [bot for bot in provided_bots() if bot.name == spec.body]
        if not found:
            return None
        if len(found) > 1:
            packages = " and ".join(bot.package for bot in found)
            raise BotSpecError(f"bot {echo(spec.text)}: {packages} both provide it; name it as package.module:Name")
        module, _, taken = found[0].target.partition(":")
        return cls.of(spec, name, module, taken or None)

    @classmethod
    def named(cls) -> list[NamedBot]:
        """All of them, those included that are not found by their name."""
        bots = provided_bots()
        times = Counter(bot.name for bot in bots)
        return [
            NamedBot(bot.name, None, False, None, bot.target, bot.package, bot.version, _hidden(bot.name, times))
            for bot in bots
        ]

    @classmethod
    def names(cls) -> list[str]:
        """Names of entry points."""
        return [bot.name for bot in provided_bots()]


def _hidden(name: str, times: Counter[str]) -> str | None:
    if name in HOUSE_BOTS:
        return f"{name} is a house bot"
    if times[name] > 1:
        return f"it is provided {'twice' if times[name] == 2 else f'{times[name]} times'}"
    return None
