"""Tournaments that come as examples can be played, and say what they are for."""

import tomllib
from pathlib import Path

import pytest
from click.testing import CliRunner

from bidwhist.arena.config import make_config, read_config
from bidwhist.cli import group
from bidwhist.play import run_tournament
from bidwhist.results.standings import standings_of

TOURNAMENTS = sorted((Path(__file__).parents[1] / "tournaments").glob("*.toml"))


def test_there_is_one_of_every_kind() -> None:
    fields = [tomllib.loads(path.read_text(encoding="utf-8")) for path in TOURNAMENTS]
    assert {each.get("pairing", "round-robin") for each in fields} >= {"round-robin", "gauntlet", "swiss", "mixed"}
    assert {each.get("format", "boards") for each in fields} == {"boards", "games"}
    assert any("stop" in each for each in fields)
    assert any(isinstance(each.get("rules"), dict) for each in fields)
    assert any("seed" not in each for each in fields), "a ladder"


@pytest.mark.parametrize("path", TOURNAMENTS, ids=lambda path: path.stem)
def test_it_says_what_it_is_and_can_be_played(path: Path, tmp_path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    assert text.startswith("# ")
    fields = tomllib.loads(text)
    config = read_config(path, defaults={"seed": "secret"})
    if "seed" in fields:
        shown = CliRunner().invoke(group, ["run", str(path), "--dry-run"])
        assert shown.exit_code == 0, shown.output
    small = {**fields, "seed": 1, config.format: 2 if config.format == "games" else 8}
    make_config(small, "small")
    run = run_tournament(small, out=tmp_path / "run", executor="inline")
    assert len(standings_of(run).standings) == len(fields["bots"])
