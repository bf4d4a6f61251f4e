"""Intervals against SciPy and the textbook, and by simulation."""

import math
import statistics

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from bidwhist.stats.clusters import ClusterSums
from bidwhist.stats.intervals import clustered_mean, mean_over_groups
from bidwhist.stats.student import t_distribution, t_quantile

MANY_DF = [*range(1, 41), 99, 100, 398, 399, 400, 401, 1000, 10**5, 10**8]


@pytest.mark.parametrize("p", [0.5, 0.6, 0.9, 0.975, 0.995, 0.99999])
def test_t_quantile_is_that_of_scipy(p: float) -> None:
    for df in MANY_DF:
        assert t_quantile(p, df) == pytest.approx(stats.t.ppf(p, df), rel=1e-9, abs=1e-12), df


@given(st.floats(0, 50), st.integers(1, 300))
def test_t_distribution_is_that_of_scipy(t: float, df: int) -> None:
    assert t_distribution(t, df) == pytest.approx(stats.t.cdf(t, df), abs=1e-12)


@pytest.mark.parametrize(("p", "df"), [(0.4, 3), (1.0, 3), (math.nan, 3), (0.9, 0)])
def test_t_quantile_refuses_what_it_cannot_answer(p: float, df: int) -> None:
    with pytest.raises(ValueError, match="t_quantile"):
        t_quantile(p, df)


@given(st.lists(st.integers(-52, 52).map(float), min_size=2, max_size=40))
def test_one_group_is_the_textbook_interval(values: list[float]) -> None:
    estimate = clustered_mean(np.array(values))
    half = stats.t.ppf(0.975, len(values) - 1) * statistics.stdev(values) / math.sqrt(len(values))
    assert estimate.mean == pytest.approx(statistics.fmean(values), abs=1e-9)
    assert estimate.interval is not None
    assert estimate.interval == pytest.approx((estimate.mean - half, estimate.mean + half), abs=1e-5)


def test_complete_groups_are_the_interval_of_the_cluster_means() -> None:
    values = np.random.default_rng(1).normal(size=(30, 4)) + np.random.default_rng(2).normal(size=(30, 1))
    both, means = clustered_mean(values), clustered_mean(values.mean(axis=1))
    assert both.mean == pytest.approx(means.mean)
    assert both.interval == pytest.approx(means.interval)


def test_groups_without_common_clusters_are_independent_samples() -> None:
    first, second = np.array([1.0, 4.0, 2.0, 7.0]), np.array([-3.0, 0.0, 2.0, 5.0, 1.0])
    values = np.full((9, 2), np.nan)
    values[:4, 0], values[4:, 1] = first, second
    estimate = clustered_mean(values)
    assert estimate.mean == pytest.approx((first.mean() + second.mean()) / 2)
    error = math.sqrt(first.var(ddof=1) / 4 + second.var(ddof=1) / 5) / 2
    half = stats.t.ppf(0.975, 3) * error
    assert estimate.interval == pytest.approx((estimate.mean - half, estimate.mean + half))


def test_a_single_cluster_has_no_interval_and_none_no_mean() -> None:
    assert clustered_mean(np.array([3.0])).interval is None
    assert clustered_mean(np.array([[1.0, 2.0], [3.0, np.nan]])).interval is None
    assert clustered_mean(np.array([[1.0, 2.0], [3.0, np.nan]])).mean == 2.0
    with pytest.raises(ValueError, match="group"):
        clustered_mean(np.array([[1.0, np.nan], [3.0, np.nan]]))


def test_boards_that_all_net_the_same_have_an_interval_of_no_width() -> None:
    estimate = clustered_mean(np.full((50, 3), 0.1))
    assert estimate.mean == pytest.approx(0.1)
    assert estimate.interval == pytest.approx((0.1, 0.1))


def _coverage(complete: bool, correlated: bool) -> float:
    """How often the interval holds 0, the true mean, over 3 groups on 60 clusters with a common effect of a cluster."""
    random = np.random.default_rng(7)
    hits, rounds = 0, 3000
    for _ in range(rounds):
        values = random.normal(size=(60, 3)) + 1.5 * random.normal(size=(60, 1))
        if not complete:
            values[20:, 1] = np.nan
            values[:30, 2] = np.nan
        if not correlated:  # taken for 180 independent values
            values = values.reshape(-1)
        interval = clustered_mean(values).interval
        assert interval is not None
        hits += interval[0] <= 0 <= interval[1]
    return hits / rounds


@pytest.mark.parametrize("complete", [True, False], ids=["complete", "unequal numbers of clusters"])
def test_intervals_hold_the_truth_19_times_in_20(complete: bool) -> None:
    # Three standard errors of the simulation; unequal groups have cautious degrees of freedom.
    assert 0.938 <= _coverage(complete, True) <= (0.962 if complete else 0.975)


def test_intervals_that_ignore_the_clusters_would_be_far_too_narrow() -> None:
    assert _coverage(True, False) < 0.85


@settings(max_examples=30, deadline=None)  # the first call compiles
@given(st.integers(2, 5), st.integers(1, 12), st.sampled_from([0.0, 1.0, 13.0]), st.integers(0, 2**32 - 1))
def test_sums_gathered_in_one_pass_are_those_of_the_whole_array(bots: int, units: int, whole: float, seed: int) -> None:
    random = np.random.default_rng(seed)
    sums = ClusterSums(bots, {"other": 1.0, "value": whole})
    values = random.integers(-20, 21, (units, sums.pairings)) / 2
    boards = random.integers(0, 3, (units, sums.pairings)).astype(np.int16)
    cut = units // 2
    for block in (slice(0, cut), slice(cut, units)):
        sums.add({"value": values[block], "other": np.ones_like(values[block])}, boards[block])
    for bot in range(bots):
        others = [other for other in range(bots) if other != bot]
        columns = [ClusterSums.column(min(bot, other), max(bot, other)) for other in others]
        is_first = np.array([bot < other for other in others])
        shares = np.where(is_first, values[:, columns], whole - values[:, columns])
        own = np.where(boards[:, columns] > 0, shares, np.nan)
        met = [place for place in range(len(others)) if boards[:, columns[place]].any()]
        assert sums.met(bot) == [others[place] for place in met]
        assert sums.units(bot) == int((boards[:, columns] > 0).any(axis=1).sum())
        assert sums.boards(bot) == int(boards[:, columns].max(axis=1, initial=0).sum())
        estimate = sums.estimate("value", bot)
        assert (estimate is None) == (not met)
        if estimate is not None:
            expected = clustered_mean(own[:, met])
            assert estimate.mean == pytest.approx(expected.mean)
            assert (estimate.interval is None) == (expected.interval is None)
            if expected.interval is not None:
                assert estimate.interval == pytest.approx(expected.interval, abs=1e-5)
        for other, column in zip(others, columns, strict=True):
            against, back = sums.estimate("value", bot, other), sums.estimate("value", other, bot)
            assert sums.boards(bot, other) == int(boards[:, column].sum())
            assert (against is None) == (back is None)
            if against is not None and back is not None:
                assert against.mean == pytest.approx(whole - back.mean, abs=1e-12)
                one, none = (sums.estimate("other", *sorted((bot, other), reverse=turned)) for turned in (False, True))
                assert one is not None
                assert none is not None
                assert (one.mean, none.mean) == (1.0, 0.0)


def test_empty_groups_are_refused() -> None:
    with pytest.raises(ValueError, match="group"):
        mean_over_groups(np.zeros((0, 0), np.int64), np.zeros((0, 0)), np.zeros((0, 0)))
