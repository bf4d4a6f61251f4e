"""Runs: the same bytes whatever happens on the way, and one clear message for every mistake."""

import hashlib
import json
import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from bidwhist.arena.config import make_config
from bidwhist.arena.run import Progress, run
from bidwhist.arena.tournament import prepare
from bidwhist.errors import BotFault, BotSpecError, ConfigError, RunError
from bidwhist.play import play_board, run_tournament
from bidwhist.results import load
from bidwhist.results.manifest import read_manifest
from bidwhist.results.parts import planned_parts, present_parts
from bidwhist.results.schedule import by_stretch
from bidwhist.results.schema import SCHEMA_VERSION
from runs import part_files, table_of

DERIVED = ("standings", "pairings", "faults", "ranks", "differences")
FIELDS = {"name": "t", "seed": 7, "boards": 120, "bots": ["random", "random?calls=pass", "heuristic"]}


FORFEITING = [{"name": name, "spec": name, "sha256": "0" * 64, "on_fault": "forfeit"} for name in ("a", "b")]


def digest(run: Path, *, rows_only: bool = False) -> str:
    """A hash over the parts and the derived files of a run."""
    total = hashlib.sha256()
    if rows_only:
        rows = sorted(row for path in part_files(run) for row in map(repr, table_of(path).to_pylist()))
        total.update("\n".join(rows).encode())
    else:
        for path in [*part_files(run), *(run / f"{name}.parquet" for name in DERIVED)]:
            total.update(path.name.encode() + path.read_bytes())
    return total.hexdigest()


