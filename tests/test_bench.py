"""What `bw-arena bench` measures, and the bots it measures with."""

import json
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from bidwhist.bench import yardstick as yardstick_module
from bidwhist.bench.figures import Figure, Rate, measure_rates
from bidwhist.bench.measure import measure
from bidwhist.bench.processes import can_look, cpu_of_help, cpu_to_first_board, memory_of_run, write_tournament
from bidwhist.bench.rates import C, bot, bytes_a_table, kernel, lockstep, rates, whole_run
from bidwhist.bench.yardstick import yardstick
from bidwhist.engine.batch import Batch
from bidwhist.engine.sequence import SEQUENCE, Played
from bidwhist.errors import ConfigError
from bidwhist.rules import PRESETS, Rules
from runs import part_files, table_of

on_linux = pytest.mark.skipif(not can_look(), reason="needs the processes as Linux shows them")


def silent(text: str) -> None:
    """Say nothing."""


def played(rules: Rules, spec: str) -> Played:
    sequences = np.zeros(40, SEQUENCE)
    sequences["first_board"] = np.arange(40)
    sequences["hands"] = 1
    return Batch(rules, 3, tables=7).play(sequences, [bot(spec)])


@pytest.mark.parametrize("name", PRESETS)
@pytest.mark.parametrize(
    ("ours", "other"), [("uniform:act_batch", "random"), ("lowest:act_batch", "bidwhist.bench.bots.first:act")]
)
def test_batch_bots_play_as_their_like_of_another_kind(name: str, ours: str, other: str) -> None:
    rules = PRESETS[name]
    assert (played(rules, f"bidwhist.bench.bots.{ours}").outcome == played(rules, other).outcome).all()


def steps(*values: float) -> Rate:
    """A rate with these samples; the first is that of the warming up."""
    left = iter(values)
    return Rate("steps", "deals", lambda: lambda: next(left))


def test_rates_are_medians_and_ratios_those_of_neighbours() -> None:
    known = {
        "slow": Rate("slow", "deals", steps(9, 2, 4, 6).prepare, "fast"),
        "fast": Rate("fast", "deals", steps(9, 4, 40, 8).prepare),
        "unasked": Rate("unasked", "deals", lambda: pytest.fail("is not needed")),
    }
    assert measure_rates(known, ["slow"], 3, silent) == [Figure("slow", 4, "deals", True, 0.5, "fast")]


def test_a_rate_that_cannot_be_had_is_left_out_and_so_are_ratios_to_it() -> None:
    known = {"c": Rate("c", "deals", lambda: None), "ours": Rate("ours", "deals", steps(1, 5).prepare, "c")}
    assert measure_rates(known, ["c", "ours"], 1, silent) == [Figure("ours", 5, "deals", True, None, "c")]


def test_json_has_the_keys_of_the_contract() -> None:
    contract = {"name", "per_s", "unit", "ratio", "against"}
    rate = Figure("random playouts", 5.0, "deals", True, 0.5, C).as_json()
    size = Figure("bytes a table", 1.5, "bytes").as_json()
    assert contract < rate.keys() == size.keys()
    assert (rate["per_s"], rate["value"], rate["unit"], rate["ratio"], rate["against"]) == (5, 5, "deals", 0.5, C)
    assert (size["per_s"], size["value"], size["unit"], size["ratio"], size["against"]) == (
        None,
        1.5,
        "bytes",
        None,
        None,
    )


@pytest.mark.skipif(not (shutil.which("clang") or shutil.which("gcc")), reason="needs a C compiler")
def test_the_yardstick_deals(tmp_path: Path) -> None:
    sample = yardstick(tmp_path)
    if sample is None:
        pytest.skip("the C program does not compile here: no BMI2")
    assert sample() > 10_000


@pytest.mark.parametrize("compiler", [None, "false"])
def test_without_a_compiler_that_works_there_is_no_yardstick(
    compiler: str | None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(yardstick_module.shutil, "which", lambda name: compiler)
    assert yardstick(tmp_path) is None


def test_engine_and_run_are_sampled_to_the_last_deal(tmp_path: Path) -> None:
    assert kernel("random", 50)() > 0
    assert kernel("heuristic", 64, part=16)() > 0
    assert lockstep("uniform:act_batch", 16)() > 0
    whole_run(tmp_path / "run", 400)()  # too short for its rate to mean anything
    assert sum(table_of(path).num_rows for path in part_files(tmp_path / "run")) == 800
    assert 0.5 < bytes_a_table("heuristic", "random") <= 3


def test_names_that_others_rely_on() -> None:
    names = [rate.name for rate in rates(Path(), boards=16)]
    assert {"random playouts", "heuristic self-play"} < set(names)
    assert len(names) == len(set(names))
    assert {rate.against for rate in rates(Path(), boards=16)} - {None} < set(names)


def test_only_what_is_asked_for_is_measured() -> None:
    (figure,) = measure(["heuristic self-play, boards"], 1, True, silent)
    assert figure.is_rate
    with pytest.raises(ConfigError, match="no figure has 'nonsense' in its name; there are: random deals in C; "):
        measure(["--help", "nonsense"], 1, True, silent)
    with pytest.raises(ConfigError, match="no figure has 'memory'"):
        measure(["memory"], 1, True, silent)  # slow ones are no part of a quick measurement


@on_linux
def test_a_run_is_watched_with_its_worker(tmp_path: Path) -> None:
    looks: list[float] = []
    peak = memory_of_run(write_tournament(tmp_path, 64), tmp_path / "run", looks.append)
    assert peak == max(looks)
    assert 100 < peak < 1000
    assert (tmp_path / "run" / "standings.parquet").exists()
    seconds = cpu_to_first_board(write_tournament(tmp_path, 32), tmp_path / "first", tmp_path / "code")
    assert seconds > cpu_of_help() > 0
    assert any((tmp_path / "code").glob("code-*"))


def test_the_command_prints_json_alone_and_tells_what_it_measures_on_standard_error() -> None:
    command = [sys.executable, "-m", "bidwhist", "bench", "--quick", "--repeats", "1", "--only"]
    done = subprocess.run([*command, "random playouts", "--json"], capture_output=True, text=True, check=True)
    (row,) = json.loads(done.stdout)
    assert (row["name"], row["unit"]) == ("random playouts", "deals")
    assert row["per_s"] > 1000
    told = {"1 of 1: random playouts", "random playouts: getting ready"}  # if it takes a while
    others = "waiting for another process that compiles "  # of another test
    assert {line for line in done.stderr.splitlines() if not line.startswith(others)} <= told
    table = subprocess.run([*command, "bytes a table, h"], capture_output=True, text=True, check=True).stdout
    assert "bytes a table, heuristic against random" in table
    wrong = subprocess.run([*command, "nonsense"], capture_output=True, text=True, check=False)
    assert (wrong.returncode, wrong.stderr[:31]) == (2, "error: --only: no figure has 'n")
