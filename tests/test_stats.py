"""Intervals, differences, ranks and ratings: against SciPy and the textbook, a generic optimiser, and by simulation."""

import math
from itertools import combinations, permutations
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from scipy import optimize, stats

from bidwhist.stats.intervals import (
    Estimate,
    clustered_mean,
    influence_of_mean,
    mean_interval,
    mean_of_rows,
    share_interval,
    spread,
    superiority,
    t_quantile,
)
from bidwhist.stats.ranks import differences, places, rank_probabilities, runoff
from bidwhist.stats.ratings import RIDGE, expected_share, point_ratings, share_ratings
from bidwhist.stats.sample import Meeting, Sample

Floats = NDArray[np.float64]
WHOLES = {"points": 0.0, "won": 1.0}


def meeting(
    a: int, b: int, units: Any, points: Any, won: Any = None, boards: Any = None, tables: Any = None
) -> Meeting:
    """Duplicates of two bots; without shares won by the sign of the points."""
    points = np.asarray(points, np.float64)
    number = len(points)
    won = (np.sign(points) + 1) / 2 if won is None else np.asarray(won, np.float64)
    return Meeting(
        a,
        b,
        np.asarray(units, np.int64),
        {"points": points, "won": won},
        np.ones(number, np.int16) if boards is None else np.asarray(boards, np.int16),
        np.full(number, 2, np.int16) if tables is None else np.asarray(tables, np.int16),
        np.zeros((number, 2, 2), np.int16),
    )


def sample_of(bots: int, *meetings: Meeting, **more: Any) -> Sample:
    sample = Sample(bots, WHOLES, **more)
    for each in meetings:
        sample.add(each)
    return sample


def tournament(random: np.random.Generator, strengths: Floats, units: int, *, noise: float = 4.0) -> Sample:
    """All play all; a board has luck in common for all pairings of a bot."""
    bots = len(strengths)
    luck = random.normal(size=(units, bots))
    return sample_of(
        bots,
        *(
            meeting(
                a,
                b,
                np.arange(units),
                np.round(
                    strengths[a] - strengths[b] + 2 * (luck[:, a] - luck[:, b]) + noise * random.normal(size=units)
                ),
            )
            for a, b in combinations(range(bots), 2)
        ),
    )


# --------------------------------------------------------------------------------------------------- intervals


@given(st.lists(st.integers(-52, 52).map(float), min_size=2, max_size=40))
def test_a_mean_and_the_textbook_variance(values: list[float]) -> None:
    mean, influence = influence_of_mean(np.array(values))
    assert mean == pytest.approx(np.mean(values), abs=1e-12)
    assert (influence**2).sum() == pytest.approx(np.var(values, ddof=1) / len(values), abs=1e-12)
    assert influence.sum() == pytest.approx(0, abs=1e-9)


@given(st.lists(st.tuples(st.integers(-50, 50), st.integers(1, 20)), min_size=2, max_size=30))
def test_a_weighted_mean_is_a_ratio_with_cochrans_variance(pairs: list[tuple[int, int]]) -> None:
    values, weights = np.array(pairs, np.float64).T
    mean, influence = influence_of_mean(values, weights.astype(np.int16))
    assert mean == pytest.approx(np.average(values, weights=weights), abs=1e-9)
    number = len(values)
    rest = values * weights - mean * weights
    variance = (rest**2).sum() / (number - 1) / number / weights.mean() ** 2
    assert (influence**2).sum() == pytest.approx(variance, abs=1e-9)


def test_values_that_are_all_different_have_nearly_the_textbook_interval() -> None:
    values = np.random.default_rng(3).normal(size=400)
    estimate = clustered_mean(values)
    half = stats.t.ppf(0.975, 399) * values.std(ddof=1) / math.sqrt(400)
    assert estimate.interval is not None
    assert (estimate.interval[1] - estimate.interval[0]) / 2 == pytest.approx(half * math.sqrt(1 + 4 / 399), rel=2e-3)


@pytest.mark.parametrize("p", [0.5, 0.9, 0.975, 0.99999])
def test_t_quantile_is_that_of_scipy(p: float) -> None:
    for df in (1, 2, 3.5, 40, 1e8):
        assert t_quantile(p, df) == pytest.approx(stats.t.ppf(p, df), rel=1e-9, abs=1e-12)
    assert t_quantile(p, math.inf) == pytest.approx(stats.norm.ppf(p), abs=1e-9)


