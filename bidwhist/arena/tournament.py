"""A tournament with its bots found: what a run plays."""

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

from bidwhist.arena.config import SECRET, Config
from bidwhist.bot.jailed.isolation import STRANGERS, Isolation, contained
from bidwhist.bot.probing import probe_all
from bidwhist.bot.sources.find import find_bot
from bidwhist.bot.sources.keep import COPIES, find_kept
from bidwhist.bot.sources.source import BotSource
from bidwhist.errors import BotSpecError, RunError
from bidwhist.results.manifest import DEFAULT, read_manifest
from bidwhist.results.schedule import Plan

_SMALL_SEED: Final = 1 << 64


@dataclass(frozen=True)
class Tournament:
    """A tournament with its bots found: what a run plays."""

    config: Config
    bots: tuple[BotSource, ...]
    folder: Path  # where relative paths of bots are looked for first
    absent: frozenset[str] = frozenset()  # names of bots that have played and cannot play any more

    @property
    def name(self) -> str:
        """The tournament's name."""
        return self.config.name or "tournament"

    @property
    def is_guessable(self) -> bool:
        """True if bots that are not trusted could find the seed, and with it all hands, by trying small numbers."""
        seed = self.config.seed
        return seed != SECRET and int(seed) < _SMALL_SEED and any(bot.contained for bot in self.bots)

    def plan(self) -> Plan:
        """The form of pairing of its bots."""
        hands = self.config.rule_set().cap if self.config.format == "games" else 1
        names = [bot.entry.name for bot in self.bots]
        config = self.config
        may_stop = config.stop is not None
        return Plan.by_names(config.pairing, config.challengers, names, hands, may_stop=may_stop, rounds=config.rounds)

    def most_tables(self) -> int:
        """Rows of the finished run: exactly in the format `boards`, at most in `games`."""
        return self.plan().most_tables(len(self.bots), self.config.units)


def default_folder(config: Config) -> Path:
    """`results/<name>` in the working folder."""
    return DEFAULT / (config.name or "tournament")


def prepare(
    config: Config, folders: Sequence[Path], going_on: Path | None = None, isolation: Isolation = STRANGERS
) -> Tournament:
    """Find the bots of a tournament and load each once; relative paths are looked for in `folders`.

    `going_on`: the folder of a run that may be there already. A bot whose files are gone is taken from its copy there.
    `isolation`: of all bots, beside those that the tournament says it trusts. Raises BotSpecError.
    """
    bots = tuple(
        contained(_find(spec, name, folders, going_on), replace(isolation, trust=isolation.trust or trusted))
        for (spec, name), trusted in zip(config.bot_lines, config.trusted, strict=True)
    )
    probe_all(bots, config.rule_set(), config.bot_limits())
    return Tournament(config, bots, folders[0])


def _find(spec: str, name: str, folders: Sequence[Path], going_on: Path | None) -> BotSource:
    try:
        return find_bot(spec, name, folders)
    except BotSpecError:
        with suppress(RunError, BotSpecError):
            manifest = read_manifest(going_on) if going_on else None
            for entry in manifest.bots if manifest else ():
                if going_on and entry.kept and (entry.name, entry.spec) == (name, spec):
                    return find_kept(entry, going_on / COPIES)
        raise