@pytest.fixture(scope="module")
def reference(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return run_tournament(FIELDS, out=tmp_path_factory.mktemp("reference") / "run", executor="inline")


def write_bot(folder: Path, name: str, text: str) -> str:
    (folder / name).write_text(text, encoding="utf-8")
    return str(folder / name)


def test_what_a_run_leaves(reference: Path) -> None:
    manifest = json.loads((reference / "manifest.json").read_text(encoding="utf-8"))
    assert manifest["state"] == "finished"
    assert [bot["name"] for bot in manifest["bots"]] == FIELDS["bots"]
    assert all(len(bot["sha256"]) == 64 for bot in manifest["bots"])
    assert manifest["started"].endswith("Z")
    assert sum(table_of(path).num_rows for path in part_files(reference)) == 3 * 120 * 2
    assert sorted(path.name for path in reference.iterdir()) == [
        ".lock", ".manifest.json", "boards", "differences.parquet", "faults.parquet", "manifest.json",
        "pairings.parquet", "ranks.parquet", "standings.parquet", "timings",
    ]  # fmt: skip


def stop_after(parts: int, fields: dict[str, object], out: Path, *, executor: str = "inline", jobs: int = 1) -> None:
    """Play a tournament into `out`, or go on with it, until it has so many finished parts; it has more to play."""

    def stop(progress: Progress) -> None:
        if progress.parts_done == parts:
            raise KeyboardInterrupt

    tournament = prepare(make_config(fields, "test"), [out.parent])
    with pytest.raises(KeyboardInterrupt):
        run(tournament, out, resume=out.exists(), executor=executor, jobs=jobs, report=stop)


def parts_as_played(run: Path) -> list[int]:
    lines = (run / "timings" / "parts.jsonl").read_text(encoding="utf-8").splitlines()
    return [json.loads(line)["part"] for line in lines]


@pytest.mark.parametrize(("executor", "jobs"), [("inline", 1), ("processes", 2)])
@pytest.mark.parametrize("stopped_after", [1, 4, 8])
def test_a_run_that_is_stopped_has_the_same_boards_in_all_pairings(
    tmp_path: Path, executor: str, jobs: int, stopped_after: int
) -> None:
    """The means of bots that met different boards, or some opponents only, would not be comparable."""
    out = tmp_path / "run"
    stop_after(stopped_after, {**FIELDS, "boards": 300}, out, executor=executor, jobs=jobs)
    manifest = read_manifest(out)
    planned = planned_parts(manifest)
    assert len(planned) > 9
    reached = dict.fromkeys([(0, 1), (0, 2), (1, 2)], 0)
    for part in present_parts(out, manifest):
        assert jobs > 1 or part.first == reached[part.a, part.b], "one worker leaves no gaps"
        reached[part.a, part.b] += part.units
    # A part of the prefix may still be with each of the other workers.
    assert max(reached.values()) - min(reached.values()) <= jobs * max(part.units for part in planned)
    if jobs == 1:
        assert sum(boards > 0 for boards in reached.values()) == min(3, stopped_after)


def test_a_resume_plays_what_is_missing_stretch_by_stretch(tmp_path: Path) -> None:
    out, fields = tmp_path / "run", {**FIELDS, "boards": 300}
    stop_after(4, fields, out)
    planned = by_stretch(planned_parts(read_manifest(out)))
    order = [part.number for part in planned]
    assert order != sorted(order)
    assert parts_as_played(out) == order[:4]
    (out / "boards" / planned[1].file_name).unlink()
    stop_after(8, fields, out)
    assert parts_as_played(out) == [*order[:4], order[1], *order[4:8]]


def test_an_extension_that_is_stopped_has_the_same_boards_in_all_pairings(tmp_path: Path) -> None:
    """A bot that is added meets the others on the boards that they have played, before anybody plays more."""
    out = tmp_path / "run"
    run_tournament({**FIELDS, "bots": FIELDS["bots"][:2]}, out=out, executor="inline")
    done = len(part_files(out))
    stop_after(done + 9, {**FIELDS, "boards": 300}, out)
    manifest = read_manifest(out)
    planned = planned_parts(manifest)
    reached = dict.fromkeys([(0, 1), (0, 2), (1, 2)], 0)
    for part in present_parts(out, manifest):
        reached[part.a, part.b] += part.units
    assert min(reached.values()) > 120
    assert max(reached.values()) - min(reached.values()) <= max(part.units for part in planned)


def test_f18_f19_all_pairings_play_the_same_boards_and_none_twice(reference: Path) -> None:
    frame = load(reference)
    for _, rows in frame.groupby(["bot_ns", "bot_ew"], observed=True):
        assert sorted(rows["board"]) == list(range(120))


def test_f10_jobs_make_no_difference(reference: Path, tmp_path: Path) -> None:
    for jobs in (1, 2, 7):
        assert digest(run_tournament(FIELDS, out=tmp_path / str(jobs), jobs=jobs)) == digest(reference)


def test_f12_hash_seed_makes_no_difference(reference: Path, tmp_path: Path) -> None:
    for hash_seed in ("0", "1", "random"):
        out = tmp_path / hash_seed
        code = f"import bidwhist; bidwhist.run_tournament({FIELDS!r}, out={str(out)!r}, executor='inline')"
        subprocess.run([sys.executable, "-c", code], env={**os.environ, "PYTHONHASHSEED": hash_seed}, check=True)
        assert digest(out) == digest(reference)


SLOW = "import time\n\ndef act(obs):\n    time.sleep(0.0003)\n    return obs.legal[0]\n"


@pytest.fixture(scope="module")
def slow_tournament(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """A tournament file with a slow bot, and the folder of its undisturbed run."""
    folder = tmp_path_factory.mktemp("slow")
    write_bot(folder, "slow.py", SLOW)
    file = folder / "slow.toml"
    file.write_text('seed = 3\nboards = 400\nbots = ["heuristic", "slow.py"]\n', encoding="utf-8")
    return file, run_tournament(file, out=folder / "whole")


def start(file: Path, out: Path, *options: str) -> subprocess.Popen[str]:
    command = [sys.executable, "-m", "bidwhist", "run", str(file), "--out", str(out), "--jobs", "2", *options]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True)


def wait_for_parts(out: Path, number: int, process: subprocess.Popen[str]) -> None:
    end = time.monotonic() + 60
    while len(list((out / "boards").glob("part-*.parquet"))) < number and process.poll() is None:
        assert time.monotonic() < end
        time.sleep(0.01)


def children(pid: int) -> list[int]:
    found = []
    for stat in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = stat.read_text(encoding="utf-8").rpartition(")")[2].split()
        except OSError:
            continue
        if int(fields[1]) == pid:
            found.append(int(stat.parent.name))
    return found


def alive(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


@pytest.mark.skipif(sys.platform != "linux", reason="looks processes up in /proc")
def test_f4_f8_killed_five_times_then_resumed(slow_tournament: tuple[Path, Path], tmp_path: Path) -> None:
    file, whole = slow_tournament
    out = tmp_path / "run"
    signals = (signal.SIGKILL, signal.SIGINT, signal.SIGTERM, signal.SIGKILL, signal.SIGKILL)
    for done, number in enumerate(signals, 1):
        process = start(file, out, "--resume")
        wait_for_parts(out, 2 * done, process)
        workers = children(process.pid)
        assert process.poll() is None
        process.send_signal(number)
        _, errors = process.communicate(timeout=20)
        assert "Traceback" not in errors
        assert process.returncode == (-number if number == signal.SIGKILL else 130)
        end = time.monotonic() + 5
        while any(alive(pid) for pid in workers):
            assert time.monotonic() < end, "a worker outlived the run by five seconds"
            time.sleep(0.05)
    process = start(file, out, "--resume")
    output, errors = process.communicate(timeout=120)
    assert process.returncode == 0, errors
    assert "\r" not in output + errors
    assert digest(out) == digest(whole)


@pytest.mark.skipif(sys.platform != "linux", reason="looks processes up in /proc")
def test_f3_a_killed_worker_costs_nothing(slow_tournament: tuple[Path, Path], tmp_path: Path) -> None:
    file, whole = slow_tournament
    out = tmp_path / "run"
    process = start(file, out)
    wait_for_parts(out, 2, process)
    victims = [pid for pid in children(process.pid) if b"arena.executors" in Path(f"/proc/{pid}/cmdline").read_bytes()]
    assert victims
    os.kill(victims[0], signal.SIGKILL)
    _, errors = process.communicate(timeout=120)
    assert process.returncode == 0, errors
    assert digest(out) == digest(whole)


def test_a_bot_that_kills_its_process_stops_the_run(tmp_path: Path) -> None:
    spec = write_bot(tmp_path, "exits.py", "import os\n\ndef act(obs):\n    os._exit(7)\n")
    words = r"exits\.py' failed on board \d+, seat \w, decision call: the process .* exited with code 7, the third time"
    with pytest.raises(BotFault, match=words):
        run_tournament({**FIELDS, "bots": ["random", spec]}, out=tmp_path / "run", jobs=2, trust=True)


def test_a_bot_that_kills_its_process_in_a_jail_stops_nobody(tmp_path: Path) -> None:
    spec = write_bot(tmp_path, "exits.py", "import os\n\ndef act(obs):\n    os._exit(7)\n")
    fields = {**FIELDS, "boards": 4, "bots": ["random", spec]}
    out = run_tournament(fields, out=tmp_path / "run", jobs=2)
    frame = load(out)
    assert len(frame) == 8
    faults = pq.read_table(out / "faults.parquet").to_pylist()
    assert {row["bot"] for row in faults} == {spec}
    with pytest.raises(
        BotFault, match=r"exits\.py' failed on board \d+, seat \w, decision call: its process exited with code 7$"
    ):
        run_tournament({**fields, "on_fault": "stop"}, out=tmp_path / "stopped", jobs=2)


def test_f7_a_partial_or_damaged_part_is_redone(reference: Path, tmp_path: Path) -> None:
    out = run_tournament(FIELDS, out=tmp_path / "run", executor="inline")
    parts = part_files(out)
    parts[0].unlink()
    parts[1].write_bytes(parts[1].read_bytes()[:100])
    (out / "boards" / "part-000000.parquet.tmp").write_bytes(b"half")
    run_tournament(FIELDS, out=out, resume=True, executor="inline")
    assert digest(out) == digest(reference)
    assert not list((out / "boards").glob("*.tmp"))


def test_parts_with_other_content_are_redone(reference: Path, tmp_path: Path) -> None:
    """A copy of another part, and one whose bytes have changed."""
    out = run_tournament(FIELDS, out=tmp_path / "run", executor="inline")
    parts = part_files(out)
    parts[0].write_bytes(parts[1].read_bytes())
    with pytest.raises(RunError, match=r"part-000000\.parquet holds another part of the run; go on with --resume"):
        load(out)
    damaged = bytearray(parts[2].read_bytes())
    damaged[60:80] = bytes(20)
    parts[2].write_bytes(damaged)
    run_tournament(FIELDS, out=out, resume=True, executor="inline")
    assert digest(out) == digest(reference)


def test_files_that_are_no_parts_of_the_run_are_left_alone(reference: Path, tmp_path: Path) -> None:
    """Such as the copy that a file manager makes, or what is left of a longer run."""
    out = run_tournament(FIELDS, out=tmp_path / "run", executor="inline")
    strays = [out / "boards" / name for name in ("part-000003 (1).parquet", "part-000999.parquet", "x.parquet")]
    for stray in strays:
        stray.write_bytes(part_files(reference)[3].read_bytes())
    (out / "boards" / "part-000003.parquet").write_bytes(b"")
    run_tournament(FIELDS, out=out, resume=True, executor="inline")
    assert len(load(out)) == len(load(reference))
    assert all(stray.exists() for stray in strays)
    for stray in strays:
        stray.unlink()
    assert digest(out) == digest(reference)


@pytest.mark.parametrize(
    "change",
    [
        {"stages": []},
        {"stages": [{"bots": 9, "units": 5}]},
        {"challengers": ["nobody"]},
        {"rules": {}},
        {"seed": -1},
        {"seed": None},
        {"versions": {"schema": SCHEMA_VERSION}},
        {"bots": FORFEITING, "format": "games"},
        {"most_faults": 2},
        {"versions": {"schema": "new"}},
        {"seed": 8},
        {"rules": {"preset": "classic"}},
        {"rules": {"jokers": 7}},
        {"name": "x" * 90},
        {"stages": [{"bots": 3, "units": 10**12}]},
        {"stages": [{"bots": 3, "units": 5}, {"bots": 2, "units": 9}]},
        {"stages": [{"bots": 3, "units": 5, "without": [3]}]},
        {"challengers": ["random"]},
        {"format": "matches"},
        {"state": "resting"},
        {"bots": []},
    ],
)
def test_a_damaged_manifest_is_named(reference: Path, tmp_path: Path, change: dict[str, object]) -> None:
    content = json.loads((reference / "manifest.json").read_text(encoding="utf-8"))
    (tmp_path / "manifest.json").write_text(json.dumps(content | change), encoding="utf-8")
    with pytest.raises(RunError, match=r"manifest\.json: is no manifest of a run: "):
        read_manifest(tmp_path)


def test_a_run_of_an_earlier_version_is_refused_in_words(reference: Path, tmp_path: Path) -> None:
    content = json.loads((reference / "manifest.json").read_text(encoding="utf-8"))
    content = {"versions": {**content["versions"], "schema": 3, "bidwhist": "0.5.0"}, "seed": 1}
    (tmp_path / "manifest.json").write_text(json.dumps(content), encoding="utf-8")
    words = r"has schema version 3, and this program reads 4; bidwhist 0\.5\.0, which has played the run, can show it"
    with pytest.raises(RunError, match=words):
        read_manifest(tmp_path)


def test_a_tournament_whose_bot_cannot_be_imported_leaves_nothing(tmp_path: Path) -> None:
    spec = write_bot(tmp_path, "broken.py", "def act(obs:\n")
    with pytest.raises(BotSpecError):
        run_tournament({**FIELDS, "bots": ["random", spec]}, out=tmp_path / "run", executor="inline")
    assert not (tmp_path / "run").exists()


def test_a_bot_may_change_the_working_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "elsewhere").mkdir()
    text = "import os\n\ndef act(obs):\n    os.chdir('elsewhere') if os.path.exists('elsewhere') else None\n"
    spec = write_bot(tmp_path, "wanders.py", text + "    return obs.legal[0]\n")
    run_tournament({**FIELDS, "bots": ["random", spec]}, out="run", executor="inline")
    assert read_manifest(tmp_path / "run").state == "finished"


def test_wrong_arguments_are_refused(tmp_path: Path) -> None:
    for options in ({"executor": "cluster"}, {"jobs": 0}):
        with pytest.raises(ConfigError, match="executor is one of"):
            run_tournament(FIELDS, out=tmp_path / "run", **options)
    for seed, board in ((-1, 0), (1 << 128, 0), (1, -1), (1, 1 << 70)):
        with pytest.raises(ConfigError, match="a seed is 0 to"):
            play_board("random", "random", seed=seed, board=board)


def test_a_finished_run_is_extended_by_boards_and_by_a_bot(tmp_path: Path) -> None:
    whole = {**FIELDS, "boards": 200}
    fresh = run_tournament(whole, out=tmp_path / "fresh", executor="inline")
    out = tmp_path / "run"
    run_tournament({**FIELDS, "bots": FIELDS["bots"][:2]}, out=out, executor="inline")
    before = {path.name: path.read_bytes() for path in part_files(out)}
    run_tournament(FIELDS, out=out, resume=True, executor="inline")
    run_tournament(whole, out=out, resume=True, executor="inline")
    assert {path.name: path.read_bytes() for path in part_files(out)}.items() >= before.items()
    assert digest(out, rows_only=True) == digest(fresh, rows_only=True)
    for name in (f"{each}.parquet" for each in DERIVED):
        assert (out / name).read_bytes() == (fresh / name).read_bytes()


def test_f20_the_same_bot_on_both_sides_nets_nothing(tmp_path: Path) -> None:
    bots = ["heuristic", {"spec": "heuristic", "name": "again"}]
    frame = load(run_tournament({**FIELDS, "boards": 500, "bots": bots}, out=tmp_path / "run", executor="inline"))
    assert len(frame) == 1000
    nets = frame["points"].where(frame["bot_ns"] == "heuristic", -frame["points"]).groupby(frame["board"]).sum()
    assert (nets == 0).all()


def test_f27_changed_rules_change_scores_and_manifest(reference: Path, tmp_path: Path) -> None:
    out = run_tournament({**FIELDS, "rules": "traditional"}, out=tmp_path / "run", executor="inline")
    assert read_manifest(out).rules != read_manifest(reference).rules
    assert list(load(out)["points"]) != list(load(reference)["points"])


def test_games_are_whole_and_reach_their_end(tmp_path: Path) -> None:
    fields = {"name": "g", "seed": 1, "format": "games", "games": 40, "bots": ["random?calls=pass", "heuristic"]}
    frame = load(run_tournament(fields, out=tmp_path / "run", executor="inline"))
    for _, rows in frame.groupby(["game", "orientation"]):
        assert list(rows["hand"]) == list(range(len(rows)))
    assert frame.groupby(["game", "orientation"]).ngroups == 80


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"seed": 8}, "seed: 7 in the run, 8 now"),
        ({"rules": "no-kitty"}, "rules kitty: 'book' in the run, 'none' now"),
        ({"name": "other"}, "name: 't' in the run, 'other' now"),
        ({"bots": ["random", "heuristic"]}, "bots: 'heuristic' is missing now"),
        ({"bots": ["random", "heuristic", "random?calls=pass"]}, "bot 2 name: 'random?calls=pass' in the run"),
        ({"boards": 60}, "holds 120 boards already; a run can be extended, not cut to 60"),
        ({"record": "plays"}, "record: 'auto' in the run, 'plays' now"),
        ({"pairing": "gauntlet", "challengers": ["random"]}, "pairing: 'round-robin' in the run, 'gauntlet' now"),
    ],
)
def test_another_tournament_is_refused(reference: Path, change: dict[str, object], words: str) -> None:
    before = digest(reference)
    with pytest.raises(RunError) as caught:
        run_tournament({**FIELDS, **change}, out=reference, resume=True, executor="inline")
    assert words in str(caught.value)
    assert digest(reference) == before


