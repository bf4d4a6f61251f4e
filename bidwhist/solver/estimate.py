"""A first guess of the tricks of a position: each trick that it is wrong costs a search."""

from typing import Any

from bidwhist._jit import int64, shared
from bidwhist.bits import choose, count, highest
from bidwhist.solver.strength import FIELD, TRUMP, WIDTH

# What a side's highest, second, third and fourth card of a suit, a trump more, a longer longest hand of trumps or of a
# suit, and the lead are worth over the other side's, in sixteenths of a trick; fitted to 9,500 positions of 6 to 12
# cards a hand by least squares (benchmarks/fit_order.py estimate).
_WITH_TRUMPS = (12, 6, 3, 2)
_NO_TRUMP = (17, 8, 4, 2)
_TRUMP, _LONG_TRUMPS, _LONG, _LEAD = 8, 5, 3, 3
_NO_TRUMP_LONG, _NO_TRUMP_LEAD = 2, 10
# That the leader's side takes a trick less than is likely costs little to prove; so it is asked for less first.
_CAUTION = 6


@shared
def estimate(ws: Any, left: int) -> int:
    """Tricks of side 0 of the `left` ones that are worth asking for first, by high cards, lengths and trumps."""
    trumps = int64(ws["trumps"])
    lead = (_LEAD if trumps != 0 else _NO_TRUMP_LEAD) - _CAUTION
    worth = lead if int64(ws["frames"][0]["seat"]) & 1 == 0 else -lead
    for suit in range(4):
        worth += worth_of(ws, suit)
    return min(max((8 * left + worth + 16) >> 4, 0), left)


@shared
def worth_of(ws: Any, suit: int) -> int:
    """What a suit is worth to side 0, in sixteenths of a trick."""
    hands, field = ws["hands"], FIELD << (WIDTH * suit)
    first, second = int64(hands[0]) & field, int64(hands[1]) & field
    third, fourth = int64(hands[2]) & field, int64(hands[3]) & field
    ours, rest = first | third, first | second | third | fourth
    trumps = int64(ws["trumps"])
    longer = max(count(first), count(third)) - max(count(second), count(fourth))
    worth = longer * (_LONG if trumps != 0 else _NO_TRUMP_LONG)
    if suit == TRUMP and trumps != 0:
        worth = longer * _LONG_TRUMPS + _TRUMP * (count(ours) - count(rest & ~ours))
    for rank in range(4):
        if rest == 0:
            break
        top = 1 << highest(rest)
        rest ^= top
        value = choose(trumps != 0, _WITH_TRUMPS[rank], _NO_TRUMP[rank])
        worth += value if ours & top != 0 else -value
    return worth
