"""What to play first to a lead."""

from typing import Any, Final

from bidwhist._jit import int64, shared
from bidwhist.bits import count, highest
from bidwhist.solver.moves import add, below_run, cards_above, legal, slack_of, weigh
from bidwhist.solver.second import reach
from bidwhist.solver.strength import beats, field_of
from bidwhist.solver.weights import BLOCK, FIRST_ANSWER, FIRST_DISCARD, LOOSE_DISCARD

_NONE: Final = -1

# Following suit, a block of weights is of tables of six columns, one a group: the lowest run; another that does not
# win; the cheapest card that wins from all that left can play; another such; the cheapest winner that left can beat;
# another such. A table that is not looked up at 0 begins a row early, here and below.
_SITUATION: Final = 0
_LENGTH: Final = 18
_HIGHER: Final = 54
_HIS_LENGTH: Final = 84
_LEFT_LENGTH: Final = 108
_TRUMPS_LED: Final = 132
_LOWER: Final = 144
_RIGHT_LENGTH: Final = 174
_SLACK: Final = 198

# Ruffs and discards: tables of four columns, one a group: a ruff that stands; one that left can beat; one that does not
# win; a discard.
_VOID_SITUATION: Final = 0
_VOID_SLACK: Final = 140
# Ruffs: tables of three columns, the same groups.
_RUFF_LENGTH: Final = 13
_RUFF_BETWEEN: Final = 28
_RUFF_LOWEST: Final = 31
_RUFF_HIGHER: Final = 34
# Discards.
_STANDING: Final = 64  # by length, what the suit's highest card is worth, and whether the lowest run is thrown
_PARTNER: Final = 94  # by the partner's length, and whether it has the highest card
_DISCARD_HIGHER: Final = 102
_DISCARD_LEFT: Final = 108
_DISCARD_RIGHT: Final = 112
_DISCARD_LOWER: Final = 116
_DISCARD_TRUMPS: Final = 121
_HIGHEST: Final = 125  # by what the highest card is worth, and whether it is thrown


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
def list_following(ws: Any, frame: Any, block: int, threat: int, situation: int) -> int:
    """List the cards of the suit led; number of moves."""
    hands, seat = ws["hands"], int64(frame["seat"])
    led, best = int64(frame["led"]), int64(frame["best"])
    trumps, loose = int64(ws["trumps"]), int64(ws["loose"])
    mine, his = int64(hands[seat]) & led, int64(hands[(seat + 2) & 3]) & led
    one, two = int64(hands[(seat + 1) & 3]) & led, int64(hands[(seat + 3) & 3]) & led
    others = his | one | two | (1 << best)
    length, his_length = min(count(mine), 5), min(count(his), 3)
    left_length, right_length = min(count(one), 3), min(count(two), 3)
    trumps_led = 1 if led == trumps else 0
    slack = min(slack_of(frame, int64(hands[seat])), 3)
    size, rest = 0, mine
    while rest != 0:
        place = highest(rest)
        rest &= below_run(others, place)
        if beats(place, best, trumps, loose):
            cheapest = rest == 0 or not beats(highest(rest), best, trumps, loose)
            group = (2 if place > threat else 4) + (0 if cheapest else 1)
        else:
            group = 0 if rest == 0 else 1
        g, higher = block + group, cards_above(others & led, place)
        weight = weigh(g + _SITUATION + 6 * situation) + weigh(g + _LENGTH + 6 * length)
        weight += weigh(g + _HIGHER + 6 * min(higher, 4)) + weigh(g + _HIS_LENGTH + 6 * his_length)
        weight += weigh(g + _LEFT_LENGTH + 6 * left_length) + weigh(g + _TRUMPS_LED + 6 * trumps_led)
        weight += weigh(g + _LOWER + 6 * min(count(others & led) - higher, 4))
        weight += weigh(g + _RIGHT_LENGTH + 6 * right_length) + weigh(g + _SLACK + 6 * slack)
        size = add(frame["moves"], size, weight, place)
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
def list_discards(ws: Any, frame: Any, block: int, threat: int, situation: int) -> int:
    """List ruffs and discards; number of moves."""
    hands, seat, best = ws["hands"], int64(frame["seat"]), int64(frame["best"])
    trumps, loose = int64(ws["trumps"]), int64(ws["loose"])
    hand = int64(hands[seat])
    others = int64(hands[(seat + 1) & 3]) | int64(hands[(seat + 2) & 3]) | int64(hands[(seat + 3) & 3])
    others = (others | 1 << best) & ~hand
    size, rest = 0, hand
    if rest & loose != 0:
        size = add(frame["moves"], size, weigh(block + LOOSE_DISCARD), highest(rest & loose))
        rest &= ~loose
    slack = min(slack_of(frame, hand), 3)
    while rest != 0:
        place = highest(rest)
        rest &= below_run(others, place)
        lowest_run = rest & field_of(place) == 0
        if (trumps >> place) & 1 != 0:
            group = 2 if place < best else (0 if place > threat else 1)
            weight = weigh_ruff(block + group, place, lowest_run, hand & trumps, others & trumps)
        else:
            group = 3
            weight = weigh_discard(ws, seat, block, place, lowest_run)
        g = block + group
        weight += weigh(g + _VOID_SITUATION + 4 * situation) + weigh(g + _VOID_SLACK + 4 * slack)
        size = add(frame["moves"], size, weight, place)
    return size


@shared
def weigh_ruff(at: int, place: int, lowest_run: bool, mine: int, others: int) -> int:
    """Weight of a ruff beside what situation and slack add; `mine` and `others` are trumps."""
    weight = weigh(at + _RUFF_LENGTH + 3 * min(count(mine), 4)) + weigh(
        at + (_RUFF_LOWEST if lowest_run else _RUFF_BETWEEN)
    )
    return weight + weigh(at + _RUFF_HIGHER + 3 * min(cards_above(others, place), 3))


@shared
def weigh_discard(ws: Any, seat: int, block: int, place: int, lowest_run: bool) -> int:
    """Weight of a discard beside what situation and slack add."""
    hands, field = ws["hands"], field_of(place)
    mine, his = int64(hands[seat]) & field, int64(hands[(seat + 2) & 3]) & field
    one, two = int64(hands[(seat + 1) & 3]) & field, int64(hands[(seat + 3) & 3]) & field
    theirs, length = one | two | his, min(count(mine), 5)
    standing = 2
    if mine > theirs:
        standing = 0
    elif length >= 2 and mine > theirs ^ (1 << highest(theirs)):
        standing = 1
    his_best = 1 if his > one | two | mine else 0
    trump_length = min(count(int64(hands[seat]) & int64(ws["trumps"])), 3)
    higher = cards_above(theirs, place)
    weight = weigh(block + _STANDING + 2 * ((length - 1) * 3 + standing) + (0 if lowest_run else 1))
    weight += weigh(block + _PARTNER + 2 * min(count(his), 3) + his_best)
    weight += weigh(block + _DISCARD_HIGHER + min(higher, 5))
    weight += weigh(block + _DISCARD_LOWER + min(count(theirs) - higher, 4))
    weight += weigh(block + _DISCARD_LEFT + min(count(one), 3)) + weigh(block + _DISCARD_RIGHT + min(count(two), 3))
    weight += weigh(block + _DISCARD_TRUMPS + trump_length)
    return weight + weigh(block + _HIGHEST + (3 if place == highest(mine) else 0) + standing)


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
