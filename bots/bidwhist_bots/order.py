"""Weakest and strongest card of a suit in the order that a naming puts it in (C8)."""

from typing import Final

import numpy as np

from bidwhist._jit import shared
from bidwhist.actions import NAMINGS, UPTOWN
from bidwhist.bits import choose, highest, index, lowest
from bidwhist.cards import ACE, BLACK_JOKER, JOKERS, RED_JOKER, SUITED, SUITS, Card, Mask, card, mask_of
from bidwhist.trick import FOLLOWS

_ACES: Final = mask_of(card(suit, ACE) for suit in range(SUITS))

# By direction: the cards that stay on top when the order of the others is turned round.
ON_TOP: Final = np.array([0, JOKERS | _ACES, JOKERS], np.int64)

# By naming (row: action - FIRST_NAMING) and suit: its cards, the trump suit with the jokers.
SUIT_CARDS: Final = np.ascontiguousarray(FOLLOWS[:, [card(suit, 0) for suit in range(SUITS)]])

# By naming: the trumps with the jokers; 0 in no trump.
TRUMPS: Final = np.ascontiguousarray(FOLLOWS[:, BLACK_JOKER])

# By naming: its direction. In a kernel a look-up is cheaper than the remainder by three.
DIRECTIONS: Final = np.arange(NAMINGS) % 3

# By number of jokers in the game: all cards.
DECKS: Final = np.array([SUITED, SUITED | 1 << RED_JOKER, SUITED | JOKERS], np.int64)


# Both ways are computed and one is chosen: a jump costs more than it saves. Of no cards, the answer is no card.


@shared
def weakest(direction: int, cards: Mask) -> Card:
    """The weakest of some `cards` of one suit."""
    turned = cards & ~ON_TOP[index(direction)]
    return choose((direction == UPTOWN) | (turned == 0), lowest(cards), highest(turned))


@shared
def strongest(direction: int, cards: Mask) -> Card:
    """The strongest of some `cards` of one suit."""
    on_top = cards & ON_TOP[index(direction)]
    return choose(
        (direction == UPTOWN) | (on_top != 0),
        highest(choose(direction == UPTOWN, cards, on_top)),
        lowest(cards),
    )
