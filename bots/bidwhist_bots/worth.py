"""What a contract is worth: its margin (books expected less books promised), and from it the score and the game."""

from math import erf, exp, pi, sqrt
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from bidwhist._jit import shared
from bidwhist.bits import index
from bidwhist.score import has_lost, has_reached_target, score_if_made, score_if_set, strain_factor

# Standard deviation of the books won around the books expected: 1.6 to 2.1 by strain and kitty.
SPREAD: Final = 1.75

_STEPS: Final = 16  # places of the table in a book
_REACH: Final = 6  # books that it reaches to either side
_LAST: Final = 2 * _REACH * _STEPS


def _outlook() -> NDArray[np.float64]:
    """By margin: the chance to make the contract, and the books over it that are expected if it is made."""
    outlook = np.zeros((_LAST + 1, 2))
    for place in range(_LAST + 1):
        # Books are whole: half a book short of the promise is rounded up to it.
        z = (place / _STEPS - _REACH + 0.5) / SPREAD
        made = (1 + erf(z / sqrt(2))) / 2
        over = SPREAD * (z * made + exp(-z * z / 2) / sqrt(2 * pi)) / made - 0.5
        outlook[place] = made, max(0.0, over)
    return outlook


OUTLOOK: Final = _outlook()


@shared
def place_of(margin: float) -> int:
    """Row of OUTLOOK for a margin in books."""
    return min(max(int((margin + _REACH) * _STEPS + 0.5), 0), _LAST)


@shared
def gain(public: Any, side: int, level: float, is_no_trump: bool, margin: float) -> float:
    """Change of a side's standing that is expected when it declares at `level`, in points.

    A game won or lost counts as the greatest lead there can be, twice the target (C17). All 13 books and what the
    defenders score are not weighed: they are rare, or small.
    """
    rules, place = public["rules"], place_of(margin)
    factor = float(strain_factor(rules, is_no_trump))
    made, over = OUTLOOK[index(place), 0], OUTLOOK[index(place), 1]
    mine, theirs, target = float(public["scores"][side]), float(public["scores"][1 - side]), float(rules["target"])
    after_set = mine + score_if_set(rules, level, factor)
    after_made = mine + score_if_made(rules, level, over, factor)
    if has_reached_target(rules, after_made):
        after_made = 2.0 * target + theirs
    if has_lost(rules, after_set, public["sets"][side] + 1):
        after_set = theirs - 2.0 * target
    return float(after_set + made * (after_made - after_set) - mine)
