"""The terms of a tournament: what they may be, checked alike for a tournament file and for the manifest of a run."""

import re
import unicodedata
from collections.abc import Mapping, Sequence, Set
from typing import Annotated, Any, Final, Literal, TypeAlias, TypeVar, get_args

import msgspec

from bidwhist.errors import ConfigError, RulesError
from bidwhist.results.schedule import MIXED, PARTNERS, Pair, Plan, Stage
from bidwhist.results.schema import MAX_SEED
from bidwhist.rules import OPTIONS, Rules, Value, known_or_nearest, preset
from bidwhist.text import echo, is_label

MOST_BOTS: Final = 1_000
MOST_BOARDS: Final = 1_000_000_000
MOST_GAMES: Final = 10_000_000
FEWEST_MIXED: Final = 4
"""Bots that "mixed" needs, so that two partners have two others to play against."""
MOST_LETTERS: Final = 80
"""Letters of a name, at most."""

_MOST_PARTS: Final = 1_000_000  # as many as six digits in a file's name can number
_CONTROL: Final = "Cc"  # category of control characters in Unicode

Count: TypeAlias = Annotated[int, msgspec.Meta(ge=1, le=MOST_BOARDS)]
Megabytes: TypeAlias = Annotated[int, msgspec.Meta(ge=1, le=1 << 20)]
Seconds: TypeAlias = Annotated[float, msgspec.Meta(gt=0, le=86_400)]
Format: TypeAlias = Literal["boards", "games"]
Pairing: TypeAlias = Literal["round-robin", "gauntlet", "swiss", "mixed"]
Record: TypeAlias = Literal["auto", "results", "plays"]
OnFault: TypeAlias = Literal["substitute", "forfeit", "stop"]
Share: TypeAlias = Annotated[float, msgspec.Meta(ge=0, le=1)]

MOST_FAULTS: Final = 0.01
"""Share of a bot's tables at which it may fail, unless a tournament says otherwise."""

_CHOICES: Final = {
    "format": get_args(Format),
    "pairing": get_args(Pairing),
    "record": get_args(Record),
    "on_fault": get_args(OnFault),
}

MOST_ALPHA: Final = 0.5


