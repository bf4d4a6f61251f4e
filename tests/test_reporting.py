"""What people are told while they wait: activities and progress, by time, on a terminal in one line."""

import os
import pty
import re
import subprocess
import sys
import time
from pathlib import Path

import pytest

from bidwhist.activity import busy, listening, tell
from bidwhist.reporting import Reporter


def told(monkeypatch: pytest.MonkeyPatch, patience: float = 0.0) -> list[str]:
    lines: list[str] = []
    monkeypatch.setattr("bidwhist.reporting._PATIENCE", patience)
    monkeypatch.setattr("bidwhist.reporting._REDRAW", 0.01)
    return lines


def wait_for(lines: list[str], number: int) -> None:
    end = time.monotonic() + 20
    while len(lines) < number and time.monotonic() < end:
        time.sleep(0.01)


def test_listeners_are_told_of_what_begins_and_ends() -> None:
    heard: list[str | None] = []
    with listening(heard.append), busy("compiling a"), busy("compiling b"):
        pass
    tell("nobody listens")
    assert heard == ["compiling a", "compiling b", "compiling a", None]


def test_of_two_activities_at_a_time_the_one_that_goes_on_is_told() -> None:
    heard: list[str | None] = []
    with listening(heard.append):
        first, second = busy("a"), busy("b")
        first.__enter__()
        second.__enter__()
        first.__exit__(None, None, None)
        second.__exit__(None, None, None)
    assert heard == ["a", "b", "b", None]


def test_what_another_process_has_done_lies_within_what_it_was_asked_for() -> None:
    heard: list[str | None] = []
    with listening(heard.append), busy("asking"):
        tell("compiling a")
        tell(None)
    assert heard == ["asking", "compiling a", "asking", None]


def test_what_takes_a_while_is_told_in_a_line(monkeypatch: pytest.MonkeyPatch) -> None:
    lines = told(monkeypatch)
    with Reporter(lines.append), busy("compiling a"):
        wait_for(lines, 1)
    assert lines[0] == "compiling a"
    assert "\r" not in "".join(lines)


def test_what_is_over_soon_is_not_told(monkeypatch: pytest.MonkeyPatch) -> None:
    lines = told(monkeypatch, patience=60.0)
    with Reporter(lines.append) as reporter, reporter.progress(lambda seconds: "half"), busy("compiling a"):
        time.sleep(0.1)
    assert lines == []


def test_lines_come_after_ever_longer_times(monkeypatch: pytest.MonkeyPatch) -> None:
    lines = told(monkeypatch, patience=0.05)
    with Reporter(lines.append) as reporter, reporter.progress(lambda seconds: "half"):
        time.sleep(2)
    assert 2 <= len(lines) <= 6  # after 0.05, 0.15, 0.35, 0.75, 1.55 s


def test_progress_and_activity_stand_together_and_are_removed_from_a_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    lines = told(monkeypatch)
    with Reporter(lines.append, is_live=True) as reporter:
        with reporter.progress(lambda seconds: "3 of 7 parts"), busy("compiling a"):
            wait_for(lines, 2)
        assert lines[0] == "\r\x1b[K3 of 7 parts; compiling a"
        assert lines[-1] == "\r\x1b[K"


TOURNAMENT = 'name = "cold"\nboards = 1\nseed = 1\nbots = ["heuristic", "random"]\n'


def test_a_first_run_tells_that_it_compiles(tmp_path: Path) -> None:
    (tmp_path / "cold.toml").write_text(TOURNAMENT, "utf-8")
    done = subprocess.run(
        [sys.executable, "-m", "bidwhist", "run", "cold.toml", "--jobs", "1"],
        cwd=tmp_path,
        env={**os.environ, "NUMBA_CACHE_DIR": str(tmp_path / "code")},
        capture_output=True,
        text=True,
        check=True,
    )
    assert re.search(r"^0 of 1 parts, 0 tables, \d+ s; compiling bidwhist\.", done.stderr, re.MULTILINE)
    assert len(done.stderr.splitlines()) < 10


def test_on_a_terminal_nothing_of_it_is_left(tmp_path: Path) -> None:
    (tmp_path / "cold.toml").write_text(TOURNAMENT, "utf-8")
    ours, theirs = pty.openpty()
    with subprocess.Popen(
        [sys.executable, "-m", "bidwhist", "run", "cold.toml", "--jobs", "1"],
        cwd=tmp_path,
        env={**os.environ, "NUMBA_CACHE_DIR": str(tmp_path / "code")},
        stdout=subprocess.DEVNULL,
        stderr=theirs,
    ):
        os.close(theirs)
        written = b""
        try:
            while data := os.read(ours, 1 << 16):
                written += data
        except OSError:  # Linux says so at the end
            pass
    os.close(ours)
    assert b"compiling bidwhist" in written
    assert written.decode().rpartition("\x1b[K")[2].strip() == ""
