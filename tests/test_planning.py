"""How many boards a question needs: the numbers by SciPy and by simulation, and the command."""

import json
import math
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner
from scipy import stats

from bidwhist.cli import group
from bidwhist.errors import RunError
from bidwhist.results import load
from bidwhist.results.pilot import pilot_of
from bidwhist.results.processor_time import TIMINGS
from bidwhist.stats.planning import Pilot, boards_needed
from runs import make_run, manifest_of


@pytest.mark.parametrize("power", [0.5, 0.8, 0.95])
@pytest.mark.parametrize("effect", [0.1, 0.3, 0.8])
def test_the_boards_have_the_power_of_the_exact_test(effect: float, power: float) -> None:
    number = boards_needed(1.0, effect, power=power)

    def exact(n: int) -> float:
        critical = stats.t.ppf(0.975, n - 1)
        found = stats.nct(n - 1, effect * math.sqrt(n))
        return float(found.sf(critical) + found.cdf(-critical))

    assert exact(number) >= power - 0.005
    assert exact(number - 3) < power


def test_a_plan_keeps_its_promise() -> None:
    random = np.random.default_rng(3)
    number = boards_needed(25.0, 1.0, power=0.8, alpha=0.05)
    values = random.normal(1.0, 5.0, (4000, number))
    found = np.abs(values.mean(axis=1)) > stats.t.ppf(0.975, number - 1) * values.std(axis=1, ddof=1) / math.sqrt(
        number
    )
    assert found.mean() == pytest.approx(0.8, abs=0.02)


def test_the_upper_end_of_the_variance_holds() -> None:
    random = np.random.default_rng(4)
    held = [Pilot.of(random.normal(0, 2, 200)).most >= 4 for _ in range(1000)]
    assert 0.93 <= np.mean(held) <= 0.99
    with pytest.raises(ValueError, match="two boards"):
        Pilot.of(np.zeros(1))


@pytest.mark.parametrize("wrong", [{"difference": 0.0}, {"difference": math.nan}, {"power": 1.0}, {"alpha": 0.0}])
def test_what_cannot_be_planned(wrong: dict[str, float]) -> None:
    with pytest.raises(ValueError, match="difference"):
        boards_needed(**{"variance": 1.0, "difference": 1.0, **wrong})


@pytest.fixture(scope="module", params=[False, True], ids=["boards", "games"])
def run(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    manifest = manifest_of(["a", "b", "c"], [(3, 60)], games=request.param)
    return make_run(tmp_path_factory.mktemp("run") / "run", manifest)


def test_a_pairing_of_a_run_is_a_pilot(run: Path) -> None:
    found, back = pilot_of(run, "a", "b"), pilot_of(run, "b", "a")
    frame = load(run)
    frame = frame[(frame["bot_ns"].isin(["a", "b"])) & (frame["bot_ew"].isin(["a", "b"]))]
    own = frame["points"].where(frame["bot_ns"] == "a", -frame["points"])
    by_unit = own.groupby(frame["game" if "game" in frame else "board"])
    mean = own.sum() / len(own)
    assert found.points.value == pytest.approx(mean)
    rest = (by_unit.sum() - mean * by_unit.size()) / by_unit.size().mean()
    assert found.pilot.variance == pytest.approx(rest.var(ddof=1))
    assert found.tables == by_unit.size().mean()
    assert (back.points.value, back.pilot.variance) == (-found.points.value, pytest.approx(found.pilot.variance))


def test_the_time_of_a_board_is_that_of_its_parts(run: Path) -> None:
    assert pilot_of(run, "a", "b").seconds is None, "nothing is noted in this run"
    lines = "".join(json.dumps({"part": part, "tables": 1, "cpu_seconds": 3.0}) + "\n" for part in range(500))
    (run / TIMINGS).parent.mkdir(exist_ok=True)
    (run / TIMINGS).write_text(lines, encoding="utf-8")
    seconds = pilot_of(run, "a", "b").seconds
    assert seconds is not None
    assert 0 < seconds * 60 <= 3.0 * 50
    (run / TIMINGS).write_text("nonsense\n", encoding="utf-8")
    assert pilot_of(run, "a", "b").seconds is None
    (run / TIMINGS).unlink()


def test_the_command_from_a_run(run: Path) -> None:
    runner = CliRunner()
    arguments = ["plan", "a", "b", "--difference", "-0.5", "--from", str(run)]
    told = json.loads(runner.invoke(group, [*arguments, "--json"], catch_exceptions=False).stdout)
    assert (told["bot"], told["opponent"], told["pilot"]) == ("a", "b", 60)
    assert told["needed"] == boards_needed(told["standard_deviation"] ** 2, 0.5)
    assert told["needed_at_most"] > told["needed"]
    text = runner.invoke(group, arguments, catch_exceptions=False).stdout
    assert f"{told['needed']:,} {told['units']} ({told['needed_at_most']:,} at most)" in text
    zero = runner.invoke(group, ["plan", "a", "b", "--difference", "0", "--from", str(run)])
    assert (zero.exit_code, "0 cannot be found" in zero.output) == (2, True)


def test_boards_that_all_end_alike_do_not_make_any_difference_easy_to_find(tmp_path: Path) -> None:
    """What was not seen in a pilot could still be there: as the intervals say, so says the plan."""
    run = make_run(tmp_path / "run", manifest_of(["a", "b"], [(2, 60)]), alike=True)
    found = pilot_of(run, "a", "b")
    assert found.points.interval is not None
    half = (found.points.interval[1] - found.points.interval[0]) / 2
    needed = boards_needed(found.pilot.variance, half)
    assert 60 < needed < 200, "a difference as large as the interval is found by some more boards, and not by two"


@pytest.mark.parametrize("difference", ["nan", "inf", "-inf", "0"])
def test_no_such_difference(difference: str) -> None:
    result = CliRunner().invoke(group, ["plan", "random", "heuristic", "--difference", difference])
    assert result.exit_code == 2
    assert "cannot be found" in result.output


@pytest.mark.parametrize(("one", "other"), [("a", "a"), ("a", "d"), ("A", "b")])
def test_who_has_not_met_is_told(run: Path, one: str, other: str) -> None:
    with pytest.raises(RunError, match=r"have not met on 2|has no bot"):
        pilot_of(run, one, other)


def test_the_command_plays_a_pilot_of_its_own() -> None:
    arguments = ["plan", "heuristic", "random", "--difference", "0.2", "--boards", "30", "--json"]
    told = json.loads(CliRunner().invoke(group, arguments, catch_exceptions=False).stdout)
    assert (told["bot"], told["opponent"], told["pilot"]) == ("heuristic", "random", 30)
    assert told["cpu_hours"] is not None
