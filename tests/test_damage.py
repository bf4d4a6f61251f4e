"""Results cannot lie: parts are bound to their run, and whatever is wrong with a file is told by all who read it."""

import json
import os
import random
import re
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from bidwhist import run_tournament
from bidwhist.errors import BidWhistError, RunError, Stopped
from bidwhist.results import load
from bidwhist.results.hands import hands_of
from bidwhist.results.manifest import read_manifest, write_manifest
from bidwhist.results.standings import standings_of
from runs import keep_rows, part_files, rewrite_part, set_values, table_of

FIELDS = {"name": "t", "seed": 7, "boards": 64, "bots": ["random", "random?calls=pass", "heuristic"]}
PARTS = 6


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run of three pairings in two parts each."""
    return run_tournament(FIELDS, out=tmp_path_factory.mktemp("whole") / "run", executor="inline")


@pytest.fixture(scope="module")
def other(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The same with another seed."""
    return run_tournament({**FIELDS, "seed": 8}, out=tmp_path_factory.mktemp("other") / "run", executor="inline")


@pytest.fixture
def run(whole: Path, tmp_path: Path) -> Path:
    return shutil.copytree(whole, tmp_path / "run")


def content(run: Path) -> dict[str, bytes]:
    """The files of a run that are the same whoever has played it."""
    return {str(path.relative_to(run)): path.read_bytes() for path in sorted(run.rglob("*.parquet"))}


def resume(run: Path, **changes: Any) -> None:
    run_tournament({**FIELDS, **changes}, out=run, resume=True, executor="inline")


def reencode(path: Path, change: Callable[[Any], Any]) -> None:
    """Write a part with a library, its metadata kept: right label, other content."""
    table = change(table_of(path))
    metadata = pq.read_metadata(path).metadata
    with pq.ParquetWriter(path, table.schema, store_schema=False) as writer:
        writer.write_table(table)
        writer.add_key_value_metadata(metadata)


def with_column(name: str, make: Callable[[Any], Any]) -> Callable[[Any], Any]:
    def change(table: Any) -> Any:
        values = make(table.column(name).to_numpy().copy())
        values = values if isinstance(values, pa.Array) else pa.array(values)
        return table.set_column(table.schema.get_field_index(name), name, values)

    return change


def nulls(values: Any) -> Any:
    return pa.array([None, *values[1:].tolist()], pa.int8())


def flip(path: Path, place: int) -> None:
    data = bytearray(path.read_bytes())
    data[place] ^= 1
    path.write_bytes(data)


def truncate(path: Path, length: int) -> None:
    path.write_bytes(path.read_bytes()[:length])


def replace_by_folder(path: Path) -> None:
    path.unlink()
    path.mkdir()


def replace_by_link(path: Path, target: str) -> None:
    path.unlink()
    path.symlink_to(target)


def replace_by_pipe(path: Path) -> None:
    path.unlink()
    os.mkfifo(path)


DAMAGES: dict[str, Callable[[Path], None]] = {
    "gone": Path.unlink,
    "empty": lambda path: truncate(path, 0),
    "cut": lambda path: truncate(path, -1),
    "half": lambda path: truncate(path, 2000),
    "a bit of the data": lambda path: flip(path, 100),
    "a bit of the footer": lambda path: flip(path, -300),
    "a bit of its digest": lambda path: flip(path, path.read_bytes().rfind(b"bidwhist.seal") + 20),
    "a link to itself": lambda path: replace_by_link(path, path.name),
    "a link to what never ends": lambda path: replace_by_link(path, "/dev/zero"),
    "a folder": replace_by_folder,
    "a pipe": replace_by_pipe,
    "much too long": lambda path: os.truncate(path, 20 << 30),
    "text": lambda path: path.write_bytes(b"no part at all") and None,
    "rows missing": lambda path: reencode(path, lambda table: table.slice(2)),
    "column missing": lambda path: reencode(path, lambda table: table.drop_columns(["tricks"])),
    "nulls": lambda path: reencode(path, with_column("tricks", nulls)),
    "out of range": lambda path: reencode(path, with_column("tricks", lambda values: np.full_like(values, 77))),
    "tricks changed": lambda path: reencode(path, with_column("tricks", lambda values: values[::-1].copy())),
    # What a careful forger would do: the digest fits the content.
    "sealed without rows": lambda path: rewrite(path, keep_rows(slice(2, None))),
    "sealed in another order": lambda path: rewrite(path, keep_rows(slice(None, None, -1))),
    "sealed out of range": lambda path: rewrite(path, set_values("tricks", 3, 14)),
    "sealed with another bot": lambda path: rewrite(path, set_values("north", 3, 7)),
}  # fmt: skip


