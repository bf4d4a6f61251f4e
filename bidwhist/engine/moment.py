"""The moment of a decision in a hand: a number that orders all decisions of a hand, whoever takes them.

0 to 3 are the calls in the order spoken, 4 is the naming, 5 and on are the discards, and 16 + *n* is the card that
follows *n* cards played. Decisions that leave no choice are counted.
"""

from typing import Final

import numpy as np
from numpy.typing import NDArray

from bidwhist.cards import SEATS
from bidwhist.public import CALLING, DISCARDING, NAMING

_NAMING: Final = SEATS
_FIRST_DISCARD: Final = 5
_FIRST_PLAY: Final = 16
MOMENTS: Final = _FIRST_PLAY + 52
"""Moments of a hand, at most: they are below this number."""


def moments(rows: NDArray[np.void]) -> NDArray[np.int8]:
    """The moments (int8[n]) of the decisions that n OBSERVATION rows ask for."""
    public = rows["public"]
    phase = public["phase"]
    spoken = (public["turn"] - public["dealer"] - 1) % SEATS
    cases = [phase == CALLING, phase == NAMING, phase == DISCARDING]
    held = public["left"][np.arange(len(rows)), public["turn"]]
    buried = public["rules"]["hand_size"] + public["rules"]["kitty_size"] - held
    before_play = [spoken, _NAMING, _FIRST_DISCARD + buried]
    found: NDArray[np.int8] = np.select(cases, before_play, _FIRST_PLAY + public["played"]).astype(np.int8)
    return found


def decision_name(moment: int) -> str:
    """The name of the decision of a moment: `call`, `name`, `discard:2` or `play:5`, the number that of the card or the
    trick, from 1."""
    if moment >= _FIRST_PLAY:
        return f"play:{(moment - _FIRST_PLAY) // SEATS + 1}"
    if moment >= _FIRST_DISCARD:
        return f"discard:{moment - _FIRST_DISCARD + 1}"
    return "name" if moment == _NAMING else "call"
