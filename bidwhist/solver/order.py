"""Which card to try first: by far the largest factor in the speed of the search.

A card's weight is a sum of numbers looked up by what can be seen in a glance: who has the highest cards of its suit,
how long it is in each hand, whether somebody can ruff. The numbers (`bidwhist.solver.weights`) were fitted to what
each card of many positions cost the search, so that the expected cost of the first card tried is small.

Equal cards, between which no other hand has one, are a *run*: only its highest card is tried.
"""

from typing import Any, Final

from bidwhist._jit import int64, shared
from bidwhist.bits import choose, count, highest, index, nth
from bidwhist.solver.quick import above
from bidwhist.solver.second import reach
from bidwhist.solver.strength import FIELD, TRUMP, WIDTH, beats, field_of
from bidwhist.solver.techniques import HINTS, KILLERS, ORDER, RUNS
from bidwhist.solver.weights import BLOCK, FIRST_ANSWER, FIRST_DISCARD, LEAD_BLOCK, LOOSE_DISCARD, LOOSE_LEAD, WEIGHTS

_NONE: Final = -1
_LEAST: Final = -(1 << 40)  # less than any move
_HINT: Final = 1000  # as good as this much weight
_KILLER: Final = 200


@shared
def legal(hand: int, led: int) -> int:
    """Cards that may be played when `led` is the field to follow."""
    following = hand & led
    return choose(following != 0, following, hand)


@shared
def below_run(others: int, place: int) -> int:
    """Mask of all places below the run that `place` tops; `others` are the cards that are not of this hand."""
    if not RUNS:
        return (1 << place) - 1
    base = place & 48
    between = others & ((1 << place) - 1) & (FIELD << base)
    return (1 << highest(between | 1 << base)) - 1


@shared
def add(moves: Any, size: int, weight: int, place: int) -> int:
    """Add a move to the first `size`, which are in no order; the new size."""
    moves[index(size)] = (weight if ORDER else 0) << 6 | place
    return size + 1


@shared
def next_move(frame: Any) -> bool:
    """Step to the most promising move that is neither tried nor as good as one that was; False if there is none.

    Most nodes need one or two moves, so to look for the best is cheaper than to sort.
    """
    moves, dead = frame["moves"], int64(frame["dead"])
    best = _LEAST
    for step in range(int64(frame["count"])):
        key = int64(moves[index(step)])
        best = max(best, choose((dead >> (key & 63)) & 1 == 0, key, _LEAST))
    frame["move"] = best & 63
    return best != _LEAST


@shared
def weigh(at: int) -> int:
    """One of the fitted numbers."""
    return int64(WEIGHTS[index(at)])


@shared
def owner_of(mine: int, his: int, left: int, right: int) -> int:
    """Who has the highest of these cards of a suit: 0 I, 1 partner, 2 left, 3 right, 4 nobody."""
    theirs = max(left, right)
    if max(mine, his) > theirs:
        return 0 if mine > his else 1
    if theirs == 0:
        return 4
    return 2 if left > right else 3


@shared
def slack_of(frame: Any, hand: int) -> int:
    """Tricks that the side to play may lose of those that are left."""
    need = int64(frame["need"])
    return count(hand) - need if int64(frame["seat"]) & 1 == 0 else need - 1


