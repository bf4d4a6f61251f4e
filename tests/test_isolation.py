"""Who plays in a jail and who does not, and the limits of those that do."""

import re
import subprocess
import sys
import tempfile
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import msgspec
import pytest
from click.testing import CliRunner

import bidwhist.bot.jailed.isolation as deciding
from bidwhist.bot.jailed.isolation import STRANGERS, TRUSTED, Isolation, as_played, contained
from bidwhist.bot.sources.find import find_bot
from bidwhist.bot.sources.source import BotSource
from bidwhist.cli import group
from bidwhist.errors import BotSpecError
from bidwhist.jail.clock import ProcessorClock, ProcessorDeadline
from bidwhist.play import play_board, run_tournament
from bidwhist.process.child import Child
from bidwhist.process.deadline import Deadline
from bidwhist.process.output import Output
from bidwhist.results.manifest import read_manifest
from bidwhist.results.standings import standings_of

LOW = "def act(obs):\n    return obs.legal[0]\n"


@pytest.fixture(autouse=True)
def _here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("low.py").write_text(LOW, encoding="utf-8")


@pytest.fixture
def weak(monkeypatch: pytest.MonkeyPatch) -> None:
    """A machine that cannot contain bots."""
    monkeypatch.setattr(deciding, "is_available", lambda: False)


def run_of(*bots: Any, **more: Any) -> Path:
    return run_tournament({"name": "t", "seed": "secret", "boards": 4, "bots": ["random", *bots]}, out="run", **more)


@pytest.mark.parametrize("spec", ["low.py", "cmd:python3 low.py", "json:loads"])
def test_strangers_are_contained_and_trusted_bots_are_not(spec: str) -> None:
    source = find_bot(spec)
    assert source.isolation == "none"
    assert contained(source, TRUSTED) is source
    jailed = contained(source, STRANGERS)
    assert (jailed.isolation, jailed.contained) == ("jail", True)
    assert (jailed.entry, jailed.identity) == (source.entry, source.identity)


def test_house_bots_play_in_the_kernel() -> None:
    source = find_bot("heuristic")
    assert contained(source) is source


def test_a_machine_that_cannot_contain_bots_says_so(weak: None) -> None:
    source = find_bot("low.py")
    with pytest.raises(BotSpecError, match=r"cannot contain it \(its level is process; .*--allow-weak-isolation"):
        contained(source)
    assert contained(source, Isolation(weak=True)).isolation == "process"
    with pytest.raises(BotSpecError, match="cannot contain it"):
        run_of("low.py")


def test_weak_isolation_is_in_the_manifest(weak: None) -> None:
    entry = read_manifest(run_of("low.py", allow_weak_isolation=True)).bots[1]
    assert (entry.isolation, entry.on_fault) == ("process", "substitute")


def test_a_bot_that_the_file_trusts_plays_in_the_arenas_processes() -> None:
    run = run_of({"spec": "low.py", "name": "mine", "trust": True}, "low.py")
    entries = [(bot.isolation, bot.on_fault) for bot in read_manifest(run).bots]
    assert entries == [("none", "stop"), ("none", "stop"), ("jail", "substitute")]


def test_bots_are_shown_as_they_have_played() -> None:
    def of(isolation: str) -> BotSource:
        found = find_bot("low.py")
        return as_played(replace(found, entry=msgspec.structs.replace(found.entry, isolation=isolation)))

    assert of("none").isolation == "none"
    assert of("jail").isolation == "jail"


@pytest.mark.parametrize(
    ("seed", "line", "warns"),
    [("5", '"low.py"', True), ('"secret"', '"low.py"', False), ("5", '{ spec = "low.py", trust = true }', False)],
)
def test_a_seed_that_strangers_could_guess_is_told(seed: str, line: str, warns: bool) -> None:
    Path("t.toml").write_text(f'seed = {seed}\nboards = 2\nbots = ["random", {line}]\n', encoding="utf-8")
    result = CliRunner().invoke(group, ["run", "t.toml", "--out", "run", "--executor", "processes"])
    assert result.exit_code == 0, result.output
    assert ("the seed is a small number" in result.stderr) == warns


