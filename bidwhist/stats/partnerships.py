"""The effects of particular partners: how many points two bots make together beyond what their ratings expect.

A side of the bots i and j is expected to make (r_i + r_j) / 2 less the mean rating of all others, over all sides of the
others. What it makes beyond that is its own effect less those of the others' sides. As the ratings are fitted, the
effects of the sides of each bot add up to 0; so those of the others' sides add up to the side's own, which their mean
takes off once in so many sides: the difference is divided by 1 - 1 / sides. With four bots there is one other side, and
nothing can be known.
"""

from collections.abc import Sequence
from itertools import combinations
from math import comb
from typing import Final

import numpy as np

from bidwhist.stats.ratings import point_ratings
from bidwhist.stats.sample import Estimates, Pair, Sample, evenly

FEWEST: Final = 5
"""Bots of which the effects of partners can be told from their ratings."""


def partnership_effects(sample: Sample, bots: Sequence[int], quantity: str = "points") -> dict[Pair, Estimates]:
    """By partners, the lower bot first, the effect of their partnership among some bots, a single estimate each.

    None as long as not all their sides have met.
    """
    chosen = sorted(bots)
    pairs = {pair for pair in sample.meetings if {*sample.seated(pair)} <= {*chosen}}
    if sample.sides is None or len(chosen) < FEWEST or len(pairs) < 3 * comb(len(chosen), 4):
        return {}
    ratings = point_ratings(sample, chosen, quantity).estimates
    found = {}
    sides = comb(len(chosen) - 2, 2)
    for partners in combinations(chosen, 2):
        played = [each for each in sample.counting(*partners) if each.pair in pairs]
        expected = np.zeros((sample.bots, 1))
        expected[chosen] = -1 / (len(chosen) - 2)
        expected[list(partners)] = 1 / 2
        made = sample.estimates(quantity, [evenly(played)])
        found[partners] = made.padded(len(ratings.influence)).less(ratings.combined(expected)) * (sides / (sides - 1))
    return found
