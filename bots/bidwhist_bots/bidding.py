"""How the heuristic calls: each call is worth what the contract that is likely to come of it does to the standing.

A bid may be overcalled by an opponent still to speak; a pass leaves the contract to whoever holds it now. What
another player's bid says of his hand is reckoned by a straight line: a bid a level above what is typical shows
THEIR_SLOPE books more. The constants were tuned together by hill climbing on points per board against the version
before, over all presets, and set to the cautious side where that made no difference; the hints were first read off the
books that declarers won beyond their estimate.
"""

from math import erf, sqrt
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from bidwhist._jit import shared
from bidwhist.actions import (
    BARE,
    DOWN,
    DOWNTOWN,
    DOWNTOWN_LOW,
    LAST_BID,
    NO_TRUMP,
    NONE,
    PASS,
    UP,
    UPTOWN,
    WORDS,
    Action,
    bid,
    level_of,
    strain_of,
)
from bidwhist.bits import index, lowest
from bidwhist.cards import Mask, Seat
from bidwhist.observation import Private
from bidwhist.rules import CHOICE, OPTIONS
from bidwhist_bots.valuation import books
from bidwhist_bots.worth import gain

_LEAST: Final = -1000.0  # less than any call is worth
_HIGHEST: Final = 7
_BOOKS_FOR_HIGHEST: Final = 11.5  # it is never bid with less expected, whatever there is to save

# Books that a hand expects on average in its best strain, by kind of kitty, number of jokers and choice of the aces.
_TYPICAL: Final = np.array(
    (
        ((8.27, 8.49), (8.19, 8.39), (8.16, 8.35)),
        ((9.35, 9.54), (9.42, 9.59), (9.51, 9.66)),
        ((8.98, 9.19), (9.01, 9.21), (9.11, 9.29)),
        ((7.87, 8.11), (7.87, 8.11), (7.87, 8.11)),
    ),
    np.float64,
)
assert len(_TYPICAL) == len(OPTIONS["kitty"].values)  # a value more needs a row more

# Books that a call of the partner or of an opponent adds to the own estimate. By strain (suit, no trump), caller
# (partner, opponent) and call: pass, the same strain, the other direction, no trump.
HINTS: Final = (
    ((-0.44, 0.3, 0.15, -0.2), (0.3, -0.4, -0.25, -0.05)),
    ((-0.45, -0.1, -0.3, 0.1), (0.25, 0.1, 0.1, -0.32)),
)

# Books that the holder of a bid expects, beyond those typical: a constant, a part of what the bid is above the
# typical, and a part of the own strength, which an opponent lacks and the partner gains.
THEIR_BOOKS: Final = 0.0
THEIR_SLOPE: Final = 0.7
DEFENCE: Final = 0.3
PARTNER_BOOKS: Final = 0.7
PARTNER_SLOPE: Final = 0.4
HELP: Final = 0.2

# An opponent overcalls when he expects so much less than the next bid promises; how far the expectations of hands
# spread; what a strain is worth as a fence, in levels.
BOLD: Final = 0.5
BEST_SPREAD: Final = 0.85
FENCE: Final = 0.53

# A bid that was overcalled: the opponents' books beyond typical, and how much higher they play; the worth of a partner
# still to speak; the level, for 8 books typical, at which a hand is played that was passed first.
LOST_BOOKS: Final = 0.4
LOST_LEVEL: Final = 0.7
PARTNER_TO_COME: Final = 0.6
PASSED_LEVEL: Final = 1.0


class _Hand(NamedTuple):
    """What the own hand expects: books by strain, hints included; typical books, and its best beyond those."""

    up: float
    down: float
    no_trump: float
    typical: float
    strength: float


def _hint(strain: int, caller: int, other: Action) -> float:
    """What a call of the partner (0) or an opponent (1) adds to the books expected in a strain."""
    hints = HINTS[strain == NO_TRUMP][caller]
    if other == PASS:
        return hints[0]
    if other == NONE or strain_of(other) == BARE:
        return 0.0
    if strain_of(other) == NO_TRUMP:
        return hints[3]
    return hints[1] if strain_of(other) == strain else hints[2]


# By caller, call + 1 (so that none yet is 0) and strain.
_HINTS: Final = np.array(
    [
        [[_hint(strain, who, other) for strain in range(BARE)] for other in range(NONE, LAST_BID + 1)]
        for who in range(2)
    ],
    np.float64,
)


def _stands() -> NDArray[np.float64]:
    """Chance that an opponent does not overcall a bid: by kitty, jokers and aces as in _TYPICAL, level and strain."""
    chances = np.zeros((*_TYPICAL.shape, _HIGHEST + 1, BARE + 1))
    for kitty, jokers, aces, level, strain in np.ndindex(chances.shape):
        fence = level + 6 + FENCE * min(strain, NO_TRUMP) - BOLD - _TYPICAL[kitty, jokers, aces]
        chances[kitty, jokers, aces, level, strain] = (1 + erf(fence / BEST_SPREAD / sqrt(2))) / 2
    return chances


_STANDS: Final = _stands()


@shared
def call(private: Private, public: Any) -> Action:
    """The call that is worth most."""
    hand = _look(public, private.seat, private.hand)
    best, most = PASS, _LEAST
    if private.legal & 1 != 0:
        most = _worth_of_pass(public, private.seat, hand)
    first = _first_level(public, private, max(hand.up, hand.down, hand.no_trump))
    for level in range(first, min(first + 2, _HIGHEST + 1)):
        action, worth = _best_at(public, private, level, hand)
        if worth > most:
            best, most = action, worth
    return best


