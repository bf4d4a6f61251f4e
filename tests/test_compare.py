"""Two bots compared by the boards on which they met, and the luck of these boards taken out."""

import json
import math
from pathlib import Path

import msgspec
import numpy as np
import pytest
from click.testing import CliRunner
from numpy.typing import NDArray

from bidwhist.cli import group
from bidwhist.errors import RunError
from bidwhist.results.compared import compare
from bidwhist.results.manifest import commitment
from bidwhist.results.standings import standings_of
from bidwhist.stats.control import controlled
from runs import make_run, manifest_of

EVERY = np.arange(400)


def test_it_is_the_regression_on_the_control() -> None:
    """The value of the fitted line at the mean of all boards, as NumPy's own fit has it."""
    generator = np.random.default_rng(1)
    control = generator.normal(0.4, 2.0, 5_000)
    places = generator.permutation(5_000)[:300]
    values = 1.0 + 0.8 * control[places] + generator.normal(0, 1, 300)
    found = controlled(values, places, control)
    slope, at_zero = np.polyfit(control[places], values, 1)
    assert found.slope == pytest.approx(slope)
    assert found.estimate.value == pytest.approx(at_zero + slope * control.mean())
    assert found.correlation == pytest.approx(np.corrcoef(values, control[places])[0, 1])
    assert found.helps


def test_the_interval_holds_and_is_as_much_narrower_as_it_says() -> None:
    generator, rounds, held, errors, worth = np.random.default_rng(2), 600, 0, [], []
    for _ in range(rounds):
        control = generator.normal(0.0, 2.0, 4_000)
        values = 0.3 + 0.9 * control[EVERY] + generator.normal(0, 1.2, 400)
        found = controlled(values, EVERY, control)
        assert found.estimate.interval is not None
        held += found.estimate.interval[0] <= 0.3 <= found.estimate.interval[1]
        errors.append(found.estimate.value - 0.3)
        worth.append(found.worth)
    assert abs(held / rounds - 0.95) < 3 * math.sqrt(0.05 * 0.95 / rounds)
    assert abs(np.mean(errors)) < 3 * np.std(errors) / math.sqrt(rounds)
    variance_alone = (0.81 * 4 + 1.44) / 400
    assert np.mean(worth) == pytest.approx(variance_alone / np.var(errors), rel=0.2)


def test_a_control_of_which_no_more_is_known_changes_nothing() -> None:
    generator = np.random.default_rng(3)
    control = generator.normal(size=400)
    values = control + generator.normal(size=400)
    found = controlled(values, EVERY, control)
    assert found.estimate.value == pytest.approx(values.mean())
    assert not found.helps


def test_a_control_without_any_likeness_does_not_help() -> None:
    generator = np.random.default_rng(4)
    found = [controlled(generator.normal(size=400), EVERY, generator.normal(size=4_000)).worth for _ in range(200)]
    assert np.mean(found) == pytest.approx(1.0, abs=0.01)


@pytest.mark.parametrize(
    ("places", "control"),
    [(np.arange(20), np.arange(40.0)), (np.zeros(40, int), np.arange(40.0)), (np.arange(40), np.ones(50))],
)
def test_what_is_no_control(places: NDArray[np.int64], control: NDArray[np.float64]) -> None:
    with pytest.raises(ValueError, match=r"are needed|are alike"):
        controlled(np.random.default_rng(5).normal(size=len(places)), places, control)


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    folder = tmp_path_factory.mktemp("runs")
    return (
        make_run(folder / "run", manifest_of(["a", "b", "c"], [(3, 64)])),
        make_run(folder / "more", manifest_of(["x", "b", "c"], [(3, 640)])),
    )


@pytest.mark.parametrize(("one", "other"), [("a", "c"), ("c", "a")])
def test_a_comparison_is_that_of_the_standings(runs: tuple[Path, Path], one: str, other: str) -> None:
    found = compare(runs[0], one, other)
    [score] = [each.score for each in standings_of(runs[0]).pairings if (each.bot, each.opponent) == (one, other)]
    assert found.points.value == pytest.approx(score.points_per_board)
    assert found.points.interval == pytest.approx(score.ci95)
    assert found.superiority == pytest.approx(score.superiority)
    assert (found.won, found.tied, found.lost) == (
        score.duplicates_won,
        score.duplicates_tied,
        score.duplicates_lost,
    )
    assert found.won + found.tied + found.lost == 64


def test_bots_that_play_alike_on_the_same_boards_are_a_good_control(runs: tuple[Path, Path]) -> None:
    # `x` plays as `a` does, so the control knows all: what is left is the uncertainty of its own boards.
    found = compare(runs[0], "a", "c", (runs[1], "x", "c"))
    assert found.control is not None
    assert found.control.correlation == pytest.approx(1.0)
    assert found.control.slope == pytest.approx(1.0)
    assert found.control.estimate.value == pytest.approx(compare(runs[1], "x", "c").points.value)
    assert found.control.worth == pytest.approx(10, rel=0.3)
    shown = CliRunner().invoke(group, ["compare", str(runs[0]), "a", "c", "--control", str(runs[1]), "x", "c"])
    assert shown.exit_code == 0
    assert "the luck of the boards taken out" in shown.output
    told = json.loads(
        CliRunner()
        .invoke(group, ["compare", str(runs[0]), "a", "c", "--control", str(runs[1]), "x", "c", "--json"])
        .output
    )
    assert told["control"]["helps"] is True


def test_a_control_that_does_not_help_is_left_out(runs: tuple[Path, Path]) -> None:
    arguments = ["compare", str(runs[0]), "a", "c", "--control", str(runs[0]), "b", "c"]
    shown = CliRunner().invoke(group, arguments)
    assert "the control does not help" in shown.output


def test_mistakes(runs: tuple[Path, Path], tmp_path: Path) -> None:
    seeded = msgspec.structs.replace(manifest_of(["x", "c"], [(2, 64)]), seed=9, seed_commitment=commitment(9))
    other = make_run(tmp_path / "other", seeded)
    games = make_run(tmp_path / "games", manifest_of(["a", "b"], [(2, 4)], games=True))
    for arguments, words in (
        ((runs[0], "a", "z"), "has no bot 'z'"),
        ((runs[0], "a", "a"), "'a' and 'a' have not met"),
        ((runs[0], "a", "c", (other, "x", "c")), "has another seed"),
        ((runs[0], "a", "c", (games, "a", "b")), "a control is for boards"),
        ((runs[1], "x", "c", (runs[0], "a", "c")), "have not played board 64"),
    ):
        with pytest.raises(RunError, match=words):
            compare(*arguments)
