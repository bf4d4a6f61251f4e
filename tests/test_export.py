"""Reading some of a run, and writing it for others: filters against pandas, pieces against the whole, both formats."""

from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from click.testing import CliRunner
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from bidwhist.cli import group
from bidwhist.errors import RunError
from bidwhist.results import chunks, load
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
    assert len(load(run, boards=(10**9, 10**9 + 1))) == 0
    assert len(opened) == 1


@pytest.mark.parametrize(
    ("chosen", "words"),
    [
        ({"bots": ["A vs b"]}, "there is no bot 'A vs b'; did you mean A vs B"),
        ({"pairing": ["A vs B", "A vs B"]}, "a pairing is two bots"),
        ({"pairing": ["A vs B"]}, "a pairing is two bots"),
        ({"level": 8}, "level 8: levels are 1 to 7"),
        ({"strain": "uptwn"}, "there is no strain 'uptwn'; did you mean uptown"),
        ({"boards": (5, 5)}, "two numbers are wanted"),
        ({"boards": (1, 2, 3)}, "two numbers are wanted"),
        ({"columns": ["point"]}, "there is no column 'point'; did you mean points"),
    ],
)
def test_what_a_run_has_not_is_told(run: Path, chosen: dict[str, Any], words: str) -> None:
    for read in (load, chunks):
        with pytest.raises(RunError, match=words):
            read(run, **chosen)


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
