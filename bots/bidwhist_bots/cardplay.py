"""How the heuristic plays its cards."""

from typing import Any, Final

import numpy as np

from bidwhist._jit import jit
from bidwhist.actions import FIRST_NAMING, UPTOWN
from bidwhist.bits import count, highest, lowest
from bidwhist.cards import JOKERS, RANKS, SUIT, SUITED, SUITS, Card, Mask
from bidwhist.observation import Private
from bidwhist.trick import BEATERS
from bidwhist_bots.order import DECKS, ON_TOP, SUIT_CARDS, TRUMPS, strongest, weakest

_COLUMN: Final = 1 | 1 << RANKS | 1 << 2 * RANKS | 1 << 3 * RANKS  # the four cards of rank 0


@jit
def play(private: Private, public: Any) -> Card:
    """A card to lead or to follow with."""
    row = np.int64(public["naming"]) - FIRST_NAMING
    unseen = DECKS[public["rules"]["jokers"]] & ~(public["gone"] | private.hand | private.buried)
    if public["led"] == 0:
        return _lead(private, public, row, unseen)
    return _follow(private, public, row, unseen)


@jit
def _follow(private: Private, public: Any, row: int, unseen: Mask) -> Card:
    direction, led, winning = row % 3, public["led"], np.int64(public["winning"])
    place = public["played"] & 3
    winners = private.legal & BEATERS[row, winning]
    if winners == 0:
        return _give_up(private, row, led)
    if place == 3:
        if (public["winner"] ^ private.seat) == 2:
            return _give_up(private, row, led)
        return weakest(direction, winners)
    after = unseen & ~public["void"][(private.seat + 1) & 3]
    if after & led != 0:
        after &= led
    if (public["winner"] ^ private.seat) == 2 and (after & BEATERS[row, winning] == 0 or private.hand & led == 0):
        return _give_up(private, row, led)
    best = strongest(direction, winners)
    if after & BEATERS[row, best] == 0:
        suit = led if private.hand & led != 0 else TRUMPS[row]
        rival = after & suit
        if rival == 0:
            return weakest(direction, winners)
        sure = winners & BEATERS[row, strongest(direction, rival)]
        return weakest(direction, sure)
    if place == 1:
        return _give_up(private, row, led)
    return best


@jit
def _give_up(private: Private, row: int, led: Mask) -> Card:
    """The least useful card, for a trick that is lost or is the partner's."""
    direction = row % 3
    if private.hand & led != 0:
        return weakest(direction, private.legal)
    trumps = TRUMPS[row]
    if trumps == 0 and private.hand & JOKERS != 0:
        return np.int64(lowest(private.hand & JOKERS))
    side = private.hand & ~trumps
    if side == 0:
        return weakest(direction, private.hand)
    return _lowest_of_all(direction, side)


@jit
def _lowest_of_all(direction: int, cards: Mask) -> Card:
    """The card of the weakest rank among suited `cards` of several suits."""
    turned = cards & ~ON_TOP[direction]
    if turned == 0:
        return np.int64(lowest(cards))
    ranks = (turned | turned >> RANKS | turned >> 2 * RANKS | turned >> 3 * RANKS) & SUIT
    rank = lowest(ranks) if direction == UPTOWN else highest(ranks)
    return np.int64(lowest(turned & (_COLUMN << rank)))


@jit
def _lead(private: Private, public: Any, row: int, unseen: Mask) -> Card:
    direction, trumps, hand = row % 3, TRUMPS[row], private.hand
    theirs = unseen & ~(public["void"][(private.seat + 1) & 3] & public["void"][(private.seat + 3) & 3])
    declaring = (public["declarer"] ^ private.seat) & 1 == 0
    mine = hand & trumps
    if declaring and mine != 0 and theirs & trumps != 0:
        best = strongest(direction, mine)
        if theirs & trumps & BEATERS[row, best] == 0:
            return best
        if public["declarer"] == private.seat and count(mine) >= 4:
            return best
    sure, longest, length, low = -1, -1, 0, -1
    for suit in range(SUITS):
        cards = hand & SUIT_CARDS[row, suit]
        if cards == 0 or cards & trumps != 0:
            continue
        best = strongest(direction, cards)
        n = count(cards)
        if theirs & SUIT_CARDS[row, suit] & BEATERS[row, best] == 0:
            if sure < 0 or n > longest:
                sure, longest = best, n
        if n > length:
            length, low = n, weakest(direction, cards)
    if sure >= 0:
        return sure
    if low >= 0:
        return low
    return weakest(direction, hand & SUITED) if hand & SUITED != 0 else np.int64(lowest(hand))