@shared
def list_leads(ws: Any, frame: Any) -> int:
    """List the leads; number of moves."""
    hands, moves = ws["hands"], frame["moves"]
    seat = int64(frame["seat"])
    hand, partner = int64(hands[seat]), int64(hands[(seat + 2) & 3])
    left, right = int64(hands[(seat + 1) & 3]), int64(hands[(seat + 3) & 3])
    trumps, loose = int64(ws["trumps"]), int64(ws["loose"])
    killer = int64(ws["killers"][4 * count(hand) + seat])
    hint = _NONE
    if HINTS and int64(frame["hint"]) >= 0:
        hint = nth(hand | partner | left | right, int64(frame["hint"]))
    no_trumps = (hand | partner | left | right) & trumps == 0
    trump_length = min(count(hand & trumps), 3)
    slack = slack_of(frame, hand)
    few = min(count(hand) - slack, 3)
    size = 0
    for suit in range(4):
        field = FIELD << (WIDTH * suit)
        mine = hand & field
        if mine == 0:
            continue
        his, one, two = partner & field, left & field, right & field
        others = his | one | two
        b = 2 * LEAD_BLOCK if no_trumps else (LEAD_BLOCK if suit == TRUMP else 0)
        cards = mine | others
        top = owner_of(mine, his, one, two)
        cards ^= 1 << highest(cards)
        second = owner_of(mine & cards, his & cards, one & cards, two & cards)
        if cards != 0:
            cards ^= 1 << highest(cards)
        third = owner_of(mine & cards, his & cards, one & cards, two & cards)
        length = min(count(mine), 5)
        ruffs = trump_length if b == 0 else 0
        if b == 0:
            if his == 0 and partner & trumps != 0:
                ruffs += 4
            if one == 0 and left & trumps != 0:
                ruffs += 8
            if two == 0 and right & trumps != 0:
                ruffs += 16
        masters, his_masters = min(count(above(mine, others)), 3), min(count(above(his, mine | one | two)), 3)
        lengths = (min(count(his), 3) * 4 + min(count(one), 3)) * 4 + min(count(two), 3)
        base = weigh(b + 936 + (trump_length if b == 0 else 0) + (4 if length == 1 else 0))
        rest = mine
        while rest != 0:
            place = highest(rest)
            remaining = rest & below_run(others, place)
            if rest == mine and (top == 0 or remaining != 0):
                group = 0 if top == 0 else 1
            else:
                group = 2 if remaining == 0 else 3
            g = b + group
            weight = base + weigh(g + ((top * 5 + second) * 5 + third) * 4) + weigh(g + 400 + lengths * 4)
            weight += weigh(g + 652 + length * 4) + weigh(g + 676 + ruffs * 4)
            weight += weigh(g + 804 + masters * 4) + weigh(g + 820 + his_masters * 4)
            weight += weigh(g + 836 + min(count(others & ~((1 << place) - 1)), 5) * 4)
            weight += weigh(g + 860 + (min(slack, 3) * 4 + top) * 4) + weigh(g + 920 + few * 4)
            if hint >= 0 and ((rest ^ remaining) >> hint) & 1 != 0:
                weight += _HINT
            if KILLERS and place == killer:
                weight += _KILLER
            size = add(moves, size, weight, place)
            rest = remaining
    if hand & loose != 0:
        place = highest(hand & loose)
        size = add(moves, size, weigh(LOOSE_LEAD) + (_HINT if place == hint else 0), place)
    return size


@shared
def situation_of(ws: Any, frame: Any, position: int, threat: int) -> int:
    """Who stands to win the trick, 0-3."""
    hands = ws["hands"]
    seat, best = int64(frame["seat"]), int64(frame["best"])
    if position == 1:
        help = reach(int64(hands[(seat + 2) & 3]), int64(frame["led"]), int64(ws["trumps"]))
        ours = help > max(threat, best)
    else:
        ours = (int64(frame["winner"]) ^ seat) & 1 == 0
    return (1 if ours else 0) + (2 if threat > best else 0)


@shared
def list_following(ws: Any, frame: Any, b: int, threat: int, situation: int) -> int:
    """List the cards of the suit led; number of moves."""
    hands, moves = ws["hands"], frame["moves"]
    seat, led, best = int64(frame["seat"]), int64(frame["led"]), int64(frame["best"])
    trumps, loose = int64(ws["trumps"]), int64(ws["loose"])
    mine, his = int64(hands[seat]) & led, int64(hands[(seat + 2) & 3]) & led
    one, two = int64(hands[(seat + 1) & 3]) & led, int64(hands[(seat + 3) & 3]) & led
    others = his | one | two | (1 << best)
    enemies = others & led
    length, his_length = min(count(mine), 5), min(count(his), 3)
    one_length, two_length = min(count(one), 3), min(count(two), 3)
    of_trumps = 6 if led == trumps else 0
    slack = min(slack_of(frame, int64(hands[seat])), 3)
    size = 0
    rest = mine
    while rest != 0:
        place = highest(rest)
        bit = 1 << place
        rest &= below_run(others, place)
        if beats(place, best, trumps, loose):
            cheapest = rest == 0 or not beats(highest(rest), best, trumps, loose)
            group = (2 if place > threat else 4) + (0 if cheapest else 1)
        else:
            group = 0 if rest == 0 else 1
        g = b + group
        weight = weigh(g + situation * 6) + weigh(g + 18 + length * 6)
        weight += weigh(g + 54 + min(count(enemies & ~(bit - 1)), 4) * 6) + int64(WEIGHTS[g + 84 + his_length * 6])
        weight += weigh(g + 108 + one_length * 6) + weigh(g + 132 + of_trumps)
        weight += weigh(g + 144 + min(count(enemies & (bit - 1)), 4) * 6) + int64(WEIGHTS[g + 174 + two_length * 6])
        weight += weigh(g + 198 + slack * 6)
        size = add(moves, size, weight, place)
    return size