def test_play_board_trusts_who_is_told_to() -> None:
    Path("looks.py").write_text(
        "import os, sys\n\ndef act(obs):\n    open('trace', 'w').close()\n    return obs.legal[0]\n", encoding="utf-8"
    )
    play_board("looks.py", "random", seed=1, board=1)
    assert not Path("trace").exists()  # it is in a scratch folder, which is gone
    play_board("looks.py", "random", seed=1, board=1, trust=True)
    assert Path("trace").exists()


@pytest.mark.parametrize(
    ("act", "limits", "words"),
    [
        (
            "sum(range(3_000_000))",
            {"run": 0.1},
            r"gave no answer and has used up the 0\.1 s of processor time of its process \(limits\.run\)",
        ),
        ("__import__('time').sleep(60)", {"idle": 0.6}, r"gave no answer and did nothing for 0\.6 s"),
        ("sum(range(10**12))", {"answer": 0.2}, r"gave no answer within 0\.2 s of processor time"),
    ],
)
def test_limits_of_time_are_faults_of_time(act: str, limits: dict[str, float], words: str) -> None:
    Path("own.py").write_text(f"def act(obs):\n    {act}\n    return obs.legal[0]\n", encoding="utf-8")
    fields = {"name": "t", "seed": "secret", "boards": 1, "bots": ["random", "own.py"], "limits": limits}
    run = run_tournament(fields, out="run", jobs=1)
    assert {each.fault for each in standings_of(run).faults} == {"time"}
    reasons = (run / "timings" / "faults.jsonl").read_text(encoding="utf-8")
    assert re.search(words, reasons), reasons


def test_a_deadline_of_processor_time_does_not_count_others() -> None:
    child = Child.start(["sleep", "30"], Output(100))
    try:
        deadline = ProcessorDeadline(ProcessorClock(child.pid), 0.5)
        sum(range(10_000_000))  # this process works, and that one sleeps
        assert deadline.left > 0.4
    finally:
        child.end()


FORGES = """
import gc, json, os

for each in gc.get_objects():  # the memory that it shares with the arena
    words = getattr(each, "words", None)
    if isinstance(words, memoryview) and hasattr(each, "sequences"):
        each.text = json.dumps({"together": False, "metadata": FORGED})
        words[9], words[10], words[8] = 1, 0, 0
        os._exit(0)

def act(obs):
    return obs.legal[0]
"""


@pytest.mark.parametrize(
    "forged",
    [
        '{"name": "a\\nb", "version": None, "presets": ["classic"]}',
        '{"name": "x" * 500, "version": None, "presets": ["classic"]}',
        '{"name": None, "version": None, "presets": ["no such preset"]}',
        '{"name": None, "version": None, "presets": []}',
    ],
)
def test_metadata_that_a_bot_has_forged_are_refused(forged: str) -> None:
    Path("forges.py").write_text(FORGES.replace("FORGED", forged), encoding="utf-8")
    with pytest.raises(BotSpecError, match=r"(presets|name)\b.* (no list of names|there is no preset|no line of text)"):
        contained(find_bot("forges.py")).metadata()


@pytest.mark.parametrize("length", [1, 120])
def test_a_command_leaves_no_folder_behind(length: int, monkeypatch: pytest.MonkeyPatch) -> None:
    with tempfile.TemporaryDirectory(prefix="t" * length, dir="/tmp") as folder:
        check_that_nothing_is_left(Path(folder), monkeypatch)


def check_that_nothing_is_left(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    Path("own.py").write_text(
        "import tempfile\n\ndef act(obs):\n    with tempfile.TemporaryFile() as file:\n        file.write(b'x')\n"
        "    assert tempfile.gettempdir() in __import__('os').environ['TMPDIR']\n    return obs.legal[0]\n",
        encoding="utf-8",
    )
    Path("t.toml").write_text('seed = "secret"\nboards = 2\nbots = ["random", "own.py"]\n', encoding="utf-8")
    monkeypatch.setenv("TMPDIR", str(folder))
    monkeypatch.delenv("BIDWHIST_JAIL", raising=False)
    done = subprocess.run(
        [sys.executable, "-m", "bidwhist", "run", "t.toml", "--out", "run"], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    assert list(standings_of(Path("run")).faults) == []  # the bot has written into its own temporary folder
    deadline = Deadline(20)
    while any(folder.iterdir()) and deadline.left:
        time.sleep(0.05)  # the server ends when it has noticed that the command has
    assert list(folder.iterdir()) == []
