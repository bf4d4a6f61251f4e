"""An opponent unlike the models: the heuristic, but it passes whatever it holds, unless it has to bid."""

from bidwhist.actions import PASS
from bidwhist_bots import heuristic


def call(private, public, stream):
    """A pass; for a dealer who has to bid, the heuristic's bid."""
    if private.legal & 1 != 0:
        return PASS
    return heuristic.call(private, public, stream)


def prepare(private, public, stream):
    """The heuristic's naming and discards."""
    return heuristic.prepare(private, public, stream)


def play(private, public, stream):
    """The heuristic's card."""
    return heuristic.play(private, public, stream)
