"""Folders for temporary files: none is left, not even by a process that was killed, nor by one that a command forks."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from bidwhist.process.endings import at_end
from bidwhist.process.folder import TemporaryFolder
from bidwhist.process.forked import Forked

LOWEST = "def act(obs):\n    return obs.legal[0]\n"


@pytest.fixture(autouse=True)
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty folder for temporary files, for this process and those that it starts."""
    folder = tmp_path / "temporary"
    folder.mkdir()
    monkeypatch.setenv("TMPDIR", str(folder))
    monkeypatch.setattr("tempfile.tempdir", None)
    monkeypatch.delenv("BIDWHIST_JAIL", raising=False)
    return folder


def left(place: Path) -> list[str]:
    return sorted(each.name for each in place.iterdir())


def test_a_folder_is_empty_and_goes_with_its_context(place: Path) -> None:
    with TemporaryFolder("work") as folder:
        assert list(folder.iterdir()) == []
        assert folder.stat().st_mode & 0o777 == 0o700
        (folder / "deep").mkdir()
        assert folder.is_relative_to(place)
    assert left(place) == []


def test_the_folder_of_a_killed_process_is_removed_when_the_next_is_made(place: Path) -> None:
    code = (
        "import sys\nfrom bidwhist.process.folder import TemporaryFolder\nfolder = TemporaryFolder('run')\n"
        "(folder.path / 'file').write_text('x')\nprint(flush=True)\nsys.stdin.read()"
    )
    with subprocess.Popen([sys.executable, "-c", code], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        process.stdout.readline()
        with TemporaryFolder("run"):
            assert len(left(place)) == 2, "that of a living process stays"
        process.send_signal(signal.SIGKILL)
    assert len(left(place)) == 1
    with TemporaryFolder("check") as folder:
        assert left(place) == [folder.parent.name]


def test_a_copy_of_a_process_ends_what_it_has_started_and_nothing_else(place: Path) -> None:
    with TemporaryFolder("mine") as mine:
        at_end(lambda: (mine / "ended").touch())

        def work(_: object) -> int:
            at_end(TemporaryFolder("copy").remove)
            return os.getpid()

        with Forked(work) as forked:
            assert forked.outcome().result() == forked.pid
        assert left(place) == [mine.parent.name]
        assert list(mine.iterdir()) == []


@pytest.mark.parametrize(
    "arguments",
    [
        ["check", "own.py", "--boards", "0", "--preset", "classic"],
        ["submit", "own.py", "--ladder", "ladder"],
    ],
)
def test_commands_leave_nothing(place: Path, tmp_path: Path, arguments: list[str]) -> None:
    (tmp_path / "own.py").write_text(LOWEST, encoding="utf-8")
    (tmp_path / "ladder").mkdir()
    ladder = 'name = "l"\nseed = "secret"\nboards = 2\nbots = ["random", "heuristic"]\n'
    (tmp_path / "ladder" / "ladder.toml").write_text(ladder, encoding="utf-8")
    done = subprocess.run(
        [sys.executable, "-m", "bidwhist", *arguments], cwd=tmp_path, capture_output=True, text=True, timeout=300
    )
    assert done.returncode == 0, done.stderr
    assert left(place) == [], done.stderr


@pytest.mark.parametrize("closed", [0, 1])
def test_a_closed_standard_stream_is_nobodys_fault(tmp_path: Path, closed: int) -> None:
    (tmp_path / "own.py").write_text(LOWEST, encoding="utf-8")
    (tmp_path / "t.toml").write_text('name = "t"\nboards = 2\nseed = "secret"\nbots = ["random", "own.py"]\n', "utf-8")
    command = f"{sys.executable} -m bidwhist run t.toml --out run --jobs 1 {closed}{'<' if closed == 0 else '>'}&-"
    done = subprocess.run(["sh", "-c", command], cwd=tmp_path, capture_output=True, text=True, timeout=300)
    assert (done.returncode, "Traceback" in done.stderr) == (0, False), done.stderr
    assert (tmp_path / "run" / "standings.parquet").exists()
