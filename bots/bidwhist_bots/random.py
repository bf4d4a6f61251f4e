"""The house bot `random`: every decision a uniform draw from the legal actions. The zero of the scale.

`random?calls=pass` takes `call_pass` for its calls: it never bids unless it has to.
"""

from typing import Any

from bidwhist._jit import jit
from bidwhist.actions import PASS, WORDS, Action
from bidwhist.bits import count, nth
from bidwhist.cards import Mask
from bidwhist.observation import Private
from bidwhist.public import NAMING
from bidwhist.streams import below


@jit
def _any_of(mask: Mask, stream: Any) -> int:
    return nth(mask, below(stream, count(mask)))


@jit
def call(private: Private, public: Any, stream: Any) -> Action:
    """Any legal call."""
    return WORDS + _any_of(private.legal, stream)


@jit
def call_pass(private: Private, public: Any, stream: Any) -> Action:
    """A pass; any legal bid for the dealer who may not pass (C5)."""
    return PASS if private.legal & 1 != 0 else WORDS + _any_of(private.legal, stream)


@jit
def prepare(private: Private, public: Any, stream: Any) -> Action:
    """Any legal naming or discard."""
    first = WORDS if public["phase"] == NAMING else 0
    return first + _any_of(private.legal, stream)


@jit
def play(private: Private, public: Any, stream: Any) -> Action:
    """Any legal card."""
    return _any_of(private.legal, stream)
