"""How the heuristic calls: it weighs what each call is expected to do to the score.

What a contract is worth follows from one number, its *margin*: books expected less books promised. A pass and a bid
that may be overcalled are worth what the contract that then is likely to stand is worth.
"""

from math import erf, exp, pi, sqrt
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from bidwhist._jit import jit
from bidwhist.actions import BARE, DOWN, NO_TRUMP, NONE, PASS, UP, WORDS, Action, level_of, strain_of
from bidwhist.actions import DOWNTOWN, DOWNTOWN_LOW, UPTOWN
from bidwhist.bits import lowest
from bidwhist.observation import Private
from bidwhist.rules import CHOICE, LEVEL_ONLY
from bidwhist_bots.valuation import books

_BIDS_OF_STRAIN: Final = 0x1111111 << 1  # words of the seven bids in uptown; shift by the strain for others

SPREAD = 1.75
MOST = 6.0
STEPS = 16


def _outlook():
    out = np.zeros((int(2 * MOST * STEPS) + 1, 2), np.float32)
    for i in range(len(out)):
        z = (i / STEPS - MOST + 0.5) / SPREAD
        made = 0.5 * (1 + erf(z / sqrt(2)))
        over = SPREAD * (z * made + exp(-z * z / 2) / sqrt(2 * pi)) - 0.5 * made
        out[i] = made, max(0.0, over / made) if made > 1e-9 else 0.0
    return out


OUTLOOK = _outlook()

TYPICAL = np.array(((8.15, 8.08, 8.04), (9.28, 9.37, 9.48), (8.90, 8.96, 9.09), (7.71, 7.71, 7.71)), np.float32)

# Change of the books expected, by strain (suit, no trump), who called (partner, opponent) and call: pass, same strain,
# other suit strain, no trump.
HINTS = np.array(
    (((-0.9, 0.5, 0.15, -0.2), (0.5, -0.4, -0.25, 0.05)), ((-0.55, -0.1, -0.4, 0.1), (0.25, 0.1, 0.1, -0.32))), np.float32
)

THEIR_BOOKS = 0.1
THEIR_SLOPE = 0.6
DEFENCE = 0.5
PARTNER_BOOKS = 0.8
PARTNER_SLOPE = 0.4
HELP = 0.4
BOLD = 0.5
BEST_SPREAD = 0.85
HOLD_STRAIN = 0.53
LOST_BOOKS = 0.3
LOST_LEVEL = 0.7
PARTNER_TO_COME = 0.5
OPEN_LEVEL = 1.0


@jit
def _index(margin):
    return min(max(int((margin + MOST) * STEPS + 0.5), 0), int(2 * MOST * STEPS))


@jit
def _standing(public, side, mine, theirs, sets):
    rules = public["rules"]
    target = np.float32(rules["target"])
    if mine >= target:
        return 2 * target
    if theirs >= target:
        return -2 * target
    if rules["negative_end"] != 0:
        if theirs <= -target: return 2 * target
        if mine <= -target: return -2 * target
    if rules["two_sets"] != 0 and sets >= 2:
        return -2 * target
    return mine - theirs


@jit
def _gain(public, side, level, factor, margin):
    """Expected change of `side`'s standing when it declares at `level`."""
    outlook = OUTLOOK[_index(margin)]
    mine, theirs = np.float32(public["scores"][side]), np.float32(public["scores"][1 - side])
    over = np.float32(0.0) if public["rules"]["made"] == LEVEL_ONLY else outlook[1]
    made = _standing(public, side, mine + factor * (level + over), theirs, 0)
    lost = _standing(public, side, mine - factor * level, theirs, public["sets"][side] + 1)
    return outlook[0] * made + (np.float32(1.0) - outlook[0]) * lost - (mine - theirs)


@jit
def _hint(is_nt, whose, call, strain):
    if call == NONE:
        return np.float32(0.0)
    kind = 0
    if call != PASS:
        other = strain_of(call)
        kind = 3 if other == NO_TRUMP else (1 if other == strain else 2)
    return HINTS[is_nt, whose, kind]


@jit
def _hints(public, seat, strain):
    calls = public["calls"]
    partner, left, right = np.int64(calls[seat ^ 2]), np.int64(calls[(seat + 1) & 3]), np.int64(calls[(seat + 3) & 3])
    is_nt = 1 if strain == NO_TRUMP else 0
    return _hint(is_nt, 0, partner, strain) + _hint(is_nt, 1, left, strain) + _hint(is_nt, 1, right, strain)