def test_complete_groups_are_the_interval_of_the_cluster_means() -> None:
    values = np.random.default_rng(1).normal(size=(30, 4)) + np.random.default_rng(2).normal(size=(30, 1))
    both, means = clustered_mean(values), clustered_mean(values.mean(axis=1))
    assert both.value == pytest.approx(means.value)
    assert both.interval == pytest.approx(means.interval)


def test_no_interval_where_nothing_supports_one() -> None:
    assert clustered_mean(np.array([3.0])) == Estimate(3.0, None)
    assert clustered_mean(np.array([[1.0, 2.0], [3.0, np.nan]])) == Estimate(2.0, None)
    assert clustered_mean(np.full((50, 3), 0.1)).interval is None, "all alike, and nothing known of how they may differ"
    with pytest.raises(ValueError, match="group"):
        clustered_mean(np.array([[1.0, np.nan], [3.0, np.nan]]))
    with pytest.raises(ValueError, match="group"):
        clustered_mean(np.zeros((4, 0)))


def test_what_was_not_seen_is_bounded() -> None:
    """Of n values that are all alike, others may be missing with a probability of 3 / n, as large as they can be."""
    for number in (2, 30, 1000):
        value, influence = influence_of_mean(np.full(number, 6.5))
        interval = mean_interval(value, influence, number - 1, 14 / number)
        assert interval is not None
        assert interval[1] - 6.5 > 14 * (1 - 0.05 ** (1 / number))
        assert interval[1] - interval[0] < 2 * 26 * 14 / number


@pytest.mark.parametrize("number", [30, 150, 300, 2000])
def test_a_share_of_all_or_nothing(number: int) -> None:
    value, influence = influence_of_mean(np.ones(number))
    interval = share_interval(value, influence, number - 1, 1 / number)
    assert interval is not None
    low, high = interval
    assert high == 1.0
    assert 1 - 6 / number < low <= 0.025 ** (1 / number), "as Clopper and Pearson have it, or a little more"
    value, influence = influence_of_mean(np.zeros(number))
    assert share_interval(value, influence, number - 1, 1 / number) == pytest.approx((0.0, 1 - low))


def test_shares_have_at_least_the_interval_of_clopper_and_pearson() -> None:
    for won, number in ((15, 30), (27, 30), (180, 200), (1980, 2000)):
        values = np.repeat([1.0, 0.0], [won, number - won])
        interval = share_interval(*influence_of_mean(values), number - 1, 1 / number)
        exact = stats.binomtest(won, number).proportion_ci(0.95, "exact")
        assert interval is not None
        assert interval[0] <= exact.low + 1e-9
        assert interval[1] >= exact.high - 1e-9
        assert interval[1] - interval[0] < 1.25 * (exact.high - exact.low)


def coverage(draw: Any, truth: float, number: int, *, share: bool = False, rounds: int = 2000) -> float:
    random = np.random.default_rng(5)
    hits = 0
    for _ in range(rounds):
        mean, influence = influence_of_mean(draw(random, number))
        found = (share_interval if share else mean_interval)(mean, influence, number - 1, (1 if share else 14) / number)
        assert found is not None
        assert found[1] > found[0]
        hits += found[0] <= truth <= found[1]
    return hits / rounds


MEANS = {
    "normal": (lambda random, n: random.normal(1, 5, n), 1.0),
    "integers": (lambda random, n: np.round(random.normal(1, 3, n)), 1.0),
    "exponential": (lambda random, n: random.exponential(1, n), 1.0),
}


@pytest.mark.parametrize("number", [30, 60, 400])
@pytest.mark.parametrize("kind", MEANS)
def test_intervals_of_means_hold_19_times_in_20(kind: str, number: int) -> None:
    draw, truth = MEANS[kind]
    assert 0.93 <= coverage(draw, truth, number) <= 0.97


@pytest.mark.parametrize("number", [30, 100, 1000])
@pytest.mark.parametrize("share", [0.01, 0.05, 0.3])
@pytest.mark.parametrize("sizes", [(5.0,), (-6.0, -3.0, 4.0, 8.0)])
def test_bots_that_differ_on_few_boards_are_covered(share: float, number: int, sizes: tuple[float, ...]) -> None:
    def draw(random: np.random.Generator, n: int) -> Floats:
        return np.where(random.random(n) < share, random.choice(sizes, n), 0.0)

    assert coverage(draw, share * float(np.mean(sizes)), number, rounds=1000) >= 0.93