def test_a_finished_run_is_not_overwritten(reference: Path) -> None:
    with pytest.raises(RunError, match="holds the finished run 't'; go on with --resume"):
        run_tournament(FIELDS, out=reference, executor="inline")


def test_a_changed_bot_is_refused(tmp_path: Path) -> None:
    spec = write_bot(tmp_path, "mine.py", "def act(obs):\n    return obs.legal[0]\n")
    fields = {**FIELDS, "bots": ["random", spec]}
    out = run_tournament(fields, out=tmp_path / "run", executor="inline")
    write_bot(tmp_path, "mine.py", "def act(obs):\n    return obs.legal[-1]\n")
    with pytest.raises(RunError, match=r"mine\.py' has been edited since this run was started; choose another --out"):
        run_tournament(fields, out=out, resume=True, executor="inline")


def test_folders_that_cannot_be_used(tmp_path: Path) -> None:
    foreign = tmp_path / "foreign"
    foreign.mkdir()
    (foreign / "thesis.txt").write_text("mine", encoding="utf-8")
    with pytest.raises(RunError, match="holds other files and is no run's folder"):
        run_tournament(FIELDS, out=foreign, executor="inline")
    assert [path.name for path in foreign.iterdir()] == ["thesis.txt"]
    file = tmp_path / "file"
    file.write_text("", encoding="utf-8")
    with pytest.raises(RunError, match="cannot be written: "):
        run_tournament(FIELDS, out=file, executor="inline")
    with pytest.raises(RunError, match="cannot be written: "):
        run_tournament(FIELDS, out=Path("/proc/nothing/run"), executor="inline")


