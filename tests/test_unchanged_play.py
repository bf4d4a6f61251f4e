"""Starters, examples and tournament files of an earlier version: they load, and play the hands that they played then.

The digests in tests/data/starters/digests.json were made with the code of commit dc9c928, by `digest_of` below. The
files beside them are copies of that time, so an edit of today's starters changes nothing here.
"""

import hashlib
import json
from pathlib import Path

import pytest

import bidwhist
from bidwhist.arena.config import read_config
from bidwhist.record import format_record

DATA = Path(__file__).parent / "data"
STARTERS = DATA / "starters"
DIGESTS: dict[str, dict[str, str]] = json.loads((STARTERS / "digests.json").read_text(encoding="utf-8"))
PLAYED = [(spec, rules) for spec, by_rules in DIGESTS.items() for rules in by_rules]


def digest_of(spec: str, rules: str) -> str:
    """SHA-256, in hex, of the records of twelve boards against `heuristic`, NS and EW in turn."""
    text = ""
    for board in range(12):
        sides = (spec, "heuristic") if board % 2 == 0 else ("heuristic", spec)
        text += format_record(bidwhist.play_board(*sides, seed=2024, board=board, rules=rules, folders=[STARTERS]))
    return hashlib.sha256(text.encode()).hexdigest()


@pytest.mark.parametrize(("spec", "rules"), PLAYED)
def test_bots_of_an_earlier_version_play_the_same_hands(spec: str, rules: str) -> None:
    assert digest_of(spec, rules) == DIGESTS[spec][rules]


def test_every_copied_bot_is_played() -> None:
    assert {path.name for path in STARTERS.glob("*.py")} == {spec.removeprefix("cmd:./") for spec in DIGESTS}


def test_tournament_files_of_an_earlier_version_are_read() -> None:
    read = {path.stem: read_config(path) for path in (DATA / "tournaments").glob("*.toml")}
    found = {name: (config.format, config.units, config.seed, config.bots) for name, config in read.items()}
    assert found == {
        "quick": ("boards", 2000, 20261130, ["random", "random?calls=pass", "heuristic"]),
        "games": ("games", 500, 20261130, ["random?calls=pass", "heuristic"]),
    }
