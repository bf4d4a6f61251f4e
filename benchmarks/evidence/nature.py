"""What the game is like to those who imagine hidden cards: the measures of Long, Sturtevant, Buro and Furtak (2010,
"Understanding the success of perfect information Monte Carlo sampling in game tree search").

*Leaf correlation*: the chance that two leaves of one parent have the same value. Here a parent is the last decision of
a hand that leaves a choice; a leaf is one of its cards, the rest of the hand being forced. A hand is left out if after
one of these cards somebody would have a choice again. *Bias*: the chance that the hand goes to the declaring side.
*Disambiguation*: the part of the layouts that a player thought possible when he played a card, and that are no longer
possible when he plays his next one. How hands are counted is chosen here; the idea is theirs.
"""

from collections import defaultdict
from itertools import combinations, pairwise
from typing import Any, NamedTuple

import pandas as pd

from bidwhist.cards import cards_of
from bidwhist.rules import Rules
from bidwhist.state import advance, is_made, legal, score_change, step
from bidwhist.worlds.front import count_worlds
from bidwhist.worlds.view import new_worlds
from evidence.replaying import decisions, hands_once, state_of


class Leaves(NamedTuple):
    """Of one parent: the share of pairs of leaves with the same points, and with the same fate of the contract."""

    same_points: float
    same_fate: float


class Shrinking(NamedTuple):
    """Layouts that a player thought possible at one of his cards, and at his next one; `trick` of the first, from 1."""

    trick: int
    before: float
    after: float


class Nature(NamedTuple):
    """What was found in some hands. `leaves` only of hands with a last choice; `favoured`: those in which the declaring
    side scored more than the other; columns of `shrinking` as in Shrinking, and `board`."""

    hands: int
    leaves: pd.DataFrame
    favoured: "pd.Series[float]"
    shrinking: pd.DataFrame


def nature(frame: pd.DataFrame, rules: Rules, seed: int, most: int) -> Nature:
    """Look at the first `most` boards of a bot that plays itself."""
    leaves, shrinking, favoured, ws = [], [], [], new_worlds()
    for row in hands_once(frame, most):
        parent = None
        thought: dict[int, list[float]] = defaultdict(list)
        for table, _ in decisions(row, rules, seed):
            if table.phase == "play":
                thought[table.turn].append(count_worlds(table.observe(), ws))
                if len(table.legal) > 1:
                    parent = state_of(table)
        found = leaves_of(parent) if parent is not None else None
        if found is not None:
            leaves.append((row.board, *found))
        shrinking += [(row.board, *each) for each in shrinkings(thought)]
        favoured.append(float((row.points > 0) == (row.declarer in ("N", "S")) and row.points != 0))
    return Nature(
        len(favoured),
        pd.DataFrame(leaves, columns=["board", *Leaves._fields]),
        pd.Series(favoured, dtype=float),
        pd.DataFrame(shrinking, columns=["board", *Shrinking._fields]),
    )


def leaves_of(state: Any) -> Leaves | None:
    """What the leaves of a last choice have in common; None if one of them leaves a choice again."""
    values = []
    for card in cards_of(int(legal(state))):
        leaf = state.copy()
        step(leaf, card)
        if advance(leaf) != 0:
            return None
        points = int(score_change(leaf["public"], 0)) - int(score_change(leaf["public"], 1))
        values.append((points, bool(is_made(leaf["public"]))))
    pairs = list(combinations(values, 2))
    return Leaves(*(sum(a[part] == b[part] for a, b in pairs) / len(pairs) for part in range(2)))


def shrinkings(thought: dict[int, list[float]]) -> list[Shrinking]:
    """Consecutive numbers of layouts of each seat."""
    return [
        Shrinking(trick, before, after)
        for numbers in thought.values()
        for trick, (before, after) in enumerate(pairwise(numbers), 1)
    ]
