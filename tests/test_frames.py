"""Tidy frames of runs: each against plain Python over the rows, tricks against a Table, and hands that are opened."""

import json
import subprocess
import sys
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from click.testing import CliRunner

from bidwhist import replay, results
from bidwhist.cards import RANKS, SEATS
from bidwhist.cli import group
from bidwhist.deal import board_cards
from bidwhist.errors import RunError
from bidwhist.faults import Fault
from bidwhist.notation import SEAT_LETTERS, TRUMP_LETTERS, format_card, parse_call, parse_contract, parse_seat
from bidwhist.play import run_tournament
from bidwhist.record import Played, Recorded, play_out
from bidwhist.replay.opened import OpenHand
from bidwhist.results import parts as parts_module
from bidwhist.results.manifest import read_manifest
from bidwhist.results.parts import planned_parts
from bidwhist.results.standings import DIFFERENCES, PAIRINGS, STANDINGS, write_derived
from bidwhist.rules import PRESETS
from bidwhist.table import Table
from runs import SEED, make_run, manifest_of, rewrite_part, set_values

BOTS = ["A vs B", 'x,"y"', "NA"]
KINDS = pytest.mark.parametrize("as_games", [False, True], ids=["boards", "games"])


@pytest.fixture(scope="module")
def boards(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_run(tmp_path_factory.mktemp("boards") / "run", manifest_of(BOTS, [(3, 40)], plays=True))


@pytest.fixture(scope="module")
def games(tmp_path_factory: pytest.TempPathFactory) -> Path:
    manifest = manifest_of(["w", "A vs B"], [(2, 6)], plays=True, games=True, name="games")
    return make_run(tmp_path_factory.mktemp("games") / "run", manifest)


@pytest.fixture(scope="module")
def faulty(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run in which some bots have failed."""
    run = make_run(tmp_path_factory.mktemp("faulty") / "run", manifest_of(BOTS, [(3, 12)], name="faulty"))
    for number, row, seat, fault, moment in (
        (0, 3, "n", Fault.CRASH, 0),
        (0, 3, "w", Fault.TIME, 67),
        (1, 0, "e", Fault.ILLEGAL, 4),
        (1, 23, "s", Fault.LIMIT, 6),
    ):
        rewrite_part(run, number, set_values(f"fault_{seat}", row, int(fault)))
        rewrite_part(run, number, set_values(f"fault_at_{seat}", row, moment))
    return run


FIELDS: dict[str, Any] = {"name": "house", "seed": 5, "boards": 70, "bots": ["random", "heuristic"]}


@pytest.fixture(scope="module")
def house(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run of house bots that was truly played, without its plays."""
    return run_tournament(FIELDS, out=tmp_path_factory.mktemp("house") / "run", executor="inline")


@pytest.fixture(scope="module")
def recorded(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The same tournament with its plays."""
    out = tmp_path_factory.mktemp("recorded") / "run"
    return run_tournament(FIELDS, out=out, executor="inline", record="plays", name="recorded")


def records(frame: pd.DataFrame) -> list[dict[str, Any]]:
    """The rows of a frame as plain Python; None for what is missing."""
    plain = frame.astype(object)
    return plain.where(plain.notna(), None).to_dict("records")


def place_of(row: Any) -> dict[str, Any]:
    """The columns that tell the hand of a row of `load`."""
    return {name: getattr(row, name) for name in ("board", "game", "hand", "orientation") if name in row._fields}


def bot_at(row: Any, seat: int) -> str:
    return str((row.north, row.east, row.south, row.west)[seat])


def points_of(row: Any, seat: int) -> int:
    return int(row.points if seat % 2 == 0 else -row.points)


def calls_by_hand(run: Path, **chosen: Any) -> Iterator[dict[str, Any]]:
    for row in results.load(run, **chosen).itertuples():
        best = None
        for place, call in enumerate((row.call_1, row.call_2, row.call_3, row.call_4), 1):
            seat = (SEAT_LETTERS.index(row.dealer) + place) % SEATS
            won = SEAT_LETTERS[seat] == row.declarer
            yield {
                **place_of(row),
                "bot": bot_at(row, seat),
                "opponent": bot_at(row, (seat + 1) % SEATS),
                "seat": SEAT_LETTERS[seat],
                "place": place,
                "call": call,
                "level": 0 if call == "P" else int(call[0]),
                "direction": {"U": "U", "D": "D", "N": "NT"}.get(call[1:]),
                "best_before": best,
                "won": won,
                "made": row.made if won else None,
                "books": row.books if won else None,
                "points": points_of(row, seat) if won else None,
            }
            if call != "P":
                best = call


def contracts_by_hand(run: Path, **chosen: Any) -> Iterator[dict[str, Any]]:
    for row in results.load(run, **chosen).itertuples():
        seat = SEAT_LETTERS.index(row.declarer)
        yield {
            **place_of(row),
            "bot": row.declaring_bot,
            "opponent": bot_at(row, (seat + 1) % SEATS),
            "seat": row.declarer,
            "place": (seat - SEAT_LETTERS.index(row.dealer) - 1) % SEATS + 1,
            **{name: getattr(row, name) for name in ("level", "strain", "trump", "direction", "tricks", "books")},
            "margin": row.books - row.level - 6,
            "made": row.made,
            "points": points_of(row, seat),
        }


def replayed(run: Path, row: Any) -> Played:
    """A row of `load` with its plays, played through the checked steps of Table."""
    rules = read_manifest(run).rule_set()
    hands, kitty, _ = board_cards(rules, SEED, row.board)
    calls = [parse_call(call) for call in (row.call_1, row.call_2, row.call_3, row.call_4)]
    _, naming = parse_contract(row.contract)
    table = Table(hands, kitty, parse_seat(row.dealer), rules)
    return play_out(table, Recorded(calls, naming, row.discards, row.plays))


def tricks_by_hand(run: Path, **chosen: Any) -> Iterator[dict[str, Any]]:
    for row in results.load(run, plays=True, **chosen).itertuples():
        trump = None if row.trump == "none" else TRUMP_LETTERS.index(row.trump[0].upper())
        cards = iter(row.plays)
        for number, trick in enumerate(replayed(run, row).tricks, 1):
            for place in range(SEATS):
                seat = (trick.leader + place) % SEATS
                card = trick.cards[seat]
                assert card == next(cards)
                yield {
                    **place_of(row),
                    "trick": number,
                    "place": place + 1,
                    "seat": SEAT_LETTERS[seat],
                    "bot": bot_at(row, seat),
                    "opponent": bot_at(row, (seat + 1) % SEATS),
                    "card": format_card(card),
                    "led": seat == trick.leader,
                    "won": seat == trick.winner,
                    "trump": trump is not None and card // RANKS in (trump, SEATS),
                }
        assert next(cards, None) is None


ROWS = {
    "calls": (results.calls, calls_by_hand),
    "contracts": (results.contracts, contracts_by_hand),
    "tricks": (replay.tricks, tricks_by_hand),
}


@KINDS
@pytest.mark.parametrize("name", PRESETS)
def test_every_row_is_that_of_plain_python(name: str, as_games: bool, tmp_path: Path) -> None:
    manifest = manifest_of(["a", "b"], [(2, 8 if not as_games else 2)], rules=PRESETS[name], plays=True, games=as_games)
    run = make_run(tmp_path / "run", manifest)
    for read, by_hand in ROWS.values():
        found = read(run)
        assert records(found) == list(by_hand(run))
        assert len(found)


def test_numbers_texts_and_truths_have_their_types(boards: Path) -> None:
    calls, cards = results.calls(boards), replay.tricks(boards)
    types = {name: str(kind) for name, kind in calls.dtypes.items()}
    assert (types["level"], types["made"], types["books"], types["points"]) == ("int64", "boolean", "Int64", "Int64")
    assert (types["won"], types["call"], types["direction"]) == ("bool", "category", "category")
    assert list(calls["bot"].cat.categories) == BOTS
    assert (cards["trick"].dtype, cards["led"].dtype) == (np.int64, np.bool_)
    assert len(calls) == 4 * len(results.load(boards))
    assert calls["won"].sum() == len(results.contracts(boards))
    assert cards["won"].sum() * SEATS == len(cards)


def test_level_and_direction_of_calls_are_missing_where_nothing_was_said(tmp_path: Path) -> None:
    bare = next(rules for rules in PRESETS.values() if rules.bids != "strain")
    calls = results.calls(make_run(tmp_path / "run", manifest_of(["a", "b"], [(2, 8)], rules=bare)))
    said = calls[calls["call"].isin([str(level) for level in range(1, 8)])]
    assert len(said)
    assert said["direction"].isna().all()
    assert (said["level"].astype(str) == said["call"].astype(str)).all()
    assert (calls.loc[calls["call"] == "P", "level"] == 0).all()


SELECTIONS: list[dict[str, Any]] = [
    {"bots": BOTS[0]},
    {"pairing": BOTS[1:]},
    {"level": [5, 6, 7], "boards": (3, 17)},
    {"strain": "no trump"},
    {"boards": (10**6, 10**7)},
]


@pytest.mark.parametrize("chosen", SELECTIONS)
def test_selections_are_those_of_load(boards: Path, chosen: dict[str, Any]) -> None:
    for read, by_hand in ROWS.values():
        found, expected = read(boards, **chosen), list(by_hand(boards, **chosen))
        assert records(found) == expected
        assert (found.dtypes == read(boards).dtypes).all()
    assert list(results.calls(boards, columns=["call", "board"]).columns) == ["board", "call"]


def test_keywords_that_there_are_not_are_told(boards: Path) -> None:
    for read in (results.load, results.chunks, results.calls, results.contracts, results.faults, replay.tricks):
        with pytest.raises(TypeError, match="there is no keyword 'levels'; did you mean level"):
            read(boards, levels=3)  # type: ignore[call-arg]  # the mistake


def test_parts_without_chosen_rows_are_not_opened(boards: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    opened, read = [], parts_module._read

    def noted(*arguments: Any, **more: Any) -> Any:
        opened.append(arguments[2])
        return read(*arguments, **more)

    monkeypatch.setattr(parts_module, "_read", noted)
    planned = planned_parts(read_manifest(boards))
    for frame in (results.calls, results.contracts, results.faults, replay.tricks):
        opened.clear()
        frame(boards, pairing=BOTS[:2])
        assert opened == [part for part in planned if {part.a, part.b} == {0, 1}]


def test_faults_are_those_of_the_rows(faulty: Path, boards: Path) -> None:
    expected = []
    for row in results.load(faulty).itertuples():
        for seat, letter in enumerate("nesw"):
            kind = getattr(row, f"fault_{letter}")
            if isinstance(kind, str):
                expected.append(
                    {
                        **place_of(row),
                        "bot": bot_at(row, seat),
                        "opponent": bot_at(row, (seat + 1) % SEATS),
                        "seat": SEAT_LETTERS[seat],
                        "kind": kind,
                        "decision": getattr(row, f"fault_at_{letter}"),
                    }
                )
    found = results.faults(faulty)
    assert records(found) == expected
    assert list(found["kind"]) == ["crash", "time", "illegal", "limit"]
    assert list(found["decision"]) == ["call", "play:13", "name", "discard:2"]
    none = results.faults(boards)
    assert len(none) == 0
    assert (none.dtypes == found.dtypes).all()


@KINDS
def test_standings_are_those_written_and_those_counted(as_games: bool, tmp_path: Path) -> None:
    run = make_run(tmp_path / "run", manifest_of(BOTS, [(3, 30 if not as_games else 6)], games=as_games))
    counted = [frame(run) for frame in (results.standings, results.pairings, results.differences)]
    write_derived(run)
    written = [frame(run) for frame in (results.standings, results.pairings, results.differences)]
    for before, after, file in zip(counted, written, (STANDINGS, PAIRINGS, DIFFERENCES), strict=True):
        pd.testing.assert_frame_equal(before, after)
        stored = pd.read_parquet(run / file)
        assert list(after.columns) == list(stored.columns)
        assert records(after) == records(stored)
    standings, pairings, differences = written
    assert (len(standings), len(pairings), len(differences)) == (3, 6, 3)
    assert str(standings["games"].dtype) == str(standings["rank"].dtype) == "Int64"
    assert standings["games"].isna().all() != as_games
    assert list(standings["bot"].cat.categories) == list(pairings["opponent"].cat.categories) == BOTS


def test_times_are_those_that_were_noted(house: Path, boards: Path) -> None:
    lines = (house / "timings" / "parts.jsonl").read_text(encoding="utf-8").splitlines()
    noted = {line["part"]: line for line in map(json.loads, lines)}
    found = results.timings(house)
    assert sorted(noted) == list(found["part"])
    for row in found.itertuples():
        line = noted[row.part]
        assert (row.bot, row.opponent) == ("random", "heuristic")
        assert (row.tables, row.seconds) == (line["tables"], line["cpu_seconds"])
        assert row.microseconds == pytest.approx(1e6 * row.seconds / row.tables)
    assert found["tables"].sum() == len(results.load(house))
    with pytest.raises(RunError, match=r"parts\.jsonl: the times of the run cannot be read: No such file"):
        results.timings(boards)


def test_times_that_cannot_be_read_are_told(tmp_path: Path) -> None:
    run = make_run(tmp_path / "run", manifest_of(["a", "b"], [(2, 8)]))
    (run / "timings").mkdir()
    file = run / "timings" / "parts.jsonl"
    file.write_text(
        '{"part": 0, "tables": 16, "cpu_seconds": 1}\n{"part": 0, "tables": 16, "cpu_seconds": 2}\n', "utf-8"
    )
    assert list(results.timings(run)["seconds"]) == [2.0]
    file.write_text('{"part": 0, "tables": 16, "cpu_seconds": 1}\n{"part": 0, "tab', "utf-8")
    with pytest.raises(RunError, match=r"parts\.jsonl: line 2 is no time of a part"):
        results.timings(run)


# --- several runs ---


@pytest.fixture(scope="module")
def others(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Another run of the format `boards`, with one bot that plays in `boards` too."""
    manifest = manifest_of(["new", BOTS[2]], [(2, 20)], plays=True, name="others")
    return make_run(tmp_path_factory.mktemp("others") / "run", manifest)


def test_frames_of_several_runs_are_those_of_each_below_each_other(boards: Path, others: Path) -> None:
    both = {"before": boards, "after": others}
    reads = (
        *(results.load, results.calls, results.contracts, results.faults, replay.tricks),
        *(results.standings, results.pairings, results.differences),
    )
    for read in reads:
        found = read(both)
        assert list(found.columns) == ["run", *read(boards).columns]
        assert list(found["run"].cat.categories) == ["before", "after"]
        for label, run in both.items():
            part = found[found["run"] == label].drop(columns="run")
            assert records(part) == records(read(run))
        assert read is results.faults or list(found["run"].unique()) == ["before", "after"]
    calls = results.calls(both)
    assert list(calls["bot"].cat.categories) == [*BOTS, "new"] == list(calls["opponent"].cat.categories)
    assert (results.calls(boards).dtypes[["level", "made"]] == calls.dtypes[["level", "made"]]).all()


def test_pieces_of_several_runs_are_the_whole(boards: Path, others: Path) -> None:
    both = [boards, others]
    whole = results.load(both, level=[6, 7])
    pieces = list(results.chunks(both, level=[6, 7]))
    assert len(pieces) == len(planned_parts(read_manifest(boards))) + len(planned_parts(read_manifest(others)))
    assert all((piece.dtypes == whole.dtypes).all() for piece in pieces)
    pd.testing.assert_frame_equal(pd.concat(pieces, ignore_index=True), whole)


def test_a_bot_of_one_run_takes_nothing_from_another(boards: Path, others: Path) -> None:
    both = [boards, others]
    assert set(results.load(both, bots="new")["run"]) == {"others"}
    assert set(results.load(both, bots=["new", BOTS[0]])["run"]) == {"small", "others"}
    assert set(results.calls(both, pairing=["new", BOTS[2]])["run"]) == {"others"}
    assert len(results.load(both, pairing=["new", BOTS[0]])) == 0
    with pytest.raises(RunError, match="there is no bot 'newer'; did you mean new"):
        results.load(both, bots="newer")


def test_runs_of_a_list_are_called_by_their_names_or_folders(boards: Path, faulty: Path, tmp_path: Path) -> None:
    twin = make_run(tmp_path / "twin", manifest_of(["a", "b"], [(2, 4)]))
    found = results.standings([boards, str(faulty), twin])
    assert list(found["run"].cat.categories) == [str(boards), "faulty", str(twin)]


def test_formats_go_together_in_columns_that_both_have(boards: Path, games: Path) -> None:
    with pytest.raises(
        RunError, match="has the format boards, and not all others have it, too; load those of a format"
    ):
        results.calls([boards, games])
    with pytest.raises(RunError, match="column 'game' is only in a frame of games"):
        results.calls([boards, games], columns=["game"])
    found = results.contracts([boards, games], columns=["bot", "made"])
    assert found["run"].value_counts().to_dict() == {"small": 240, "games": len(results.load(games))}
    assert results.standings([boards, games])["games"].notna().sum() == 2


@pytest.mark.parametrize(
    ("source", "words"),
    [
        ([], "no run is given"),
        ({}, "no run is given"),
        (None, "None: is neither a run's folder nor a list of folders"),
        ([3], "3: is no run's folder: it must be a path"),
        ("nowhere", "nowhere: there is no such folder"),
        (["nowhere"], "nowhere: there is no such folder"),
    ],
)
def test_what_is_no_run_is_told(source: Any, words: str) -> None:
    for read in (results.load, results.calls, results.standings, results.timings, replay.tricks):
        with pytest.raises(RunError, match=words):
            read(source)
    with pytest.raises(RunError, match=words):
        replay.open_hand(source, 3)


def test_labels_that_cannot_be_are_told(boards: Path) -> None:
    with pytest.raises(RunError, match="two runs are called"):
        results.load([boards, boards])
    with pytest.raises(RunError, match="the label 3 of a run is no text"):
        results.load({3: boards})  # type: ignore[dict-item]  # the mistake


# --- hands ---


@KINDS
def test_a_hand_that_is_opened_is_that_of_its_row(as_games: bool, boards: Path, games: Path) -> None:
    run = games if as_games else boards
    frame = results.load(run, plays=True)
    for number in range(0, len(frame), 17):
        row = next(frame.iloc[number : number + 1].itertuples())
        opened, played = replay.open_hand(run, row), replayed(run, row)
        assert opened.bots == (row.north, row.east, row.south, row.west)
        assert (SEAT_LETTERS[opened.dealer], SEAT_LETTERS[opened.declarer]) == (row.dealer, row.declarer)
        assert (opened.contract, opened.discards, opened.plays) == (row.contract, row.discards, tuple(row.plays))
        assert (opened.calls, opened.tricks) == (played.calls, played.tricks)
        assert (opened.tricks_won, opened.books, opened.made) == (row.tricks, row.books, row.made)
        assert (opened.change, opened.points) == ((row.change_ns, row.change_ew), row.points)
        hands, kitty, _ = board_cards(read_manifest(run).rule_set(), SEED, row.board)
        assert (list(opened.hands), opened.kitty) == (hands, kitty)
        assert opened.table.is_done
        assert opened.table.score() == opened.change
        assert replay.open_hand(run, frame.iloc[number]) == opened
        if as_games:
            assert (opened.game, opened.hand, opened.scores) == (row.game, row.hand, (row.score_ns, row.score_ew))
            assert replay.open_hand(run, game=row.game, hand=row.hand, orientation=row.orientation) == opened
        else:
            pairing = (row.bot_ew, row.bot_ns)
            orientation = int(BOTS.index(row.bot_ns) > BOTS.index(row.bot_ew))
            assert replay.open_hand(run, row.board, pairing=pairing, orientation=orientation) == opened


def test_rows_of_all_frames_open_their_hands(boards: Path, others: Path, faulty: Path) -> None:
    both = {"before": boards, "after": others}
    for read in (results.load, results.calls, results.contracts, replay.tricks):
        row = read(both).iloc[-1]
        opened = replay.open_hand(both, row)
        assert (opened.name, opened.board, set(opened.bots)) == ("others", 19, {"new", BOTS[2]})
        assert opened == replay.open_hand(others, 19, orientation=1)
        if "seat" in row:
            assert opened.bots[SEAT_LETTERS.index(row["seat"])] == row["bot"]
    with pytest.raises(RunError, match="its plays cannot be shown: bot 'A vs B'"):
        replay.open_hand(faulty, results.faults(faulty).iloc[0])


def test_an_opened_hand_reads_as_it_is_shown(boards: Path) -> None:
    shown = CliRunner().invoke(group, ["show", str(boards), "--board", "17"]).stdout
    first, second = (replay.open_hand(boards, 17, orientation=number) for number in (0, 1))
    head, _, table = str(first).partition("\n\nA vs B North-South")
    assert shown.startswith(f"{head}\n\nA vs B North-South{table}\n\n")
    assert str(second).startswith(head)
    assert str(second).removeprefix(head) in shown


def test_hands_that_were_not_recorded_are_opened_too(house: Path, recorded: Path) -> None:
    for board in (0, 69):
        opened = [replay.open_hand(run, board, orientation=1) for run in (house, recorded)]
        texts = [str(each).partition(", ") for each in opened]
        assert [text[0] for text in texts] == ["house", "recorded"]
        assert texts[0][2] == texts[1][2]
        assert opened[0].plays == opened[1].plays


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({}, "which hand\\? say board$"),
        ({"board": 40}, "no table of board 40 has been played"),
        ({"board": "3"}, "board '3': a whole number from 0 is wanted"),
        ({"board": -1}, "board -1: a whole number from 0 is wanted"),
        ({"board": True}, "board True: a whole number from 0 is wanted"),
        ({"board": 3, "orientation": 2}, "orientation 2: board 3 was played in orientation 0 and 1"),
        ({"board": 3, "pairing": ("A vs B", "nobody")}, "pairing: 'A vs B,nobody' did not play this board"),
        ({"game": 1}, "game and hand: this run has the format boards: say board"),
        ({"board": {"board": 3}}, "the row does not tell who sat where"),
        ({"board": {"bot_ns": "A vs B", "bot_ew": "NA"}}, "the row does not tell the board"),
        ({"board": {"board": 3, "bot_ns": "A vs B", "bot_ew": "N"}}, "has no bot 'N'; did you mean NA"),
        ({"board": {"board": 99, "bot_ns": "A vs B", "bot_ew": "NA"}}, "'A vs B' and 'NA' have not played board 99 so"),
        ({"board": {"board": 3}, "orientation": 1}, "a row of a frame tells the hand"),
    ],
)
def test_hands_that_there_are_not_are_told(boards: Path, arguments: dict[str, Any], words: str) -> None:
    with pytest.raises(RunError, match=words):
        replay.open_hand(boards, **arguments)


def test_a_hand_of_several_runs_needs_a_row(boards: Path, others: Path) -> None:
    with pytest.raises(RunError, match="of which run is the hand"):
        replay.open_hand([boards, others], 3)
    with pytest.raises(RunError, match="there is no run None; known are small, others"):
        replay.open_hand([boards, others], results.load(boards).iloc[0])


# --- cards that were not recorded ---


def test_tricks_that_were_not_recorded_are_played_again(house: Path, recorded: Path) -> None:
    chosen: dict[str, Any]
    for chosen in ({}, {"level": [4, 5]}, {"boards": (33, 51)}, {"boards": (10**6, 10**7)}):
        pd.testing.assert_frame_equal(replay.tricks(house, **chosen), replay.tricks(recorded, **chosen))
    with pytest.raises(RunError, match="its plays were not recorded"):
        results.load(house, plays=True)


def test_tricks_of_games_are_played_again(tmp_path: Path) -> None:
    fields = {"seed": 3, "format": "games", "games": 3, "bots": ["random", "random?calls=pass", "heuristic"]}
    runs = [
        run_tournament(fields, out=tmp_path / record, executor="inline", record=record) for record in ("auto", "plays")
    ]
    pd.testing.assert_frame_equal(*(replay.tricks(run, level=[1, 2, 3]) for run in runs))


FRAIL = """
def act(obs):
    if obs.phase == "play" and obs.row["key"] % 97 == 0:
        raise ValueError("frail")
    return obs.legal[0]
"""


def test_tricks_of_a_bot_that_fails_are_played_again(tmp_path: Path) -> None:
    (tmp_path / "frail.py").write_text(FRAIL, encoding="utf-8")
    fields = {"seed": 3, "boards": 40, "bots": [str(tmp_path / "frail.py"), "random"], "on_fault": "substitute"}
    runs = [
        run_tournament(fields, out=tmp_path / record, executor="inline", trust=True, record=record, most_faults=1.0)
        for record in ("results", "plays")
    ]
    assert len(results.faults(runs[0])) > 2
    pd.testing.assert_frame_equal(*(replay.tricks(run) for run in runs))


def test_tricks_that_cannot_be_had_are_told(house: Path, faulty: Path, tmp_path: Path) -> None:
    with pytest.raises(RunError, match=r'bot .*A vs B.*its plays were not recorded, as they are with record = "plays"'):
        replay.tricks(faulty)
    run = run_tournament({**FIELDS, "boards": 4}, out=tmp_path / "run", executor="inline")
    before = int(results.load(run)["tricks"].iloc[5])
    rewrite_part(run, 0, set_values("tricks", 5, (before + 1) % 13))
    with pytest.raises(RunError, match=r'do not play board 2 again as they did.*record = "plays"'):
        replay.tricks(run)
    assert len(replay.tricks(run, boards=(0, 2))) == 4 * 48


# --- what is loaded ---


def test_functions_are_not_hidden_by_modules_of_their_names() -> None:
    for name in ("standings", "faults"):
        module = import_module(f"bidwhist.results.{name}")
        assert getattr(results, name) is not module
        assert callable(getattr(results, name))
    for package in (results, replay):
        assert all(callable(getattr(package, name)) for name in package.__all__)
        with pytest.raises(AttributeError, match="has no attribute 'nonsense'"):
            package.nonsense  # noqa: B018 - looking it up raises


def test_pandas_is_loaded_for_frames_alone() -> None:
    code = (
        "import sys, bidwhist.results, bidwhist.replay, bidwhist.results.standings; sys.exit('pandas' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-W", "error", "-c", code], check=False).returncode == 0


def test_an_opened_hand_is_shown_short_and_equal_to_itself(boards: Path) -> None:
    opened = replay.open_hand(boards, 3)
    assert isinstance(opened, OpenHand)
    assert "OpenHand(name='small', title='board 3'" in repr(opened)
    assert opened != replay.open_hand(boards, 4)
