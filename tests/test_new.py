"""`bw-arena new`: what it writes plays and passes its own tests; what it refuses."""

import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner

from bidwhist.bot.deciders.batch import BatchBot
from bidwhist.bot.deciders.compiled import CompiledBot
from bidwhist.bot.deciders.scalar import ScalarBot
from bidwhist.bot.sources.find import find_bot
from bidwhist.cli import new
from bidwhist.errors import BotSpecError
from bidwhist.rules import CLASSIC

KINDS = {"function": ScalarBot, "class": ScalarBot, "batch": BatchBot, "compiled": CompiledBot}


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def write(*arguments: str) -> str:
    """What the command prints; its errors are raised."""
    return CliRunner().invoke(new.command, arguments, catch_exceptions=False).stdout


def test_what_is_written_passes_its_tests(folder: Path) -> None:
    for kind in KINDS:
        write(f"my_{kind}", "--kind", kind)
    command = [sys.executable, "-W", "error", "-m", "pytest", "-q", "-p", "no:cacheprovider", "."]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "36 passed" in done.stdout  # seven presets, fit to play, and against random


@pytest.mark.parametrize("kind", KINDS)
def test_what_is_written_is_of_its_kind_and_bears_its_name(folder: Path, kind: str) -> None:
    write("Ölf_2", "--kind", kind)
    bot = find_bot("Ölf_2.py", "own", [folder])
    assert type(bot.load(CLASSIC)) is KINDS[kind]
    for file in ("Ölf_2.py", "test_Ölf_2.py"):
        text = (folder / file).read_text(encoding="utf-8")
        assert "Ölf_2" in text
        assert "mybot" not in text
    if kind == "class":
        metadata = bot.metadata()
        assert (metadata.name, metadata.version) == ("Ölf_2", "1")


def test_it_says_what_comes_next(folder: Path) -> None:
    said = write("mybot")
    assert said.startswith("mybot.py, and its tests in test_mybot.py. Next:\n")
    assert [line.split("  ")[1] for line in said.splitlines()[1:]] == [
        "mybot.py",
        "pytest test_mybot.py",
        "bw-arena check mybot.py",
    ]
    assert (folder / "mybot.py").read_text(encoding="utf-8").startswith('"""mybot: ')


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("my-bot", "is no name in Python"),
        ("7up", "is no name in Python"),
        ("", "is no name in Python"),
        ("../mybot", "is no name in Python"),
        ("mybot.py", "is no name in Python: .*; say mybot"),
        ("class", "is a word of Python's own"),
        ("random", "is a module of Python, which random.py would hide"),
        ("numpy", "is an installed package, which numpy.py would hide"),
        ("bidwhist", "is an installed package"),
        ("bidwhist_bots", "is an installed package"),
    ],
)
def test_a_name_that_no_bot_should_have(folder: Path, name: str, words: str) -> None:
    with pytest.raises(BotSpecError, match=words):
        write(name)
    assert list(folder.iterdir()) == []


@pytest.mark.parametrize("there", ["mybot.py", "test_mybot.py"])
def test_nothing_is_overwritten(folder: Path, there: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(folder)  # as for who starts `python -m bidwhist`
    (folder / there).write_text("mine")
    with pytest.raises(BotSpecError, match=f"^{there}: is there already"):
        write("mybot")
    assert [(path.name, path.read_text()) for path in folder.iterdir()] == [(there, "mine")]