@jit
def call(private: Private, public: Any) -> Action:
    rules, seat = public["rules"], private.seat
    side = seat & 1
    up, _, up_nt = books(rules, private.hand, UPTOWN)
    down, _, down_nt = books(rules, private.hand, DOWNTOWN)
    typical = TYPICAL[rules["kitty"], rules["jokers"]]
    if rules["downtown_ace"] == CHOICE:
        low, _, low_nt = books(rules, private.hand, DOWNTOWN_LOW)
        down, down_nt = max(down, low), max(down_nt, low_nt)
        typical += np.float32(0.2)
    nt = max(up_nt, down_nt)
    suit = max(up, down)
    strength = max(suit, nt) - typical
    place = (seat - public["dealer"] - 1) & 3
    foes = (2, 1, 1, 0)[place]
    nt_factor = np.float32(rules["nt_factor"])

    best, best_value = PASS, np.float32(-1000.0)
    if private.legal & 1 != 0:
        best_value = _pass_value(public, seat, place, foes, strength, typical)
    for strain in range(4):
        legal = private.legal & (_BIDS_OF_STRAIN << strain)
        if legal == 0:
            continue
        factor = np.float32(1.0)
        if strain == UP:
            expected = up + _hints(public, seat, strain)
        elif strain == DOWN:
            expected = down + _hints(public, seat, strain)
        elif strain == NO_TRUMP:
            expected, factor = nt + _hints(public, seat, strain), nt_factor
        else:
            expected = max(suit, nt)
        for _ in range(3):
            if legal == 0:
                break
            action = WORDS + lowest(legal)
            legal &= legal - 1
            level = level_of(action)
            value = _gain(public, side, np.float32(level), factor, expected - np.float32(level + 6))
            if foes != 0:
                hold = _hold(level, strain, typical)
                if foes == 2:
                    hold *= hold
                lost = _lost(public, side, np.float32(level), place, strength, typical)
                value = hold * value + (1 - hold) * lost
            if value > best_value:
                best, best_value = action, value
    return np.int64(best)


@jit
def _hold(level, strain, typical):
    """Chance that one opponent does not overcall."""
    margin = (np.float32(level + 6) + np.float32(HOLD_STRAIN) * strain - np.float32(BOLD) - typical) * np.float32(SPREAD / BEST_SPREAD) - np.float32(0.5)
    return OUTLOOK[_index(margin), 0]


@jit
def _theirs(public, side, level, factor, extra, strength, typical):
    books = extra + np.float32(THEIR_SLOPE) * (level + 6 - typical) - np.float32(DEFENCE) * strength + typical
    return -_gain(public, 1 - side, level, factor, books - level - 6)


@jit
def _lost(public, side, level, place, strength, typical):
    """When an opponent overcalls a bid at `level`."""
    value = _theirs(public, side, level + np.float32(LOST_LEVEL), np.float32(1.0), np.float32(LOST_BOOKS), strength, typical)
    return value + np.float32(PARTNER_TO_COME) if place < 2 else value


@jit
def _pass_value(public, seat, place, foes, strength, typical):
    side = seat & 1
    if public["bid"] == NONE:
        level = max(np.float32(OPEN_LEVEL) + typical - np.float32(8.0), np.float32(public["rules"]["min_level"]))
        return _lost(public, side, level, place, strength, typical)
    bid = np.int64(public["bid"])
    level, strain = np.float32(level_of(bid)), strain_of(bid)
    factor = np.float32(public["rules"]["nt_factor"]) if strain == NO_TRUMP else np.float32(1.0)
    if (public["declarer"] ^ seat) & 1 == 0:
        books = np.float32(PARTNER_BOOKS) + np.float32(HELP) * strength + np.float32(PARTNER_SLOPE) * (level + 6 - typical) + typical
        value = _gain(public, side, level, factor, books - level - 6)
        if place == 2:
            hold = _hold(level, strain, typical)
            value = hold * value + (1 - hold) * _lost(public, side, level, place, strength, typical)
        return value
    value = _theirs(public, side, level, factor, np.float32(THEIR_BOOKS), strength, typical)
    return value + np.float32(PARTNER_TO_COME) if place == 1 else value
