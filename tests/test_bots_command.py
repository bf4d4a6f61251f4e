"""`bw-arena bots`: the bots that have names, and where they come from."""

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from bidwhist import __version__
from bidwhist.cli import bots
from bidwhist_bots import HOUSE_BOTS

DECIDING = 'raise AssertionError("imported for a list")\n'


def install(folder: Path, package: str, version: str, lines: str) -> None:
    """What an installed package leaves: a module that cannot be imported, and its metadata with entry points."""
    module = package.replace("-", "_")
    (folder / f"{module}.py").write_text(DECIDING)
    info = folder / f"{module}-{version}.dist-info"
    info.mkdir()
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {package}\nVersion: {version}\n")
    (info / "entry_points.txt").write_text(f"[bw_arena.bots]\n{lines}\n[console_scripts]\nother = {module}:main\n")


@pytest.fixture
def site(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.syspath_prepend(str(tmp_path))
    install(tmp_path, "their-bots", "1.5", "low = their_bots.low:Low\nquick = their_bots\nrandom = their_bots")
    install(tmp_path, "other-bots", "0.1b2", "low = other_bots : Low")
    return tmp_path


def listed(*arguments: str) -> str:
    return CliRunner().invoke(bots.command, arguments, catch_exceptions=False).stdout


def as_json() -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = json.loads(listed("--json"))
    return found


def test_house_bots_come_first_with_their_parameters() -> None:
    found = as_json()[: len(HOUSE_BOTS)]
    assert [bot["name"] for bot in found] == list(HOUSE_BOTS)
    assert found[0]["parameters"] == {"calls": ["uniform", "pass"]}
    assert {bot["version"] for bot in found} == {__version__}
    assert "\n  ?calls=uniform|pass\n" in listed()


def test_without_packages_nothing_is_said_of_them() -> None:
    assert "Of installed packages" not in listed()


@pytest.mark.usefixtures("site")
def test_bots_of_packages_follow_with_what_they_are_and_whose() -> None:
    found = as_json()[len(HOUSE_BOTS) :]
    assert [(bot["name"], bot["target"], bot["package"], bot["version"]) for bot in found] == [
        ("low", "other_bots:Low", "other-bots", "0.1b2"),
        ("low", "their_bots.low:Low", "their-bots", "1.5"),
        ("quick", "their_bots", "their-bots", "1.5"),
        ("random", "their_bots", "their-bots", "1.5"),
    ]
    assert "\nquick: their_bots, of their-bots 1.5\n" in listed()


@pytest.mark.usefixtures("site")
def test_names_that_do_not_lead_to_a_bot_are_told() -> None:
    hidden = {(bot["name"], bot["package"]): bot["hidden"] for bot in as_json()}
    assert {key: value for key, value in hidden.items() if value} == {
        ("low", "other-bots"): "it is provided twice",
        ("low", "their-bots"): "it is provided twice",
        ("random", "their-bots"): "random is a house bot",
    }
    assert "\nrandom: their_bots, of their-bots 1.5\n  cannot be named so: random is a house bot\n" in listed()
