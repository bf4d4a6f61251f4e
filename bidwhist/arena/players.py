"""From the bots of a tournament to what the engine asks: every kind of bot behind one interface.

The compiler is loaded with the first bot, not before: a process that leaves the play to others is spared it.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from bidwhist.arena.house_specs import house_parameters
from bidwhist.bot.source import package_hash
from bidwhist.bot.spec import Spec, find_file, parse_spec
from bidwhist.results.manifest import BotEntry

if TYPE_CHECKING:
    from bidwhist.engine.batch import Decider


@dataclass(frozen=True)
class Player:
    """A bot of a tournament, found: its entry in the manifest, its spec, and its file if it has one."""

    entry: BotEntry
    spec: Spec
    file: Path | None

    @property
    def is_house(self) -> bool:
        """True for a house bot, whose play the seed alone replays."""
        return self.spec.kind == "house"


def find_player(text: str, name: str, folders: Sequence[Path]) -> Player:
    """The bot of a spec; a relative path is looked for in `folders` in turn. Raises BotSpecError."""
    spec = parse_spec(text)
    if spec.kind == "house":
        house_parameters(spec)
        return Player(BotEntry(name, text, package_hash("bidwhist_bots")), spec, None)
    from bidwhist.bot.python import source_hash

    file = find_file(spec.target, list(folders)) if spec.kind == "file" else None
    return Player(BotEntry(name, text, source_hash(spec, file)), spec, file)


def seat_player(player: Player) -> "Decider":
    """The bot, loaded. Raises BotSpecError."""
    if player.is_house:
        from bidwhist.arena.house import HouseDecider

        return HouseDecider(player.spec, player.entry.name)
    from bidwhist.bot.python import load_python_bot

    return load_python_bot(player.spec, player.entry.name, player.file)
