"""The columns of parts: their declarations say all that writing, reading and playing again need to know."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pyarrow.parquet as pq
import pytest

from bidwhist.actions import ACTIONS, FIRST_NAMING, LAST_BID, PASS
from bidwhist.arena.part import Setting, play_part
from bidwhist.engine.moment import MOMENTS
from bidwhist.faults import Fault
from bidwhist.outcome import OUTCOME
from bidwhist.results.columns import CARDS, COLUMNS, FAULTS, RESULT, ROW, TABLE, part_columns
from bidwhist.results.parts import cards_recorded, planned_parts, read_parts
from bidwhist.results.schema import PARTS, Part, part_name, part_schema
from bidwhist.rules import CLASSIC
from runs import SEED, LowBot, make_run, manifest_of, put_part

KINDS = pytest.mark.parametrize(("games", "plays"), [(False, False), (False, True), (True, False), (True, True)])


def test_every_column_has_a_name_of_its_own() -> None:
    assert len(COLUMNS) == len((*TABLE, *RESULT, *FAULTS, *CARDS))


def test_results_and_cards_are_what_the_engine_notes() -> None:
    assert {column.field for column in (*RESULT, *CARDS)} == set(OUTCOME.names or ()) - {"unused"}


@pytest.mark.parametrize("games", [False, True])
def test_a_played_part_has_the_declared_columns_in_their_types(games: bool) -> None:
    part = Part(0, 0, 1, 0, 2)
    played = play_part(Setting(CLASSIC, SEED, games), part, {0: LowBot("a", 0), 1: LowBot("b", 1)})
    columns = part_columns(games=games)
    assert list(played) == [column.name for column in columns]
    schema = part_schema(games=games)
    assert schema.names == [column.name for column in columns]
    for column in columns:
        assert str(schema.field(column.name).type) == column.type
        assert schema.field(column.name).nullable == (column in CARDS)


def test_calls_and_namings_have_the_range_of_their_actions() -> None:
    for column in RESULT:
        if column.field == "calls":
            assert (column.least, column.most) == (PASS, LAST_BID)
    assert (COLUMNS["naming"].least, COLUMNS["naming"].most) == (FIRST_NAMING, ACTIONS - 1)


def test_faults_have_the_range_of_their_codes_and_moments() -> None:
    ranges = {column.field: (column.least, column.most) for column in FAULTS}
    assert ranges == {"faults": (0, max(Fault)), "faults_at": (-1, MOMENTS - 1)}


@KINDS
def test_rows_hold_what_was_written(games: bool, plays: bool, tmp_path: Path) -> None:
    manifest = manifest_of(["a", "b"], [(2, 3)], games=games, plays=plays)
    run = make_run(tmp_path / "run", manifest)
    [(_, rows, cards)] = read_parts(run, manifest, planned_parts(manifest), cards=True)
    setting = Setting(CLASSIC, SEED, games)
    played = play_part(setting, Part(0, 0, 1, 0, 3), {0: LowBot("a", 0), 1: LowBot("b", 1)})
    for column in part_columns(games=games):
        if not column.optional:
            assert (column.of(rows) == played[column.name]).all(), column.name
    assert (rows["unit"] == played["game" if games else "board"]).all()
    assert cards_recorded(cards) == plays
    if plays:
        assert (cards.column("discards").to_numpy() == played["discards"]).all()


def test_a_column_of_one_record_is_a_number() -> None:
    row = np.zeros(1, ROW)[0]
    row["calls"] = 54, 55, 56, 57
    row["tricks"] = 9
    assert (int(COLUMNS["call_3"].of(row)), int(COLUMNS["tricks"].of(row))) == (56, 9)


def test_columns_with_a_range_have_it_in_the_footer(tmp_path: Path) -> None:
    part = Part(0, 0, 1, 5, 2)
    (tmp_path / PARTS).mkdir()
    rules = replace(CLASSIC, cap=7)
    played = play_part(Setting(rules, SEED, True), part, {0: LowBot("a", 0), 1: LowBot("b", 1)})
    put_part(tmp_path, manifest_of(["a", "b"], [(2, 7)], games=True, rules=rules), part, played)
    group = pq.read_metadata(tmp_path / PARTS / part_name(0)).row_group(0)
    for place, column in enumerate(part_columns(games=True)):
        known = group.column(place).statistics
        if column.has_range:
            values = played[column.name]
            assert (known.min, known.max) == (values.min(), values.max())
