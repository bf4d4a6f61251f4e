"""Whether the intervals hold: against a bootstrap over boards, and over thousands of tournaments (long)."""

from collections.abc import Callable
from itertools import combinations
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

import interval_coverage
from bidwhist.play import run_tournament
from bidwhist.results.manifest import read_manifest
from bidwhist.results.parts import present_parts
from bidwhist.results.tally import tally_run
from bidwhist.stats.intervals import ENOUGH, Estimate
from bidwhist.stats.ranks import differences
from bidwhist.stats.ratings import point_ratings, share_ratings
from bidwhist.stats.sample import Meeting, Sample

Floats = NDArray[np.float64]
Statistic = Callable[[Sample], list[Estimate | None]]

STATISTICS: dict[str, Statistic] = {
    **{
        # mypy infers no type for a lambda with a default.
        f"{quantity} of bots": lambda sample, quantity=quantity: _all(sample.of_bots(quantity), sample)  # type: ignore[misc]
        for quantity in ("points", "won")
    },
    "pairings": lambda sample: [sample.estimate("points", *pair) for pair in sample.meetings],
    "bids made": lambda sample: [sample.bids_made(bot) for bot in range(sample.bots)],
    "rating by points": lambda sample: _all(point_ratings(sample, range(sample.bots)).estimates, sample),
    "rating": lambda sample: _all(share_ratings(sample, range(sample.bots)).estimates, sample),
    "differences": lambda sample: [
        Estimate(each.value, each.interval)
        for each in differences(point_ratings(sample, range(sample.bots)).estimates, range(sample.bots))
    ],
}


def _all(estimates: "interval_coverage.Estimates", sample: Sample) -> list[Estimate | None]:
    return [estimates.estimate(bot) for bot in range(sample.bots)]


@pytest.fixture(scope="module", params=["boards", "games"])
def whole(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Sample:
    """All duplicates of a run of bots that are not too far apart."""
    bots = ["heuristic", "mc?worlds=1", "mc?worlds=3"]
    size = {"boards": 300} if request.param == "boards" else {"format": "games", "games": 100}
    out = tmp_path_factory.mktemp("whole") / "run"
    run: Path = run_tournament({"seed": 3, "bots": bots, **size}, out=out)
    manifest = read_manifest(run)
    return tally_run(run, manifest, present_parts(run, manifest)).sample


@pytest.mark.parametrize("name", STATISTICS)
def test_errors_are_those_of_a_bootstrap_over_boards(whole: Sample, name: str) -> None:
    """Boards are drawn with replacement, each with all that was played on it: nothing is assumed of them."""
    statistic = STATISTICS[name]
    found = statistic(whole)
    generator = np.random.default_rng(8)
    number = len(whole.units_played)
    drawn = np.array(
        [
            [each.value for each in statistic(interval_coverage.drawn(whole, generator, number, unequal=False)) if each]
            for _ in range(300)
        ]
    )
    assert drawn.shape == (300, len(found))
    for estimate, values in zip(found, drawn.T, strict=True):
        assert estimate is not None
        assert estimate.interval is not None
        half = (estimate.interval[1] - estimate.interval[0]) / 2
        assert half == pytest.approx(1.97 * values.std(), rel=0.2)


# --- thousands of tournaments ---


def tournament(generator: np.random.Generator, bots: int, units: int, *, unequal: bool) -> tuple[Sample, Floats]:
    """Bots of different strength and steadiness, who have the luck of the boards in common; and their true points."""
    strengths = np.linspace(1.0, -1.0, bots)
    steadiness = np.linspace(1.0, 3.0, bots)
    luck = generator.normal(size=(units, bots)) * steadiness
    sample = Sample(bots, {"points": 0.0, "won": 1.0}, most={"points": 14.0, "won": 1.0})
    for place, (a, b) in enumerate(combinations(range(bots), 2)):
        own = slice(units // 2) if unequal and place % 3 == 1 else slice(units)
        noise = generator.standard_t(4, units) * 1.5
        points = (strengths[a] - strengths[b] + luck[:, a] - luck[:, b] + noise)[own]
        ones = np.ones(len(points), np.int16)
        values = {"points": points, "won": (np.sign(points) + 1) / 2}
        sample.add(
            Meeting(a, b, np.arange(len(points)), values, ones, 2 * ones, np.zeros((len(points), 2, 2), np.int16))
        )
    return sample, strengths * bots / (bots - 1)


@pytest.mark.long
@pytest.mark.parametrize("unequal", [False, True])
@pytest.mark.parametrize("units", [ENOUGH, 100])
@pytest.mark.parametrize("bots", [2, 3, 5, 8])
def test_2000_tournaments(bots: int, units: int, unequal: bool) -> None:
    generator, rounds = np.random.default_rng(bots * units), 2000
    if bots == 2 and unequal:
        unequal = False  # a single pairing cannot be
    least = units // 2 if unequal else units
    hits: dict[str, Floats] = {"points": np.zeros(bots), "ratings": np.zeros(bots)}
    together = 0
    for _ in range(rounds):
        sample, truth = tournament(generator, bots, units, unequal=unequal)
        ratings = point_ratings(sample, range(bots)).estimates
        for name, estimates, true in (
            ("points", sample.of_bots("points"), truth),
            ("ratings", ratings, truth * (bots - 1) / bots),
        ):
            hits[name] += np.nan_to_num(interval_coverage.held(estimates, true))
        together += all(
            each.joint is not None
            and each.joint[0] <= (truth[each.one] - truth[each.other]) * (bots - 1) / bots <= each.joint[1]
            for each in differences(ratings, range(bots))
        )
    # Two standard errors of a share of 2,000 are 1%; with fewer boards than enough a note says that they are rough.
    low, high = (0.93, 0.97) if least >= ENOUGH else (0.92, 0.98)
    for name, held in hits.items():
        assert held.min() / rounds >= low, name
        assert held.max() / rounds <= high, name
    assert together / rounds >= low


@pytest.mark.long
@pytest.mark.parametrize("number", [30, 100, 400])
def test_2000_tournaments_of_real_points(whole: Sample, number: int) -> None:
    truths = {name: [each.value for each in statistic(whole) if each] for name, statistic in STATISTICS.items()}
    hits: dict[str, list[list[bool]]] = {name: [] for name in STATISTICS}
    generator, rounds = np.random.default_rng(number), 2000
    for _ in range(rounds):
        sample = interval_coverage.drawn(whole, generator, number, unequal=False)
        for name, statistic in STATISTICS.items():
            hits[name].append(
                [
                    each is not None and each.interval is not None and each.interval[0] <= true <= each.interval[1]
                    for each, true in zip(statistic(sample), truths[name], strict=True)
                ]
            )
    for name, rows in hits.items():
        held = np.mean(rows, axis=0)
        assert held.min() >= 0.93, (name, held)
        assert held.max() <= 0.985, (name, held)
