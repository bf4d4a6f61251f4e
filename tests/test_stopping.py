"""Early stopping: an error that holds however often one looks, and the same stop whatever happens on the way."""

import json
import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import pytest
from click.testing import CliRunner
from numpy.typing import NDArray

from bidwhist.arena.config import make_config
from bidwhist.arena.run import Progress, run
from bidwhist.arena.tournament import prepare
from bidwhist.cli import group
from bidwhist.errors import ConfigError, RunError
from bidwhist.play import run_tournament
from bidwhist.results.manifest import read_manifest
from bidwhist.results.parts import planned_parts
from bidwhist.results.standings import standings_of
from bidwhist.results.stopping import Watch
from bidwhist.results.terms import Stop
from bidwhist.stats.planning import boards_needed
from bidwhist.stats.sequential import ConfidenceSequence
from runs import make_run, manifest_of, part_files, table_of

Values = NDArray[np.float64]
Draw = Callable[[np.random.Generator, int], Values]

MOST = 7.0
DEVIATION = 2.5
SOUGHT = 0.5


def usual(mean: float) -> Draw:
    return lambda generator, boards: np.clip(np.round(2 * generator.normal(mean, DEVIATION, boards)) / 2, -MOST, MOST)


def rarely_different(generator: np.random.Generator, boards: int) -> Values:
    """Bots that differ on 1% of the boards, but then by much."""
    return np.where(generator.random(boards) < 0.01, generator.choice([MOST, -MOST], boards), 0.0)


def lopsided(generator: np.random.Generator, boards: int) -> Values:
    """A mean of 0 made of small gains and rare large losses."""
    return np.where(generator.random(boards) < 1 / 15, -MOST, 0.5)


def sequence_of(values: Values, difference: float = SOUGHT, alpha: float = 0.05) -> ConfidenceSequence:
    sequence = ConfidenceSequence(difference, alpha, MOST)
    sequence.add(values)
    return sequence


def capital_ever_enough(values: Values, mean: float, side: int, difference: float, alpha: float) -> bool:
    """The same bets one after the other, in plain numbers."""
    capitals, count, total, squares = [0.2] * 5, 1, 0.0, (MOST / 4) ** 2
    for value in values.tolist():
        variance = squares / count - (total / count) ** 2
        for place, multiple in enumerate((0.5, 1, 2, 4, 16)):
            stake = min(multiple * difference / variance, 0.95 / (MOST + side * mean))
            capitals[place] *= 1 + side * stake * (value - mean)
        if sum(capitals) >= 2 / alpha:
            return True
        count, total, squares = count + 1, total + value, squares + value * value
    return False


@pytest.mark.parametrize("draw", [usual(0.0), usual(0.4), usual(-1.0), rarely_different, lopsided])
def test_the_verdict_is_that_of_bets_one_after_the_other(draw: Draw) -> None:
    for seed in range(6):
        values = draw(np.random.default_rng(seed), 700)
        above, below = (capital_ever_enough(values, 0.0, side, SOUGHT, 0.1) for side in (1, -1))
        close = capital_ever_enough(values, -SOUGHT, 1, SOUGHT, 0.1) and capital_ever_enough(
            values, SOUGHT, -1, SOUGHT, 0.1
        )
        expected = "ahead" if above else "behind" if below else "close" if close else None
        sequence = sequence_of(values, alpha=0.1)
        assert sequence.verdict == expected
        low, high = sequence.interval()
        assert -MOST <= low < high <= MOST
        for mean in (low - 1e-3, high + 1e-3):
            side = 1 if mean < low else -1
            assert abs(mean) > MOST or capital_ever_enough(values, mean, side, SOUGHT, 0.1)
        assert not capital_ever_enough(values, low + 1e-3, 1, SOUGHT, 0.1)
        assert not capital_ever_enough(values, high - 1e-3, -1, SOUGHT, 0.1)


def test_it_does_not_matter_in_which_pieces_boards_come() -> None:
    values = usual(0.1)(np.random.default_rng(3), 40_000)
    whole, pieces = sequence_of(values), ConfidenceSequence(SOUGHT, 0.05, MOST)
    for begin in range(0, len(values), 313):
        pieces.add(values[begin : begin + 313])
    assert pieces.boards == len(values)
    assert (pieces.verdict, pieces.interval()) == (whole.verdict, whole.interval())


