"""The folder of a ladder: what it plays, who is on it, and its run."""

import tomllib
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from bidwhist.arena.config import SECRET, Config, make_config, read_config
from bidwhist.bot.jailed.isolation import Isolation, contained
from bidwhist.bot.sources.absent import AbsentSource
from bidwhist.bot.sources.find import find_bot
from bidwhist.bot.sources.keep import COPIES, find_kept
from bidwhist.bot.sources.source import BotSource
from bidwhist.errors import BotSpecError, ConfigError, RunError
from bidwhist.ladder.entries import ENTRIES, Entry, read_entries
from bidwhist.results.manifest import MANIFEST, BotEntry, Manifest, read_manifest
from bidwhist.results.schedule import MIXED

FILE: Final = "ladder.toml"
RUN: Final = "run"
NEW_FILE: Final = """\
# What this ladder plays: a tournament file. Once bots have been submitted, only more boards and more bots may follow.
rules = "classic"
boards = 1000
seed = "secret"
bots = ["random", "heuristic"]
"""
_DEFAULTS: Final = {"seed": SECRET, "bots": ["random", "heuristic"]}


@dataclass
class Ladder:
    """A ladder as it stands on disk; `folder` is absolute. `weak`: its bots may play where they cannot be contained."""

    folder: Path
    config: Config
    entries: list[Entry]
    weak: bool = False

    @property
    def run(self) -> Path:
        """The folder of its run."""
        return self.folder / RUN

    @property
    def sources(self) -> Path:
        """The folder of kept sources."""
        return self.folder / COPIES

    def manifest(self) -> Manifest | None:
        """The manifest of its run; None while nothing has been played. Raises RunError."""
        return read_manifest(self.run) if (self.run / MANIFEST).exists() else None

    def entry(self, name: str) -> Entry | None:
        """The submission of that name; None for a bot of the field."""
        return next((entry for entry in self.entries if entry.name == name), None)

    def bots(self) -> list[BotSource]:
        """The field and all submissions; those of the run first, in its order.

        A bot with files of its own that are lost or were changed is an AbsentSource. Raises RunError for a bot of an
        installed package that is not what has played, ConfigError for one of the field that sees all hands.
        """
        manifest = self.manifest()
        played = {entry.name: entry for entry in manifest.bots} if manifest else {}
        field = [
            contained(self._of_field(spec, name, played.get(name)), Isolation(trusted, self.weak))
            for (spec, name), trusted in zip(self.config.bot_lines, self.config.trusted, strict=True)
        ]
        for bot in field:
            if bot.entry.cheats:
                raise ConfigError(f"{FILE}: bots: {bot.entry.name!r} sees all hands, and a ladder has no place for it")
        bots = field + [
            contained(_kept(entry.as_bot, self.run / COPIES, self.sources), Isolation(entry.trusted, self.weak))
            for entry in self.entries
        ]
        order = list(played)
        last = len(order)
        return sorted(bots, key=lambda each: order.index(each.entry.name) if each.entry.name in order else last)

    def _of_field(self, spec: str, name: str, played: BotEntry | None) -> BotSource:
        """A bot of the field: once it has played, the copy in the run."""
        if played is not None and played.spec == spec:
            return _kept(played, self.run / COPIES)
        try:
            return find_bot(spec, name, [self.folder, Path.cwd()])
        except BotSpecError as error:
            raise RunError(f"bot {name!r} of the ladder cannot be found: {error}") from None


def _kept(entry: BotEntry, *folders: Path) -> BotSource:
    """The bot of an entry as it has played, from the first folder that has a whole copy; absent if none has."""
    reason = ""
    for copies in folders:
        try:
            return find_kept(entry, copies)
        except BotSpecError as error:
            if entry.kept is None:
                raise RunError(f"the ladder cannot be extended: {error}") from None
            reason = reason or str(error)
    return AbsentSource.of(entry, reason)


def open_ladder(folder: Path) -> Ladder:
    """The ladder in a folder. Raises RunError if there is none or it is damaged, ConfigError for its file."""
    folder = folder.absolute()
    path = folder / FILE
    if not path.is_file():
        raise RunError(f"{folder}: is no ladder: it has no {FILE}; the first `bw-arena submit` makes one")
    config = read_config(path, defaults=_DEFAULTS)
    if config.pairing in ("gauntlet", MIXED):
        raise ConfigError(f'{path}: pairing: a ladder is "round-robin" or "swiss": {config.pairing!r} does not go')
    if config.stop is not None:
        raise ConfigError(f"{path}: stop: a ladder plays all its boards")
    entries = read_entries(folder)
    taken = {name for _, name in config.bot_lines}
    for entry in entries:
        if entry.name in taken:
            raise ConfigError(f"{path}: bots: {entry.name!r} is the name of a bot that was submitted")
    ladder = Ladder(folder, config, entries)
    _check_entries(ladder)
    return ladder


def _check_entries(ladder: Ladder) -> None:
    """Hold the entries against the run: each bot that has played is of the field or was submitted, as it has played.

    Raises RunError.
    """
    manifest = ladder.manifest()
    path = ladder.folder / ENTRIES
    field = {name for _, name in ladder.config.bot_lines}
    for bot in manifest.bots if manifest else ():
        entry = ladder.entry(bot.name)
        if entry is None and bot.name not in field:
            raise RunError(f"{path}: has no line for {bot.name!r}, which has played; put the line back")
        if entry is not None and (entry.spec, entry.sha256) != (bot.spec, bot.sha256):
            raise RunError(f"{path}: the line of {bot.name!r} has another spec or SHA-256 than the bot that has played")


def new_ladder(folder: Path) -> Ladder:
    """A ladder to be made by the first submission; nothing is written. Raises RunError if other things lie there."""
    folder = folder.absolute()
    ours = {FILE, COPIES, ".lock"}
    if any(path.name not in ours for path in folder.iterdir()):
        raise RunError(f"{folder}: holds other files and is no ladder; choose another folder with --ladder")
    return Ladder(folder, make_config({"name": "ladder", **tomllib.loads(NEW_FILE)}, FILE), [])
