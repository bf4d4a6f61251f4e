"""The moves of a node: one card of each run of equal ones, with a weight that tells which to try first.

Equal cards, between which no other hand has one, are a *run*: only its highest card is tried.
"""

from typing import Any, Final

from bidwhist._jit import int64, shared
from bidwhist.bits import choose, count, highest, index
from bidwhist.solver.strength import FIELD
from bidwhist.solver.techniques import ORDER, RUNS
from bidwhist.solver.weights import WEIGHTS

_LEAST: Final = -(1 << 40)  # less than any move


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
def slack_of(frame: Any, hand: int) -> int:
    """Tricks that the side to play may lose of those that are left."""
    need = int64(frame["need"])
    return count(hand) - need if int64(frame["seat"]) & 1 == 0 else need - 1


@shared
def cards_above(cards: int, place: int) -> int:
    """How many of these cards are above a place."""
    return count(cards & ~((1 << place) - 1))
