"""Which lead to try first: the choice that matters most."""

from typing import Any, Final

from bidwhist._jit import int64, shared
from bidwhist.bits import count, highest, nth
from bidwhist.solver.moves import add, below_run, cards_above, slack_of, weigh
from bidwhist.solver.quick import above
from bidwhist.solver.strength import FIELD, FIELDS, TRUMP, WIDTH
from bidwhist.solver.techniques import HINTS, KILLERS
from bidwhist.solver.weights import LEAD_BLOCK, LOOSE_LEAD

_NONE: Final = -1
_HINT: Final = 1000  # as good as this much weight
_KILLER: Final = 200

# A block of weights is of tables, each of four columns, one a group: the highest card of a suit that is the highest of
# all; another highest card with some below it; the lowest run; what is between. A table that is not looked up at 0
# begins a row early. The last one has no groups.
_OWNERS: Final = 0
_SHAPE: Final = 400
_LENGTH: Final = 652
_RUFFS: Final = 676
_MASTERS: Final = 804
_HIS_MASTERS: Final = 820
_HIGHER: Final = 836
_SLACK: Final = 860
_FEW: Final = 920
_TRUMPS: Final = 936


@shared
def list_leads(ws: Any, frame: Any) -> int:
    """List the leads; number of moves."""
    hands, moves = ws["hands"], frame["moves"]
    hand = int64(hands[int64(frame["seat"])])
    loose = int64(ws["loose"])
    cards = (int64(hands[0]) | int64(hands[1]) | int64(hands[2]) | int64(hands[3])) & FIELDS
    hint = nth(cards, int64(frame["hint"])) if HINTS and int64(frame["hint"]) >= 0 else _NONE
    size = 0
    for suit in range(4):
        if hand & (FIELD << (WIDTH * suit)) != 0:
            size = list_suit(ws, frame, suit, hint, size)
    if hand & loose != 0:
        place = highest(hand & loose)
        size = add(moves, size, weigh(LOOSE_LEAD), place)
    return size


@shared
def list_suit(ws: Any, frame: Any, suit: int, hint: int, size: int) -> int:
    """Add the leads of a suit to the first `size` moves; the new size."""
    hands, seat, trumps = ws["hands"], int64(frame["seat"]), int64(ws["trumps"])
    hand, partner = int64(hands[seat]), int64(hands[(seat + 2) & 3])
    left, right = int64(hands[(seat + 1) & 3]), int64(hands[(seat + 3) & 3])
    field = FIELD << (WIDTH * suit)
    mine, his, one, two = hand & field, partner & field, left & field, right & field
    others, length, slack = his | one | two, min(count(mine), 5), slack_of(frame, hand)
    killer = int64(ws["killers"][4 * count(hand) + seat])
    block, ruffs, trump_length = LEAD_BLOCK, 0, 0
    if (hand | partner | left | right) & trumps == 0:
        block = 2 * LEAD_BLOCK
    elif suit != TRUMP:
        block, trump_length = 0, min(count(hand & trumps), 3)
        ruffs = trump_length + (4 if his == 0 and partner & trumps != 0 else 0)
        ruffs += (8 if one == 0 and left & trumps != 0 else 0) + (16 if two == 0 and right & trumps != 0 else 0)
    owners = owners_of(mine, his, one, two)
    top = owners // 25
    shape = block + _SHAPE + 4 * ((min(count(his), 3) * 4 + min(count(one), 3)) * 4 + min(count(two), 3))
    masters = block + _MASTERS + 4 * min(count(above(mine, others)), 3)
    his_masters = block + _HIS_MASTERS + 4 * min(count(above(his, mine | one | two)), 3)
    slack_row = block + _SLACK + 4 * (min(slack, 3) * 4 + top)
    few = block + _FEW + 4 * min(count(hand) - slack, 3)
    trumps_row = block + _TRUMPS + trump_length + (4 if length == 1 else 0)
    rest = mine
    while rest != 0:
        place = highest(rest)
        remaining = rest & below_run(others, place)
        group = 2 if remaining == 0 else 3
        if rest == mine and (top == 0 or remaining != 0):
            group = 0 if top == 0 else 1
        weight = weigh(trumps_row) + weigh(block + _OWNERS + 4 * owners + group)
        weight += weigh(shape + group) + weigh(masters + group)
        weight += weigh(his_masters + group) + weigh(slack_row + group) + weigh(few + group)
        weight += weigh(block + _LENGTH + 4 * length + group) + weigh(block + _RUFFS + 4 * ruffs + group)
        weight += weigh(block + _HIGHER + 4 * min(cards_above(others, place), 5) + group)
        if hint >= 0 and ((rest ^ remaining) >> hint) & 1 != 0:
            weight += _HINT
        if KILLERS and place == killer:
            weight += _KILLER
        size = add(frame["moves"], size, weight, place)
        rest = remaining
    return size


@shared
def owners_of(mine: int, his: int, one: int, two: int) -> int:
    """Owners of the three highest cards of a suit, as a number of base 5."""
    owners, rest = 0, mine | his | one | two
    for _ in range(3):
        owners = 5 * owners + owner_of(mine & rest, his & rest, one & rest, two & rest)
        if rest != 0:
            rest ^= 1 << highest(rest)
    return owners


@shared
def owner_of(mine: int, his: int, left: int, right: int) -> int:
    """Who has the highest of these cards of a suit: 0 I, 1 partner, 2 left, 3 right, 4 nobody."""
    theirs = max(left, right)
    if max(mine, his) > theirs:
        return 0 if mine > his else 1
    if theirs == 0:
        return 4
    return 2 if left > right else 3