def rewrite(path: Path, change: Callable[[dict[str, Any]], None]) -> None:
    rewrite_part(path.parents[1], number(path), change)


def number(path: Path) -> int:
    return int(path.stem.removeprefix("part-"))


def named(read: Callable[[], object]) -> set[str]:
    """The parts that a reader names in its error."""
    with pytest.raises(RunError, match="go on with --resume") as refused:
        read()
    return set(re.findall(r"part-\d+\.parquet", str(refused.value)))


def show_all(run: Path) -> None:
    manifest = read_manifest(run)
    wrong = []
    for board in (0, 40):
        try:
            hands_of(run, manifest, board)
        except RunError as error:
            wrong.append(str(error))
    if wrong:
        raise RunError(" ".join(wrong))


@pytest.mark.parametrize("damage", DAMAGES)
def test_every_reader_names_the_damaged_parts_and_a_resume_repairs_them(damage: str, whole: Path, run: Path) -> None:
    victims = [path for path in part_files(run) if number(path) in (1, 4)]
    for path in victims:
        DAMAGES[damage](path)
    expected = {path.name for path in victims}
    for read in (standings_of, load, show_all):
        assert named(lambda read=read: read(run)) == expected  # type: ignore[misc]
    resume(run)
    assert content(run) == content(whole)


def test_damages_of_each_part_alone(whole: Path, run: Path) -> None:
    for place in range(PARTS):
        for damage in DAMAGES.values():
            damage(part_files(run)[place])
            name = f"part-{place:06d}.parquet"
            assert named(lambda: standings_of(run)) == {name}
            if (run / "boards" / name).is_dir():
                (run / "boards" / name).rmdir()
            (run / "boards" / name).unlink(missing_ok=True)
            shutil.copy(whole / "boards" / name, run / "boards" / name)
    assert content(run) == content(whole)


def test_parts_of_another_seed_are_not_taken(whole: Path, other: Path, run: Path) -> None:
    shutil.copy(part_files(other)[2], run / "boards")
    for read in (standings_of, load):
        with pytest.raises(RunError, match=r"part-000002\.parquet belongs to another run: to another seed"):
            read(run)
    resume(run)
    assert content(run) == content(whole)


@pytest.mark.parametrize("rules", ["no-kitty", {"nt_factor": 2}, {"target": 5}])
def test_parts_of_other_rules_are_not_taken(rules: Any, tmp_path: Path, whole: Path, run: Path) -> None:
    strange = run_tournament({**FIELDS, "rules": rules}, out=tmp_path / "strange", executor="inline")
    shutil.rmtree(run / "boards")
    shutil.copytree(strange / "boards", run / "boards")
    assert len(named(lambda: standings_of(run))) == PARTS
    resume(run)
    assert content(run) == content(whole)


def test_the_parts_of_a_run_without_its_manifest_are_no_new_run(whole: Path, other: Path, run: Path) -> None:
    (run / "manifest.json").unlink()
    (run / ".manifest.json").unlink()
    with pytest.raises(
        RunError, match=r"holds part-000000\.parquet of a run that has no manifest\.json; go on with it"
    ):
        run_tournament(FIELDS, out=run, executor="inline")
    with pytest.raises(
        RunError, match=r"holds part-000000\.parquet, which is damaged or belongs to another tournament"
    ):
        resume(run, seed=8)
    assert not (run / "manifest.json").exists()
    before = {path.name: path.stat().st_mtime_ns for path in part_files(run)}
    resume(run)
    assert {path.name: path.stat().st_mtime_ns for path in part_files(run)} == before, "nothing is played again"
    assert content(run) == content(whole)


def test_a_lost_manifest_is_made_of_its_copy(whole: Path, run: Path) -> None:
    (run / "manifest.json").unlink()
    with pytest.raises(RunError, match="is another tournament: seed: 7 in the run, 8 now"):
        resume(run, seed=8)
    (run / "manifest.json").unlink()
    resume(run)
    assert content(run) == content(whole)


def test_standings_of_another_run_are_not_shown(other: Path, run: Path) -> None:
    expected = standings_of(run)
    for name in ("standings.parquet", "pairings.parquet", "faults.parquet"):
        shutil.copy(other / name, run / name)
    assert standings_of(run) == expected


def test_a_manifest_of_another_run_is_not_believed(other: Path, run: Path) -> None:
    shutil.copy(other / "manifest.json", run / "manifest.json")
    assert len(named(lambda: standings_of(run))) == PARTS
    assert len(named(lambda: load(run))) == PARTS


def test_names_that_were_exchanged_in_the_manifest_are_noticed(run: Path) -> None:
    text = (run / "manifest.json").read_text(encoding="utf-8")
    swapped = text.replace('"name": "heuristic"', '"name": "x"').replace('"name": "random"', '"name": "heuristic"')
    (run / "manifest.json").write_text(swapped.replace('"name": "x"', '"name": "random"'), encoding="utf-8")
    assert len(named(lambda: standings_of(run))) == PARTS