@pytest.mark.parametrize("draw", [usual(0.0), rarely_different, lopsided])
def test_f22_equal_bots_are_rarely_told_apart_though_every_board_is_looked_at(draw: Draw) -> None:
    """A fixed interval, looked at so often, would tell apart more than half of them."""
    generator, alpha, rounds = np.random.default_rng(1), 0.1, 500
    wrong = sum(sequence_of(draw(generator, 2_000), alpha=alpha).verdict in ("ahead", "behind") for _ in range(rounds))
    assert wrong / rounds <= alpha + 2 * math.sqrt(alpha * (1 - alpha) / rounds)


def test_bots_as_far_apart_as_sought_are_rarely_called_close() -> None:
    generator, alpha, rounds = np.random.default_rng(2), 0.1, 300
    wrong = sum(
        sequence_of(usual(SOUGHT)(generator, 2_000), alpha=alpha).verdict in ("behind", "close") for _ in range(rounds)
    )
    assert wrong / rounds <= alpha + 2 * math.sqrt(alpha * (1 - alpha) / rounds)


def test_the_interval_holds_at_every_board_together() -> None:
    generator, rounds = np.random.default_rng(4), 300
    held = 0
    for _ in range(rounds):
        low, high = sequence_of(usual(0.3)(generator, 1_000), alpha=0.1).interval()
        held += low <= 0.3 <= high
    assert held / rounds >= 0.9 - 2 * math.sqrt(0.09 / rounds)


def stops_after(draw: Draw, generator: np.random.Generator, most: int, look: int) -> int:
    sequence = ConfidenceSequence(SOUGHT, 0.05, MOST)
    while sequence.boards < most:
        sequence.add(draw(generator, look))
        if sequence.verdict is not None:
            break
    return sequence.boards


def test_twice_the_difference_sought_stops_in_less_than_half_of_the_fixed_plan() -> None:
    generator = np.random.default_rng(5)
    fixed = boards_needed(DEVIATION**2, SOUGHT)
    boards = [stops_after(usual(2 * SOUGHT), generator, 4 * fixed, 16) for _ in range(100)]
    assert np.mean(boards) < fixed / 2


def test_no_difference_is_noticed_too() -> None:
    generator = np.random.default_rng(6)
    fixed = boards_needed(DEVIATION**2, SOUGHT)
    verdicts = [sequence_of(usual(0.0)(generator, 3 * fixed)).verdict for _ in range(100)]
    assert verdicts.count("close") > 80


@pytest.mark.parametrize("numbers", [(0.0, 0.1, 7.0), (7.0, 0.1, 7.0), (0.2, 0.0, 7.0), (0.2, 1.0, 7.0), (-1, 0.1, 7)])
def test_numbers_that_do_not_fit(numbers: tuple[float, float, float]) -> None:
    with pytest.raises(ValueError, match="are needed"):
        ConfidenceSequence(*numbers)


# --- runs ---

FIELDS: dict[str, Any] = {
    "name": "t",
    "seed": 7,
    "boards": 4_000,
    "bots": ["random", "heuristic", "random?calls=pass"],
    "stop": {"bots": ["heuristic", "random"], "difference": 0.5},
}


def files_of(run: Path) -> dict[str, bytes]:
    """The files of a run that are the same whatever happens on the way."""
    paths = [*part_files(run), *run.glob("*.parquet")]
    return {path.name: path.read_bytes() for path in paths}


