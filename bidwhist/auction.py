"""Which calls and namings are legal (C3-C6 and the fields of other presets)."""

from typing import Any, Final

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


@shared
def _with_directions(trump: int, first: int, last: int) -> Mask:
    words = 0
    for direction in range(first, last + 1):
        words |= 1 << (naming(trump, direction) - WORDS)
    return words


@shared
def legal_namings(rules: Any, bid: Action) -> Mask:
    """Words that the declarer may name after winning the auction with `bid` (C6)."""
    lowest_way = DOWNTOWN_LOW if rules["downtown_ace"] == CHOICE else DOWNTOWN
    strain = strain_of(bid)
    words = 0
    if strain == NO_TRUMP or strain == BARE:
        words |= _with_directions(NO_SUIT, UPTOWN, lowest_way)
    if strain != NO_TRUMP:
        first = DOWNTOWN if strain == DOWN else UPTOWN
        last = UPTOWN if strain == UP else lowest_way
        for trump in range(SUITS):
            words |= _with_directions(trump, first, last)
    return words
