"""Which card to try first."""

from typing import Any, Final

import numpy as np

from bidwhist._jit import int64, shared
from bidwhist.bits import choose, count, highest, nth
from bidwhist.solver.quick import above
from bidwhist.solver.strength import FIELD, TRUMP, WIDTH, beats, field_of
from bidwhist.solver.weights import DISCARD, FOLLOW, FOLLOW_SIZE, LEAD, LEAD_KIND, VOID, VOID_SIZE, WEIGHTS

_NO_ONE: Final = -1
_RUFFS: Final = 64  # above every place


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
    others = (partner | left | right) & ~hand
    place = highest(hand)
    if place & 15 != 15 and hand & next_in_hand(others, place) == 0:
        moves[0] = place
        return 1
    killer = int64(state["killers"][4 * count(hand) + seat])
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
        others = his | one | two
        kind = 2 if all_trumps == 0 else (1 if suit == TRUMP else 0)
        b = LEAD + kind * LEAD_KIND
        cards = mine | others
        top = owner_of(mine, his, one, two)
        cards ^= 1 << highest(cards)
        second = owner_of(mine & cards, his & cards, one & cards, two & cards)
        if cards != 0:
            cards ^= 1 << highest(cards)
        third = owner_of(mine & cards, his & cards, one & cards, two & cards)
        length = count(mine)
        ruffs = 0
        if kind == 0:
            if his == 0 and partner & trumps != 0:
                ruffs += 1
            if one == 0 and left & trumps != 0:
                ruffs += 2
            if two == 0 and right & trumps != 0:
                ruffs += 4
        masters, his_masters = count(above(mine, others)), count(above(his, mine | one | two))
        trump_length = min(count(hand & trumps), 3) if kind == 0 else 0
        base = w[b + 238 + trump_length + (4 if length == 1 else 0)]
        rest = mine
        while rest != 0:
            place = highest(rest)
            bit = 1 << place
            remaining = rest & next_in_hand(others, place)
            if rest == mine and (top == 0 or remaining != 0):
                group = 0 if top == 0 else 1
            else:
                group = 2 if remaining == 0 else 3
            weight = base + w[b + (top * 5 + second) * 4 + group]
            weight += w[b + 80 + min(count(his), 3) * 4 + group]
            weight += w[b + 96 + min(count(one), 3) * 4 + group]
            weight += w[b + 112 + min(count(two), 3) * 4 + group]
            weight += w[b + 124 + min(length, 5) * 4 + group]
            weight += w[b + 148 + third * 4 + group]
            weight += w[b + 168 + ruffs * 4 + group]
            weight += w[b + 200 + min(masters, 3) * 4 + group]
            weight += w[b + 216 + min(his_masters, 3) * 4 + group]
            weight += w[b + 232 + min(count(others & ~(bit - 1)), 5)]
            if place == hint:
                weight += 10000
            if place == killer:
                weight += w[WEIGHTS]
            insert(moves, size, weight << 6 | place)
            size += 1
            rest = remaining
    loose = hand & int64(state["loose"])
    if loose != 0:
        place = highest(loose)
        insert(moves, size, (10000 if place == hint else 0) << 6 | place)
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
def order_answers(state: Any, frame: Any, position: int, w: Any) -> int:
    """Sort what can be played to a lead; number of moves."""
    hands, moves = state["hands"], frame["moves"]
    seat, led, best = int64(frame["seat"]), int64(frame["led"]), int64(frame["best"])
    hand, partner = int64(hands[seat]), int64(hands[(seat + 2) & 3])
    left, right = int64(hands[(seat + 1) & 3]), int64(hands[(seat + 3) & 3])
    trumps, loose = int64(state["trumps"]), int64(state["loose"])
    others = (partner | left | right | 1 << best) & ~hand
    following = hand & led
    rest = following if following != 0 else hand
    place = highest(rest)
    if place & 15 != 15 and rest & next_in_hand(others, place) == 0:
        moves[0] = place
        return 1
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
    killer = _NO_ONE
    size = 0
    if following != 0:
        b = FOLLOW + (kind + position - 1) * FOLLOW_SIZE
        while rest != 0:
            place = highest(rest)
            rest &= next_in_hand(others, place)
            if not beats(place, best, trumps, loose):
                group = 0 if rest == 0 else 1
            else:
                group = 2 if place > threat else 3
            weight = w[b + 4 * situation + group] + w[b + 16 + group] * count((others | hand) & led & ((1 << place) - 1))
            if place == killer:
                weight += w[WEIGHTS + position]
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
        if place == killer:
            weight += w[WEIGHTS + position]
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
