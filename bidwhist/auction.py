"""Which calls and namings are legal (C3-C6 and the fields of other presets)."""

from typing import Any, Final

import numpy as np

from bidwhist._jit import int64, shared
from bidwhist.actions import (
    BARE,
    DOWN,
    DOWNTOWN,
    DOWNTOWN_LOW,
    FIRST_BID,
    NO_SUIT,
    NO_TRUMP,
    NONE,
    PASS,
    UP,
    UPTOWN,
    WORDS,
    Action,
    bid,
    level_of,
    naming,
    strain_of,
)
from bidwhist.bits import index
from bidwhist.cards import SUITS, Mask
from bidwhist.rules import CHOICE, EQUAL, NUMBER

_BIDS: Final = ((1 << 28) - 1) << (FIRST_BID - WORDS)
_BARE_BIDS: Final = sum(1 << (bid(level, BARE) - WORDS) for level in range(1, 8))
_STRAIN_BIDS: Final = _BIDS ^ _BARE_BIDS
_PASS: Final = 1 << (PASS - WORDS)


@shared
def legal_calls(rules: Any, highest: Action, is_dealer: bool) -> Mask:
    """Words that the next player may speak.

    `highest` is the highest bid so far or NONE; the dealer speaks last and is forced when nobody has bid (C5).
    Ids grow in the order of the auction (C4), so all bids above `highest` beat it, but for U = D < NT.
    """
    bids = _BARE_BIDS if rules["bids"] == NUMBER else _STRAIN_BIDS
    bids &= ~((1 << (bid(int64(rules["min_level"]), UP) - WORDS)) - 1)
    if highest == NONE:
        return bids if is_dealer else bids | _PASS
    higher = bids & ~((2 << (highest - WORDS)) - 1)
    if rules["same_level"] == EQUAL and strain_of(highest) == UP:
        higher &= ~(1 << (bid(level_of(highest), DOWN) - WORDS))
    if is_dealer and rules["dealer_may_match"] != 0:
        higher |= 1 << (highest - WORDS)
    return higher | _PASS


def _namings(strain: int, low: bool) -> Mask:
    """Words that may be named after a bid in `strain`; `low`: the declarer may choose the ace going down (C6)."""
    down = (DOWNTOWN, DOWNTOWN_LOW) if low else (DOWNTOWN,)
    directions = {UP: (UPTOWN,), DOWN: down}.get(strain, (UPTOWN, *down))
    trumps = {NO_TRUMP: (NO_SUIT,), BARE: range(NO_SUIT + 1)}.get(strain, range(SUITS))
    return sum(1 << (naming(trump, direction) - WORDS) for trump in trumps for direction in directions)


# By choice of the ace and strain.
_NAMINGS: Final = np.array([[_namings(strain, low) for strain in range(BARE + 1)] for low in (False, True)])


@shared
def legal_namings(rules: Any, bid: Action) -> Mask:
    """Words that the declarer may name after winning the auction with `bid` (C6)."""
    return int64(_NAMINGS[int64(rules["downtown_ace"] == CHOICE), index(strain_of(bid))])
