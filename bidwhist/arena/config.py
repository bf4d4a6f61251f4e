"""The tournament file: reading it, checking it, saying what is wrong with it."""

import secrets
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

import msgspec

from bidwhist.bot.limits import LIMITS, Limits, too_low
from bidwhist.errors import ConfigError, RulesError
from bidwhist.files import read_file
from bidwhist.results.manifest import Stage
from bidwhist.results.terms import (
    MOST_FAULTS,
    Count,
    Format,
    Megabytes,
    OnFault,
    Pairing,
    Record,
    Seconds,
    Share,
    Stop,
    Terms,
    rules_from,
    typed,
)
from bidwhist.rules import Rules
from bidwhist.text import echo

SECRET: Final = "secret"


class BotLine(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A bot with a name of its own, or one that is trusted: it plays in the arena's own processes."""

    spec: str
    name: str | None = None
    trust: bool = False


class LimitsTable(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Limits of bots that play in processes of their own; see bidwhist.bot.limits."""

    start: Seconds = LIMITS.start
    answer: Seconds = LIMITS.answer
    run: Seconds | None = None
    idle: Seconds = LIMITS.idle
    memory: Megabytes = LIMITS.memory
    scratch: Megabytes = LIMITS.scratch


class Config(msgspec.Struct, forbid_unknown_fields=True):
    """A tournament file as it is written; meanings in docs/tournaments.md."""

    seed: int | str
    bots: list[str | BotLine]
    name: str | None = None
    rules: str | dict[str, str | int | bool] = "classic"
    format: Format = "boards"
    boards: Count | None = None
    games: Count | None = None
    pairing: Pairing = "round-robin"
    challengers: list[str] = []
    jobs: Count | None = None
    record: Record = "auto"
    on_fault: OnFault | None = None
    most_faults: Share = MOST_FAULTS
    limits: LimitsTable = LimitsTable()
    stop: Stop | None = None
    rounds: Count | None = None

    @property
    def units(self) -> int:
        """Boards or games to be played for every pairing."""
        units = self.boards if self.format == "boards" else self.games
        assert units is not None  # checked on reading
        return units

    @property
    def bot_lines(self) -> list[tuple[str, str]]:
        """Spec and name of every bot."""
        return [(line.spec, line.spec if line.name is None else line.name) for line in self._lines]

    @property
    def trusted(self) -> list[bool]:
        """Whether each bot is trusted."""
        return [line.trust for line in self._lines]

    @property
    def _lines(self) -> list[BotLine]:
        return [BotLine(bot) if isinstance(bot, str) else bot for bot in self.bots]

    def rule_set(self) -> Rules:
        """The rules. Raises RulesError."""
        return rules_from(self.rules)

    def bot_limits(self) -> Limits:
        """The limits that bots are told of and held to."""
        given = msgspec.structs.asdict(self.limits)
        return Limits(**{name: value for name, value in given.items() if value is not None})


def read_config(
    path: Path, overrides: Mapping[str, Any] | None = None, defaults: Mapping[str, Any] | None = None
) -> Config:
    """Read a tournament file; `overrides` replace its fields, `defaults` stand for those it has not.

    Raises ConfigError naming file, field and reason.
    """
    try:
        fields = tomllib.loads(read_file(path).decode("utf-8-sig"))  # some editors begin a file with a mark
    except OSError as error:
        raise ConfigError(f"{path}: cannot be read: {error.strerror}") from error
    except (ValueError, RecursionError) as error:
        raise ConfigError(f"{path}: is no TOML: {error}") from error
    return make_config({"name": path.stem, **(defaults or {}), **fields, **(overrides or {})}, str(path))


def make_config(fields: Mapping[str, Any], where: str) -> Config:
    """A checked Config from plain values; `where` stands before every message. Raises ConfigError."""
    try:
        _check_rule_values(fields.get("rules"))
        config = typed(dict(fields), Config)
        _check(config)
    except ConfigError as error:
        raise ConfigError(f"{where}: {error}") from None
    return config


def _check_rule_values(rules: Any) -> None:
    """Name the rule field whose value is of no kind that rules have. Raises ConfigError."""
    for key, value in rules.items() if isinstance(rules, Mapping) else ():
        if not isinstance(value, str | int):
            name, shown = echo(key, bare=True), echo(value)
            raise ConfigError(f"rules: {name}: {shown} is no text, no integer and neither true nor false")


def _check(config: Config) -> None:
    """Raises ConfigError with field and reason."""
    try:
        rules = config.rule_set()
    except RulesError as error:
        raise ConfigError(f"rules: {error}") from None
    if isinstance(config.seed, str) and config.seed != SECRET:
        raise ConfigError(f'seed: {echo(config.seed)} is neither an integer nor "secret"')
    low = too_low(config.bot_limits())
    if low is not None:
        raise ConfigError(f"limits.{low}")
    other = "games" if config.format == "boards" else "boards"
    if getattr(config, config.format) is None:
        raise ConfigError(f'{config.format}: is missing; format = "{config.format}" needs their number')
    if getattr(config, other) is not None:
        raise ConfigError(f'{other}: does not go with format = "{config.format}"')
    specs, names = zip(*config.bot_lines, strict=True) if config.bots else ((), ())
    Terms(
        "tournament" if config.name is None else config.name,
        rules,
        config.format,
        config.seed if isinstance(config.seed, int) else None,
        config.pairing,
        config.challengers,
        names,
        specs,
        {config.on_fault or ""},
        [Stage(len(names), config.units)],
        config.stop,
        config.rounds,
    ).check()
    if config.stop is not None:
        most = 1.0 if config.format == "games" else _most_points(rules)
        if config.stop.difference >= most:
            raise ConfigError(f"stop.difference: must be less than {most:g}, which is all that a bot can win")


def _most_points(rules: Rules) -> float:
    from bidwhist.score import most_points  # loads the compiler

    return float(most_points(rules.record()))


def draw_seed() -> int:
    """128 fresh bits for a secret seed."""
    return secrets.randbits(128)
