"""The house bot `random`: every decision a uniform draw from the legal actions. The zero of the scale.

`random?calls=pass` takes `call_pass` for its calls: it never bids unless it has to.
"""

from typing import Any

from bidwhist._jit import shared
from bidwhist.actions import PASS, WORDS, Action
from bidwhist.bits import count, nth
from bidwhist.cards import Mask
from bidwhist.observation import Private
from bidwhist.public import NAMING
from bidwhist.streams import below


@shared
def _any_of(mask: Mask, stream: Any) -> int:
    return nth(mask, below(stream, count(mask)))


@shared
def call(private: Private, public: Any, stream: Any) -> Action:
    """Any legal call."""
    return WORDS + _any_of(private.legal, stream)


@shared
def call_pass(private: Private, public: Any, stream: Any) -> Action:
    """A pass; any legal bid for the dealer who may not pass (C5)."""
    return PASS if private.legal & 1 != 0 else WORDS + _any_of(private.legal, stream)


@shared
def prepare(private: Private, public: Any, stream: Any) -> Action:
    """Any legal naming or discard."""
    first = WORDS if public["phase"] == NAMING else 0
    return first + _any_of(private.legal, stream)


@shared
def play(private: Private, public: Any, stream: Any) -> Action:
    """Any legal card."""
    return _any_of(private.legal, stream)
