"""The attacks once more as an ordinary user, who has no user numbers to give to bots."""

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

import ordinary

pytestmark = [
    pytest.mark.jail,
    pytest.mark.skipif(sys.platform != "linux" or os.geteuid() != 0, reason="only root can become another user"),
]


@pytest.fixture
def home() -> Iterator[Path]:
    with tempfile.TemporaryDirectory() as folder:
        Path(folder).chmod(0o755)
        yield Path(folder)


def as_user(home: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """What Python does with these arguments as an ordinary user; skips if this machine lets root become none."""
    command = [sys.executable, ordinary.__file__, str(home), sys.executable, *arguments]
    done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=Path(__file__).parent)
    if done.returncode == ordinary.REFUSED:
        pytest.skip(f"no process of an ordinary user can be had here: {done.stdout.strip()}")
    return done


def test_the_doctor_finds_an_ordinary_user_safe(home: Path) -> None:
    done = as_user(home, "-m", "bidwhist", "doctor", "--json")
    found = json.loads(done.stdout)
    assert [each for each in found["attacks"] if each["outcome"] == "succeeded"] == []
    assert (done.returncode, found["level"]) == (0, "jail")


def test_every_attack_as_an_ordinary_user(home: Path) -> None:
    """They are held, and what needs no root succeeds without a jail."""
    options = [
        "-q",
        "-p",
        "no:cacheprovider",
        "-p",
        "no:xdist",
        "-m",
        "jail or not jail",
        f"--basetemp={home / 'tests'}",
    ]
    done = as_user(home, "-m", "pytest", *options, str(Path(__file__).with_name("test_attacks.py")))
    assert done.returncode == 0, done.stdout[-4000:] + done.stderr
    assert "passed" in done.stdout