def test_a_script_needs_no_guard(tmp_path: Path) -> None:
    script = tmp_path / "script.py"
    script.write_text(f"import bidwhist\nprint(bidwhist.run_tournament({FIELDS!r}, out='run', jobs=2))\n", "utf-8")
    result = subprocess.run([sys.executable, script], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert (result.stdout, result.stderr) == ("run\n", "")


def test_a_second_run_in_the_same_folder_is_refused(tmp_path: Path) -> None:
    import fcntl

    out = run_tournament(FIELDS, out=tmp_path / "run", executor="inline")
    with (out / ".lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        with pytest.raises(RunError, match="another run is writing there"):
            run_tournament(FIELDS, out=out, resume=True, executor="inline")


@pytest.mark.parametrize("trust", [False, True])
@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("def act(obs):\n    x = 1\n    return x / 0\n", r"bad\.py, line 3: ZeroDivisionError: division by zero"),
        ("def act(obs):\n    return 1.0\n", r"answered 1\.0 \(float\): an action is an integer 0-97"),
        ("def act(obs):\n    return True\n", r"answered True \(bool\)"),
        ("def act(obs):\n    return None\n", r"answered None \(NoneType\)"),
        ("def act(obs):\n    return 7\n", r"answered 7: S9 is a card, and it is time to call"),
        ("def act(obs):\n    return -5\n", r"answered -5 \(int\): an action is an integer 0-97"),
        ("def act(obs):\n    return 10**400\n", r"answered <int that has no text|answered 1000"),
        ("def act(obs):\n    return 'x' * 10**6\n", r"answered 'x{299}\.\.\. \(str\)"),
        (
            "class E(Exception):\n    def __str__(self): return 1 / 0\n\ndef act(obs):\n    raise E\n",
            "E that has no text",
        ),
        ("class A:\n    def __repr__(self): return 1 / 0\n\ndef act(obs):\n    return A()\n", "<A that has no text>"),
        ("def act(obs):\n    raise ValueError('\\x1b[31m\\nred')\n", r"ValueError:  \[31m red"),
        ("class B(BaseException): ...\n\ndef act(obs):\n    raise B\n", r"line 4: B$"),
        ("def act(obs):\n    raise GeneratorExit\n", r"line 2: GeneratorExit"),
        ("def act(obs):\n    raise SystemExit('bye')\n", r"line 2: SystemExit: bye"),
    ],
)
def test_f42_a_bot_that_fails_stops_the_run(tmp_path: Path, text: str, words: str, trust: bool) -> None:
    spec = write_bot(tmp_path, "bad.py", text)
    fields = {**FIELDS, "boards": 64, "bots": ["random", "heuristic", spec], "on_fault": "stop"}
    with pytest.raises(BotFault, match=words) as caught:
        run_tournament(fields, out=tmp_path / "run", executor="inline", trust=trust)
    assert f"bot {spec!r} failed on board 0, seat " in str(caught.value)
    assert len(part_files(tmp_path / "run")) == 1, "finished parts stay"


