"""Cards in order of strength: the one layout in which the solver sees a hand.

A hand is an int64 of four *fields* of 16 bits, one a suit, the weakest card of the suit at the field's lowest bit. The
trump suit, with the jokers on top (up to 15 cards), is always field 3; so the search knows neither uptown nor downtown
nor the name of a suit. The highest bit of a field stays empty, but in no trump: there bits 15 and 31 are the black and
the red joker, which belong to no suit ("loose" jokers). A *place* is the index of a bit, 0-63.

Built from the tables of `bidwhist.trick`, which stays the only place that knows what beats what.
"""

from typing import Final

import numpy as np
from numpy.typing import NDArray

from bidwhist._jit import int64, shared
from bidwhist.actions import FIRST_NAMING, NAMINGS, NO_SUIT, Action, trump_of
from bidwhist.bits import lowest
from bidwhist.cards import BLACK_JOKER, CARDS, RED_JOKER, SUITS, Mask, Seat
from bidwhist.trick import suit_order

WIDTH: Final = 16
TRUMP: Final = 3  # field of the trump suit
FIELD: Final = 0x7FFF  # the cards of field 0
FIELDS: Final = 0x7FFF_7FFF_7FFF_7FFF
GAPS: Final = 0x8000_8000_8000_8000 - (1 << 64)  # the highest bit of each field
LOOSE: Final = 1 << 15 | 1 << 31  # the jokers in no trump


def _fields(naming: Action) -> list[int]:
    """Suits in the order of their fields."""
    trump = trump_of(naming)
    plain = [suit for suit in range(SUITS) if suit != trump]
    return plain if trump == NO_SUIT else [*plain, trump]


def _places() -> NDArray[np.int8]:
    table = np.zeros((NAMINGS, CARDS), np.int8)
    for row in range(NAMINGS):
        naming = FIRST_NAMING + row
        table[row, BLACK_JOKER], table[row, RED_JOKER] = 15, 31
        for field, suit in enumerate(_fields(naming)):
            for height, card in enumerate(suit_order(naming, suit)):
                table[row, card] = WIDTH * field + height
    return table


def _cards() -> NDArray[np.int8]:
    table = np.full((NAMINGS, 64), -1, np.int8)
    for row in range(NAMINGS):
        table[row, PLACES[row]] = np.arange(CARDS)
    return table


# By naming (from FIRST_NAMING on) and card: its place; and by naming and place: the card, -1 for none.
PLACES: Final = _places()
CARDS_AT: Final = _cards()


@shared
def place_of(naming: Action, card: int) -> int:
    """Place of a card under a naming."""
    return int64(PLACES[naming - FIRST_NAMING, card])


@shared
def card_of(naming: Action, place: int) -> int:
    """Card at a place under a naming."""
    return int64(CARDS_AT[naming - FIRST_NAMING, place])


@shared
def by_strength(naming: Action, cards: Mask) -> int:
    """A mask of cards as places."""
    places, rest = 0, cards
    while rest != 0:
        places |= 1 << place_of(naming, lowest(rest))
        rest &= rest - 1
    return places


@shared
def field_of(place: int) -> int:
    """Mask of the suit of a place."""
    return FIELD << (place & 48)


@shared
def and_above(places: int) -> int:
    """In each field, the lowest of these places and all places above it. No loose jokers among them."""
    return (places | (GAPS - places)) & FIELDS


@shared
def up_to_highest(places: int) -> int:
    """In each field, the highest of these places and all places below it. No loose jokers among them."""
    filled = places | (places >> 1 & 0x3FFF_3FFF_3FFF_3FFF)
    filled |= filled >> 2 & 0x1FFF_1FFF_1FFF_1FFF
    filled |= filled >> 4 & 0x07FF_07FF_07FF_07FF
    return filled | (filled >> 8 & 0x007F_007F_007F_007F)


@shared
def unit(seat: Seat, place: int) -> int:
    """One card of a seat in the word of lengths; 0 for a loose joker, which belongs to no suit."""
    in_suit = 1 - ((place & 15) + 1 >> 4)
    return in_suit << (16 * seat + ((place & 48) >> 2))


@shared
def beats(place: int, best: int, trumps: int, loose: int) -> bool:
    """True if a card wins the trick from the one that is winning it."""
    bit = 1 << place
    if (bit | 1 << best) & loose != 0:
        return bit & loose == 0
    return place > best and ((place ^ best) < WIDTH or bit & trumps != 0)
