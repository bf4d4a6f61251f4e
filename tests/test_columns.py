"""The columns of parts: their declarations say all that writing, reading and playing again need to know."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from bidwhist.arena.part import Setting, play_part
from bidwhist.outcome import OUTCOME
from bidwhist.results.columns import CARDS, COLUMNS, RESULT, ROW, TABLE, part_columns
from bidwhist.results.derive import read_rows
from bidwhist.results.schema import PARTS, Part, column_range, encode_part, part_name, part_schema, write_part
from bidwhist.rules import CLASSIC
from runs import SEED, LowBot, make_run, manifest_of

KINDS = pytest.mark.parametrize(("games", "plays"), [(False, False), (False, True), (True, False), (True, True)])


def test_every_column_has_a_name_of_its_own() -> None:
    assert len(COLUMNS) == len((*TABLE, *RESULT, *CARDS))


def test_results_and_cards_are_what_the_engine_notes() -> None:
    assert {column.field for column in (*RESULT, *CARDS)} == set(OUTCOME.names or ()) - {"unused"}


@KINDS
def test_a_played_part_has_the_declared_columns_in_their_types(games: bool, plays: bool) -> None:
    part = Part(0, 0, 1, 0, 2)
    played = play_part(Setting(CLASSIC, SEED, games), part, {0: LowBot("a", 0), 1: LowBot("b", 1)})
    assert list(played) == [column.name for column in part_columns(games=games, plays=True)]
    schema = part_schema(games=games, plays=plays)
    assert schema.names == [column.name for column in part_columns(games=games, plays=plays)]
    for column in part_columns(games=games, plays=plays):
        assert str(schema.field(column.name).type) == column.type
        assert not schema.field(column.name).nullable


@KINDS
def test_rows_hold_what_was_written(games: bool, plays: bool, tmp_path: Path) -> None:
    manifest = manifest_of(["a", "b"], [(2, 3)], games=games, plays=plays)
    run = make_run(tmp_path / "run", manifest)
    rows, cards = read_rows(run / PARTS / part_name(0), manifest, plays=True)
    setting = Setting(CLASSIC, SEED, games)
    played = play_part(setting, Part(0, 0, 1, 0, 3), {0: LowBot("a", 0), 1: LowBot("b", 1)})
    for column in part_columns(games=games, plays=False):
        assert (column.of(rows) == played[column.name]).all(), column.name
    assert (rows["unit"] == played["game" if games else "board"]).all()
    assert cards.column_names == ([column.name for column in CARDS] if plays else [])


def test_a_column_of_one_record_is_a_number() -> None:
    row = np.zeros(1, ROW)[0]
    row["calls"] = 54, 55, 56, 57
    row["tricks"] = 9
    assert (int(COLUMNS["call_3"].of(row)), int(COLUMNS["tricks"].of(row))) == (56, 9)


def test_columns_with_a_range_have_it_in_the_footer(tmp_path: Path) -> None:
    part = Part(0, 0, 1, 5, 2)
    (tmp_path / PARTS).mkdir()
    played = play_part(Setting(replace(CLASSIC, cap=7), SEED, True), part, {0: LowBot("a", 0), 1: LowBot("b", 1)})
    write_part(tmp_path / PARTS, part, encode_part(part, played, games=True, plays=False))
    for column in (each for each in COLUMNS.values() if each.has_range):
        values = played[column.name]
        assert column_range(tmp_path / PARTS / part_name(0), column.name) == (values.min(), values.max())