@shared
def list_last(ws: Any, frame: Any) -> int:
    """List the cards of the suit led for the last to play; number of moves.

    The lowest first if the trick is the partner's, else the cheapest that wins it: numbers would not be worth it.
    """
    hands, moves = ws["hands"], frame["moves"]
    seat, led, best = int64(frame["seat"]), int64(frame["led"]), int64(frame["best"])
    hand = int64(hands[seat])
    others = (int64(hands[0]) | int64(hands[1]) | int64(hands[2]) | int64(hands[3]) | 1 << best) & ~hand
    rest = hand & led
    winners = rest & ~((2 << best) - 1) if led & (1 << best) != 0 else 0
    ours = (int64(frame["winner"]) ^ seat) & 1 == 0
    size = 0
    while rest != 0:
        place = highest(rest)
        rest &= below_run(others, place)
        first = not ours and (winners >> place) & 1 != 0
        size = add(moves, size, (64 if first else 0) - (place & 15), place)
    return size


@shared
def list_discards(ws: Any, frame: Any, b: int, threat: int, situation: int) -> int:
    """List ruffs and discards; number of moves."""
    hands, moves = ws["hands"], frame["moves"]
    seat, best = int64(frame["seat"]), int64(frame["best"])
    trumps, loose = int64(ws["trumps"]), int64(ws["loose"])
    hand, partner = int64(hands[seat]), int64(hands[(seat + 2) & 3])
    left, right = int64(hands[(seat + 1) & 3]), int64(hands[(seat + 3) & 3])
    others = (partner | left | right | 1 << best) & ~hand
    size = 0
    rest = hand
    if rest & loose != 0:
        size = add(moves, size, weigh(b + LOOSE_DISCARD), highest(rest & loose))
        rest &= ~loose
    trump_length = count(hand & trumps)
    slack = min(slack_of(frame, hand), 3)
    while rest != 0:
        place = highest(rest)
        bit = 1 << place
        field = field_of(place)
        mine = hand & field
        rest &= below_run(others, place)
        is_last = rest & field == 0
        if bit & trumps != 0:
            group = 2 if place < best else (0 if place > threat else 1)
            g = b + group
            weight = weigh(g + situation * 4) + weigh(g + 13 + min(trump_length, 4) * 3)
            weight += weigh(g + (31 if is_last else 28))
            weight += weigh(g + 34 + min(count(others & field & ~(bit - 1)), 3) * 3)
        else:
            his, one, two = partner & field, left & field, right & field
            enemies, theirs = one | two, one | two | his
            length = min(count(mine), 5)
            group, standing = 3, 2
            if mine > theirs:
                standing = 0
            elif length >= 2 and mine > theirs ^ (1 << highest(theirs)):
                standing = 1
            weight = weigh(b + situation * 4 + group)
            weight += weigh(b + 64 + ((length - 1) * 3 + standing) * 2 + (0 if is_last else 1))
            weight += weigh(b + 94 + min(count(his), 3) * 2 + (1 if his > enemies | mine else 0))
            weight += weigh(b + 102 + min(count(others & field & ~(bit - 1)), 5))
            weight += weigh(b + 108 + min(count(one), 3)) + weigh(b + 112 + min(count(two), 3))
            weight += weigh(b + 116 + min(count(others & field & (bit - 1)), 4))
            weight += weigh(b + 121 + min(trump_length, 3))
            weight += weigh(b + 125 + (3 if place == highest(mine) else 0) + standing)
        weight += weigh(b + 140 + slack * 4 + group)
        size = add(moves, size, weight, place)
    return size


@shared
def list_answers(ws: Any, frame: Any, position: int) -> int:
    """List what can be played to a lead; number of moves."""
    hands = ws["hands"]
    seat, led, best = int64(frame["seat"]), int64(frame["led"]), int64(frame["best"])
    hand = int64(hands[seat])
    others = (int64(hands[0]) | int64(hands[1]) | int64(hands[2]) | int64(hands[3]) | 1 << best) & ~hand
    rest = legal(hand, led)
    place = highest(rest)
    if place & 15 != 15 and rest & below_run(others, place) == 0:  # one run: no choice (a loose joker is no run)
        frame["moves"][0] = place
        return 1
    if hand & led != 0 and (position == 3 or place < best):
        return list_last(ws, frame)
    trumps = int64(ws["trumps"])
    threat = reach(int64(hands[(seat + 1) & 3]), led, trumps) if position < 3 else _NONE
    situation = situation_of(ws, frame, position, threat)
    if hand & led != 0:
        block = position - 1 if trumps != 0 else position + 1
        return list_following(ws, frame, FIRST_ANSWER + block * BLOCK, threat, situation)
    block = position - 1 if trumps != 0 else position + 2
    return list_discards(ws, frame, FIRST_DISCARD + block * BLOCK, threat, situation)


@shared
def list_moves(ws: Any, frame: Any, position: int) -> None:
    """Fill the frame's moves, one card of each run of equal ones, with what they promise; `next_move` takes them."""
    frame["count"] = list_leads(ws, frame) if position == 0 else list_answers(ws, frame, position)
    frame["dead"] = 0