def test_a_fault_comes_from_a_worker_as_it_is(tmp_path: Path) -> None:
    spec = write_bot(tmp_path, "bad.py", "class B(BaseException): ...\n\ndef act(obs):\n    raise B\n")
    for trust in (True, False):
        fields = {**FIELDS, "bots": ["random", spec], "on_fault": "stop"}
        with pytest.raises(BotFault, match=rf"bot '{spec}' failed on board \d+, seat .*bad\.py, line 4: B$"):
            run_tournament(fields, out=tmp_path / f"run-{trust}", jobs=2, trust=trust)


def test_a_numpy_integer_is_an_answer(tmp_path: Path) -> None:
    spec = write_bot(tmp_path, "np.py", "import numpy\n\ndef act(obs):\n    return numpy.int8(obs.legal[0])\n")
    out = run_tournament({**FIELDS, "boards": 5, "bots": ["random", spec]}, out=tmp_path / "run", executor="inline")
    assert len(load(out)) == 10


@pytest.mark.parametrize(
    ("name", "text", "words"),
    [
        ("a.py", "import nothing_like_it\n", r"a\.py' cannot be imported: .*a\.py, line 1: ModuleNotFoundError"),
        ("b.py", "x = 1\n\ndef act(obs:\n", r"b\.py' cannot be imported: .*line 3: SyntaxError"),
        ("c.py", "x = 1\n", "has none of them"),
        ("h.py", "def call(a, b, c): ...\ndef play(a, b, c): ...\n", "has call and play, but no prepare"),
        ("d.py", "class A:\n    def act(self, obs): ...\nclass B(A): ...\n", "has several such classes: A, B"),
        ("e.py", "act = 3\n", "act is a int"),
        ("g.py", "async def act(obs): ...\n", "act is async"),
        (
            "f.py",
            "class A:\n    def __init__(self, x): ...\n    def act(self, obs): ...\n",
            "cannot be made: .*missing",
        ),
    ],
)
def test_f39_a_bot_that_cannot_be_loaded(tmp_path: Path, name: str, text: str, words: str) -> None:
    spec = write_bot(tmp_path, name, text)
    with pytest.raises(BotSpecError, match=words):
        run_tournament({**FIELDS, "bots": ["random", spec]}, out=tmp_path / "run", executor="inline")