@pytest.mark.parametrize("number", [30, 150, 1000])
@pytest.mark.parametrize("share", [0.5, 0.9, 0.95, 0.99, 0.999])
def test_intervals_of_shares_hold_near_the_ends(share: float, number: int) -> None:
    assert coverage(lambda random, n: (random.random(n) < share) * 1.0, share, number, share=True, rounds=1000) >= 0.93


# ------------------------------------------------------------------------------------------- samples of all bots


@settings(max_examples=40)
@given(st.integers(2, 5), st.integers(1, 12), st.integers(0, 2**32 - 1))
def test_a_sample_in_pieces_is_that_of_whole_arrays(bots: int, units: int, seed: int) -> None:
    random = np.random.default_rng(seed)
    pairs = list(combinations(range(bots), 2))
    values = {pair: random.integers(-20, 21, units) / 2 for pair in pairs}
    boards = {pair: random.integers(0, 3, units) for pair in pairs}
    sample = Sample(bots, WHOLES)
    for pair in random.permutation(pairs).tolist():
        a, b = pair
        for block in (slice(units // 2, units), slice(0, units // 2)):
            played = np.flatnonzero(boards[a, b][block] > 0)
            whole = np.arange(units)[block][played]
            sample.add(meeting(a, b, whole, values[a, b][whole], boards=boards[a, b][whole]))
    estimates = sample.of_bots("points")
    for bot in range(bots):
        own = {
            other: np.where(
                boards[min(bot, other), max(bot, other)] > 0,
                values[min(bot, other), max(bot, other)] * (1 if bot < other else -1),
                np.nan,
            )
            for other in range(bots)
            if other != bot
        }
        met = [other for other, column in own.items() if not np.isnan(column).all()]
        assert sample.met(bot) == met
        found = estimates.estimate(bot)
        assert (found is None) == (not met)
        if found is None:
            continue
        table = np.column_stack([own[other] for other in met])
        expected = clustered_mean(table)
        assert found.value == pytest.approx(expected.value)
        assert (found.interval is None) == (expected.interval is None)
        if expected.interval is not None:
            assert found.interval == pytest.approx(expected.interval)
        assert sample.units(bot) == (~np.isnan(table)).any(axis=1).sum()
        most = np.max([boards[min(bot, other), max(bot, other)] for other in met], axis=0)
        assert sample.boards(bot) == most.sum()
        for other in met:
            one, back = sample.estimate("points", bot, other), sample.estimate("points", other, bot)
            assert one.value == -back.value
            one, back = sample.estimate("won", bot, other), sample.estimate("won", other, bot)
            assert one.value == pytest.approx(1 - back.value)


def test_bots_aside_count_only_for_who_met_no_others() -> None:
    points = [1.0, 3.0, 2.0]
    sample = sample_of(
        4, meeting(0, 1, range(3), points), meeting(0, 2, range(3), points), meeting(2, 3, [0], [4.0]), aside=[2]
    )
    assert [[pair for pair, _ in sample.counting(bot)] for bot in (0, 2, 3)] == [[(0, 1)], [(0, 2), (2, 3)], [(2, 3)]]


def test_bids_made_are_a_ratio_by_unit() -> None:
    random = np.random.default_rng(8)
    bids = random.integers(0, 3, (50, 2, 2)).astype(np.int16)
    bids[..., 1] = np.minimum(bids[..., 0], bids[..., 1])
    played = meeting(0, 1, range(50), np.zeros(50))
    sample = sample_of(2, Meeting(0, 1, played.units, played.values, played.boards, played.tables, bids))
    for bot in (0, 1):
        declared, made = bids[:, bot].T.astype(np.float64)
        found = sample.bids_made(bot)
        assert found is not None
        assert found.value == pytest.approx(made.sum() / declared.sum())
        assert found.interval is not None
        assert 0 <= found.interval[0] < found.value < found.interval[1] <= 1


# ---------------------------------------------------------------------------------------- differences and ranks


def test_the_difference_of_two_bots_is_taken_board_by_board() -> None:
    """Two bots that share the luck of the boards against common opponents are told apart much sooner."""
    random = np.random.default_rng(2)
    luck = 6 * random.normal(size=200)
    first, second = (np.round(luck + shift + random.normal(size=200)) for shift in (0.6, 0.0))
    sample = sample_of(3, meeting(0, 2, range(200), first), meeting(1, 2, range(200), second))
    estimates = sample.of_bots("points")
    pair = estimates.differences([(0, 1)])
    found = pair.estimate(0)
    assert found is not None
    assert found.interval is not None
    apart = clustered_mean(first - second)
    assert found.interval == pytest.approx(apart.interval)
    alone = estimates.estimate(0)
    assert alone is not None
    assert alone.interval is not None
    assert (alone.interval[1] - alone.interval[0]) / (found.interval[1] - found.interval[0]) > 3
    assert pair.superiority(0) > 0.99
    assert pair.superiority(0) + estimates.differences([(1, 0)]).superiority(0) == pytest.approx(1)


def test_superiority_is_the_probability_of_students_t() -> None:
    values = np.random.default_rng(4).normal(0.1, 1, 100)
    mean, influence = influence_of_mean(values)
    assert superiority(mean, influence, 99) == pytest.approx(stats.t.cdf(mean / math.sqrt(spread(influence)), 99))
    assert [superiority(value, np.zeros(1), 0) for value in (-1.0, 0.0, 1.0)] == [0.0, 0.5, 1.0]


@pytest.mark.parametrize("bots", [2, 8])
def test_equal_bots_are_told_apart_in_one_of_20_runs_at_most(bots: int) -> None:
    random = np.random.default_rng(11)
    rounds = 400
    false = single = 0
    for _ in range(rounds):
        sample = tournament(random, np.zeros(bots), 60)
        found = differences(point_ratings(sample, range(bots)).estimates, range(bots))
        assert len(found) == bots * (bots - 1) // 2
        false += any(each.is_sure for each in found)
        single += any(each.interval is not None and not each.interval[0] <= 0 <= each.interval[1] for each in found)
    assert false / rounds <= 0.05 + 2 * math.sqrt(0.05 * 0.95 / rounds)
    if bots == 8:
        assert single / rounds > 0.25, "without the correction"


def test_ranks_are_shared_by_who_is_not_told_apart() -> None:
    random = np.random.default_rng(12)
    sample = tournament(random, np.array([3.0, 2.9, 0.0, -3.0]), 400)
    estimates = point_ratings(sample, range(4)).estimates
    order = sorted(range(4), key=lambda bot: -estimates.values[bot])
    found = places(order, differences(estimates, order))
    assert {each.bot: (each.rank, each.low, each.high) for each in found} == {
        0: (1, 1, 2),
        1: (1, 1, 2),
        2: (3, 3, 3),
        3: (4, 4, 4),
    }


def test_a_chain_of_bots_of_which_only_the_ends_are_told_apart_has_one_rank() -> None:
    random = np.random.default_rng(13)
    sample = tournament(random, np.array([0.5, 0.0, -0.5]), 300)
    estimates = point_ratings(sample, range(3)).estimates
    found = {each.bot: each for each in places([0, 1, 2], differences(estimates, [0, 1, 2]))}
    assert [found[bot].rank for bot in range(3)] == [1, 1, 1]
    assert [(found[bot].low, found[bot].high) for bot in range(3)] == [(1, 2), (1, 3), (2, 3)]


def test_the_boards_that_would_settle_it() -> None:
    """As many times more boards as told make the interval just as wide as the difference."""
    random = np.random.default_rng(14)
    few = differences(point_ratings(tournament(random, np.array([0.2, 0.0]), 500), range(2)).estimates, range(2))[0]
    assert few.times is not None
    assert few.joint is not None
    assert few.times == pytest.approx(((few.joint[1] - few.joint[0]) / 2 / few.value) ** 2)


def test_rank_probabilities_agree_with_another_simulation() -> None:
    random = np.random.default_rng(15)
    estimates = point_ratings(tournament(random, np.array([0.6, 0.3, 0.0, -0.2]), 200), range(4)).estimates
    found = rank_probabilities(estimates, range(4))
    assert found.sum(axis=0) == pytest.approx(np.ones(4))
    assert found.sum(axis=1) == pytest.approx(np.ones(4))
    drawn = random.multivariate_normal(estimates.values, estimates.covariance, 100_000, method="svd")
    ranks = stats.rankdata(-drawn, axis=1).astype(int) - 1
    expected = np.array([np.bincount(ranks[:, bot], minlength=4) for bot in range(4)]) / 100_000
    assert found == pytest.approx(expected, abs=0.008)
    assert (rank_probabilities(estimates, range(4)) == found).all(), "always the same"


def test_who_wins_most_of_the_weak_does_not_win_the_runoff() -> None:
    """Twenty bots at random put an overbidder before the bot that beats it."""
    bots, units = 22, 60  # 0 is sound, 1 overbids, the others play at random
    random = np.random.default_rng(16)

    def points(mean: float) -> Floats:
        return np.round(random.normal(mean, 3, units))

    against = {0: 5.0, 1: 6.5}
    sample = sample_of(
        bots,
        meeting(0, 1, range(units), points(1.2)),
        *(meeting(own, other, range(units), points(mean)) for own, mean in against.items() for other in range(2, bots)),
        *(meeting(a, b, range(units), points(0)) for a, b in combinations(range(2, bots), 2)),
    )
    means = sample.of_bots("points").values
    assert means[1] > means[0]
    assert runoff(sample, range(bots))[:2] == [0, 1]


# ---------------------------------------------------------------------------------------------------- ratings


def least_lost(sample: Sample, bots: int, ridge: float) -> Floats:
    """Ratings by a generic optimiser, from every duplicate by itself."""

    def lost(rated: Floats) -> float:
        total = ridge / 2 * float((rated**2).sum())
        for (a, b), each in sample.meetings.items():
            expected = 1 / (1 + np.exp(rated[b] - rated[a]))
            won = each.values["won"]
            total -= float((won * np.log(expected) + (1 - won) * np.log1p(-expected)).sum())
        return total

    found = optimize.minimize(lost, np.zeros(bots), method="BFGS", options={"gtol": 1e-9})
    polished = optimize.minimize(lost, found.x, method="Nelder-Mead", options={"xatol": 1e-10, "fatol": 1e-14})
    best: Floats = polished.x if polished.fun < found.fun else found.x
    return best


@pytest.mark.parametrize("bots", [2, 3, 5])
def test_bradley_terry_agrees_with_a_generic_optimiser(bots: int) -> None:
    sample = tournament(np.random.default_rng(20 + bots), np.linspace(1, -1, bots), 80)
    found = share_ratings(sample, range(bots)).estimates.values
    assert found - found.mean() == pytest.approx(least_lost(sample, bots, RIDGE), abs=1e-6)
    shares = [[expected_share(one - other) for other in found] for one in found]
    assert np.mean([expected_share(one) for one in found]) == pytest.approx(0.5), "0 wins half against all together"
    assert np.mean(shares) == pytest.approx(0.5)


def test_field_fault_25_ratings_do_not_depend_on_the_order_of_rows_or_bots() -> None:
    random = np.random.default_rng(25)
    sample = tournament(random, np.array([1.0, 0.0, -0.5, -0.6]), 50)
    found = share_ratings(sample, range(4))
    for one, other in permutations(range(4), 2):
        assert found.share(one, other) + found.share(other, one) == pytest.approx(1, abs=1e-15)
    turned = [2, 0, 3, 1]  # by old bot its new number
    again = Sample(4, WHOLES)
    for (a, b), each in sample.meetings.items():
        order = random.permutation(len(each))
        points = each.values["points"][order]
        first, second = turned[a], turned[b]
        again.add(
            meeting(min(first, second), max(first, second), each.units[order], points if first < second else -points)
        )
    for model in (share_ratings, point_ratings):
        old, new = model(sample, range(4)).estimates, model(again, range(4)).estimates
        assert new.values[turned] == pytest.approx(old.values, abs=1e-9)
        assert new.covariance[np.ix_(turned, turned)] == pytest.approx(old.covariance, abs=1e-9)


def test_field_fault_26_a_winless_bot_is_finite_and_groups_that_never_met_are_told() -> None:
    sample = sample_of(
        5,
        meeting(0, 1, range(40), np.full(40, 3.0)),
        meeting(2, 3, range(40), np.resize([1.0, -1.0, 2.0], 40)),
        most={"won": 1.0},
    )
    found = share_ratings(sample, range(5))
    assert found.groups == [[0, 1], [2, 3], [4]]
    values = found.estimates.values
    assert np.isfinite(values).all()
    assert values[0] > 1 > -1 > values[1]
    winless = found.estimates.estimate(1)
    assert winless is not None
    assert winless.interval is None, "it could be as bad as one likes"
    level = found.estimates.estimate(2)
    assert level is not None
    assert level.interval is not None
    assert found.estimates.estimate(4) is None
    assert 0.99 < found.share(0, 1) < 1


def test_points_ratings_are_the_means_where_all_met_all() -> None:
    sample = tournament(np.random.default_rng(30), np.array([1.0, 0.5, 0.0, -1.5]), 60)
    means, rated = sample.of_bots("points"), point_ratings(sample, range(4)).estimates
    assert rated.values == pytest.approx(0.75 * means.values, abs=1e-6)
    assert rated.covariance == pytest.approx(0.5625 * means.covariance, abs=1e-6)


def test_points_ratings_do_not_depend_on_whom_one_met() -> None:
    """A run that was stopped: the mean of a bot that met only the weakest is high, and its rating is not."""
    random = np.random.default_rng(31)
    strengths = np.array([2.0, 1.0, 0.0, -9.0])
    sample = sample_of(
        4,
        *(
            meeting(a, b, range(300), np.round(random.normal(strengths[a] - strengths[b], 3, 300)))
            for a, b in [(0, 1), (0, 2), (1, 2), (2, 3)]
        ),
    )
    means = sample.of_bots("points").values
    assert means[2] > means[0] > means[1], "the bot that met the weakest is ahead"
    rated = point_ratings(sample, range(4)).estimates.values
    assert np.argsort(-rated).tolist() == [0, 1, 2, 3]
    assert rated - rated.mean() == pytest.approx(strengths - strengths.mean(), abs=0.5)


@pytest.mark.parametrize("bots", [2, 4])
def test_the_intervals_of_ratings_hold_19_times_in_20(bots: int) -> None:
    random = np.random.default_rng(33)
    strengths = np.linspace(0.5, -0.5, bots)
    many = tournament(random, strengths, 200_000)
    hits = np.zeros((2, bots))
    rounds = 400
    models = (share_ratings, point_ratings)
    truths = [model(many, range(bots)).estimates.values for model in models]
    for _ in range(rounds):
        sample = tournament(random, strengths, 100)
        for place, (model, truth) in enumerate(zip(models, truths, strict=True)):
            found = model(sample, range(bots)).estimates
            for bot in range(bots):
                estimate = found.estimate(bot)
                assert estimate is not None
                assert estimate.interval is not None
                hits[place, bot] += estimate.interval[0] <= truth[bot] <= estimate.interval[1]
    assert (hits / rounds).min() >= 0.92
    assert (hits / rounds).max() <= 0.985


def test_expected_shares() -> None:
    assert expected_share(0.0) == 0.5
    assert expected_share(math.log(3)) == pytest.approx(0.75)
    assert expected_share(-math.log(3)) == pytest.approx(0.25)
    assert (expected_share(800.0), expected_share(-800.0)) == (1.0, 0.0)


def test_mean_of_rows_is_the_mean_of_units_where_each_has_as_many() -> None:
    random = np.random.default_rng(7)
    values = random.normal(size=(60, 3))
    units = np.repeat(np.arange(60), 3)
    shuffled = random.permutation(180)
    found = mean_of_rows(units[shuffled], values.reshape(-1)[shuffled], 5.0)
    means = influence_of_mean(values.mean(axis=1))
    assert found.value == pytest.approx(values.mean())
    assert found.interval == pytest.approx(mean_interval(*means, 59, 5 / 60))


def test_mean_of_rows_weighs_units_by_their_rows() -> None:
    units, values = np.array([4, 9, 9, 9, 2]), np.array([1.0, 0.0, 1.0, 0.0, 1.0])
    found = mean_of_rows(units, values, 1.0, is_share=True)
    made, declared = np.array([1.0, 1.0, 1.0]), np.array([1, 3, 1])
    value, influence = influence_of_mean(made / declared, declared)
    assert found == Estimate(value, share_interval(value, influence, 2, 1 / 3))
    assert found.value == pytest.approx(0.6)
    assert mean_of_rows(np.array([3, 3]), np.array([1.0, 2.0]), 5.0) == Estimate(1.5, None)
    with pytest.raises(ValueError, match="needs a row"):
        mean_of_rows(np.zeros(0, np.int64), np.zeros(0), 1.0)


def test_an_estimate_as_it_was_after_the_first_duplicates() -> None:
    points = np.random.default_rng(8).normal(size=50)
    tables = np.arange(50) % 4 + 2
    whole = sample_of(2, meeting(0, 1, range(50), points, tables=tables), by_table=("points",))
    early = sample_of(2, meeting(0, 1, range(20), points[:20], tables=tables[:20]), by_table=("points",))
    assert whole.estimate_after("points", 1, 0, 20) == early.estimate("points", 1, 0)
    assert whole.estimate_after("points", 0, 1, 50) == whole.estimate("points", 0, 1)
