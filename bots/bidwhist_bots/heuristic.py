"""The house bot `heuristic`: a sensible player by rules of thumb."""

from typing import Any

from bidwhist._jit import jit
from bidwhist.actions import Action
from bidwhist.observation import Private
from bidwhist.public import NAMING
from bidwhist_bots import bidding, cardplay, preparing


@jit
def call(private: Private, public: Any, stream: Any) -> Action:
    """A call (see `bidwhist_bots.bidding`)."""
    return bidding.call(private, public)


@jit
def prepare(private: Private, public: Any, stream: Any) -> Action:
    """A naming or a discard."""
    if public["phase"] == NAMING:
        return preparing.name(private, public)
    return preparing.discard(private, public)


@jit
def play(private: Private, public: Any, stream: Any) -> Action:
    """A card (see `bidwhist_bots.cardplay`)."""
    return cardplay.play(private, public)
