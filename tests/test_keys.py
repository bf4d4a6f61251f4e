"""Keys that people choose, 0, 1, 2 and so on: what is drawn by one tells nothing of what is drawn by the next."""

from collections.abc import Callable

import numpy as np
import pytest
from scipy.stats import chi2_contingency, chisquare

from bidwhist.cards import cards_of
from bidwhist.errors import PositionError
from bidwhist.observation import Obs, Random
from bidwhist.streams import mixed_key, use_key
from bidwhist.table import Table
from bidwhist.worlds.front import sample_worlds, world_state

KEYS = 2000
VALUES = 4
TOO_GOOD = 0.001  # a p-value below this would come up once in a thousand seeds; these are fixed


def first_of_random(key: int) -> int:
    return Random(key).below(VALUES)


def first_of_observation(key: int) -> int:
    return Table.deal(1, 0).observe(seat_key=key).random.below(VALUES)


OBSERVED = Table.deal(1, 0).observe()
CARD = cards_of(int(sample_worlds(OBSERVED, 1, key=0)[0][0][OBSERVED.partner]))[0]


def holder_in_world(key: int) -> int:
    """Where a card is that the seat does not see: with one of the others, or in the kitty."""
    hands, _ = sample_worlds(OBSERVED, 1, key)
    holders = [seat for seat in range(4) if seat != OBSERVED.seat and int(hands[0][seat]) >> CARD & 1]
    return [seat for seat in range(4) if seat != OBSERVED.seat].index(holders[0]) if holders else 3


EXPECTED = {first_of_random: [1, 1, 1, 1], first_of_observation: [1, 1, 1, 1], holder_in_world: [12, 12, 12, 6]}
drawers = pytest.mark.parametrize("first", EXPECTED, ids=lambda each: each.__name__)


@drawers
def test_what_consecutive_keys_draw_is_uniform(first: Callable[[int], int]) -> None:
    weights = np.array(EXPECTED[first])
    counts = np.bincount([first(key) for key in range(KEYS)], minlength=VALUES)
    assert chisquare(counts, KEYS * weights / weights.sum()).pvalue > TOO_GOOD


@drawers
@pytest.mark.parametrize("distance", [1, 2, 3, 16])
def test_keys_near_each_other_draw_independently(first: Callable[[int], int], distance: int) -> None:
    drawn = [first(key) for key in range(KEYS)]
    pairs = np.zeros((VALUES, VALUES), int)
    np.add.at(pairs, (drawn[:-distance], drawn[distance:]), 1)
    assert chi2_contingency(pairs).pvalue > TOO_GOOD


def card_play(board: int) -> Obs:
    """A decision of card play: of one board early in the hand, of another late."""
    deal = Table.deal(1, board, auto=True)
    while deal.phase != "play":
        deal.act(deal.legal[0])
    for _ in range(5 + board % 30):
        deal.act(deal.legal[0])
    return deal.observe()


def test_worlds_of_consecutive_keys_are_drawn_uniformly() -> None:
    """The holder of a card that is not certain, in the worlds of 400 keys and in 4,000 worlds of one key."""
    found = []
    for board in range(40):
        obs = card_play(board)
        others = [seat for seat in range(4) if seat != obs.seat]
        many, _ = sample_worlds(obs, 4000, key=5)
        by_card = {card: [np.mean(many[:, seat] >> card & 1) for seat in others] for card in range(54)}
        card, shares = next((card, each) for card, each in by_card.items() if sum(share > 0.15 for share in each) >= 2)
        worlds = np.array([sample_worlds(obs, 1, key)[0][0] for key in range(400)])
        counts = np.array([np.count_nonzero(worlds[:, seat] >> card & 1) for seat in others])
        likely = np.array(shares) > 0.02
        expected = np.array(shares)[likely] / np.sum(np.array(shares)[likely]) * counts[likely].sum()
        found.append(chisquare(counts[likely], expected).pvalue)
    assert min(found) > TOO_GOOD


def test_runs_of_equal_halves_are_as_long_as_chance_makes_them() -> None:
    """The runs test of Wald and Wolfowitz: 1100110011… has as many of either, and far too few ways."""
    halves = np.array([Random(key).below(2) for key in range(KEYS)])
    ones = int(halves.sum())
    zeros, runs = KEYS - ones, 1 + int(np.count_nonzero(np.diff(halves)))
    mean = 2 * ones * zeros / KEYS + 1
    variance = (mean - 1) * (mean - 2) / (KEYS - 1)
    assert abs(runs - mean) < 3.3 * variance**0.5


def test_the_same_key_gives_the_same() -> None:
    assert [Random(7).below(1000) for _ in range(3)] == [Random(7).below(1000)] * 3
    assert Table.deal(1, 0).observe(7).row == Table.deal(1, 0).observe(7).row


@pytest.mark.parametrize("key", [-1, 1 << 64, True, 1.0, None])
def test_what_is_no_key_is_refused(key: int) -> None:
    for use in (mixed_key, Random, Table.deal(1, 0).observe):
        with pytest.raises(ValueError, match=r"is no key: a key is an integer from 0 to 2\*\*64 - 1"):
            use(key)
    hands, dead = sample_worlds(OBSERVED, 1, key=0)
    with pytest.raises(PositionError, match="is no key"):
        world_state(OBSERVED, hands[0], int(dead[0]), key)


def test_keys_of_runs_are_not_mixed() -> None:
    key = use_key(1, "bots")[0]
    row = Table.deal(1, 0).observe_in_run(key).row
    assert row["key"] != Table.deal(1, 0).observe(int(key)).row["key"]
    one, other = Random.from_key(int(row["key"])), Table.deal(1, 0).observe_in_run(key).random
    assert [one.below(1000) for _ in range(5)] == [other.below(1000) for _ in range(5)]