class Stop(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """When a run stops before its end: once it is known which of two bots is ahead, or that they differ by less than
    `difference`, in points a board (in `games` in shares of the games won), and that is wrong with the probability
    `alpha` at most."""

    bots: list[str]
    difference: Annotated[float, msgspec.Meta(gt=0)]
    alpha: Annotated[float, msgspec.Meta(gt=0, le=MOST_ALPHA)] = 0.05


T = TypeVar("T", bound=msgspec.Struct)


class Terms(msgspec.Struct, frozen=True):
    """What decides which tables a tournament has. `bots` and `specs`: names of the bots, and what they stand for;
    `on_fault`: all that may come of faults; `stages`: a run may have been extended; a tournament has one."""

    name: str
    rules: Rules
    format: str
    seed: int | None
    pairing: str
    challengers: Sequence[str]
    bots: Sequence[str]
    specs: Sequence[str]
    on_fault: Set[str]
    stages: Sequence[Stage]
    stop: Stop | None = None
    rounds: int | None = None

    def check(self) -> None:
        """Raises ConfigError with field and reason."""
        check_name("name", self.name)
        if self.name.startswith(".") or set(self.name) & set("/\\"):
            raise ConfigError(f"name: {echo(self.name)} cannot name a folder: it starts with a dot or has a slash")
        if self.seed is not None and not 0 <= self.seed <= MAX_SEED:
            raise ConfigError("seed: must be from 0 to 2**128 - 1")
        if "forfeit" in self.on_fault and self.format != "boards":
            raise ConfigError(
                f'on_fault: "forfeit" does not go with format = "{self.format}": a game has no table to compare a hand '
                f'with; "substitute" or "stop" does'
            )
        self._check_bots()
        self._check_challengers()
        if self.pairing == "swiss" and self.rounds is None:
            raise ConfigError('rounds: is missing; pairing = "swiss" needs them')
        if self.pairing != "swiss" and self.rounds is not None:
            raise ConfigError(f'rounds: does not go with pairing = "{self.pairing}"')
        self._check_stages()
        if self.stop is not None:
            self._check_stop(self.stop)

    def _check_bots(self) -> None:
        if len(self.bots) < 2:
            raise ConfigError(f"bots: a tournament needs two at least, and has {len(self.bots)}")
        if len(self.bots) > MOST_BOTS:
            raise ConfigError(f"bots: a tournament has {MOST_BOTS:,} at most, and not {len(self.bots):,}")
        seen: dict[str, str] = {}
        for name, spec in zip(self.bots, self.specs, strict=True):
            # A bot without a name of its own is called by its spec, which may be a long path.
            check_name("bots", name, None if name == spec else MOST_LETTERS)
            other = seen.get(normalized(name))
            if other is not None:
                alike = f"; {echo(other)} looks the same" if other != name else ""
                raise ConfigError(f"bots: two bots are called {echo(name)}{alike}; give one of them a name of its own")
            seen[normalized(name)] = name
        if self.pairing == MIXED:
            self._check_mixed()

    def _check_mixed(self) -> None:
        """Raises ConfigError for bots of which no two sides can be made, or whose sides cannot be told by name."""
        if len(self.bots) < FEWEST_MIXED:
            raise ConfigError(
                f'bots: pairing = "{MIXED}" needs {FEWEST_MIXED} at least, two partners on each side, and there are '
                f"{len(self.bots)}"
            )
        for name in self.bots:
            if PARTNERS in name:
                raise ConfigError(
                    f'bots: {echo(name)} has "{PARTNERS}" in its name, which pairing = "{MIXED}" puts between two '
                    f"partners; give it a name of its own"
                )

    def _check_challengers(self) -> None:
        if self.pairing == "gauntlet" and not self.challengers:
            raise ConfigError('challengers: is missing; pairing = "gauntlet" needs them')
        if self.pairing != "gauntlet" and self.challengers:
            raise ConfigError(f'challengers: does not go with pairing = "{self.pairing}"')
        for name in self.challengers:
            wrong = known_or_nearest(name, list(self.bots))
            if wrong:
                raise ConfigError(f"challengers: {echo(name)} is none of the bots; {wrong}")
            if self.challengers.count(name) > 1:
                raise ConfigError(f"challengers: {echo(name)} stands there twice")
        if len(self.challengers) == len(self.bots):
            raise ConfigError("challengers: someone must be left to play against")

    def _check_stop(self, stop: Stop) -> None:
        for name in stop.bots:
            wrong = known_or_nearest(name, list(self.bots))
            if wrong:
                raise ConfigError(f"stop.bots: {echo(name)} is none of the bots; {wrong}")
        if len(set(stop.bots)) != 2 or len(stop.bots) != 2:
            raise ConfigError(
                f"stop.bots: two different bots are wanted, and not {', '.join(map(echo, stop.bots)) or 'none'}"
            )
        if self.pairing == "swiss":
            raise ConfigError('stop: does not go with pairing = "swiss": two bots need not meet there')
        if self.pairing == MIXED:
            raise ConfigError(f'stop: does not go with pairing = "{MIXED}": two bots are partners there as well')
        if len(set(stop.bots) & set(self.challengers)) % 2 == 0 and self.challengers:
            raise ConfigError(
                f"stop.bots: {' and '.join(map(echo, stop.bots))} do not meet: of two one is a challenger"
            )

    def _check_stages(self) -> None:
        bots, units = FEWEST_MIXED if self.pairing == MIXED else 2, 1
        met: set[Pair] = set()
        for stage in self.stages:
            fits = bots <= stage.bots <= len(self.bots) and units <= stage.units <= MOST_BOARDS
            pairs = set(stage.pairs or ())
            is_round = self.pairing == "swiss" and all(0 <= a < b < stage.bots for a, b in pairs) and not pairs & met
            met |= pairs
            if not fits or not set(stage.without) <= set(range(stage.bots)) or not (is_round or stage.pairs is None):
                raise ConfigError("stages: do not fit the bots, or each other")
            bots, units = stage.bots, stage.units
        if self.format == "games" and units > MOST_GAMES:
            raise ConfigError(f"games: must be at most {MOST_GAMES:,}")
        hands = self.rules.cap if self.format == "games" else 1
        plan = Plan.by_names(
            self.pairing, self.challengers, self.bots, hands, may_stop=self.stop is not None, rounds=self.rounds
        )
        pairings = plan.count_pairs(bots)
        if pairings > _MOST_PARTS:
            raise ConfigError(
                f"bots: {bots:,} make {pairings:,} pairings, each of a part at least; a run has {_MOST_PARTS:,} at most"
            )
        parts = max(plan.count_parts(self.stages), plan.parts_of_rounds(bots, units))
        if parts > _MOST_PARTS:
            raise ConfigError(
                f"{self.format}: {units:,} for every pairing of {bots:,} bots make {parts:,} parts; a run has "
                f"{_MOST_PARTS:,} at most"
            )


def check_name(field: str, name: str, most: int | None = MOST_LETTERS) -> None:
    """Refuse a name that is not a line of text, of up to `most` letters. Raises ConfigError."""
    control = next((each for each in name if unicodedata.category(each) == _CONTROL), None)
    if control is not None:
        raise ConfigError(f"{field}: the name {echo(name)} has the control character U+{ord(control):04X}")
    if not is_label(name):
        raise ConfigError(f"{field}: {echo(name)} is no name: it must be printable and not empty")
    if most is not None and len(name) > most:
        raise ConfigError(f"{field}: the name {echo(name)} has {len(name)} letters; at most {most} are allowed")


def normalized(name: str) -> str:
    """A name by which names are compared: two that look the same are the same."""
    return unicodedata.normalize("NFKC", name).strip()


def rules_from(fields: str | Mapping[str, Value]) -> Rules:
    """The rules that a preset's name stands for, or a mapping of `preset` and fields. Raises RulesError."""
    if isinstance(fields, str):
        return preset(fields)
    changes = dict(fields)
    return preset(str(changes.pop("preset", "classic")), **changes)


def all_rules_from(fields: Mapping[str, Value]) -> Rules:
    """The same, where every field has to be given. Raises RulesError."""
    missing = [name for name in OPTIONS if name not in fields]
    if missing:
        raise RulesError(f"{missing[0]}: is missing")
    return rules_from(fields)


def typed(fields: Any, kind: type[T]) -> T:
    """Plain values as the struct `kind`. Raises ConfigError with field and reason."""
    if isinstance(fields, Mapping):
        for key in map(str, fields):
            wrong = known_or_nearest(key, list(kind.__struct_fields__))
            if wrong:
                raise ConfigError(f"{echo(key, bare=True)}: there is no such field; {wrong}")
    try:
        return msgspec.convert(fields, kind)
    except (msgspec.ValidationError, RecursionError) as error:
        raise ConfigError(_in_our_words(str(error))) from None


_KINDS: Final = {
    "int": "an integer",
    "str": "text",
    "bool": "true or false",
    "float": "a number",
    "array": "a list",
    "object": "a table",
    "null": "nothing",
}


def _in_our_words(message: str) -> str:
    """msgspec says 'Expected `int | null`, got `str` - at `$.boards`'; here the field first, and plain words."""
    reason, _, place = message.partition(" - at ")
    field = place.strip("`").removeprefix("$").removeprefix(".").replace("[...]", "")
    if found := re.fullmatch(r"Expected `([^`]*)`(?: ([<>]=? [\d.]+))?(?:, got `(\w+)`)?", reason):
        kinds = [_KINDS.get(kind, kind) for kind in found[1].split(" | ") if kind != "null"]
        limit = f" {found[2]}" if found[2] else ""
        is_float = found[3] == "float"
        got = f", not {'a number with a point' if is_float else _KINDS.get(found[3], found[3])}" if found[3] else ""
        reason = f"must be {' or '.join(kinds)}{limit}{got}"
    elif found := re.fullmatch(r"Object missing required field `(\w+)`", reason):
        field, reason = ".".join(filter(None, [field, found[1]])), "is missing"
    elif found := re.fullmatch(r"Object contains unknown field `(.*)`", reason):
        field, reason = ".".join(filter(None, [field, echo(found[1], bare=True)])), "there is no such field"
    elif reason.startswith("Invalid enum value") and field in _CHOICES:
        value = reason.removeprefix("Invalid enum value ").strip("'")
        reason = f"{echo(value)} is none of {', '.join(_CHOICES[field])}"
    return f"{field}: {reason}" if field else reason
