"""What is made of a run's parts: derived columns, frames, standings."""

import math
import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow.parquet as pq
import pytest
from scipy import stats

from bidwhist.deal import board_cards
from bidwhist.errors import RunError
from bidwhist.notation import SEAT_LETTERS, format_call, format_contract, parse_call, parse_contract, parse_seat
from bidwhist.record import Recorded, play_out
from bidwhist.results import load
from bidwhist.results.hands import hands_of, pick_pairing
from bidwhist.results.manifest import RUNNING, read_manifest, write_manifest
from bidwhist.results.parts import planned_parts
from bidwhist.results.schema import PARTS, part_name
from bidwhist.results.standings import PAIRINGS, STANDINGS, Score, Standings, standings_of, write_derived
from bidwhist.rules import PRESETS, preset
from bidwhist.table import Table
from runs import SEED, keep_rows, make_run, manifest_of, rewrite_part

BOTS = ["A vs B", 'x,"y"', "$\\pi$"]


@pytest.fixture(scope="module")
def boards(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_run(tmp_path_factory.mktemp("boards") / "run", manifest_of(BOTS, [(3, 100)]))


@pytest.fixture(scope="module")
def games(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_run(tmp_path_factory.mktemp("games") / "run", manifest_of(BOTS, [(3, 40)], games=True))


def replayed(run: Path, row: Any) -> Table:
    """The table of a row of a frame loaded with its plays, played through the checked steps of Table."""
    rules = read_manifest(run).rule_set()
    hands, kitty, _ = board_cards(rules, SEED, row.board)
    scores = (row.score_ns, row.score_ew) if "score_ns" in row._fields else (0, 0)
    table = Table(hands, kitty, parse_seat(row.dealer), rules, scores=scores)
    calls = [parse_call(call) for call in (row.call_1, row.call_2, row.call_3, row.call_4)]
    _, naming = parse_contract(row.contract)
    return play_out(table, Recorded(calls, naming, row.discards, row.plays)).table


@pytest.mark.parametrize("as_games", [False, True], ids=["boards", "games"])
@pytest.mark.parametrize("name", PRESETS)
def test_every_derived_column_is_that_of_the_hand_played_again(name: str, as_games: bool, tmp_path: Path) -> None:
    manifest = manifest_of(["a", "b"], [(2, 8)], rules=PRESETS[name], plays=True, games=as_games)
    run = make_run(tmp_path / "run", manifest)
    frame = load(run, plays=True)
    for row in frame.itertuples():
        table = replayed(run, row)
        public = table.public
        declarer = int(public["declarer"])
        side = declarer & 1
        assert row.declarer == SEAT_LETTERS[declarer]
        assert row.declaring_bot == (row.bot_ns, row.bot_ew)[side] == (row.north, row.east)[side]
        assert format_call(int(public["bid"]))[0] == str(row.level) == row.contract[0]
        assert row.contract == format_contract(row.level, int(public["naming"]))
        assert row.strain == ("no trump" if row.trump == "none" else "uptown" if row.direction == "U" else "downtown")
        assert row.tricks == public["tricks"][side]
        assert row.books == table.books(side)
        assert row.made == table.is_made()
        assert (row.change_ns, row.change_ew) == table.score()
        assert row.points == row.change_ns - row.change_ew
        assert row.kitty_side == ("NS", "EW", "none")[int(public["kitty_side"])]
        assert row.fault_n is row.fault_at_n is np.nan


def test_dealers_and_lineups_follow_the_schedule(boards: Path, games: Path) -> None:
    frame = load(boards)
    seats = frame["dealer"].cat.codes.to_numpy()
    assert ((seats - frame["board"]) % 4).nunique() == 1
    assert sorted(frame.groupby(["bot_ns", "bot_ew"], observed=True).size().to_list()) == [100] * 6
    frame = load(games)
    first = frame[frame["hand"] == 0].set_index(["bot_ns", "bot_ew", "game"])["dealer"].cat.codes
    drawn = first.groupby("game", observed=True).nunique()
    assert (drawn == 1).all()
    assert first.nunique() == 4
    by_game = frame["game"].map(first.groupby("game", observed=True).first()).astype(int)
    assert ((by_game + frame["hand"]) % 4 == frame["dealer"].cat.codes).all()


@pytest.mark.parametrize("rules", [PRESETS["classic"], preset("no-kitty", target=9), preset("classic", cap=3)])
def test_scores_before_a_hand_and_winners_add_up(rules: Any, tmp_path: Path) -> None:
    run = make_run(tmp_path / "run", manifest_of(["a", "b"], [(2, 30)], rules=rules, games=True))
    frame = load(run)
    for _, hands in frame.groupby(["game", "orientation"]):
        assert hands["hand"].to_list() == list(range(len(hands)))
        before = hands[["change_ns", "change_ew"]].cumsum().shift(fill_value=0)
        assert (before.to_numpy() == hands[["score_ns", "score_ew"]].to_numpy()).all()
        assert hands["winner"].isna().to_list() == [True] * (len(hands) - 1) + [False]
        last = hands.iloc[-1]
        ns, ew = last["score_ns"] + last["change_ns"], last["score_ew"] + last["change_ew"]
        if not rules.two_sets:
            assert last["winner"] == ("draw" if ns == ew else "NS" if ns > ew else "EW")
        over = max(abs(ns), abs(ew)) >= rules.target or len(hands) == rules.cap
        lost_by_sets = rules.two_sets and (~hands["made"]).sum() >= 2
        assert over or lost_by_sets


def units_of(run: Path) -> pd.DataFrame:
    """Complete duplicates of a run by pandas alone: bot, opponent, unit, points, share won."""
    frame, as_games = load(run), read_manifest(run).is_games
    unit = "game" if as_games else "board"
    sides = []
    for own, other, sign, side in (("bot_ns", "bot_ew", 1, "NS"), ("bot_ew", "bot_ns", -1, "EW")):
        part = frame[[own, other, unit]].astype({own: str, other: str})
        part.columns = pd.Index(["bot", "opponent", "unit"])
        part["table"], part["points"] = side, sign * frame["points"].astype(int)
        if as_games:
            part["won"] = frame["winner"].map({side: 1.0, "draw": 0.5}).astype(float)
            part["won"] = part["won"].where(part["won"].notna() | frame["winner"].isna(), 0.0)
        sides.append(part)
    both = pd.concat(sides).groupby(["bot", "opponent", "unit"])
    units = both.agg(points=("points", "mean"), tables=("table", "nunique"), hands=("points", "size"))
    units["won"] = both["won"].mean() if as_games else (np.sign(units["points"]) + 1) / 2
    return units[units["tables"] == 2].reset_index()


def check_points(score: Score, own: pd.DataFrame) -> None:
    """Compare points with sums by hand: in games points by hands, in boards of two hands each."""
    mean, parts = 0.0, []
    opponents = own["opponent"].nunique()
    for _, part in own.groupby("opponent"):
        total, hands, number = (part["points"] * part["hands"]).sum(), part["hands"].sum(), len(part)
        mean += total / hands / opponents
        rest = (part["points"] * part["hands"] - total / hands * part["hands"]) / hands
        parts.append(pd.Series((rest * math.sqrt(number / (number - 1)) / opponents).to_numpy(), part["unit"]))
    assert score.points_per_board == pytest.approx(mean)
    influence = pd.concat(parts).groupby(level=0).sum().to_numpy()
    half = stats.t.ppf(0.975, own.groupby("opponent").size().min() - 1) * math.sqrt((influence**2).sum())
    low, high = score.ci95
    assert (low + high) / 2 == pytest.approx(mean, abs=1e-8)
    assert half < (high - low) / 2 < 1.35 * half, "wider by what few boards leave open"


def check_order(units: pd.DataFrame, result: Standings) -> None:
    """The order is that of ratings whose differences come as close as they can to the means of all pairings."""
    bots = [each.bot for each in result.standings]
    rows, means = [], []
    for (bot, opponent), part in units.groupby(["bot", "opponent"]):
        if bot < opponent:
            rows.append([(each == bot) * 1.0 - (each == opponent) for each in bots])
            means.append((part["points"] * part["hands"]).sum() / part["hands"].sum())
    fitted, *_ = np.linalg.lstsq(np.array(rows), np.array(means))
    assert fitted.tolist() == sorted(fitted.tolist(), reverse=True)
    assert sorted(each.runoff or 0 for each in result.standings) == list(range(1, len(bots) + 1))
    for each in result.differences:
        assert each.points_per_board == pytest.approx(fitted[bots.index(each.bot)] - fitted[bots.index(each.other)])
        assert each.is_sure == (each.boards_to_settle is None)
    for each in result.standings:
        low, high = each.rank_range or (0, 0)
        assert 1 <= each.rank <= low <= high <= len(bots)
        assert sum(each.probabilities) == pytest.approx(1, abs=0.002)


def check_standings(run: Path, result: Standings) -> None:
    """Compare standings with those by pandas and the interval's formula on whole arrays."""
    units = units_of(run)
    frame = load(run)
    assert result.rows == len(frame)
    check_order(units, result)
    for standing in result.standings:
        own = units[units["bot"] == standing.bot]
        score = standing.score
        check_points(score, own)
        assert score.tables == own["hands"].sum()
        won = own.groupby("opponent")["won"].mean().mean()
        as_games = read_manifest(run).is_games
        assert (score.games_won if as_games else score.boards_won) == pytest.approx(won)
        assert (score.boards_won if as_games else score.games_won) is None
        assert (score.games if as_games else score.boards) == own["unit"].nunique()
    for pairing in result.pairings:
        own = units[(units["bot"] == pairing.bot) & (units["opponent"] == pairing.opponent)]
        check_points(pairing.score, own)
        assert pairing.score.tables == own["hands"].sum()


def check_bids(run: Path, result: Standings) -> None:
    frame = load(run)
    for standing in result.standings:
        own = frame[frame["declaring_bot"] == standing.bot]
        assert (standing.bids.declared, standing.bids.made) == (len(own), own["made"].sum())
        for level, bids in standing.by_level.items():
            part = own[own["level"] == int(level)]
            assert (bids.declared, bids.made) == (len(part), part["made"].sum())
        for strain, bids in standing.by_strain.items():
            part = own[own["strain"] == strain]
            assert (bids.declared, bids.made) == (len(part), part["made"].sum())


def test_standings_are_those_that_pandas_counts(boards: Path, games: Path) -> None:
    for run in (boards, games):
        result = standings_of(run)
        check_standings(run, result)
        check_bids(run, result)
        assert result.counted == result.rows
        assert len(result.pairings) == 6


def test_pairings_stand_there_from_both_sides(boards: Path) -> None:
    scores = {(each.bot, each.opponent): each.score for each in standings_of(boards).pairings}
    for (bot, opponent), score in scores.items():
        other = scores[opponent, bot]
        assert score.points_per_board == -other.points_per_board
        assert score.boards_won + other.boards_won == 1
        assert (score.boards, score.tables) == (other.boards, other.tables) == (100, 200)


@pytest.mark.parametrize("as_games", [False, True], ids=["boards", "games"])
def test_an_unfinished_run_counts_what_is_there(as_games: bool, tmp_path: Path) -> None:
    manifest = manifest_of(BOTS, [(3, 70)], games=as_games, finished=False)
    numbers = [part.number for part in planned_parts(manifest)]
    run = make_run(tmp_path / "run", manifest, leave_out=[numbers[0], numbers[3], numbers[-1]])
    result = standings_of(run)
    assert not (run / STANDINGS).exists()
    check_standings(run, result)


def test_a_game_without_its_end_does_not_count(games: Path, tmp_path: Path) -> None:
    run = shutil.copytree(games, tmp_path / "run")
    of_game = 0

    def cut(columns: dict[str, Any]) -> None:
        nonlocal of_game
        of_game = int((columns["game"] == columns["game"][-1]).sum())
        keep_rows(slice(0, -1))(columns)

    rewrite_part(run, 0, cut)
    result = standings_of(run)
    assert result.rows - result.counted == of_game - 1


def test_a_bot_against_itself_nets_nothing(tmp_path: Path) -> None:
    run = make_run(tmp_path / "run", manifest_of(["a", "twin"], [(2, 40)]), alike=True)
    for standing in standings_of(run).standings:
        assert standing.score.points_per_board == 0
        low, high = standing.score.ci95
        assert low == -high < 0, "what was not seen is bounded"
        assert (standing.rank, standing.rank_range) == (1, (1, 2)), "not told apart"
        assert standing.score.boards_won == 0.5


def test_an_extended_run_has_the_standings_of_a_fresh_one(tmp_path: Path) -> None:
    runs = {
        "fresh": make_run(tmp_path / "fresh", manifest_of(BOTS, [(3, 90)])),
        "extended": make_run(tmp_path / "extended", manifest_of(BOTS, [(2, 40), (2, 70), (3, 70), (3, 90)])),
    }
    for run in runs.values():
        write_derived(run)
    names = {name: sorted(path.name for path in (run / PARTS).iterdir()) for name, run in runs.items()}
    assert names["fresh"] != names["extended"]
    for name in (STANDINGS, PAIRINGS):
        fresh, extended = (pd.read_parquet(run / name) for run in runs.values())
        pd.testing.assert_frame_equal(fresh, extended)


def test_games_extended_have_the_standings_of_fresh_ones(tmp_path: Path) -> None:
    fresh = make_run(tmp_path / "fresh", manifest_of(BOTS, [(3, 60)], games=True))
    extended = make_run(tmp_path / "extended", manifest_of(BOTS, [(2, 33), (3, 60)], games=True))
    assert write_derived(fresh) == write_derived(extended)
    pd.testing.assert_frame_equal(pd.read_parquet(fresh / STANDINGS), pd.read_parquet(extended / STANDINGS))


def test_unequal_boards_of_an_extension_under_way(tmp_path: Path) -> None:
    manifest = manifest_of(BOTS, [(2, 64), (3, 64), (3, 128)], finished=False)
    last = [part.number for part in planned_parts(manifest) if part.first >= 64][1:]
    run = make_run(tmp_path / "run", manifest, leave_out=last)
    result = standings_of(run)
    check_standings(run, result)
    assert {each.score.boards for each in result.pairings} == {64, 96}


def test_written_standings_are_read_until_parts_are_added(boards: Path, tmp_path: Path) -> None:
    run = shutil.copytree(boards, tmp_path / "run")
    manifest = read_manifest(run)
    manifest.state = RUNNING
    write_manifest(run, manifest)
    written = write_derived(run)
    part = run / PARTS / part_name(3)
    away = part.rename(tmp_path / part.name)
    assert standings_of(run) != written
    away.rename(part)
    assert standings_of(run) == written
    (run / PAIRINGS).write_bytes(b"junk")
    assert standings_of(run) == written


def test_derived_tables_can_be_read_by_anyone(boards: Path, tmp_path: Path) -> None:
    run = shutil.copytree(boards, tmp_path / "run")
    result = write_derived(run)
    standings = pd.read_parquet(run / STANDINGS)
    assert standings["bot"].to_list() == [each.bot for each in result.standings]
    assert (standings["contracts"] - standings["sets"]).to_list() == [each.bids.made for each in result.standings]
    levels = standings[[f"declared_{level}" for level in range(1, 8)]].sum(axis=1)
    strains = standings[["declared_uptown", "declared_downtown", "declared_no_trump"]].sum(axis=1)
    assert levels.to_list() == strains.to_list() == standings["contracts"].to_list()
    assert standings["games_won"].isna().all()
    metadata = pq.read_metadata(run / STANDINGS).metadata
    assert metadata[b"bidwhist.schema_version"] == b"4"
    assert len(pd.read_parquet(run / PAIRINGS)) == 6


def test_a_gauntlet_ranks_all_bots(tmp_path: Path) -> None:
    run = make_run(tmp_path / "run", manifest_of(BOTS, [(3, 40)], challengers=[BOTS[1]]))
    result = standings_of(run)
    check_standings(run, result)
    assert {frozenset((each.bot, each.opponent)) for each in result.pairings} == {
        frozenset(BOTS[:2]),
        frozenset(BOTS[1:]),
    }


def test_the_frame_is_compact_and_keeps_odd_names(boards: Path) -> None:
    frame = load(str(boards))
    assert set(frame["bot_ns"].cat.categories) == set(BOTS)
    assert frame.memory_usage().sum() / len(frame) < 120
    assert "plays" not in frame
    assert "game" not in frame


def test_errors_of_folders_say_what_is_wrong(boards: Path, tmp_path: Path) -> None:
    with pytest.raises(RunError, match=r"no run's folder: it has no manifest\.json"):
        load(tmp_path)
    with pytest.raises(RunError, match="there is no such folder"):
        standings_of(tmp_path / "nowhere")
    with pytest.raises(RunError, match="plays were not recorded"):
        load(boards, plays=True)
    empty = make_run(tmp_path / "empty", manifest_of(["a", "b"], [(2, 10)], finished=False), leave_out=[0])
    with pytest.raises(RunError, match="no finished part"):
        load(empty)
    nobody = standings_of(empty)
    assert [each.score.points_per_board for each in nobody.standings] == [None, None]
    assert nobody.pairings == []
    (empty / PARTS / part_name(0)).write_bytes(b"half a part")
    for read in (load, standings_of):
        with pytest.raises(RunError, match=r"part-000000\.parquet carries no digest"):
            read(empty)


def test_single_hands_are_found_by_board_and_pairing(boards: Path, games: Path) -> None:
    manifest = read_manifest(boards)
    found = hands_of(boards, manifest, 41)
    assert list(found) == [(0, 1), (0, 2), (1, 2)]
    for pairing, hands in found.items():
        assert [hand.pairing for hand in hands] == [pairing, pairing]
        assert [hand.orientation for hand in hands] == [0, 1]
    assert hands_of(boards, manifest, 100) == {}
    assert pick_pairing(manifest, list(found), None) == (0, 1)
    assert pick_pairing(manifest, list(found), 'x,"y",A vs B') == (0, 1)
    with pytest.raises(RunError, match="did not play"):
        pick_pairing(manifest, list(found), "A vs B")
    assert len(hands_of(games, read_manifest(games), 200 * 7)[0, 1]) == 2