def test_what_is_no_regular_file_is_waited_for_by_nobody(tmp_path: Path, run: Path) -> None:
    """A pipe has no end until somebody writes into it."""
    for name in ("manifest.json", ".lock", "standings.parquet"):
        (run / name).unlink(missing_ok=True)
        os.mkfifo(run / name)
    with pytest.raises(RunError, match=r"manifest\.json: cannot be read: it is no regular file"):
        standings_of(run)
    os.mkfifo(tmp_path / "t.toml")
    with pytest.raises(BidWhistError, match=r"t\.toml: cannot be read: it is no regular file"):
        run_tournament(tmp_path / "t.toml", out=tmp_path / "new")
    (run / "manifest.json").unlink()
    resume(run)
    assert standings_of(run).rows == PARTS * 64


def test_where_a_copy_lies_is_mended_by_a_resume(whole: Path, run: Path) -> None:
    """It is no part of what a run is known by, and nothing is played for it."""
    text = (run / "manifest.json").read_text(encoding="utf-8")
    (run / "manifest.json").write_text(text.replace('"kept": null', '"kept": "../../evil.py"', 1), encoding="utf-8")
    before = {path.name: path.stat().st_mtime_ns for path in part_files(run)}
    resume(run)
    assert {path.name: path.stat().st_mtime_ns for path in part_files(run)} == before
    assert read_manifest(run).bots == read_manifest(whole).bots


def test_a_run_may_be_moved_and_its_clock_be_wrong(whole: Path, run: Path, tmp_path: Path) -> None:
    moved = run.rename(tmp_path / "another name")
    content_of = json.loads((moved / "manifest.json").read_text(encoding="utf-8"))
    content_of |= {"started": "1970-01-01T00:00:00Z", "finished": "1969-12-31T00:00:00Z", "folder": "/nowhere"}
    (moved / "manifest.json").write_text(json.dumps(content_of), encoding="utf-8")
    assert standings_of(moved) == standings_of(whole)
    assert load(moved).equals(load(whole))


def test_a_finished_run_has_all_its_parts(run: Path) -> None:
    manifest = read_manifest(run)
    part_files(run)[3].unlink()
    with pytest.raises(RunError, match=r"part-000003\.parquet is missing; go on with --resume"):
        standings_of(run)
    manifest.state = "running"
    write_manifest(run, manifest)
    assert standings_of(run).rows == (PARTS - 1) * 64


def outcome(read: Callable[[Path], Any], run: Path) -> Any:
    """What a reader gives, or None if it refuses; whatever else it raises, is a fault of ours."""
    try:
        return read(run)
    except BidWhistError:
        return None


@pytest.mark.parametrize(
    "name",
    ["manifest.json", "standings.parquet", "pairings.parquet", "faults.parquet", *["boards/part-000002.parquet"] * 2],
)
def test_flipped_bits_are_refused_or_change_nothing(name: str, whole: Path, run: Path) -> None:  # fmt: skip
    """A part of 20,000 flips; `benchmarks/damage.py` makes all of them."""
    expected = standings_of(whole)
    chance = random.Random(name)
    data = (whole / name).read_bytes()
    for _ in range(150):
        changed = bytearray(data)
        changed[chance.randrange(len(data))] ^= 1 << chance.randrange(8)
        (run / name).write_bytes(changed)
        assert outcome(standings_of, run) in (None, expected)
        frame = outcome(load, run)
        assert frame is None or len(frame) == PARTS * 64


def test_what_varies_from_run_to_run_need_not_be_there(whole: Path, run: Path) -> None:
    shutil.rmtree(run / "timings")
    (run / ".lock").unlink()
    part_files(run)[2].unlink()
    resume(run)
    assert content(run) == content(whole)


@pytest.mark.parametrize("failing", range(4))
def test_a_disk_that_is_full_stops_a_run_whatever_is_written(
    failing: int, whole: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The manifest first, then parts: each ends with the error of exit code 3, and nothing is lost."""
    calls = 0
    sync = os.fsync

    def full(descriptor: int) -> None:
        nonlocal calls
        calls += 1
        if calls > failing:
            raise OSError(28, "No space left on device")
        sync(descriptor)

    with monkeypatch.context() as patch:
        patch.setattr("os.fsync", full)
        with pytest.raises(Stopped, match="cannot be written: No space left on device"):
            run_tournament(FIELDS, out=tmp_path / "run", executor="inline")
    resume(tmp_path / "run")
    assert content(tmp_path / "run") == content(whole)
