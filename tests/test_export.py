"""Reading some of a run, and writing it for others: filters against pandas, pieces against the whole, both formats."""

import gc
import os
import subprocess
import sys
import tracemalloc
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from click.testing import CliRunner
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from bidwhist.cli import group
from bidwhist.errors import RunError
from bidwhist.results import chunks, load
from bidwhist.results import frame as frame_module
from bidwhist.results import parts as parts_module
from bidwhist.results.frame import FRAME
from bidwhist.results.manifest import read_manifest
from bidwhist.results.parts import planned_parts
from bidwhist.results.schema import STRAINS
from runs import make_run, manifest_of

BOTS = ["A vs B", 'x,"y"', "$\\pi$ 🂡"]


@pytest.fixture(scope="module", params=[False, True], ids=["boards", "games"])
def run(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    manifest = manifest_of(BOTS, [(3, 200 if not request.param else 70)], games=request.param)
    return make_run(tmp_path_factory.mktemp("run") / "run", manifest)


@pytest.fixture(scope="module")
def many(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_run(tmp_path_factory.mktemp("many") / "run", manifest_of(BOTS, [(3, 4000)]))


CHOICES = st.fixed_dictionaries(
    {},
    optional={
        "bots": st.lists(st.sampled_from(BOTS), min_size=1, max_size=2),
        "pairing": st.permutations(BOTS).map(lambda names: names[:2]),
        "level": st.integers(1, 7) | st.lists(st.integers(1, 7), min_size=1, max_size=3),
        "strain": st.sampled_from(STRAINS) | st.lists(st.sampled_from(STRAINS), min_size=1, max_size=2),
        "boards": st.tuples(st.integers(0, 150), st.integers(1, 20_000)).map(lambda pair: (pair[0], sum(pair))),
    },
)


def filtered(frame: pd.DataFrame, chosen: dict[str, Any]) -> pd.DataFrame:
    """The same by pandas alone."""

    def several(value: Any) -> list[Any]:
        return [value] if isinstance(value, int | str) else list(value)

    ns, ew = frame["bot_ns"].astype(str), frame["bot_ew"].astype(str)
    keep = pd.Series(True, frame.index)
    if "bots" in chosen:
        keep &= ns.isin(chosen["bots"]) | ew.isin(chosen["bots"])
    if "pairing" in chosen:
        keep &= ns.isin(chosen["pairing"]) & ew.isin(chosen["pairing"])
    if "level" in chosen:
        keep &= frame["level"].isin(several(chosen["level"]))
    if "strain" in chosen:
        keep &= frame["strain"].astype(str).isin(several(chosen["strain"]))
    if "boards" in chosen:
        keep &= frame["board"].between(chosen["boards"][0], chosen["boards"][1] - 1)
    return frame[keep].reset_index(drop=True)


@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(CHOICES)
def test_filters_are_those_of_pandas(run: Path, chosen: dict[str, Any]) -> None:
    expected = filtered(load(run), chosen)
    found = load(run, **chosen)
    pd.testing.assert_frame_equal(found, expected)
    pieces = list(chunks(run, **chosen))
    assert all((piece.dtypes == found.dtypes).all() for piece in pieces), "the same categories in all"
    pd.testing.assert_frame_equal(pd.concat(pieces, ignore_index=True), expected)


def test_columns_come_in_their_own_order(run: Path) -> None:
    whole = load(run)
    found = load(run, columns=["points", "board", "bot_ns"], level=range(1, 4))
    assert list(found.columns) == ["board", "bot_ns", "points"]
    assert len(found) == (whole["level"] <= 3).sum()


def test_parts_without_wanted_rows_are_not_opened(run: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    opened = []
    read = parts_module._read

    def noted(*arguments: Any, **more: Any) -> Any:
        opened.append(arguments[2])
        return read(*arguments, **more)

    monkeypatch.setattr(parts_module, "_read", noted)
    manifest = read_manifest(run)
    planned = planned_parts(manifest)
    load(run, pairing=BOTS[:2])
    assert opened == [part for part in planned if {part.a, part.b} == {0, 1}]
    opened.clear()
    end = planned[0].units * manifest.hands_a_unit
    load(run, boards=(0, end))
    assert opened == [part for part in planned if part.first == 0]
    opened.clear()
    nothing: list[dict[str, Any]] = [
        {"boards": (10**9, 10**9 + 1)},
        {"pairing": BOTS[1:], "boards": (10**9, 10**10)},
        {"bots": []},
        {"level": []},
        {"strain": []},
    ]
    for chosen in nothing:
        found = [load(run, **chosen), *chunks(run, **chosen)]
        assert opened == []
        for frame in found:
            pd.testing.assert_frame_equal(frame, load(run).iloc[:0])
        opened.clear()


def test_plays_are_filtered_like_the_rest(tmp_path: Path) -> None:
    run = make_run(tmp_path / "run", manifest_of(BOTS, [(3, 40)], plays=True))
    whole = load(run, plays=True)
    for chosen in ({"level": [2, 3]}, {"bots": BOTS[2:], "boards": (7, 31)}, {"boards": (10**9, 10**10)}):
        pd.testing.assert_frame_equal(load(run, plays=True, **chosen), filtered(whole, chosen))
    assert list(load(run, plays=True, columns=["plays", "board"], level=3).columns) == ["board", "plays"]


@pytest.mark.parametrize("column", ["board", "bot_ns", "level", "made", "call_1", "fault_n"])
def test_memory_does_not_grow_with_what_is_left_out(many: Path, column: str) -> None:
    part = max(each.units for each in planned_parts(read_manifest(many))) * 2
    for chosen in ({}, {"level": [4, 5, 6, 7]}):
        values = load(many, columns=[column], **chosen).memory_usage(index=False, deep=False).sum()
        gc.collect()
        tracemalloc.start()
        try:
            load(many, columns=[column], **chosen)
            _, peak = tracemalloc.get_traced_memory()
        finally:
            tracemalloc.stop()
        assert peak < 2.5 * values + 800 * part + 100_000


@pytest.mark.parametrize(
    ("chosen", "words"),
    [
        ({"bots": ["A vs b"]}, "there is no bot 'A vs b'; did you mean A vs B"),
        ({"pairing": ["A vs B", "A vs B"]}, "a pairing is two bots"),
        ({"pairing": ["A vs B"]}, "a pairing is two bots"),
        ({"level": 8}, "level 8: levels are 1 to 7"),
        ({"strain": "uptwn"}, "there is no strain 'uptwn'; did you mean uptown"),
        ({"boards": (5, 5)}, "two whole numbers are wanted"),
        ({"boards": (1, 2, 3)}, "two whole numbers are wanted"),
        ({"columns": ["point"]}, "there is no column 'point'; did you mean points"),
        ({"columns": 5}, "there is no column 5"),
        ({"columns": ["board", "plays"]}, "column 'plays' is only in a frame with plays"),
        ({"bots": 5}, "there is no bot 5"),
        ({"pairing": 5}, "a pairing is two bots"),
        ({"pairing": "A vs B"}, "a pairing is two bots"),
        ({"level": 2.5}, "level 2.5: levels are 1 to 7"),
        ({"level": slice(2)}, "levels are 1 to 7"),
        ({"level": ["3"]}, "level '3': levels are 1 to 7"),
        ({"boards": (0, 1.5)}, "two whole numbers are wanted"),
        ({"boards": ("0", "9")}, "two whole numbers are wanted"),
        ({"boards": 5}, "two whole numbers are wanted"),
        ({"boards": range(0, 100, 2)}, "without steps"),
        ({"boards": range(-5, 5)}, "two whole numbers are wanted"),
    ],
)
def test_what_a_run_has_not_is_told(run: Path, chosen: dict[str, Any], words: str) -> None:
    for read in (load, chunks):
        with pytest.raises(RunError, match=words):
            read(run, **chosen)


def test_column_of_games_only_is_told(tmp_path: Path) -> None:
    run = make_run(tmp_path / "run", manifest_of(BOTS[:2], [(2, 4)]))
    with pytest.raises(RunError, match="column 'winner' is only in a frame of games"):
        load(run, columns=["winner"])


def test_numbers_of_numpy_and_single_values_are_taken(run: Path) -> None:
    pd.testing.assert_frame_equal(load(run, level=np.int64(3)), load(run, level=[3]))
    pd.testing.assert_frame_equal(load(run, level=np.arange(2, 4)), load(run, level=[2, 3]))
    pd.testing.assert_frame_equal(load(run, boards=np.array([3, 50])), load(run, boards=range(3, 50)))
    pd.testing.assert_frame_equal(
        load(run, bots=BOTS[1], columns="points"), load(run, bots=[BOTS[1]], columns=["points"])
    )


def invoke(*arguments: object) -> Any:
    return CliRunner().invoke(group, ["export", *map(str, arguments)])


def test_field_fault_38_both_formats_give_the_frame_back(run: Path, tmp_path: Path) -> None:
    whole = load(run)
    csv, parquet = tmp_path / "run.csv", tmp_path / "run.parquet"
    assert invoke(run, "--csv", csv).exit_code == 0
    assert invoke(run, "--parquet", parquet).exit_code == 0
    pd.testing.assert_frame_equal(pd.read_parquet(parquet), whole)
    texts = {column.name: str for column in FRAME if column.texts is not None and column.name in whole}
    read = pd.read_csv(csv, dtype=texts, keep_default_na=False, na_values={name: [""] for name in whole})
    for name in whole:
        expected = whole[name].astype(object).where(whole[name].notna(), None).tolist()
        assert read[name].astype(object).where(read[name].notna(), None).tolist() == expected, name
    assert sorted(path.name for path in tmp_path.iterdir()) == ["run.csv", "run.parquet"]


@pytest.mark.parametrize("level", range(1, 8))
def test_parquet_of_some_rows_has_the_same_categories(run: Path, tmp_path: Path, level: int) -> None:
    file = tmp_path / "some.parquet"
    assert invoke(run, "--parquet", file, "--level", level, "--bot", BOTS[1], "--boards", "3:160").exit_code == 0
    found, expected = pd.read_parquet(file), load(run, level=level, bots=BOTS[1], boards=(3, 160))
    if expected.empty:  # Parquet keeps categories with the rows
        assert (found.empty, list(found)) == (True, list(expected))
    else:
        pd.testing.assert_frame_equal(found, expected)


def test_csv_reads_back_as_the_docs_say(tmp_path: Path) -> None:
    run = make_run(tmp_path / "run", manifest_of(["NA", "null"], [(2, 20)]))
    assert invoke(run, "--csv", tmp_path / "run.csv").exit_code == 0
    found, whole = pd.read_csv(tmp_path / "run.csv", keep_default_na=False, na_values=[""]), load(run)
    for name in ("bot_ns", "declaring_bot", "call_1", "trump", "kitty_side"):
        assert found[name].tolist() == whole[name].tolist(), name
    assert found["fault_n"].isna().all()


def test_the_command_takes_the_filters(run: Path) -> None:
    found = invoke(
        run, "--csv", "-", "--bot", BOTS[0], "--pairing", BOTS[0], BOTS[1], "--level", 3, "--level", 4, "--strain",
        "uptown", "--boards", "0:9000", "--columns", "board,level,points",
    )  # fmt: skip
    expected = load(run, pairing=BOTS[:2], level=[3, 4], strain="uptown", boards=(0, 9000))
    assert found.exit_code == 0
    assert found.stdout == expected[["board", "level", "points"]].to_csv(index=False, lineterminator="\n")


def test_nothing_is_written_over_or_left_half(run: Path, tmp_path: Path) -> None:
    target = tmp_path / "out.csv"
    target.write_text("mine", encoding="utf-8")
    refused = invoke(run, "--csv", target)
    assert (refused.exit_code, target.read_text(encoding="utf-8")) == (1, "mine")
    assert isinstance(refused.exception, RunError)
    assert invoke(run, "--csv", target, "--force").exit_code == 0
    assert target.read_text(encoding="utf-8").startswith("board,")
    assert isinstance(invoke(run, "--csv", tmp_path / "no" / "out.csv").exception, RunError)
    assert invoke(run).exit_code == 2
    assert invoke(run, "--csv", "a", "--parquet", "b").exit_code == 2
    assert invoke(run, "--csv", tmp_path / "b.csv", "--boards", "5").exit_code == 2
    assert isinstance(invoke(tmp_path / "nowhere", "--csv", tmp_path / "b.csv").exception, RunError)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["out.csv"]


def test_field_fault_38_standard_output_is_utf_8_in_every_locale(run: Path) -> None:
    expected = load(run, columns=["bot_ns"], boards=(0, 9)).to_csv(index=False, lineterminator="\n").encode()
    assert "🂡".encode() in expected
    command = [sys.executable, "-m", "bidwhist", "export", str(run), "--csv", "-"]
    for more in ({"PYTHONIOENCODING": "ascii"}, {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}):
        found = subprocess.run(
            [*command, "--columns", "bot_ns", "--boards", "0:9"], env={**os.environ, **more}, capture_output=True
        )
        assert (found.returncode, found.stderr) == (0, b"")
        assert found.stdout == expected


def test_parquet_is_not_for_standard_output(run: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("-").write_text("mine", encoding="utf-8")
    found = invoke(run, "--parquet", "-", "--force")
    assert found.exit_code == 2
    assert "--csv -" in found.output
    assert Path("-").read_text(encoding="utf-8") == "mine"


def test_files_beside_the_target_are_left_alone(run: Path, tmp_path: Path) -> None:
    beside = tmp_path / "out.csv.tmp"
    beside.write_text("mine", encoding="utf-8")
    assert invoke(run, "--csv", tmp_path / "out.csv", "--columns", "board").exit_code == 0
    assert beside.read_text(encoding="utf-8") == "mine"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["out.csv", "out.csv.tmp"]


@pytest.mark.parametrize("option", ["--csv", "--parquet"])
def test_only_files_are_written_over(run: Path, tmp_path: Path, option: str) -> None:
    pipe, folder, file, link = (tmp_path / name for name in ("pipe", "folder", "file", "link"))
    os.mkfifo(pipe)
    folder.mkdir()
    file.write_text("old", encoding="utf-8")
    link.symlink_to(file)
    for target, words in ((pipe, "no regular file"), (folder, "is a folder")):
        for force in ((), ("--force",)):
            error = invoke(run, option, target, *force).exception
            assert isinstance(error, RunError)
            assert words in str(error)
    assert pipe.is_fifo()
    assert invoke(run, option, link, "--force", "--columns", "board").exit_code == 0
    assert link.is_symlink()
    assert file.read_bytes()[:4] in (b"boar", b"PAR1")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["file", "folder", "link", "pipe"]


def test_file_that_appears_meanwhile_is_not_written_over(run: Path, tmp_path: Path, monkeypatch: Any) -> None:
    target = tmp_path / "out.csv"

    def late(*arguments: Any, **more: Any) -> Any:
        for piece in chunks(*arguments, **more):
            target.write_text("mine", encoding="utf-8")
            yield piece

    monkeypatch.setattr(frame_module, "chunks", late)
    assert isinstance(invoke(run, "--csv", target).exception, RunError)
    assert target.read_text(encoding="utf-8") == "mine"
    assert [path.name for path in tmp_path.iterdir()] == ["out.csv"]


@pytest.mark.parametrize("option", ["--csv", "--parquet"])
@pytest.mark.parametrize("error", [KeyboardInterrupt, RunError("damaged")])
def test_stopped_export_leaves_what_was_there(
    run: Path, tmp_path: Path, monkeypatch: Any, option: str, error: Any
) -> None:
    target = tmp_path / "out"
    target.write_text("old", encoding="utf-8")

    def broken(*arguments: Any, **more: Any) -> Any:
        yield next(iter(chunks(*arguments, **more)))
        raise error

    monkeypatch.setattr(frame_module, "chunks", broken)
    assert invoke(run, option, target, "--force").exit_code != 0
    assert target.read_text(encoding="utf-8") == "old"
    assert [path.name for path in tmp_path.iterdir()] == ["out"]


@pytest.mark.parametrize("option", ["--csv", "--parquet"])
def test_full_disk_is_told_in_a_line(run: Path, tmp_path: Path, option: str) -> None:
    words = f'ulimit -f 4; exec "$0" -m bidwhist export "$1" {option} "$2"'
    found = subprocess.run(["bash", "-c", words, sys.executable, run, tmp_path / "out"], capture_output=True, text=True)
    assert found.returncode == 2
    assert found.stderr == f"error: {tmp_path / 'out'}: cannot be written: File too large\n"
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("boards", ["5", "5:", "9:3", "0:" + "9" * 5000, "a:b", "-1:3"])
def test_no_stretch_of_boards(run: Path, boards: str) -> None:
    found = invoke(run, "--csv", "-", f"--boards={boards}")
    assert found.exit_code == 2
    assert "is no stretch of boards" in found.output
    assert len(found.output) < 500


def test_columns_may_have_spaces_and_none_is_no_choice(run: Path) -> None:
    assert invoke(run, "--csv", "-", "--columns", "points, board").stdout.startswith("board,points\n")
    assert isinstance(invoke(run, "--csv", "-", "--columns", "").exception, RunError)
