"""What is legal in a trick, what beats what, who wins: the only place that knows (C8-C15).

Everything about rank order, trumps and jokers stands in two tables, made once, with a row for each of the 15 namings
(trump suit or none, and direction): after that nothing asks for uptown or downtown again.

* `FOLLOWS[naming, card]`: the cards that follow suit when `card` is led. In a trump contract jokers belong to the
  trump suit (C9). A joker led in no trump sets no suit (C13): its row is empty.
* `BEATERS[naming, card]`: the cards that would win the trick from `card`, if `card` is winning it now.
"""

from typing import Final

import numpy as np
from numpy.typing import NDArray

from bidwhist._jit import int64, shared
from bidwhist.actions import DOWNTOWN, FIRST_NAMING, NAMINGS, NO_SUIT, UPTOWN, Action, direction_of, trump_of
from bidwhist.bits import choose, index
from bidwhist.cards import (
    ACE,
    BLACK_JOKER,
    CARDS,
    FULL,
    JOKERS,
    SUIT_MASKS,
    SUITED,
    Card,
    Mask,
    Seat,
    mask_of,
    rank_of,
    suit_of,
)


def rank_strength(rank: int, direction: int) -> int:
    """Strength 0-12 of a rank in a direction (C8; 'aces bad': the ace is the lowest going down)."""
    if direction == UPTOWN:
        return rank
    if direction == DOWNTOWN:
        return rank if rank == ACE else ACE - 1 - rank
    return ACE - rank


def suit_order(naming: Action, suit: int) -> list[Card]:
    """Cards of a suit, weakest first; the trump suit ends with the jokers."""
    direction = direction_of(naming)
    cards = [c for c in range(BLACK_JOKER) if suit_of(c) == suit]
    cards.sort(key=lambda c: rank_strength(rank_of(c), direction))
    return [*cards, BLACK_JOKER, BLACK_JOKER + 1] if suit == trump_of(naming) else cards


def _tables() -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    follows = np.zeros((NAMINGS, CARDS), np.int64)
    beaters = np.zeros((NAMINGS, CARDS), np.int64)
    for row in range(NAMINGS):
        naming = FIRST_NAMING + row
        trump = trump_of(naming)
        trumps = 0 if trump == NO_SUIT else SUIT_MASKS[trump] | JOKERS
        for suit in range(len(SUIT_MASKS)):
            order = suit_order(naming, suit)
            for place, card in enumerate(order):
                follows[row, card] = mask_of(order)
                beaters[row, card] = mask_of(order[place + 1 :]) | (0 if suit == trump else trumps)
        if trump == NO_SUIT:
            beaters[row, BLACK_JOKER:] = SUITED  # C10: any suited card beats a joker; the first one sets the suit
    return follows, beaters


FOLLOWS, BEATERS = _tables()

# Both tables side by side for the kernels, with a first column for "no card yet": any card beats it, nothing follows.
_FOLLOWS, _BEATERS = range(2)
_TABLES: Final = np.zeros((NAMINGS, 1 + CARDS, 2), np.int64)
_TABLES[:, 1:, _FOLLOWS], _TABLES[:, 1:, _BEATERS], _TABLES[:, 0, _BEATERS] = FOLLOWS, BEATERS, FULL


@shared
def legal_plays(hand: Mask, led: Mask) -> Mask:
    """The cards of `hand` that may be played when `led` is the suit to follow (0: none yet; C12-C14)."""
    following = hand & led
    return choose(following != 0, following, hand)


@shared
def suit_to_follow(naming: Action, led: Mask, card: Card) -> Mask:
    """The suit to follow after `card` is played to a trick in which `led` was the suit to follow (C13)."""
    return choose(led != 0, led, int64(_TABLES[index(naming - FIRST_NAMING), index(card + 1), _FOLLOWS]))


@shared
def beaters(naming: Action, card: Card) -> Mask:
    """The cards that would win the trick from `card`, if it is winning now."""
    return int64(BEATERS[naming - FIRST_NAMING, card])


@shared
def beats(naming: Action, card: Card, best: Card) -> bool:
    """True if `card` wins the trick from `best`, which is winning it."""
    return bool((BEATERS[naming - FIRST_NAMING, best] >> card) & 1)


@shared
def leads_trick(naming: Action, winning: Card, winner: Seat, card: Card, seat: Seat) -> tuple[Card, Seat]:
    """The card that wins a trick, and its seat, after `seat` has played `card`; `winning` is -1 before the first."""
    better = (_TABLES[index(naming - FIRST_NAMING), index(winning + 1), _BEATERS] >> card) & 1 != 0
    return choose(better, card, winning), choose(better, seat, winner)


@shared
def trumps_of(naming: Action) -> Mask:
    """All cards of the trump suit with the jokers; 0 in no trump."""
    # A joker follows trumps; in no trump it follows nothing.
    return int64(FOLLOWS[naming - FIRST_NAMING, BLACK_JOKER])
