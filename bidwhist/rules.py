"""The rule set as data: its fields and their options, the presets, and the record that kernels read.

No module below the kernels is told which preset is played: they read fields of a RULES record.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, fields, replace
from difflib import get_close_matches
from typing import Any, Final, Literal, TypeAlias

import numpy as np

from bidwhist.errors import RulesError
from bidwhist.layout import dense
from bidwhist.text import echo

RULES_VERSION: Final = 1

Value: TypeAlias = str | int | bool
Group: TypeAlias = Literal["cards", "auction", "kitty", "play", "scoring", "game"]


@dataclass(frozen=True)
class Option:
    """A rule field: its group, its values (the one of `classic` first) and what each means, in words."""

    group: Group
    title: str
    values: tuple[Value, ...]
    words: tuple[str, ...]


def _yes_no(group: Group, title: str, no: str, yes: str) -> Option:
    return Option(group, title, (False, True), (no, yes))


OPTIONS: Final[dict[str, Option]] = {
    "jokers": Option("cards", "jokers", (2, 1, 0), ("two jokers", "one joker, the red one (chosen)", "no jokers")),
    "kitty_size": Option(
        "cards", "kitty size", (6, 5, 4, 0), ("six cards", "five cards", "four cards", "no kitty, 13 cards a hand")
    ),
    "min_level": Option("auction", "minimum level", (1, 3, 4), ("bids from 1", "bids from 3", "bids from 4")),
    "same_level": Option(
        "auction",
        "same-level order",
        ("ranked", "equal"),
        ("uptown < downtown < no trump", "uptown = downtown < no trump"),
    ),
    "bids": Option(
        "auction",
        "strain in the bid",
        ("strain", "number"),
        ("level and strain are bid", "a bare number is bid, the strain named afterwards"),
    ),
    "dealer_may_match": _yes_no(
        "auction", "dealer may match", "the dealer must beat the highest call", "the dealer may repeat the highest call"
    ),
    "kitty": Option(
        "kitty",
        "kitty",
        ("book", "exchange", "exchange-first-trick", "none"),
        (
            "a book for the declaring side, never seen",
            "taken up by the declarer; the discards are the declaring side's book",
            "taken up by the declarer; the discards count for whoever wins the first trick",
            "none, and no kitty book",
        ),
    ),
    "sported": _yes_no("kitty", "kitty sported", "only the declarer sees the kitty", "the kitty is shown to everybody"),
    "naming": Option(
        "kitty", "naming", ("before", "after"), ("before the kitty is taken up", "after the kitty is taken up")
    ),
    "first_lead": Option("play", "first lead", ("left", "declarer"), ("left of the dealer", "the declarer")),
    "downtown_ace": Option(
        "play", "downtown ace", ("high", "choice"), ("high (aces good)", "the declarer chooses high or low")
    ),
    "nt_factor": Option(
        "scoring", "no-trump factor", (1, 2), ("no trump counts once", "no trump counts double for the declaring side")
    ),
    "made": Option("scoring", "score if made", ("books", "level"), ("books minus six", "the level only")),
    "defenders": Option("scoring", "defenders", ("nothing", "books"), ("score nothing", "score their books over six")),
    "boston": Option(
        "scoring",
        "all 13 books",
        ("nothing", "factor-4", "fixed-13"),
        ("nothing extra", "counts four times", "counts 13 (no trump 26)"),
    ),
    "target": Option("game", "target", (7, *(n for n in range(1, 101) if n != 7)), ()),
    "negative_end": Option(
        "game",
        "negative end",
        (True, False),
        ("the negative of the target ends the game too", "only the target ends the game"),
    ),
    "two_sets": _yes_no("game", "two sets", "no matter", "a side set twice in a game loses it"),
    "cap": Option("game", "cap of hands", (200, *(n for n in range(1, 1001) if n != 200)), ()),
}


def _record_type(name: str) -> str:
    return "i2" if name in ("target", "cap") else "i1"


# One byte a field (two for target and cap). Numbers stand as they are, words as their place in Option.values,
# yes/no as 1/0. `hand_size` is derived, for convenience.
RULES: Final = dense([*((name, _record_type(name)) for name in OPTIONS), ("hand_size", "i1")])

# Values of the record's coded fields, for kernels.
KITTY_BOOK, KITTY_EXCHANGE, KITTY_FIRST_TRICK, KITTY_NONE = range(4)
EXCHANGES: Final = (KITTY_EXCHANGE, KITTY_FIRST_TRICK)  # where the declarer takes up the kitty
EQUAL: Final = 1  # same_level
NUMBER: Final = 1  # bids
AFTER: Final = 1  # naming
LEAD_DECLARER: Final = 1  # first_lead
CHOICE: Final = 1  # downtown_ace
LEVEL_ONLY: Final = 1  # made
DEFENDERS_BOOKS: Final = 1  # defenders
BOSTON_FACTOR, BOSTON_FIXED = 1, 2


@dataclass(frozen=True)
class Rules:
    """One playable rule set. Raises RulesError for a value or a combination that makes no game."""

    jokers: int = 2
    kitty_size: int = 6
    min_level: int = 1
    same_level: str = "ranked"
    bids: str = "strain"
    dealer_may_match: bool = False
    kitty: str = "book"
    sported: bool = False
    naming: str = "before"
    first_lead: str = "left"
    downtown_ace: str = "high"
    nt_factor: int = 1
    made: str = "books"
    defenders: str = "nothing"
    boston: str = "nothing"
    target: int = 7
    negative_end: bool = True
    two_sets: bool = False
    cap: int = 200
    preset: str = field(default="classic", compare=False)  # where it started from; for people only

    def __post_init__(self) -> None:
        for name in OPTIONS:
            _check_value(name, getattr(self, name))
        _check_together(self)

    @property
    def hand_size(self) -> int:
        """Cards dealt to each player."""
        return (52 + self.jokers - self.kitty_size) // 4

    @property
    def exchanges(self) -> bool:
        """True where the declarer takes up the kitty."""
        return OPTIONS["kitty"].values.index(self.kitty) in EXCHANGES

    def as_dict(self) -> dict[str, Value]:
        """Every field by name, without the preset it came from."""
        return {name: getattr(self, name) for name in OPTIONS}

    def differences(self) -> dict[str, Value]:
        """The fields that differ from `classic`."""
        return {name: value for name, value in self.as_dict().items() if value != OPTIONS[name].values[0]}

    def record(self) -> Any:
        """The rules as a RULES record (numpy.void) for the kernels."""
        record = np.zeros((), RULES)
        for name, option in OPTIONS.items():
            value = getattr(self, name)
            record[name] = option.values.index(value) if isinstance(value, str) else value
        record["hand_size"] = self.hand_size
        return record[()]


def rules_of(record: Any) -> Rules:
    """The rules of a RULES record: the preset whose fields these are, or else `classic` with changes."""
    fields: dict[str, Any] = {}
    for name, option in OPTIONS.items():
        number = int(record[name])
        first = option.values[0]
        fields[name] = (
            bool(number) if isinstance(first, bool) else option.values[number] if isinstance(first, str) else number
        )
    found = next((rules for rules in PRESETS.values() if rules.as_dict() == fields), None)
    return found or Rules(**fields)


def _check_value(name: str, value: object) -> None:
    allowed = OPTIONS[name].values
    if not any(value == each and type(value) is type(each) for each in allowed):
        shown = f"{min(allowed)} to {max(allowed)}" if len(allowed) > 9 else ", ".join(map(as_toml, allowed))
        raise RulesError(f"{name}: {echo(as_toml(value), bare=True)} is none of its values ({shown})")


def as_toml(value: object) -> str:
    """A value as a TOML file has it."""
    if isinstance(value, bool):
        return str(value).lower()
    return f'"{value}"' if isinstance(value, str) else str(value)


def _check_together(rules: Rules) -> None:
    """Refuse fields that contradict each other (RULES: 'a combination that cannot be played')."""
    pairs = {2: (6,), 1: (5,), 0: (4, 0)}
    if rules.kitty_size not in pairs[rules.jokers]:
        sizes = " or ".join(map(str, pairs[rules.jokers]))
        raise RulesError(
            f"kitty_size: {rules.kitty_size} does not go with jokers = {rules.jokers}: "
            f"the {52 + rules.jokers} cards leave a kitty of {sizes}"
        )
    if (rules.kitty == "none") != (rules.kitty_size == 0):
        raise RulesError(f'kitty: "{rules.kitty}" does not go with a kitty of {rules.kitty_size} cards')
    if rules.sported and not rules.exchanges:
        raise RulesError(f'sported: a kitty that nobody takes up (kitty = "{rules.kitty}") cannot be shown')
    if rules.naming == "after" and not rules.exchanges:
        raise RulesError(f'naming: "after" needs a kitty that is taken up, not kitty = "{rules.kitty}"')
    if rules.bids == "number" and rules.same_level == "equal":
        raise RulesError('same_level: "equal" needs bids = "strain": bare numbers have no strains to compare')


def _presets() -> dict[str, Rules]:
    classic = Rules()
    traditional = replace(
        classic,
        preset="traditional",
        kitty="exchange",
        first_lead="declarer",
        min_level=3,
        same_level="equal",
        nt_factor=2,
    )
    chosen = (
        classic,
        traditional,
        replace(traditional, preset="sported", sported=True, min_level=4, same_level="ranked"),
        Rules(
            preset="no-jokers-52",
            jokers=0,
            kitty_size=4,
            bids="number",
            dealer_may_match=True,
            downtown_ace="choice",
            kitty="exchange-first-trick",
            first_lead="declarer",
        ),
        Rules(
            preset="one-joker-detroit",
            jokers=1,
            kitty_size=5,
            kitty="exchange",
            min_level=4,
            made="level",
            nt_factor=2,
            boston="fixed-13",
            first_lead="declarer",
        ),
        Rules(
            preset="no-kitty",
            jokers=0,
            kitty_size=0,
            kitty="none",
            nt_factor=2,
            target=5,
            two_sets=True,
            first_lead="declarer",
        ),
        replace(traditional, preset="defenders-score", defenders="books", boston="factor-4"),
    )
    return {rules.preset: rules for rules in chosen}


PRESETS: Final[Mapping[str, Rules]] = _presets()
CLASSIC: Final = PRESETS["classic"]


_MOST_LETTERS: Final = 80  # of a name for which a like one is looked for
_MOST_KNOWN: Final = 40  # names that a message lists


def known_or_nearest(name: str, known: "list[str] | tuple[str, ...]") -> str:
    """'' when `name` is known; else words that list the known names, with the nearest first."""
    if name in known:
        return ""
    near = get_close_matches(name[:_MOST_LETTERS], known, 1)
    if near:
        return f"did you mean {near[0]}?"
    more = f" and {len(known) - _MOST_KNOWN} more" if len(known) > _MOST_KNOWN else ""
    return f"known are {', '.join(known[:_MOST_KNOWN])}{more}"


def preset(name: str, /, **overrides: Value) -> Rules:
    """The preset `name` with single fields replaced. Raises RulesError."""
    wrong = known_or_nearest(name, list(PRESETS))
    if wrong:
        raise RulesError(f'preset: there is no preset "{echo(name, bare=True)}"; {wrong}')
    for key in overrides:
        wrong = known_or_nearest(key, list(OPTIONS))
        if wrong:
            raise RulesError(f"{echo(key, bare=True)}: there is no such rule field; {wrong}")
    return replace(PRESETS[name], **overrides)  # type: ignore[arg-type]


assert {f.name for f in fields(Rules)} == {*OPTIONS, "preset"}
