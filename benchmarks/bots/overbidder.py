"""An opponent unlike the models: the heuristic, but every bid that it makes is a level higher."""

from bidwhist.actions import PASS, bid, level_of, strain_of
from bidwhist_bots import heuristic


def call(private, public, stream):
    """The heuristic's call, a bid a level higher."""
    own = heuristic.call(private, public, stream)
    if own == PASS or level_of(own) == 7:
        return own
    return bid(level_of(own) + 1, strain_of(own))


def prepare(private, public, stream):
    """The heuristic's naming and discards."""
    return heuristic.prepare(private, public, stream)


def play(private, public, stream):
    """The heuristic's card."""
    return heuristic.play(private, public, stream)