@pytest.mark.parametrize(
    ("spec", "words"),
    [
        ("hueristic", "there is no bot 'hueristic'; did you mean heuristic?"),
        ("heuristic?depth=3", "heuristic has no parameter 'depth'; it has none"),
        ("random?calls=never", "parameter calls: 'never' is none of uniform, pass"),
        ("random?calls", "parameters are written ?key=value&key=value"),
        ("nowhere/bot.py", "there is no such file in"),
        ("no.such.module:Bot", "there is no module no"),
        ("cmd:'./mybot", "a quotation mark or a backslash in the command has no second half"),
    ],
)
def test_an_unknown_bot_is_refused_before_anything_is_written(tmp_path: Path, spec: str, words: str) -> None:
    with pytest.raises(BotSpecError) as caught:
        run_tournament({**FIELDS, "bots": ["random", spec]}, out=tmp_path / "run", executor="inline")
    assert words in str(caught.value)
    assert not (tmp_path / "run").exists()


def test_f37_two_files_of_one_name_are_two_bots(tmp_path: Path) -> None:
    specs = []
    for place, answer in (("first", "0"), ("second", "-1")):
        (tmp_path / place).mkdir()
        specs.append(write_bot(tmp_path / place, "bot.py", f"def act(obs):\n    return obs.legal[{answer}]\n"))
    out = run_tournament({**FIELDS, "boards": 20, "bots": specs}, out=tmp_path / "run", executor="inline")
    hashes = [bot.sha256 for bot in read_manifest(out).bots]
    assert hashes[0] != hashes[1]
    frame = load(out)
    assert set(frame.loc[frame["bot_ns"] == specs[1], "level"]) == {7}


