"""Which card to try first."""

from typing import Any, Final

import numpy as np

from bidwhist._jit import int64, shared
from bidwhist.bits import choose, count, highest, nth
from bidwhist.solver.strength import FIELD, TRUMP, WIDTH, field_of

_NO_ONE: Final = -1
_RUFFS: Final = 64  # above every place

# weights: leads, by kind of suit (side suit, trumps, no trump)
LEAD: Final = 0
LEAD_KIND: Final = 64
TOP: Final = 0  # [owner of top 4][class 4]
SECOND: Final = 16  # [owner of second 5][class 4]
PARTNER_RUFFS: Final = 36
LEFT_RUFFS: Final = 37
RIGHT_RUFFS: Final = 38
SINGLETON: Final = 39
LENGTH: Final = 40
PARTNER_LENGTH: Final = 41
OPPONENT_LENGTH: Final = 42
HEIGHT: Final = 43
# following, by trump kind 2, position 3: [situation 4][class 4] and height by class
FOLLOW: Final = 192
FOLLOW_SIZE: Final = 20
VOID: Final = FOLLOW + 6 * FOLLOW_SIZE
VOID_SIZE: Final = 32
DISCARD: Final = 20
WEIGHTS: Final = VOID + 6 * VOID_SIZE


def first_guess():
    w = np.zeros(WEIGHTS, np.int64)
    for kind in range(3):
        b = LEAD + kind * LEAD_KIND
        # class: 0 my top and top of the suit, 1 my top, 2 lowest, 3 between
        for owner, values in enumerate(((30, 0, 5, 5), (0, 10, 25, 10), (0, 0, 5, 0), (0, 5, 10, 5))):
            w[b + TOP + 4 * owner : b + TOP + 4 * owner + 4] = values
        w[b + PARTNER_RUFFS], w[b + LEFT_RUFFS], w[b + RIGHT_RUFFS], w[b + SINGLETON] = 30, -30, -30, 10
        w[b + LENGTH] = 1
    for kind in range(2):
        for position in range(3):
            b = FOLLOW + (3 * kind + position) * FOLLOW_SIZE
            # class: 0 loses, 1 -, 2 wins for sure, 3 wins so far
            for sit in range(4):
                w[b + 4 * sit : b + 4 * sit + 4] = (20, 15, 40, 25)
            w[b + 16 : b + 20] = (-1, -1, -1, 1)
            if position == 1:
                w[b + 0: b + 4] = (20, 15, 40, 25)
                w[b + 4: b + 8] = (20, 15, 40, 25)
                w[b + 8: b + 12] = (30, 25, 10, 10)
                w[b + 12: b + 16] = (20, 15, 40, 25)
            if position == 2:
                w[b + 0: b + 4] = (20, 15, 40, 25)
                w[b + 4: b + 8] = (30, 25, 20, 10)
            if position == 0:
                w[b + 4: b + 8] = (40, 15, 25, 25)
            b = VOID + (3 * kind + position) * VOID_SIZE
            for sit in range(4):
                w[b + 4 * sit : b + 4 * sit + 4] = (40, 25, 0, 20)
            w[b + 16 : b + 20] = (-1, -1, -1, -1)
            w[b + DISCARD : b + DISCARD + 6] = (1, -5, -5, 2, 0, 0)
            if position == 1:
                w[b + 8: b + 12] = (10, 5, 0, 30)
            if position == 2:
                w[b + 4: b + 8] = (10, 5, 0, 30)
    return w


@shared
def legal(hand: int, led: int) -> int:
    """Cards that may be played when `led` is the field to follow."""
    following = hand & led
    return choose(following != 0, following, hand)


@shared
def insert(moves: Any, size: int, key: int) -> None:
    """Put a key into the first `size` moves, which go down."""
    at = size
    while at > 0 and int64(moves[at - 1]) < key:
        moves[at] = moves[at - 1]
        at -= 1
    moves[at] = key


@shared
def next_in_hand(others: int, place: int) -> int:
    """Mask of the places below the run of equal cards that `place` tops."""
    base = place & 48
    between = others & ((1 << place) - 1) & (FIELD << base)
    return (1 << highest(between | 1 << base)) - 1


@shared
def owner_of(mine: int, partner: int, left: int, right: int) -> int:
    """Who has the highest of these cards of a suit: 0 I, 1 partner, 2 left, 3 right, 4 nobody."""
    theirs = max(left, right)
    if max(mine, partner) > theirs:
        return 0 if mine > partner else 1
    if theirs == 0:
        return 4
    return 2 if left > right else 3


