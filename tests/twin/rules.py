"""The rule fields and the seven presets, written out from RULES.md."""

from dataclasses import dataclass, fields, replace
from typing import Any

from twin.actions import RANKS, SUITS

OPTIONS: dict[str, tuple[object, ...]] = {
    "jokers": (0, 1, 2),
    "kitty_size": (0, 4, 5, 6),
    "min_level": (1, 3, 4),
    "same_level": ("ranked", "equal"),
    "bids": ("strain", "number"),
    "dealer_may_match": (False, True),
    "kitty": ("book", "exchange", "exchange-first-trick", "none"),
    "sported": (False, True),
    "naming": ("before", "after"),
    "first_lead": ("left", "declarer"),
    "downtown_ace": ("high", "choice"),
    "nt_factor": (1, 2),
    "made": ("books", "level"),
    "defenders": ("nothing", "books"),
    "boston": ("nothing", "factor-4", "fixed-13"),
    "negative_end": (False, True),
    "two_sets": (False, True),
}


@dataclass(frozen=True)
class TwinRules:
    """One set of rules; the defaults are ``classic``."""

    jokers: int = 2  # C1
    kitty_size: int = 6  # C2
    min_level: int = 1  # C3
    same_level: str = "ranked"  # C4
    bids: str = "strain"  # C3, C6
    dealer_may_match: bool = False  # C4
    kitty: str = "book"  # C7
    sported: bool = False  # C7
    naming: str = "before"  # C6
    first_lead: str = "left"  # C11
    downtown_ace: str = "high"  # C8
    nt_factor: int = 1  # C16
    made: str = "books"  # C16
    defenders: str = "nothing"  # C16
    boston: str = "nothing"  # C16
    target: int = 7  # C17
    negative_end: bool = True  # C17
    two_sets: bool = False  # C17
    cap: int = 200  # C18

    def __post_init__(self) -> None:
        """Refuse a value that is no option of its field, and a kitty that does not fit the deck or its use."""
        for field in fields(self):
            value = getattr(self, field.name)
            if field.name in OPTIONS and value not in OPTIONS[field.name]:
                raise ValueError(f"{field.name}: {value!r} is not one of {OPTIONS[field.name]}")
        if not 1 <= self.target <= 100:
            raise ValueError(f"target: {self.target} is not within 1-100")
        if self.cap < 1:
            raise ValueError(f"cap: {self.cap} is less than one hand")
        if (self.jokers, self.kitty_size) not in [(2, 6), (1, 5), (0, 4), (0, 0)]:
            raise ValueError(f"kitty_size: {self.kitty_size} does not go with {self.jokers} jokers")
        if (self.kitty == "none") != (self.kitty_size == 0):
            raise ValueError(f"kitty: {self.kitty!r} cannot be played with a kitty of {self.kitty_size} cards")

    @property
    def hand_size(self) -> int:
        """Cards dealt to each player, which is also the number of tricks (C2, C15): 12, or 13 without a kitty."""
        return (52 + self.jokers - self.kitty_size) // 4

    @property
    def exchanged(self) -> bool:
        """Whether the declarer takes the kitty up and discards as many cards."""
        return self.kitty in ("exchange", "exchange-first-trick")

    def deck(self) -> list[str]:
        """C1: four suits of thirteen and the jokers; the only joker of a one-joker game is the red one."""
        return [suit + rank for suit in SUITS for rank in RANKS] + ["JR", "JB"][: self.jokers]


_CLASSIC = TwinRules()
_TRADITIONAL = TwinRules(
    kitty="exchange", naming="before", first_lead="declarer", min_level=3, same_level="equal", nt_factor=2
)

PRESETS: dict[str, TwinRules] = {
    "classic": _CLASSIC,
    "traditional": _TRADITIONAL,
    "sported": replace(_TRADITIONAL, sported=True, min_level=4, same_level="ranked"),
    "no-jokers-52": TwinRules(
        jokers=0,
        kitty_size=4,
        bids="number",
        dealer_may_match=True,
        downtown_ace="choice",
        kitty="exchange-first-trick",
        first_lead="declarer",
    ),
    "one-joker-detroit": TwinRules(
        jokers=1,
        kitty_size=5,
        kitty="exchange",
        min_level=4,
        made="level",
        nt_factor=2,
        boston="fixed-13",
        first_lead="declarer",
    ),
    "no-kitty": TwinRules(
        jokers=0, kitty_size=0, kitty="none", nt_factor=2, target=5, two_sets=True, first_lead="declarer"
    ),
    "defenders-score": replace(_TRADITIONAL, defenders="books", boston="factor-4"),
}


def preset(name: str, **overrides: Any) -> TwinRules:
    """A preset with single fields overridden."""
    return replace(PRESETS[name], **overrides)
