"""The 98 actions: one id space for every preset.

| ids | meaning |
|---|---|
| 0-53 | the card with that id: played, or discarded in the discard phase |
| 54 | pass |
| 55-82 | bid `55 + 4 * (level - 1) + strain`; strain U D N bare = 0-3 |
| 83-97 | name `83 + 3 * trump + direction`; trump S H D C none = 0-4, direction U D L = 0-2 |

A set of legal actions is a mask, too: of cards while cards are played or discarded; else of *words* (calls and
namings), where bit k is action `54 + k`.
"""

from typing import Final, TypeAlias, TypeGuard

from bidwhist._jit import shared
from bidwhist.cards import is_number

Action: TypeAlias = int

PASS: Final = 54
FIRST_BID: Final = 55
LAST_BID: Final = 82
FIRST_NAMING: Final = 83
ACTIONS: Final = 98
WORDS: Final = PASS  # bit 0 of a mask of words
NONE: Final = -1  # no action yet

UP, DOWN, NO_TRUMP, BARE = range(4)  # strains of a bid
NAMINGS: Final = 15
NO_SUIT: Final = 4  # the trump of a no-trump naming
UPTOWN, DOWNTOWN, DOWNTOWN_LOW = range(3)  # directions: up, down aces good, down aces bad


def is_action(value: object) -> TypeGuard[int]:
    """True for an integer that is the number of an action, Python's or NumPy's; True and 1.0 are none."""
    return is_number(value, ACTIONS)


@shared
def bid(level: int, strain: int) -> Action:
    """Action of bidding `level` 1-7 in `strain` (UP, DOWN, NO_TRUMP or BARE)."""
    return FIRST_BID + 4 * (level - 1) + strain


@shared
def level_of(bid: Action) -> int:
    """Level 1-7 of a bid."""
    return ((bid - FIRST_BID) >> 2) + 1


@shared
def strain_of(bid: Action) -> int:
    """Strain 0-3 of a bid."""
    return (bid - FIRST_BID) & 3


@shared
def naming(trump: int, direction: int) -> Action:
    """Action of naming `trump` (0-3, or NO_SUIT) and `direction` 0-2."""
    return FIRST_NAMING + 3 * trump + direction


@shared
def trump_of(naming: Action) -> int:
    """Trump suit 0-3 of a naming, or NO_SUIT."""
    return (naming - FIRST_NAMING) // 3


@shared
def direction_of(naming: Action) -> int:
    """Direction 0-2 of a naming."""
    return (naming - FIRST_NAMING) % 3


@shared
def is_bid(action: Action) -> bool:
    """True for the ids of bids."""
    return FIRST_BID <= action <= LAST_BID
