"""The house bots: a line for each, and a module of the same name with all the rest.

A compiled bot's module has the functions `call`, `prepare` and `play`, each (private, public, stream) -> action; one
that declares PARAMETERS gets their values as a fourth argument. A searching bot's module has `search(values)`, which
makes its Search (`bidwhist_bots.search`). Both have `ABOUT`, a line for people, and perhaps `PARAMETERS`.

What stands here is plain data, so that naming a bot loads no compiler.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final


@dataclass(frozen=True)
class HouseBot:
    """A house bot. `searches`: it weighs its actions in imagined worlds, else it plays inside the engine's kernel.

    `cheats`: it sees all hands, and is a reference that others are measured by: no standings have a place for it.
    """

    name: str
    searches: bool = False
    cheats: bool = False

    @property
    def module(self) -> str:
        """Name of its module in this package."""
        return self.name.replace("-", "_")


COMPILED: Final = (HouseBot("random"), HouseBot("heuristic"))
SEARCHING: Final = (
    HouseBot("mc", searches=True),
    HouseBot("pimc", searches=True),
    HouseBot("belief", searches=True),
    HouseBot("oracle-rollout", searches=True, cheats=True),
    HouseBot("oracle", searches=True, cheats=True),
)

HOUSE_BOTS: Final[Mapping[str, HouseBot]] = MappingProxyType({bot.name: bot for bot in (*COMPILED, *SEARCHING)})
