"""The folder of a ladder: what it plays, who is on it, and its run."""

import tomllib
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from bidwhist.arena.config import SECRET, Config, make_config, read_config
from bidwhist.bot.sources.find import find_bot
from bidwhist.bot.sources.source import BotSource
from bidwhist.errors import BotSpecError, ConfigError, RunError
from bidwhist.ladder.entries import Entry, read_entries
from bidwhist.ladder.keep import SOURCES, find_kept
from bidwhist.results.manifest import MANIFEST, Manifest, read_manifest

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
    """A ladder as it stands on disk; `folder` is absolute."""

    folder: Path
    config: Config
    entries: list[Entry]

    @property
    def run(self) -> Path:
        """The folder of its run."""
        return self.folder / RUN

    @property
    def sources(self) -> Path:
        """The folder of kept sources."""
        return self.folder / SOURCES

    def manifest(self) -> Manifest | None:
        """The manifest of its run; None while nothing has been played. Raises RunError."""
        return read_manifest(self.run) if (self.run / MANIFEST).exists() else None

    def entry(self, name: str) -> Entry | None:
        """The submission of that name; None for a bot of the field."""
        return next((entry for entry in self.entries if entry.name == name), None)

    def bots(self) -> list[BotSource]:
        """The field and all submissions; those of the run first, in its order.

        Raises RunError for a bot whose source is missing, or is not what has played; ConfigError for one of the field
        that sees all hands.
        """
        places = [self.folder, Path.cwd()]
        field = [_found(find_bot, spec, name, places) for spec, name in self.config.bot_lines]
        for bot in field:
            if bot.entry.cheats:
                raise ConfigError(f"{FILE}: bots: {bot.entry.name!r} sees all hands, and a ladder has no place for it")
        bots = field + [self._submitted(entry) for entry in self.entries]
        manifest = self.manifest()
        if manifest is None:
            return bots
        for bot in bots:
            _refuse_changed(bot, {entry.name: entry.sha256 for entry in manifest.bots})
        order = [entry.name for entry in manifest.bots]
        last = len(order)
        return sorted(bots, key=lambda each: order.index(each.entry.name) if each.entry.name in order else last)

    def _submitted(self, entry: Entry) -> BotSource:
        bot = _found(find_kept, entry.spec, entry.name, self.sources / entry.sha256)
        _refuse_changed(bot, {entry.name: entry.sha256})
        return bot


def _found(find: Any, spec: str, name: str, where: Path | list[Path]) -> BotSource:
    try:
        bot: BotSource = find(spec, name, where)
    except BotSpecError as error:
        raise RunError(f"bot {name!r} of the ladder cannot be found any more: {error}") from None
    return bot


def _refuse_changed(bot: BotSource, hashes: dict[str, str]) -> None:
    name, now = bot.entry.name, bot.entry.sha256
    before = hashes.get(name, now)
    if before != now:
        raise RunError(
            f"bot {name!r} has changed since it was entered (SHA-256 {before[:12]} then, {now[:12]} now): the ladder "
            f"cannot be extended until {bot.stays}"
        )


def open_ladder(folder: Path) -> Ladder:
    """The ladder in a folder. Raises RunError if there is none or it is damaged, ConfigError for its file."""
    folder = folder.absolute()
    path = folder / FILE
    if not path.is_file():
        raise RunError(f"{folder}: is no ladder: it has no {FILE}; the first `bw-arena submit` makes one")
    config = read_config(path, defaults=_DEFAULTS)
    if config.pairing != "round-robin":
        raise ConfigError(f"{path}: pairing: on a ladder all bots meet all others: {config.pairing!r} does not go")
    entries = read_entries(folder)
    taken = {name for _, name in config.bot_lines}
    for entry in entries:
        if entry.name in taken:
            raise ConfigError(f"{path}: bots: {entry.name!r} is the name of a bot that was submitted")
    return Ladder(folder, config, entries)


def new_ladder(folder: Path) -> Ladder:
    """A ladder to be made by the first submission; nothing is written. Raises RunError if other things lie there."""
    folder = folder.absolute()
    ours = {FILE, SOURCES, ".lock"}
    if any(path.name not in ours for path in folder.iterdir()):
        raise RunError(f"{folder}: holds other files and is no ladder; choose another folder with --ladder")
    return Ladder(folder, make_config({"name": "ladder", **tomllib.loads(NEW_FILE)}, FILE), [])
