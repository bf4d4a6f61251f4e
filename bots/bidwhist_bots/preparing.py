"""How the heuristic names the contract and discards."""

from typing import Any

import numpy as np

from bidwhist._jit import jit
from bidwhist.actions import FIRST_NAMING, NO_SUIT, WORDS, Action, naming
from bidwhist.bits import lowest
from bidwhist.cards import JOKERS, RANKS, SUIT, SUITS, Card
from bidwhist.observation import Private
from bidwhist_bots.order import TRUMPS, weakest
from bidwhist_bots.valuation import SCALES, books


@jit
def name(private: Private, public: Any) -> Action:
    best, value = -1, -1000.0
    for direction in range(3):
        with_trump, suit, nt = books(public["rules"], private.hand, direction)
        word = naming(suit, direction) - WORDS
        if private.legal >> word & 1 and with_trump > value:
            best, value = word, with_trump
        word = naming(NO_SUIT, direction) - WORDS
        if private.legal >> word & 1 and nt > value:
            best, value = word, nt
    return np.int64(WORDS + best)


@jit
def discard(private: Private, public: Any) -> Card:
    row = np.int64(public["naming"]) - FIRST_NAMING
    direction, trumps = row % 3, TRUMPS[row]
    if trumps == 0 and private.hand & JOKERS:
        return np.int64(lowest(private.hand & JOKERS))
    best, least = -1, 1000.0
    for suit in range(SUITS):
        shift = RANKS * suit
        cards = private.hand & (SUIT << shift)
        if cards == 0 or cards & trumps:
            continue
        card = weakest(direction, cards)
        pattern = cards >> shift
        field = 2 if trumps == 0 else 0
        rest = pattern ^ (1 << (card - shift))
        loss = SCALES[direction, pattern, field] - SCALES[direction, rest, field]
        if loss < least:
            best, least = card, loss
    return np.int64(best) if best >= 0 else weakest(direction, private.hand & trumps)
