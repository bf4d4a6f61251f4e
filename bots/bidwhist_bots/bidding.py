"""How the heuristic calls: each call is worth what the contract that is likely to come of it does to the standing.

A bid may be overcalled by an opponent still to speak; a pass leaves the contract to whoever holds it now. What another
player's bid says of his hand is reckoned by a straight line: to bid a level more than is typical takes THEIR_SLOPE
books more. The constants below were tuned together by hill climbing on points per board against the version before,
over all presets; the hints were first read off the books that declarers won beyond their estimate.
"""

from typing import Any, Final

import numpy as np

from bidwhist._jit import jit
from bidwhist.actions import (
    BARE,
    DOWNTOWN,
    DOWNTOWN_LOW,
    NO_TRUMP,
    NONE,
    PASS,
    UPTOWN,
    WORDS,
    Action,
    level_of,
    strain_of,
)
from bidwhist.bits import lowest
from bidwhist.cards import SEATS, Seat
from bidwhist.observation import Private
from bidwhist.rules import CHOICE
from bidwhist_bots.valuation import books
from bidwhist_bots.worth import OUTLOOK, SPREAD, gain, place_of

_BIDS_OF_STRAIN: Final = 0x1111111 << 1  # words of the seven uptown bids; shifted by the strain, of the others
_LEVELS: Final = 3  # lowest levels considered in each strain
_ALL_BOOKS_FROM: Final = 11.5  # books expected for a 7 bid

# By kind of kitty and number of jokers: books that a hand expects on average in its best strain, and what the choice
# of low aces adds.
_TYPICAL: Final = np.array(((8.27, 8.19, 8.16), (9.35, 9.42, 9.51), (8.98, 9.01, 9.11), (7.87, 7.87, 7.87)), np.float32)
_TYPICAL_CHOICE: Final = 0.2

# Books that a call of the partner or of an opponent adds to the own estimate. By strain (suit, no trump), caller
# (partner, opponent) and call: pass, the same strain, the other direction, no trump.
HINTS: Final = np.array(
    (((-0.9, 0.5, 0.15, -0.2), (0.5, -0.4, -0.25, 0.05)), ((-0.55, -0.1, -0.4, 0.1), (0.25, 0.1, 0.1, -0.32))),
    np.float32,
)

# Books that the holder of a bid expects, above those typical: a constant, a part of the level bid above the typical,
# and for the partner and the opponents a part of the own strength.
THEIR_BOOKS: Final = 0.1
THEIR_SLOPE: Final = 0.6
DEFENCE: Final = 0.3
PARTNER_BOOKS: Final = 0.8
PARTNER_SLOPE: Final = 0.4
HELP: Final = 0.4

# An opponent overcalls when he expects so much less than the next bid promises; spread of what hands expect; what a
# strain is worth as a fence, in levels.
BOLD: Final = 0.5
BEST_SPREAD: Final = 0.85
FENCE: Final = 0.53

# A bid that was overcalled: the opponents' books above typical, and how much higher they play; the worth of a partner
# still to speak; the level at which a hand is played that one has passed first.
LOST_BOOKS: Final = 0.3
LOST_LEVEL: Final = 0.7
PARTNER_TO_COME: Final = 0.5
PASSED_LEVEL: Final = 1.0


@jit
def call(private: Private, public: Any) -> Action:
    """The call that is worth most."""
    up, down, no_trump = _estimates(public, private)
    rules = public["rules"]
    typical = _TYPICAL[rules["kitty"], rules["jokers"]] + (_TYPICAL_CHOICE if rules["downtown_ace"] == CHOICE else 0.0)
    strength = max(up, down, no_trump) - typical
    best, most = PASS, -1000.0
    if private.legal & 1 != 0:
        most = _worth_of_pass(public, private.seat, strength, typical)
    for strain in range(BARE + 1):
        bids = private.legal & (_BIDS_OF_STRAIN << strain)
        if bids == 0:
            continue
        expected = (up, down, no_trump, max(up, down, no_trump))[strain] + _hints(public, private.seat, strain)
        for _ in range(_LEVELS):
            if bids == 0:
                break
            action = WORDS + lowest(bids)
            bids &= bids - 1
            worth = _worth_of_bid(public, private.seat, action, expected, strength, typical)
            if worth > most and (level_of(action) < 7 or expected >= _ALL_BOOKS_FROM):
                best, most = action, worth
    return best