COUNTER = """
class Counter:
    def __init__(self, start=0):
        self.decisions = start
        self.seat = None

    def act(self, obs):
        assert self.seat in (None, obs.seat), "one object sits in two seats"
        self.seat = obs.seat
        if obs.phase == "call":
            assert self.decisions == 0, "a player came from another table"
        self.decisions += 1
        return obs.legal[obs.random.below(len(obs.legal))]
"""


def test_f40_a_class_is_made_anew_for_each_seat_and_table(tmp_path: Path) -> None:
    spec = write_bot(tmp_path, "counter.py", COUNTER)
    fields = {**FIELDS, "bots": ["random", spec, {"spec": spec + "?start=0", "name": "B"}]}
    once = run_tournament(fields, out=tmp_path / "once", executor="inline")
    again = run_tournament(fields, out=tmp_path / "again", executor="inline")
    assert digest(once) == digest(again)


def test_plays_are_kept_where_the_seed_does_not_replay_them(tmp_path: Path) -> None:
    spec = write_bot(tmp_path, "first.py", "def act(obs):\n    return obs.legal[0]\n")
    out = run_tournament({**FIELDS, "bots": ["random", "heuristic", spec]}, out=tmp_path / "run", executor="inline")
    kept = {tuple(sorted({row["north"], row["east"]})): row["plays"] is not None for p in part_files(out) for row in
            table_of(p).to_pylist()}  # fmt: skip
    assert kept == {(0, 1): False, (0, 2): True, (1, 2): True}


