"""From the bots of a tournament to what the engine asks: every kind of bot behind one interface.

The compiler is loaded with the first bot, not before: a process that leaves the play to others is spared it.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from bidwhist.arena.house_specs import house_parameters, plays_by_the_clock
from bidwhist.bot.provided import provided_bots
from bidwhist.bot.source import package_hash
from bidwhist.bot.spec import Spec, find_file, parse_spec
from bidwhist.cards import SEATS
from bidwhist.errors import BotSpecError
from bidwhist.results.manifest import BotEntry
from bidwhist.rules import CLASSIC, Rules, known_or_nearest
from bidwhist_bots import HOUSE_BOTS

if TYPE_CHECKING:
    from bidwhist.bot.claims import Claims
    from bidwhist.bot.context import Limits
    from bidwhist.engine.batch import Decider


@dataclass(frozen=True)
class Player:
    """A bot of a tournament, found: its entry in the manifest, its spec, its file if it has one, and where commands are
    looked for."""

    entry: BotEntry
    spec: Spec
    file: Path | None = None
    folders: tuple[Path, ...] = ()

    @property
    def is_house(self) -> bool:
        """True for a house bot."""
        return self.spec.kind == "house"

    @property
    def searches(self) -> bool:
        """True for a house bot that searches; its code is compiled apart from the engine's."""
        return self.is_house and HOUSE_BOTS[self.spec.target].searches

    @property
    def is_replayable(self) -> bool:
        """True for a house bot whose play the seed alone replays: one that does not play by the clock."""
        return self.is_house and not plays_by_the_clock(self.spec)


def find_player(text: str, name: str, folders: Sequence[Path]) -> Player:
    """The bot of a spec; a relative path is looked for in `folders` in turn. Raises BotSpecError."""
    spec = _resolved(parse_spec(text))
    if spec.kind == "house":
        house_parameters(spec)
        return Player(BotEntry(name, text, package_hash("bidwhist_bots"), HOUSE_BOTS[spec.target].cheats), spec)
    if spec.kind == "command":
        from bidwhist.bot.command import command_hash

        return Player(BotEntry(name, text, command_hash(spec, folders)), spec, None, tuple(folders))
    from bidwhist.bot.importing import source_hash

    file = find_file(spec.target, list(folders)) if spec.kind == "file" else None
    return Player(BotEntry(name, text, source_hash(spec, file)), spec, file)


def _resolved(spec: Spec) -> Spec:
    """A spec by name, which is that of a house bot or of one that an installed package provides."""
    if spec.kind != "house" or spec.target in HOUSE_BOTS:
        return spec
    provided = provided_bots()
    found = [bot for bot in provided if bot.name == spec.target]
    if not found:
        wrong = known_or_nearest(spec.target, [*HOUSE_BOTS, *(bot.name for bot in provided)])
        raise BotSpecError(f"bot {spec.text!r}: there is no bot {spec.target!r}; {wrong}")
    if len(found) > 1:
        packages = " and ".join(bot.package for bot in found)
        raise BotSpecError(f"bot {spec.text!r}: {packages} both provide it; name it as package.module:Name")
    module, _, name = found[0].target.partition(":")
    return replace(spec, kind="module", target=module, name=name or None)


def claims_of_player(player: Player) -> "Claims":
    """What a bot says of itself. Raises BotSpecError."""
    from bidwhist.bot.claims import Claims

    if player.is_house:
        return Claims()
    if player.spec.kind == "command":
        from bidwhist.bot.command import load_command_bot

        with load_command_bot(player.spec, player.entry.name, player.folders, CLASSIC) as bot:
            title = bot.introduce(0)
        return Claims(title.name or None, title.version or None)
    from bidwhist.bot.found import find_bot
    from bidwhist.bot.importing import blamed_on

    with blamed_on(player.spec, player.file):
        return find_bot(player.spec, player.file).claims()


def seat_player(player: Player, rules: Rules, limits: "Limits | None" = None) -> "Decider":
    """The bot, loaded to play by `rules`, told of its `limits` (default: those of Limits). Raises BotSpecError."""
    if player.searches:
        from bidwhist.arena.searching import OracleDecider, SearchDecider

        return (OracleDecider if player.entry.cheats else SearchDecider)(player.spec, player.entry.name)
    if player.is_house:
        from bidwhist.arena.house import HouseDecider

        return HouseDecider(player.spec, player.entry.name)
    from bidwhist.bot.context import LIMITS

    if player.spec.kind == "command":
        from bidwhist.bot.command import load_command_bot

        command = load_command_bot(player.spec, player.entry.name, player.folders, rules, limits or LIMITS)
        for seat in range(SEATS):
            command.introduce(seat)
        return command
    from bidwhist.bot.importing import blamed_on
    from bidwhist.bot.python import load_python_bot

    with blamed_on(player.spec, player.file):
        return load_python_bot(player.spec, player.entry.name, player.file, rules, limits or LIMITS)
