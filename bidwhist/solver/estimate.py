"""A first guess of the tricks of a position: each trick that it is wrong costs a search."""

from typing import Any

from bidwhist._jit import int64, shared
from bidwhist.bits import choose, count, highest
from bidwhist.solver.strength import FIELD, WIDTH

# What a side's highest, second, third and fourth card of a suit, a trump more and the lead are worth over the other
# side's, in sixteenths of a trick; fitted to 920 positions of 8 to 12 cards a hand by least squares.
_WITH_TRUMPS = (11, 5, 2, 1)
_NO_TRUMP = (16, 8, 4, 1)
_TRUMP, _LEAD, _NO_TRUMP_LEAD = 9, 5, 11


@shared
def estimate(ws: Any, left: int) -> int:
    """Tricks of side 0 of the `left` ones, by high cards and trumps; about a trick off."""
    hands = ws["hands"]
    ours, theirs = int64(hands[0]) | int64(hands[2]), int64(hands[1]) | int64(hands[3])
    trumps = int64(ws["trumps"])
    lead = _LEAD if trumps != 0 else _NO_TRUMP_LEAD
    worth = lead if int64(ws["frames"][0]["seat"]) & 1 == 0 else -lead
    worth += _TRUMP * (count(ours & trumps) - count(theirs & trumps))
    for suit in range(4):
        rest = (ours | theirs) & (FIELD << (WIDTH * suit))
        for rank in range(4):
            if rest == 0:
                break
            top = 1 << highest(rest)
            rest ^= top
            value = choose(trumps != 0, _WITH_TRUMPS[rank], _NO_TRUMP[rank])
            worth += value if ours & top != 0 else -value
    return min(max((8 * left + worth + 8) >> 4, 0), left)