@jit
def _estimates(public: Any, private: Private) -> tuple[float, float, float]:
    """Books expected uptown, downtown and in no trump, each with its best naming."""
    rules, hand = public["rules"], private.hand
    up, _, up_plain = books(rules, hand, UPTOWN)
    down, _, down_plain = books(rules, hand, DOWNTOWN)
    if rules["downtown_ace"] == CHOICE:
        low, _, low_plain = books(rules, hand, DOWNTOWN_LOW)
        down, down_plain = max(down, low), max(down_plain, low_plain)
    return up, down, max(up_plain, down_plain)


@jit
def _hints(public: Any, seat: Seat, strain: int) -> float:
    """What the others' calls add to the books expected in a strain."""
    if strain == BARE:
        return 0.0
    total = 0.0
    for turn in range(1, SEATS):
        other = int(public["calls"][(seat + turn) % SEATS])
        if other != NONE:
            total += HINTS[int(strain == NO_TRUMP), turn & 1, _kind(other, strain)]
    return total


@jit
def _kind(other: Action, strain: int) -> int:
    """Column of HINTS for a call."""
    if other == PASS:
        return 0
    if strain_of(other) == NO_TRUMP:
        return 3
    return 1 if strain_of(other) == strain else 2


@jit
def _worth_of_bid(public: Any, seat: Seat, action: Action, expected: float, strength: float, typical: float) -> float:
    level, strain, to_come = float(level_of(action)), strain_of(action), (public["dealer"] - seat) % SEATS
    worth = gain(public, seat & 1, level, _factor(public, strain), expected - level - 6)
    if to_come == 0:
        return worth
    stands = _stands(level, strain, typical)
    if to_come == 3:
        stands *= stands
    return stands * worth + (1.0 - stands) * _worth_overcalled(public, seat, level, to_come, strength, typical)


@jit
def _worth_of_pass(public: Any, seat: Seat, strength: float, typical: float) -> float:
    to_come = (public["dealer"] - seat) % SEATS
    if public["bid"] == NONE:
        level = max(PASSED_LEVEL + typical - 8.0, float(public["rules"]["min_level"]))
        return _worth_overcalled(public, seat, level, to_come, strength, typical)
    level, strain = float(level_of(int(public["bid"]))), strain_of(int(public["bid"]))
    if (public["declarer"] ^ seat) & 1 != 0:
        worth = _worth_theirs(public, seat, level, _factor(public, strain), THEIR_BOOKS, strength, typical)
        return worth + PARTNER_TO_COME if to_come == 2 else worth
    excess = (level + 6 - typical) * (PARTNER_SLOPE - 1.0)
    worth = gain(public, seat & 1, level, _factor(public, strain), PARTNER_BOOKS + HELP * strength + excess)
    if to_come == 0:
        return worth
    stands = _stands(level, strain, typical)
    return stands * worth + (1.0 - stands) * _worth_overcalled(public, seat, level, to_come, strength, typical)


@jit
def _worth_overcalled(public: Any, seat: Seat, level: float, to_come: int, strength: float, typical: float) -> float:
    """Worth of a hand that an opponent plays, over a bid at `level`."""
    worth = _worth_theirs(public, seat, level + LOST_LEVEL, 1.0, LOST_BOOKS, strength, typical)
    return worth + PARTNER_TO_COME if to_come >= 2 else worth


@jit
def _worth_theirs(
    public: Any, seat: Seat, level: float, factor: float, extra: float, strength: float, typical: float
) -> float:
    """Worth of a contract that an opponent plays."""
    margin = extra - DEFENCE * strength + (level + 6 - typical) * (THEIR_SLOPE - 1.0)
    return -gain(public, 1 - (seat & 1), level, factor, margin)


@jit
def _stands(level: float, strain: int, typical: float) -> float:
    """Chance that one opponent does not overcall a bid."""
    fence = level + 6 + FENCE * min(strain, NO_TRUMP) - BOLD - typical
    return float(OUTLOOK[place_of(fence * (SPREAD / BEST_SPREAD) - 0.5), 0])


@jit
def _factor(public: Any, strain: int) -> float:
    return float(public["rules"]["nt_factor"]) if strain == NO_TRUMP else 1.0
