"""The house bot `heuristic`: a sensible and quick player, the measure of all others.

It values its hand in every strain (`valuation`), makes the call that is worth most at the score (`worth`, `bidding`),
names and discards by the same values (`preparing`) and plays by rules of thumb on what is out (`cardplay`). It draws
nothing from its stream: the same position gets the same answer.
"""

from typing import Any, Final

from bidwhist._jit import shared
from bidwhist.actions import Action
from bidwhist.observation import Private
from bidwhist.public import NAMING
from bidwhist_bots import bidding, cardplay, preparing

ABOUT: Final = "values its hand for every strain, bids what it expects to make, counts the cards"


@shared
def call(private: Private, public: Any, stream: Any) -> Action:
    """A call (see `bidwhist_bots.bidding`)."""
    return bidding.call(private, public)


@shared
def prepare(private: Private, public: Any, stream: Any) -> Action:
    """A naming or a discard."""
    if public["phase"] == NAMING:
        return preparing.name(private, public)
    return preparing.discard(private, public)


@shared
def play(private: Private, public: Any, stream: Any) -> Action:
    """A card (see `bidwhist_bots.cardplay`)."""
    return cardplay.play(private, public)