@shared
def order_leads(state: Any, frame: Any, w: Any) -> int:
    """Sort the leads; number of moves."""
    hands, moves = state["hands"], frame["moves"]
    seat = int64(frame["seat"])
    hand, partner = int64(hands[seat]), int64(hands[(seat + 2) & 3])
    left, right = int64(hands[(seat + 1) & 3]), int64(hands[(seat + 3) & 3])
    trumps = int64(state["trumps"])
    all_trumps = (hand | partner | left | right) & trumps
    hint = _NO_ONE
    if int64(frame["hint"]) >= 0:
        hint = nth(hand | partner | left | right, int64(frame["hint"]))
    size = 0
    for suit in range(4):
        field = FIELD << (WIDTH * suit)
        mine = hand & field
        if mine == 0:
            continue
        his, one, two = partner & field, left & field, right & field
        kind = 2 if all_trumps == 0 else (1 if suit == TRUMP else 0)
        b = LEAD + kind * LEAD_KIND
        top = owner_of(mine, his, one, two)
        ace = 1 << highest(mine | his | one | two)
        second = owner_of(mine & ~ace, his & ~ace, one & ~ace, two & ~ace)
        length = count(mine)
        base = w[b + LENGTH] * length + w[b + PARTNER_LENGTH] * count(his) + w[b + OPPONENT_LENGTH] * count(one | two)
        if kind == 0:
            if his == 0 and partner & trumps != 0:
                base += w[b + PARTNER_RUFFS]
            if one == 0 and left & trumps != 0:
                base += w[b + LEFT_RUFFS]
            if two == 0 and right & trumps != 0:
                base += w[b + RIGHT_RUFFS]
            if length == 1 and hand & trumps != 0:
                base += w[b + SINGLETON]
        others = his | one | two
        rest = mine
        while rest != 0:
            place = highest(rest)
            bit = 1 << place
            remaining = rest & next_in_hand(others, place)
            if rest == mine:
                group = 0 if top == 0 else 1
            else:
                group = 2 if remaining == 0 else 3
            if rest == mine and remaining == 0 and group == 1:
                group = 2
            weight = base + w[b + TOP + 4 * top + group] + w[b + SECOND + 4 * second + group]
            weight += w[b + HEIGHT] * count((mine | others) & (bit - 1))
            if place == hint:
                weight += 1000
            insert(moves, size, weight << 6 | place)
            size += 1
            rest = remaining
    loose = hand & int64(state["loose"])
    if loose != 0:
        place = highest(loose)
        insert(moves, size, (1000 if place == hint else 0) << 6 | place)
        size += 1
    return size


@shared
def reach(hand: int, led: int, trumps: int) -> int:
    """The highest place with which a hand still to play could win, -1 for none."""
    following = hand & led
    if following != 0:
        return highest(following)
    return highest(hand & trumps)


@shared
def wins_over(place: int, best: int, trumps: int, loose: int) -> bool:
    """True if the card wins from the best one so far."""
    bit = 1 << place
    if (bit | 1 << best) & loose != 0:
        return bit & loose == 0
    return place > best and ((place ^ best) < 16 or bit & trumps != 0)


@shared
def order_answers(state: Any, frame: Any, position: int, w: Any) -> int:
    """Sort what can be played to a lead; number of moves."""
    hands, moves = state["hands"], frame["moves"]
    seat, led, best = int64(frame["seat"]), int64(frame["led"]), int64(frame["best"])
    hand, partner = int64(hands[seat]), int64(hands[(seat + 2) & 3])
    left, right = int64(hands[(seat + 1) & 3]), int64(hands[(seat + 3) & 3])
    trumps, loose = int64(state["trumps"]), int64(state["loose"])
    others = (partner | left | right | 1 << best) & ~hand
    ours = (int64(frame["winner"]) ^ seat) & 1 == 0
    threat = _NO_ONE
    situation = 1 if ours else 0
    if position < 3:
        threat = reach(left, led, trumps)
        if position == 1:
            help = reach(partner, led, trumps)
            situation = 1 if help > max(threat, best) else 0
            situation += 2 if threat > best else 0
        else:
            situation += 2 if threat > best else 0
    kind = 0 if trumps != 0 else 3
    following = hand & led
    rest = following if following != 0 else hand
    size = 0
    if following != 0:
        b = FOLLOW + (kind + position - 1) * FOLLOW_SIZE
        while rest != 0:
            place = highest(rest)
            rest &= next_in_hand(others, place)
            if not wins_over(place, best, trumps, loose):
                group = 0 if rest == 0 else 1
            else:
                group = 2 if place > threat else 3
            weight = w[b + 4 * situation + group] + w[b + 16 + group] * count((others | hand) & led & ((1 << place) - 1))
            insert(moves, size, weight << 6 | place)
            size += 1
        return size
    b = VOID + (kind + position - 1) * VOID_SIZE
    if rest & loose != 0:
        insert(moves, size, w[b + DISCARD + 5] << 6 | highest(rest & loose))
        size += 1
        rest &= ~loose
    while rest != 0:
        place = highest(rest)
        bit = 1 << place
        rest &= next_in_hand(others, place)
        field = field_of(place)
        if bit & trumps != 0:
            if place > best:
                group = 0 if place > threat else 1
            else:
                group = 2
            weight = w[b + 4 * situation + group] + w[b + 16 + group] * count((others | hand) & trumps & (bit - 1))
        else:
            weight = w[b + 4 * situation + 3] + w[b + 19] * count((others | hand) & field & (bit - 1))
            mine = hand & field
            length = count(mine)
            weight += w[b + DISCARD] * length
            enemies, his = (left | right) & field, partner & field
            if mine > enemies | his:
                weight += w[b + DISCARD + 1]
            elif length == 2 and mine > (enemies | his) ^ 1 << highest(enemies | his):
                weight += w[b + DISCARD + 2]
            if his > enemies:
                weight += w[b + DISCARD + 3]
            if rest & field != 0:
                weight += w[b + DISCARD + 4]
        insert(moves, size, weight << 6 | place)
        size += 1
    return size


@shared
def sort_moves(state: Any, frame: Any, position: int, w: Any) -> None:
    """Fill the frame's moves: one card of each run of equal ones, the most promising first."""
    size = order_leads(state, frame, w) if position == 0 else order_answers(state, frame, position, w)
    moves = frame["moves"]
    for index in range(size):
        moves[index] &= 63
    frame["count"] = size
