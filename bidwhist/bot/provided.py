"""Bots that installed packages provide, by the entry point group `bw_arena.bots`."""

from dataclasses import dataclass
from importlib.metadata import entry_points
from typing import Final

GROUP: Final = "bw_arena.bots"


@dataclass(frozen=True)
class Provided:
    """A bot of an installed package: its name, what it is (`package.module:Name` or `package.module`), and whose."""

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
