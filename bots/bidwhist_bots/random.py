"""The house bot `random`: every decision a uniform draw from the legal actions. The zero of the scale.

`random?calls=pass` never bids unless it has to.
"""

from typing import Any, Final

from bidwhist._jit import shared
from bidwhist.actions import PASS, WORDS, Action
from bidwhist.bits import count, nth
from bidwhist.cards import Mask
from bidwhist.observation import Private
from bidwhist.public import NAMING
from bidwhist.streams import below
from bidwhist_bots.parameters import Parameter

ABOUT: Final = "any legal action, all as likely; calls=pass: passes unless forced"
PARAMETERS: Final[dict[str, Parameter]] = {"calls": ("uniform", "pass")}

_PASSING: Final = 1  # place of "pass" among the values of `calls`


@shared
def _any_of(mask: Mask, stream: Any) -> int:
    return nth(mask, below(stream, count(mask)))


@shared
def call(private: Private, public: Any, stream: Any, values: Any) -> Action:
    """Any legal call; with calls=pass a pass, or any legal bid for the dealer who may not pass (C5)."""
    if values[0] == _PASSING and private.legal & 1 != 0:
        return PASS
    return WORDS + _any_of(private.legal, stream)


@shared
def prepare(private: Private, public: Any, stream: Any, values: Any) -> Action:
    """Any legal naming or discard."""
    first = WORDS if public["phase"] == NAMING else 0
    return first + _any_of(private.legal, stream)


@shared
def play(private: Private, public: Any, stream: Any, values: Any) -> Action:
    """Any legal card."""
    return _any_of(private.legal, stream)