def test_a_secret_seed_is_never_used_twice(tmp_path: Path) -> None:
    fields = {**FIELDS, "seed": "secret", "boards": 5}
    out = run_tournament(fields, out=tmp_path / "run", executor="inline")
    first = (tmp_path / "run.secret-seed").read_text(encoding="ascii")
    shutil.rmtree(out)
    with pytest.raises(RunError, match=r"run\.secret-seed: keeps the seed of an earlier run"):
        run_tournament(fields, out=out, executor="inline")
    (tmp_path / "run.secret-seed").unlink()
    run_tournament(fields, out=out, executor="inline")
    assert (tmp_path / "run.secret-seed").read_text(encoding="ascii") != first
    (tmp_path / "run.secret-seed").write_text("f" * 40, encoding="ascii")
    with pytest.raises(RunError, match="is no seed of 128 bits"):
        run_tournament({**fields, "boards": 9}, out=out, resume=True, executor="inline")


def test_a_secret_seed_is_kept_beside_the_run_until_it_is_closed(tmp_path: Path) -> None:
    from bidwhist.arena.run import close

    fields = {**FIELDS, "seed": "secret"}
    out = run_tournament(fields, out=tmp_path / "run", executor="inline")
    secret = tmp_path / "run.secret-seed"
    assert secret.stat().st_mode & 0o777 == 0o600
    seed = int(secret.read_text(encoding="ascii"), 16)
    assert str(seed) not in (out / "manifest.json").read_text(encoding="utf-8")
    run_tournament({**fields, "boards": 150}, out=out, resume=True, executor="inline")
    assert close(out).seed == seed
    assert not secret.exists()
    run_tournament({**fields, "boards": 150}, out=out, resume=True, executor="inline")
    with pytest.raises(RunError, match="is closed"):
        run_tournament({**fields, "boards": 200}, out=out, resume=True, executor="inline")
    open_run = run_tournament({**FIELDS, "boards": 150, "seed": seed}, out=tmp_path / "open", executor="inline")
    assert digest(open_run, rows_only=True) == digest(out, rows_only=True)


def test_f17_odd_names_and_places(tmp_path: Path) -> None:
    folder = tmp_path / "mit Leerzeichen und ümläuten"
    folder.mkdir()
    spec = write_bot(folder, "böt.py", "def act(obs):\n    return obs.legal[0]\n")
    names = ["A vs B", 'x,"y"', r"$\pi$", "🂡", "böt"]
    bots = [{"spec": "random", "name": name} for name in names[:4]] + [{"spec": spec, "name": names[4]}]
    file = folder / "tournament.toml"
    lines = [
        f"{{ spec = {json.dumps(b['spec'], ensure_ascii=False)}, name = {json.dumps(b['name'], ensure_ascii=False)} }}"
        for b in bots
    ]
    file.write_text(f"seed = 1\nboards = 3\nbots = [{', '.join(lines)}]\n", encoding="utf-8")
    result = subprocess.run(
        [sys.executable, "-m", "bidwhist", "run", str(file), "--out", str(folder / "rün")],
        env={**os.environ, "LANG": "C", "LC_ALL": "C"}, capture_output=True, check=False,
    )  # fmt: skip
    assert result.returncode == 0, result.stderr
    assert [bot.name for bot in read_manifest(folder / "rün").bots] == names