@pytest.fixture(scope="module")
def stopped(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return run_tournament(FIELDS, out=tmp_path_factory.mktemp("stopped") / "run", executor="inline")


def test_a_run_stops_when_it_is_sure(stopped: Path) -> None:
    manifest = read_manifest(stopped)
    assert manifest.outcome is not None
    assert manifest.outcome.verdict == "ahead"
    assert manifest.outcome.interval[0] > 0
    assert manifest.state == "finished"
    parts = planned_parts(manifest)
    assert {part.first + part.units for part in parts} == {manifest.stopped}
    assert [path.name for path in part_files(stopped)] == [part.file_name for part in parts]
    assert manifest.stopped == sum(table_of(path).num_rows for path in part_files(stopped)) / 2 / 3


@pytest.mark.parametrize("jobs", [1, 3])
def test_it_stops_at_the_same_board_with_any_number_of_workers(stopped: Path, tmp_path: Path, jobs: int) -> None:
    assert files_of(run_tournament(FIELDS, out=tmp_path / "run", jobs=jobs)) == files_of(stopped)


@pytest.mark.parametrize("after", [1, 2])
def test_it_stops_at_the_same_board_after_an_interruption(stopped: Path, tmp_path: Path, after: int) -> None:
    out = tmp_path / "run"

    def interrupt(progress: Progress) -> None:
        if progress.parts_done == after:
            raise KeyboardInterrupt

    tournament = prepare(make_config(FIELDS, "test"), [tmp_path])
    with pytest.raises(KeyboardInterrupt):
        run(tournament, out, executor="inline", report=interrupt)
    assert read_manifest(out).outcome is None
    run(tournament, out, resume=True, executor="inline")
    assert files_of(out) == files_of(stopped)


def test_a_run_that_has_stopped_plays_no_more_boards_and_takes_up_bots(stopped: Path, tmp_path: Path) -> None:
    out = tmp_path / "run"
    run_tournament(FIELDS, out=out, executor="inline")
    run_tournament({**FIELDS, "boards": 5_000}, out=out, resume=True, executor="inline")
    assert files_of(out) == files_of(stopped)
    more = {**FIELDS, "boards": 5_000, "bots": [*FIELDS["bots"], {"spec": "random", "name": "late"}]}
    run_tournament(more, out=out, resume=True, executor="inline")
    manifest = read_manifest(out)
    assert manifest.stopped == read_manifest(stopped).stopped
    boards = {
        pair: sum(part.units for part in planned_parts(manifest) if (part.a, part.b) == pair)
        for pair in [(0, 1), (0, 3), (2, 3)]
    }
    assert set(boards.values()) == {manifest.stopped}


def test_a_run_that_finds_nothing_goes_on_from_where_it_is(tmp_path: Path) -> None:
    bots = ["random", {"spec": "random", "name": "other"}]
    equal = {**FIELDS, "bots": bots, "stop": {"bots": ["other", "random"], "difference": 0.01}}
    out = run_tournament({**equal, "boards": 64}, out=tmp_path / "run", executor="inline")
    outcome = read_manifest(out).outcome
    assert outcome is not None
    assert (outcome.units, outcome.verdict) == (64, None)
    run_tournament({**equal, "boards": 96}, out=out, resume=True, executor="inline")
    outcome = read_manifest(out).outcome
    assert outcome is not None
    assert (outcome.units, outcome.verdict) == (96, None)
    assert outcome.interval[0] < 0 < outcome.interval[1]


def test_games_are_decided_by_the_share_that_is_won(tmp_path: Path) -> None:
    fields = {key: value for key, value in FIELDS.items() if key != "boards"}
    fields |= {"format": "games", "games": 400, "stop": {"bots": ["random", "heuristic"], "difference": 0.1}}
    manifest = read_manifest(run_tournament(fields, out=tmp_path / "run", executor="inline"))
    assert manifest.outcome is not None
    assert manifest.outcome.verdict == "behind"
    assert -1 <= manifest.outcome.interval[0] < manifest.outcome.interval[1] < 0
    assert manifest.stopped is not None
    assert manifest.stopped < 400


def test_an_edited_verdict_is_not_believed(tmp_path: Path) -> None:
    out = run_tournament(FIELDS, out=tmp_path / "run", executor="inline")
    path = out / "manifest.json"
    text = path.read_text(encoding="utf-8")
    path.write_text(text.replace('"ahead"', '"behind"'), encoding="utf-8")
    shown = CliRunner().invoke(group, ["table", str(out)]).output
    assert "heuristic is ahead of random" in shown
    path.write_text(text.replace('"difference": 0.5', '"difference": 0.4'), encoding="utf-8")
    refused = CliRunner().invoke(group, ["table", str(out)])
    assert "belongs to another run" in str(refused.exception)


def test_it_does_not_matter_how_far_a_run_might_go(stopped: Path, tmp_path: Path) -> None:
    out = run_tournament({**FIELDS, "boards": 70_000}, out=tmp_path / "run", executor="inline")
    assert read_manifest(out).outcome == read_manifest(stopped).outcome
    assert standings_of(out) == standings_of(stopped)


def test_another_question_is_another_tournament(stopped: Path) -> None:
    other = {**FIELDS, "stop": {**FIELDS["stop"], "difference": 0.4}}
    with pytest.raises(RunError, match=r"stop: .*0\.5.* in the run, .*0\.4.* now"):
        run_tournament(other, out=stopped, resume=True)


@pytest.mark.parametrize(
    ("stop", "words"),
    [
        ({"bots": ["random"], "difference": 0.2}, "stop.bots: two different bots are wanted, and not 'random'"),
        ({"bots": ["random", "random"], "difference": 0.2}, "two different bots are wanted"),
        ({"bots": ["random", "heuristc"], "difference": 0.2}, "stop.bots: 'heuristc' is none of the bots"),
        ({"bots": ["random", "heuristic"]}, "stop.difference: is missing"),
        ({"bots": ["random", "heuristic"], "difference": 0}, "stop.difference: must be a number > 0"),
        ({"bots": ["random", "heuristic"], "difference": 7}, "stop.difference: must be less than 7"),
        ({"bots": ["random", "heuristic"], "difference": 0.2, "alpha": 1.5}, "stop.alpha: must be a number <= 0.5"),
        ({"bots": ["random", "heuristic"], "difference": 0.2, "beta": 1}, "stop.beta: there is no such field"),
        (True, "stop: must be a table"),
    ],
)
def test_mistakes_in_a_tournament_file(stop: Any, words: str) -> None:
    with pytest.raises(ConfigError) as error:
        make_config({**FIELDS, "stop": stop}, "test")
    assert words in str(error.value)


def test_bots_that_do_not_meet_cannot_decide() -> None:
    gauntlet = {**FIELDS, "pairing": "gauntlet", "challengers": ["random?calls=pass"]}
    with pytest.raises(ConfigError, match="'heuristic' and 'random' do not meet"):
        make_config(gauntlet, "test")


def test_the_table_tells_the_verdict(stopped: Path) -> None:
    manifest = read_manifest(stopped)
    shown = CliRunner().invoke(group, ["table", str(stopped)])
    assert shown.exit_code == 0
    assert f"stopped early, after {manifest.stopped} boards: heuristic is ahead of random" in shown.output
    assert f"{manifest.stopped} of 4,000 boards for every pairing" in shown.output
    told = json.loads(CliRunner().invoke(group, ["table", str(stopped), "--json"]).output)
    assert told["run"]["stop"]["verdict"] == "ahead"
    assert told["run"]["stop"]["units"] == manifest.stopped
    assert told["run"]["stop"]["bots"] == ["heuristic", "random"]


# --- what fails in other arenas ---


@pytest.mark.parametrize("value", [MOST, -MOST])
@pytest.mark.parametrize("boards", [1, 2, 500])
def test_f21_all_wins_all_losses_and_one_board_are_finite(value: float, boards: int) -> None:
    sequence = sequence_of(np.full(boards, value))
    low, high = sequence.interval()
    assert -MOST <= low < high <= MOST
    assert sequence.verdict == (None if boards < 3 else "ahead" if value > 0 else "behind")
    assert ConfidenceSequence(SOUGHT, 0.05, MOST).verdict is None


def test_f23_only_what_follows_on_from_the_first_board_is_looked_at(tmp_path: Path) -> None:
    """A bot that wins quickly and loses slowly would be ahead as long as its slow parts are missing."""
    stop = Stop(["a", "b"], 0.2)
    manifest = msgspec.structs.replace(manifest_of(["a", "b"], [(2, 4_000)]), stop=stop)
    out = make_run(tmp_path / "run", manifest)
    parts = planned_parts(manifest)
    assert len(parts) > 5
    in_order, later_first = Watch(out, manifest), Watch(out, manifest)
    for part in parts:
        in_order.see(part)
    for part in parts[1:]:
        later_first.see(part)
        assert later_first.outcome is None
    later_first.see(parts[0])
    assert later_first.outcome == in_order.outcome
    assert later_first.outcome is not None


def test_f24_at_its_end_a_run_without_a_verdict_names_no_winner(tmp_path: Path) -> None:
    bots = [{"spec": "heuristic", "name": "a"}, {"spec": "mc?worlds=1", "name": "b"}]
    stop = {"bots": ["a", "b"], "difference": 0.01, "alpha": 0.001}
    out = run_tournament({**FIELDS, "boards": 32, "bots": bots, "stop": stop}, out=tmp_path / "run")
    shown = CliRunner().invoke(group, ["table", str(out)]).output
    assert "after 32 boards: no verdict on a and b" in shown
    assert "ahead" not in shown
