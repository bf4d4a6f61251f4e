"""Rows B10-B16 wherever they come up: how often the bots that search keep to them, or gain by breaking them.

Long: `pytest -m long -s tests/test_search_rules_of_thumb.py` prints the table of docs/bots.md.
"""

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from bidwhist._jit import jit
from bidwhist.actions import level_of
from bidwhist.cards import SEATS
from bidwhist.observation import OBSERVATION, private_of
from bidwhist.solver.front import score_cards
from bidwhist.solver.position import Position
from bidwhist.worlds.front import sample_worlds
from bidwhist_bots import mc
from bidwhist_bots.search import new_search
from bidwhist_bots.standing import BOOK
from test_house_bots import broken_or_kept, positions
from test_search_bots import seated

BOTS = ("mc?worlds=100", "pimc?worlds=40", "belief?worlds=100")
HANDS, WORLDS, ROLLOUTS = 240, 100, 2000


@dataclass
class Tally:
    """Positions of a row; where the rule was broken, the mean gain in points by the solver, and by rollouts."""

    positions: int = 0
    by_solver: list[float] = field(default_factory=list)
    by_rollouts: list[float] = field(default_factory=list)

    @property
    def broken(self) -> int:
        return len(self.by_solver)


def kept_by(obs: Any, card: int) -> set[str]:
    """The rows to which a card keeps."""
    found = set()
    try:
        for row in broken_or_kept(obs, card):
            found.add(row)
    except AssertionError:
        pass
    return found


def solver_points(obs: Any) -> dict[int, NDArray[np.float64]]:
    """By card: points of the own side in worlds, with best play by all; a book counts 1/16 beside them."""
    played, naming, leader = obs.played, obs.naming, (obs.seat - len(obs.trick)) % SEATS
    trick = tuple(card for _, card in obs.trick)
    declaring, left = int(obs.row["public"]["declarer"]) & 1, len(obs.hand)
    won = int(obs.row["public"]["tricks"][declaring]) + 1  # and the kitty
    level = level_of(int(obs.row["public"]["bid"]))
    found: dict[int, NDArray[np.float64]] = {card: np.zeros(WORLDS) for card in obs.legal}
    hands, _ = sample_worlds(obs, WORLDS, key=len(played))
    for world, (n, e, s, w) in enumerate(hands.tolist()):
        for score in score_cards(Position((n, e, s, w), naming, leader, trick)):
            mine = score.least
            books = won + (mine if obs.seat & 1 == declaring else left - mine)
            points = books - 6 if books - 6 >= level else -level
            for card in (score.card, *score.alike):
                found[card][world] = (points if obs.seat & 1 == declaring else -points) + BOOK * mine
    return found


@jit
def _roll_out(search: Any, rows: Any, worlds: int) -> None:
    private, public = private_of(rows[0]), rows[0]["public"]
    mc.begin(search[0], private, public)
    search[0]["patience"] = worlds + 1  # nothing is dropped
    mc.extend(search[0], private, public, worlds)


def rollout_points(obs: Any) -> dict[int, float]:
    """By card: points of the own side as `mc` finds them, in other worlds; of equal cards only one is there."""
    search, rows = new_search(), np.array([obs.row], OBSERVATION)
    rows["key"] += np.uint64(12345)
    _roll_out(search, rows, ROLLOUTS)
    number = int(search[0]["candidates"])
    cards, sums = search[0]["actions"][:number].tolist(), search[0]["sums"][:number] / ROLLOUTS
    return dict(zip(cards, sums.tolist(), strict=True))


def tallies() -> dict[tuple[str, str], Tally]:
    """By bot and row, in hands that the heuristic plays with itself."""
    bots, found = {spec: seated(spec) for spec in BOTS}, defaultdict[tuple[str, str], Tally](Tally)
    for obs in positions("classic", HANDS):
        kept = {card: kept_by(obs, card) for card in obs.legal}
        for row in sorted(set().union(*kept.values())):
            keeping = [card for card in obs.legal if row in kept[card]]
            for spec, bot in bots.items():
                card = int(bot.decide(np.array([obs.row], OBSERVATION), np.zeros(1, np.int64))[0])
                found[spec, row].positions += 1
                if card not in keeping:
                    note_broken(found[spec, row], obs, card, keeping)
    return found


def note_broken(tally: Tally, obs: Any, card: int, keeping: list[int]) -> None:
    """Note what a card gains over the best one that keeps to the rule, unless it is as good in every world."""
    points = solver_points(obs)
    best = max(keeping, key=lambda each: points[each].mean())
    if (points[card] == points[best]).all():
        return
    rolled = rollout_points(obs)
    tally.by_solver.append(float((points[card] - points[best]).mean()))
    tally.by_rollouts.append(rolled.get(card, np.nan) - rolled.get(best, np.nan))


def lines(found: dict[tuple[str, str], Tally]) -> Iterator[str]:
    for (spec, row), tally in sorted(found.items(), key=lambda each: each[0][::-1]):
        gains = "- | -"
        if tally.broken:
            gains = f"{np.mean(tally.by_solver):+.2f} | {np.nanmean(tally.by_rollouts):+.2f}"
        yield f"| {row} | {spec} | {tally.broken} of {tally.positions} | {gains} |"


@pytest.mark.long
def test_what_search_makes_of_rules_of_thumb() -> None:
    """A joker led in no trump gains by rollouts what the solver denies: docs/bots.md tells who is right."""
    found = tallies()
    print("\n" + "\n".join(lines(found)))
    for spec in BOTS:
        assert found[spec, "B14"].broken == 0
        for row in ("B12", "B13", "B16"):
            assert found[spec, row].broken <= 0.15 * found[spec, row].positions
        if spec[0] == "p":
            assert found[spec, "B10"].broken == 0
        else:
            led = found[spec, "B10"]
            assert led.broken < 0.5 * led.positions
            assert np.mean(led.by_solver) < -0.5 < 0.1 < np.nanmean(led.by_rollouts)
