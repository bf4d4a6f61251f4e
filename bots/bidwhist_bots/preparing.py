"""How the heuristic names its contract and what it discards after taking up the kitty."""

from typing import Any

from bidwhist._jit import shared
from bidwhist.actions import FIRST_NAMING, NO_SUIT, WORDS, Action, level_of, naming
from bidwhist.bits import lowest
from bidwhist.cards import JOKERS, RANKS, SUIT, SUITS, Card
from bidwhist.observation import Private
from bidwhist_bots.order import TRUMPS, weakest
from bidwhist_bots.valuation import books, loss
from bidwhist_bots.worth import gain


@shared
def name(private: Private, public: Any) -> Action:
    """The legal naming that is worth most, of the best trump suit and no trump in each direction."""
    best, most = NO_SUIT, -1000.0
    level = float(level_of(int(public["bid"])))
    for direction in range(3):
        with_trump, trump, no_trump = books(public["rules"], private.hand, direction)
        for suit, expected in ((trump, with_trump), (NO_SUIT, no_trump)):
            word = naming(suit, direction) - WORDS
            if (private.legal >> word) & 1 == 0:
                continue
            worth = gain(public, private.seat & 1, level, suit == NO_SUIT, expected - level - 6)
            if worth > most:
                best, most = word, worth
    return WORDS + best


@shared
def discard(private: Private, public: Any) -> Card:
    """The card that is missed least: jokers first in no trump; else the lowest of a side suit; trumps last."""
    row = int(public["naming"]) - FIRST_NAMING
    direction, trumps, hand = row % 3, TRUMPS[row], private.hand
    if trumps == 0 and hand & JOKERS != 0:
        return lowest(hand & JOKERS)
    best, least = -1, 1 << 30
    for suit in range(SUITS):
        cards = hand & (SUIT << RANKS * suit) & ~trumps
        if cards == 0:
            continue
        card = weakest(direction, cards)
        missed = loss(direction, trumps == 0, cards >> RANKS * suit, 1 << (card - RANKS * suit))
        if missed < least:
            best, least = card, missed
    return best if best >= 0 else weakest(direction, hand)
