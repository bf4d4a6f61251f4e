"""A compiled bot: any legal action, all as likely, drawn as the house bot `random` draws."""

from typing import Any

from bidwhist._jit import shared as compiled
from bidwhist.actions import WORDS
from bidwhist.bits import count, nth
from bidwhist.public import NAMING
from bidwhist.streams import below


@compiled
def _any_of(mask: int, stream: Any) -> int:
    return nth(mask, below(stream, count(mask)))


def call(private: Any, public: Any, stream: Any) -> int:
    """Any legal call."""
    return WORDS + _any_of(private.legal, stream)


def prepare(private: Any, public: Any, stream: Any) -> int:
    """Any legal naming or discard."""
    return (WORDS if public["phase"] == NAMING else 0) + _any_of(private.legal, stream)


def play(private: Any, public: Any, stream: Any) -> int:
    """Any legal card."""
    return _any_of(private.legal, stream)
