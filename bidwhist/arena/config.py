"""The tournament file: reading it, checking it, saying what is wrong with it."""

import re
import secrets
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any, Literal, get_args

import msgspec

from bidwhist.errors import ConfigError, RulesError
from bidwhist.results.schema import MAX_SEED
from bidwhist.rules import Rules, known_or_nearest, preset
from bidwhist.text import is_label

Count = Annotated[int, msgspec.Meta(ge=1, le=1_000_000_000)]
Games = Annotated[int, msgspec.Meta(ge=1, le=10_000_000)]
Format = Literal["boards", "games"]
Pairing = Literal["round-robin", "gauntlet"]
Record = Literal["auto", "results", "plays"]
SECRET = "secret"

_CHOICES = {"format": get_args(Format), "pairing": get_args(Pairing), "record": get_args(Record)}


class BotLine(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A bot with a name of its own."""

    spec: str
    name: str | None = None


class Config(msgspec.Struct, forbid_unknown_fields=True):
    """A tournament file as it is written; meanings in docs/tournaments.md."""

    seed: int | str
    bots: list[str | BotLine]
    name: str | None = None
    rules: str | dict[str, str | int | bool] = "classic"
    format: Format = "boards"
    boards: Count | None = None
    games: Games | None = None
    pairing: Pairing = "round-robin"
    challengers: list[str] = []
    jobs: Count | None = None
    record: Record = "auto"

    @property
    def units(self) -> int:
        """Boards or games to be played for every pairing."""
        units = self.boards if self.format == "boards" else self.games
        assert units is not None  # checked on reading
        return units

    @property
    def bot_lines(self) -> list[tuple[str, str]]:
        """Spec and name of every bot."""
        lines = [BotLine(bot) if isinstance(bot, str) else bot for bot in self.bots]
        return [(line.spec, line.spec if line.name is None else line.name) for line in lines]

    def rule_set(self) -> Rules:
        """The rules. Raises RulesError."""
        if isinstance(self.rules, str):
            return preset(self.rules)
        fields = dict(self.rules)
        return preset(str(fields.pop("preset", "classic")), **fields)


def read_config(
    path: Path, overrides: Mapping[str, Any] | None = None, defaults: Mapping[str, Any] | None = None
) -> Config:
    """Read a tournament file; `overrides` replace its fields, `defaults` stand for those it has not.

    Raises ConfigError naming file, field and reason.
    """
    try:
        fields = tomllib.loads(path.read_text(encoding="utf-8-sig"))  # some editors begin a file with a mark
    except OSError as error:
        raise ConfigError(f"{path}: cannot be read: {error.strerror}") from error
    except (ValueError, RecursionError) as error:
        raise ConfigError(f"{path}: is no TOML: {error}") from error
    return make_config({"name": path.stem, **(defaults or {}), **fields, **(overrides or {})}, str(path))


def make_config(fields: Mapping[str, Any], where: str) -> Config:
    """A checked Config from plain values; `where` stands before every message. Raises ConfigError."""
    for key in map(str, fields):
        wrong = known_or_nearest(key, list(Config.__struct_fields__))
        if wrong:
            raise ConfigError(f"{where}: {key}: there is no such field; {wrong}")
    try:
        config = msgspec.convert(dict(fields), Config)
    except (msgspec.ValidationError, RecursionError) as error:
        raise ConfigError(f"{where}: {_in_our_words(str(error))}") from None
    try:
        _check(config)
    except (ConfigError, RulesError) as error:
        raise ConfigError(f"{where}: {error}") from None
    return config


_KINDS = {
    "int": "an integer",
    "str": "text",
    "bool": "true or false",
    "float": "a number with a point",
    "array": "a list",
    "object": "a table",
    "null": "nothing",
}


def _in_our_words(message: str) -> str:
    """msgspec says 'Expected `int | null`, got `str` - at `$.boards`'; here the field first, and plain words."""
    reason, _, place = message.partition(" - at ")
    field = place.strip("`").removeprefix("$").removeprefix(".").replace("[...]", "")
    if found := re.fullmatch(r"Expected `([^`]*)`(?: ([<>]= \d+))?(?:, got `(\w+)`)?", reason):
        kinds = [_KINDS.get(kind, kind) for kind in found[1].split(" | ") if kind != "null"]
        limit = f" {found[2]}" if found[2] else ""
        got = f", not {_KINDS.get(found[3], found[3])}" if found[3] else ""
        reason = f"must be {' or '.join(kinds)}{limit}{got}"
    elif found := re.fullmatch(r"Object missing required field `(\w+)`", reason):
        field, reason = ".".join(filter(None, [field, found[1]])), "is missing"
    elif found := re.fullmatch(r"Object contains unknown field `(\w+)`", reason):
        field, reason = ".".join(filter(None, [field, found[1]])), "there is no such field"
    elif reason.startswith("Invalid enum value") and field in _CHOICES:
        reason = f"{reason.removeprefix('Invalid enum value ')} is none of {', '.join(_CHOICES[field])}"
    return f"{field}: {reason}" if field else reason


def _check(config: Config) -> None:
    try:
        config.rule_set()
    except RulesError as error:
        raise ConfigError(f"rules: {error}") from None
    if isinstance(config.seed, str) and config.seed != SECRET:
        raise ConfigError(f'seed: {config.seed!r} is neither an integer nor "secret"')
    if isinstance(config.seed, int) and not 0 <= config.seed <= MAX_SEED:
        raise ConfigError("seed: must be from 0 to 2**128 - 1")
    other = "games" if config.format == "boards" else "boards"
    if getattr(config, config.format) is None:
        raise ConfigError(f'{config.format}: is missing; format = "{config.format}" needs their number')
    if getattr(config, other) is not None:
        raise ConfigError(f'{other}: does not go with format = "{config.format}"')
    if config.name is not None:
        _check_name(config.name)
    _check_bots(config)


def _check_name(name: str) -> None:
    """The name is also that of the run's folder in `results`."""
    if not is_label(name) or name.startswith(".") or set(name) & set("/\\"):
        raise ConfigError(f"name: {name!r} cannot name a folder: it is empty, starts with a dot or has a slash")


def _check_bots(config: Config) -> None:
    names = [name for _, name in config.bot_lines]
    for name in names:
        if not is_label(name):
            raise ConfigError(f"bots: {name!r} is no name: it must be printable and not empty")
        if names.count(name) > 1:
            raise ConfigError(f"bots: two bots are called {name!r}; give one of them a name of its own")
    if len(names) < 2:
        raise ConfigError(f"bots: a tournament needs two at least, and has {len(names)}")
    if config.pairing == "gauntlet" and not config.challengers:
        raise ConfigError('challengers: is missing; pairing = "gauntlet" needs them')
    if config.pairing != "gauntlet" and config.challengers:
        raise ConfigError(f'challengers: does not go with pairing = "{config.pairing}"')
    for name in config.challengers:
        wrong = known_or_nearest(name, names)
        if wrong:
            raise ConfigError(f"challengers: {name!r} is none of the bots; {wrong}")
    if len(set(config.challengers)) == len(names):
        raise ConfigError("challengers: someone must be left to play against")


def draw_seed() -> int:
    """128 fresh bits for a secret seed."""
    return secrets.randbits(128)
