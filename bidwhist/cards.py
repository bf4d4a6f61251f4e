"""Cards, seats and the one bit layout.

A card is an id: `13 * suit + rank` with suits S H D C = 0-3 and ranks 2 3 ... K A = 0-12; the black joker is 52, the
red joker 53. A set of cards (hand, kitty, cards played) is a *mask*: a non-negative int64 whose bit k is card k. Bits
54-63 are never set. The same ids are the actions of playing and discarding a card (see `bidwhist.actions`).
"""

from collections.abc import Iterable
from numbers import Integral
from operator import index
from typing import Final, TypeAlias, TypeGuard

Card: TypeAlias = int
Mask: TypeAlias = int
Seat: TypeAlias = int

SUITS: Final = 4
RANKS: Final = 13
SPADES, HEARTS, DIAMONDS, CLUBS = range(SUITS)
ACE: Final = 12
BLACK_JOKER: Final = 52
RED_JOKER: Final = 53
CARDS: Final = 54

SEATS: Final = 4
NORTH, EAST, SOUTH, WEST = range(SEATS)
NS: Final = 0
EW: Final = 1
SEAT_NAMES: Final = ("north", "east", "south", "west")
SIDE_NAMES: Final = ("NS", "EW")

SUIT: Final = (1 << RANKS) - 1
SUIT_MASKS: Final = tuple(SUIT << RANKS * suit for suit in range(SUITS))
SUITED: Final = (1 << SUITS * RANKS) - 1
JOKERS: Final = 1 << BLACK_JOKER | 1 << RED_JOKER
FULL: Final = SUITED | JOKERS


def is_number(value: object, limit: int) -> TypeGuard[int]:
    """True for an integer 0 .. `limit` - 1, Python's or NumPy's. True and 1.0 are no integers."""
    is_integer = type(value) is int or (isinstance(value, Integral) and not isinstance(value, bool))
    return is_integer and 0 <= int(value) < limit  # type: ignore[call-overload]  # an integer


def card(suit: int, rank: int) -> Card:
    """Id of a suited card: suit 0-3, rank 0-12."""
    return RANKS * suit + rank


def suit_of(card: Card) -> int:
    """Suit 0-3 of a suited card; 4 for a joker."""
    return card // RANKS


def rank_of(card: Card) -> int:
    """Rank 0-12 of a suited card; 0 and 1 for the black and the red joker."""
    return card % RANKS


def mask_of(cards: Iterable[Card]) -> Mask:
    """The mask with exactly these cards. Raises TypeError for a card that is no integer."""
    mask = 0
    for each in cards:
        mask |= 1 << index(each)
    return mask


# By byte of a mask and its value: the cards whose bits it has. Every list that a bot is shown is put together of these.
_CARDS_OF_BYTE: Final = tuple(
    tuple(tuple(8 * byte + bit for bit in range(8) if value >> bit & 1) for value in range(256)) for byte in range(7)
)


def cards_of(mask: Mask) -> list[Card]:
    """The cards of a mask, lowest id first."""
    a, b, c, d, e, f, g = int(mask).to_bytes(7, "little")
    of = _CARDS_OF_BYTE
    return [*of[0][a], *of[1][b], *of[2][c], *of[3][d], *of[4][e], *of[5][f], *of[6][g]]


def side_of(seat: Seat) -> int:
    """0 for North-South, 1 for East-West."""
    return seat & 1