@shared
def _look(public: Any, seat: Seat, cards: Mask) -> _Hand:
    rules = public["rules"]
    up, _, up_plain = books(rules, cards, UPTOWN)
    down, _, down_plain = books(rules, cards, DOWNTOWN)
    if rules["downtown_ace"] == CHOICE:
        low, _, low_plain = books(rules, cards, DOWNTOWN_LOW)
        down, down_plain = max(down, low), max(down_plain, low_plain)
    no_trump = max(up_plain, down_plain)
    typical = _TYPICAL[index(rules["kitty"]), index(rules["jokers"]), index(rules["downtown_ace"])]
    hint_up, hint_down, hint_no_trump = _hints(public, seat)
    strength = max(up, down, no_trump) - typical
    return _Hand(up + hint_up, down + hint_down, no_trump + hint_no_trump, typical, strength)


@shared
def _hints(public: Any, seat: Seat) -> tuple[float, float, float]:
    """What the others' calls add to the books expected in each strain."""
    calls = public["calls"]
    partner = _HINTS[0, index(calls[(seat + 2) & 3] + 1)]
    left, right = _HINTS[1, index(calls[(seat + 1) & 3] + 1)], _HINTS[1, index(calls[(seat + 3) & 3] + 1)]
    return (
        partner[UP] + left[UP] + right[UP],
        partner[DOWN] + left[DOWN] + right[DOWN],
        partner[NO_TRUMP] + left[NO_TRUMP] + right[NO_TRUMP],
    )


@shared
def _first_level(public: Any, private: Private, expected: float) -> int:
    """The lower of the two levels to think about: while others are to speak, no less than is expected."""
    lowest_level = level_of(WORDS + lowest(private.legal & ~1))
    if public["dealer"] == private.seat:
        return lowest_level
    return max(lowest_level, min(int(expected) - 6, _HIGHEST))


@shared
def _best_at(public: Any, private: Private, level: int, hand: _Hand) -> tuple[Action, float]:
    """The best bid at a level and its worth; of the two directions only the better one is weighed."""
    legal = private.legal >> (bid(level, UP) - WORDS)
    overcalled = 0.0  # for the dealer, whom nobody can overcall
    if public["dealer"] != private.seat:
        overcalled = _worth_overcalled(public, private.seat, float(level), hand)
    strain, most = UP, _LEAST
    if legal & (1 << UP | 1 << DOWN) != 0:
        strain = UP if legal & 1 << DOWN == 0 or (legal & 1 << UP != 0 and hand.up > hand.down) else DOWN
        most = _worth_of_bid(public, private.seat, level, strain, hand.up if strain == UP else hand.down, overcalled)
    if legal & 1 << NO_TRUMP != 0:
        worth = _worth_of_bid(public, private.seat, level, NO_TRUMP, hand.no_trump, overcalled)
        if worth > most:
            strain, most = NO_TRUMP, worth
    if legal & 1 << BARE != 0:
        expected = max(hand.up, hand.down, hand.no_trump)
        strain, most = BARE, _worth_of_bid(public, private.seat, level, BARE, expected, overcalled)
    return bid(level, strain), most


@shared
def _worth_of_bid(public: Any, seat: Seat, level: int, strain: int, expected: float, overcalled: float) -> float:
    """Worth of a bid, given the books expected of it and the worth of being overcalled."""
    if level == _HIGHEST and expected < _BOOKS_FOR_HIGHEST:
        return _LEAST
    worth = gain(public, seat & 1, float(level), strain == NO_TRUMP, expected - level - 6)
    to_come = (public["dealer"] - seat) & 3
    if to_come == 0:
        return worth
    stands = _chance_to_stand(public, level, strain)
    if to_come == 3:
        stands *= stands
    return stands * worth + (1.0 - stands) * overcalled


@shared
def _worth_of_pass(public: Any, seat: Seat, hand: _Hand) -> float:
    to_come = (public["dealer"] - seat) & 3
    if public["bid"] == NONE:
        level = max(PASSED_LEVEL + hand.typical - 8.0, float(public["rules"]["min_level"]))
        return _worth_overcalled(public, seat, level, hand)
    level, strain = level_of(int(public["bid"])), strain_of(int(public["bid"]))
    beyond = level + 6 - hand.typical
    if (public["declarer"] ^ seat) & 1 != 0:
        margin = THEIR_BOOKS - DEFENCE * hand.strength + (THEIR_SLOPE - 1.0) * beyond
        worth = -gain(public, 1 - (seat & 1), float(level), strain == NO_TRUMP, margin)
        return worth + PARTNER_TO_COME if to_come == 2 else worth
    margin = PARTNER_BOOKS + HELP * hand.strength + (PARTNER_SLOPE - 1.0) * beyond
    worth = gain(public, seat & 1, float(level), strain == NO_TRUMP, margin)
    if to_come == 0:
        return worth
    stands = _chance_to_stand(public, level, strain)
    return stands * worth + (1.0 - stands) * _worth_overcalled(public, seat, float(level), hand)


@shared
def _worth_overcalled(public: Any, seat: Seat, level: float, hand: _Hand) -> float:
    """Worth of a hand that an opponent plays, over a bid at `level`."""
    level += LOST_LEVEL
    margin = LOST_BOOKS - DEFENCE * hand.strength + (THEIR_SLOPE - 1.0) * (level + 6 - hand.typical)
    worth = -gain(public, 1 - (seat & 1), level, False, margin)
    return worth + PARTNER_TO_COME if (public["dealer"] - seat) & 3 >= 2 else worth


@shared
def _chance_to_stand(public: Any, level: int, strain: int) -> float:
    """Chance that one opponent does not overcall a bid."""
    rules = public["rules"]
    kitty, jokers, aces = index(rules["kitty"]), index(rules["jokers"]), index(rules["downtown_ace"])
    return float(_STANDS[kitty, jokers, aces, index(level), index(strain)])
