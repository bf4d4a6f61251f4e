"""Every field of every record holds the least and the most that the rules let it come to."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner

from bidwhist.actions import ACTIONS, LAST_BID
from bidwhist.cards import CARDS, FULL, RANKS, SEATS
from bidwhist.cli import show
from bidwhist.engine.moment import MOMENTS
from bidwhist.engine.referee import NOTED
from bidwhist.engine.sequence import ENDED, SEQUENCE, TABLE
from bidwhist.errors import RulesError
from bidwhist.faults import Fault
from bidwhist.observation import OBSERVATION
from bidwhist.outcome import OUTCOME
from bidwhist.play import run_tournament
from bidwhist.public import DONE, OBSERVATION_VERSION, PUBLIC
from bidwhist.results.columns import ROW
from bidwhist.results.derive import DERIVED
from bidwhist.results.frame import load
from bidwhist.results.manifest import read_manifest
from bidwhist.rules import CLASSIC, OPTIONS, RULES, preset
from bidwhist.score import ALL_BOOKS, BASE, DRAW, declarer_score, defender_score
from bidwhist.solver.workspace import ENTRIES, ENTRY, FRAME, HEAD, MOST_AGE, WORKSPACE
from bidwhist.state import STATE
from bidwhist.table import Table
from bidwhist.worlds.view import WORLDS
from bidwhist_bots.search import SEARCH


def _largest(name: str) -> int:
    values = OPTIONS[name].values
    return len(values) - 1 if isinstance(values[0], str) else max(map(int, values))


CAP, TARGET = _largest("cap"), _largest("target")
LEVELS = ALL_BOOKS - BASE
WORDS = 1 << 63  # a mask of words or cards is below this


def _changes() -> tuple[int, int]:
    """The least and the most that a hand changes a score by, under any rules."""
    found = []
    record = CLASSIC.record()
    for nt_factor in OPTIONS["nt_factor"].values:
        for made in range(len(OPTIONS["made"].values)):
            for boston in range(len(OPTIONS["boston"].values)):
                for name, value in (("nt_factor", nt_factor), ("made", made), ("boston", boston), ("defenders", 1)):
                    record[name] = value
                for books in range(ALL_BOOKS + 1):
                    found.append(defender_score(record, books))
                    for level in range(1, LEVELS + 1):
                        found += [declarer_score(record, level, is_nt, books) for is_nt in (False, True)]
    return min(found), max(found)


LEAST_CHANGE, MOST_CHANGE = _changes()
MOST_POINTS = MOST_CHANGE - LEAST_CHANGE  # of a forfeit, and more than that
SEAT, SIDE = (-1, SEATS - 1), (-1, 1)
MASK, WORD_MASK, KEY = (0, FULL), (0, FULL), (0, (1 << 64) - 1)
CARD, ACTION = (-1, CARDS - 1), (-1, ACTIONS - 1)
# Before a hand nobody has reached the target; without a negative end nothing stops a side that is set in each.
SCORE = ((CAP - 1) * LEAST_CHANGE, TARGET - 1)
SETS = (0, CAP - 1)
HANDS, BOARD, BOTS, COUNT = (0, CAP), (0, (1 << 62) + CAP), (0, 1000), (0, 1 << 40)

PUBLIC_RANGES = {
    "version": (0, OBSERVATION_VERSION),
    "phase": (0, DONE),
    **dict.fromkeys(("turn", "dealer", "declarer", "winner", "leaders"), SEAT),
    **dict.fromkeys(("bid", "calls"), (-1, LAST_BID)),
    "naming": ACTION,
    **dict.fromkeys(("winning", "plays"), CARD),
    "played": (0, SEATS * RANKS),
    "kitty_side": SIDE,
    "left": (0, RANKS + _largest("kitty_size")),
    "tricks": (0, RANKS),
    "scores": SCORE,
    "sets": SETS,
    "hand_number": (0, CAP - 1),
    **dict.fromkeys(("gone", "led", "void", "sported"), MASK),
}
PRIVATE_RANGES = {"seat": SEAT, "key": KEY, **dict.fromkeys(("hand", "legal", "kitty", "buried"), MASK)}
GAME_RANGES = {"hand": HANDS, "scores": (CAP * LEAST_CHANGE, TARGET + MOST_CHANGE), "sets": (0, CAP)}
OUTCOME_RANGES = {
    "calls": (-1, LAST_BID),
    "naming": ACTION,
    "tricks": (0, RANKS),
    "kitty_side": SIDE,
    "discards": MASK,
    "plays": CARD,
}
PLACES = (-1, 63)
RANGES: dict[str, tuple[np.dtype[Any], dict[str, tuple[int, int]]]] = {
    "RULES": (RULES, {**{name: (0, _largest(name)) for name in OPTIONS}, "hand_size": (0, RANKS)}),
    "PUBLIC": (PUBLIC, PUBLIC_RANGES),
    "OBSERVATION": (OBSERVATION, PRIVATE_RANGES),
    "STATE": (STATE, dict.fromkeys(("hands", "kitty", "taken", "buried"), MASK)),
    "OUTCOME": (OUTCOME, OUTCOME_RANGES),
    "SEQUENCE": (SEQUENCE, {"first_board": BOARD, "hands": HANDS, "dealer": SEAT, "lineup": BOTS}),
    "TABLE": (TABLE, {**GAME_RANGES, "seat_keys": KEY, "stream": KEY, "sequence": COUNT, "lineup": BOTS}),
    "ENDED": (ENDED, {"sequence": COUNT, "hand": HANDS}),
    "NOTED": (
        NOTED,
        {"sequence": COUNT, "hand": HANDS, "seat": SEAT, "fault": (0, max(Fault)), "moment": (-1, MOMENTS - 1)},
    ),
    "ROW": (
        ROW,
        {
            **{name: limits for name, limits in OUTCOME_RANGES.items() if name in (ROW.names or ())},
            "unit": BOARD,
            "board": BOARD,
            "lineup": BOTS,
            "hand": (0, CAP - 1),
            "orientation": (0, 1),
            "faults": (0, max(Fault)),
            "faults_at": (-1, MOMENTS - 1),
        },
    ),
    "DERIVED": (
        DERIVED,
        {
            **dict.fromkeys(("dealer", "declarer"), SEAT),
            "level": (0, LEVELS),
            "strain": (0, 2),
            "books": (0, ALL_BOOKS),
            "forfeit": SIDE,
            "change": (min(LEAST_CHANGE, -MOST_POINTS), MOST_CHANGE),
            "scores": SCORE,
            "sets": SETS,
            "winner": (-1, DRAW),
        },
    ),
    "ENTRY": (
        ENTRY,
        {**dict.fromkeys(("mask", "low", "high"), (0, WORDS - 1)), "least": (0, RANKS), "most": (0, RANKS)}
        | {"move": PLACES},
    ),
    "HEAD": (
        HEAD,
        {"key": (-WORDS, WORDS - 1), "age": (0, MOST_AGE), "start": (0, ENTRIES), "size": (0, ENTRIES), "move": PLACES},
    ),
}
PLAIN = {"WORKSPACE": WORKSPACE, "FRAME": FRAME, "WORLDS": WORLDS, "SEARCH": SEARCH}
"""Records whose own numbers are all of 64 bits, which no rule can outgrow."""


def _fields(record: np.dtype[Any]) -> Iterator[tuple[str, np.dtype[Any]]]:
    """The numbers of a record, by name; records within it are listed on their own, and truths need no room."""
    for name, (kind, *_) in (record.fields or {}).items():
        if kind.base.names is None and kind.base.kind in "iu" and name != "unused":
            yield name, kind.base


@pytest.mark.parametrize("name", RANGES)
def test_every_field_is_wide_enough(name: str) -> None:
    record, ranges = RANGES[name]
    kinds = dict(_fields(record))
    assert sorted(kinds) == sorted(ranges)
    for field, (least, most) in ranges.items():
        held = np.iinfo(kinds[field])
        assert held.min <= least <= most <= held.max, field


@pytest.mark.parametrize("name", PLAIN)
def test_working_records_have_wide_fields(name: str) -> None:
    assert {kind.itemsize for _, kind in _fields(PLAIN[name])} == {8}


def test_every_record_within_a_record_is_listed() -> None:
    listed = {id(record) for record, _ in RANGES.values()} | {id(record) for record in PLAIN.values()}
    same = [*(record for record, _ in RANGES.values()), *PLAIN.values()]
    for record in same:
        for kind, *_ in (record.fields or {}).values():
            assert kind.base.names is None or id(kind.base) in listed or kind.base in same


def test_a_seat_sees_how_often_a_side_was_set_in_a_long_game() -> None:
    rules = preset("classic", cap=CAP, target=TARGET, negative_end=False)
    table = Table.deal(1, 0, rules)
    hands = [*table.hands]
    most = Table(hands, int(table.state["kitty"]), 0, rules, scores=SCORE, sets=SETS, hand_number=CAP - 1)
    obs = most.observe()
    assert (obs.scores, obs.sets) == ([*SCORE], [*SETS])
    assert obs.row["public"]["hand_number"] == CAP - 1


@pytest.mark.parametrize(
    ("wrong", "reason"),
    [
        ({"scores": (1 << 15, 0)}, "scores: 32768"),
        ({"scores": (0, 0.5)}, r"scores: 0\.5"),
        ({"sets": (0, 201)}, "sets: 201"),
        ({"sets": (True, 0)}, "sets: True"),
        ({"hand_number": 200}, "hand_number: 200"),
        ({"dealer": 1.0}, r"dealer: 1\.0"),
        ({"dealer": True}, "dealer: True"),
    ],
)
def test_a_table_refuses_a_game_that_no_hands_lead_to(wrong: dict[str, Any], reason: str) -> None:
    table = Table.deal(1, 0)
    with pytest.raises(RulesError, match=f"^{reason} is no"):
        Table(table.hands, int(table.state["kitty"]), **{"dealer": 0, **wrong})


@pytest.fixture(scope="module")
def long_game(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A game of as many hands as a game may have, in which both sides are set again and again."""
    rules = {"preset": "classic", "cap": CAP, "target": TARGET, "negative_end": False}
    bots = ["random", {"spec": "random", "name": "other"}]
    out = tmp_path_factory.mktemp("run") / "long"
    fields = {"name": "long", "rules": rules, "format": "games", "games": 1, "seed": 5, "bots": bots}
    return run_tournament(fields, out=out, jobs=1, executor="inline")


def test_the_last_hand_of_a_long_game_is_shown(long_game: Path) -> None:
    frame = load(long_game)
    last = int(frame.hand.max())
    assert last == CAP - 1
    shown = CliRunner().invoke(show.command, [str(long_game), "--game", "0", "--hand", str(last)])
    assert (shown.exit_code, shown.exception) == (0, None)
    assert read_manifest(long_game).versions["observation"] == OBSERVATION_VERSION == 2


def test_numbers_of_a_frame_do_not_overflow(long_game: Path) -> None:
    frame = load(long_game)
    assert 0 < (frame.books * 100 / 13).mean() < 100
    assert (frame.score_ns * 1000).min() == 1000 * int(frame.score_ns.min()) < -(1 << 15)
    kinds = {name: str(kind) for name, kind in frame.dtypes.items()}
    assert set(kinds.values()) == {"int64", "bool", "category"}
    assert (kinds["made"], kinds["books"], kinds["declarer"]) == ("bool", "int64", "category")
