"""The evidence: what is planned and played, what is read off it, and the page; with bots that are quick."""

import math
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import strength
from bidwhist import results
from bidwhist.actions import PASS, UP, UPTOWN, bid, naming
from bidwhist.bot.sources.find import find_bot
from bidwhist.cards import mask_of
from bidwhist.errors import PositionError
from bidwhist.notation import parse_card, parse_contract, parse_seat
from bidwhist.public import PLAYING
from bidwhist.results.manifest import read_manifest, write_manifest
from bidwhist.rules import CLASSIC, preset
from bidwhist.solver.contracts import table as tricks_table
from bidwhist.state import STATE, start
from bidwhist.stats.intervals import Estimate
from bidwhist.table import Table
from bidwhist_bots import HOUSE_BOTS
from bidwhist_bots.search import new_search
from evidence import playing
from evidence.aims import Aim, verdict
from evidence.apart import gains
from evidence.contests import bids
from evidence.figures import (
    board_points,
    boards_needed,
    deviation,
    difference,
    games_won,
    made,
    mean,
    ratio,
    share_of_way,
)
from evidence.forecasts import brier, by_level, forecast, forecasts, reliability
from evidence.found import Found, Run
from evidence.nature import leaves_of, nature, shrinkings
from evidence.page import write_page
from evidence.plan import BASE, Experiment, Plan, experiments, plan
from evidence.playing import play
from evidence.promises import promises
from evidence.replaying import state_of
from evidence.text import percent, points, share
from evidence.timing import time_decisions

ROOT = Path(__file__).resolve().parent.parent
SEED = 7
LOW = '''
from bidwhist.observation import private_of
from bidwhist_bots import heuristic


def act(obs):
    """The heuristic's calls and namings, and the lowest card."""
    ask = {"call": heuristic.call, "name": heuristic.prepare}.get(obs.phase)
    return obs.legal[0] if ask is None else int(ask(private_of(obs.row), obs.row["public"], None))
'''


def tiny(low: str) -> list[Experiment]:
    return [
        Experiment("pairings", ("random", BASE, "mc"), 12, 40),
        Experiment("games", ("random", BASE, "mc"), 3, 6, games=True),
        Experiment("alike-random", ("random",), 12, 40, plays=True),
        Experiment("alike-heuristic", (BASE,), 12, 40, plays=True),
        Experiment("cards", (BASE, low), 12, 40),
        Experiment("calls", (BASE, "random?calls=pass"), 12, 40),
        Experiment("worlds", (BASE, "mc?worlds=1", "mc?worlds=2"), 12, 40, challengers=(BASE,)),
        Experiment("strangers", ("random?calls=pass", "benchmarks/bots/passer.py", BASE), 12, 40, challengers=(BASE,)),
        Experiment("oracles", (BASE, "random"), 12, 40, challengers=(BASE,)),
    ]


@pytest.fixture(scope="module")
def low(tmp_path_factory: pytest.TempPathFactory) -> str:
    path = tmp_path_factory.mktemp("bots") / "low.py"
    path.write_text(LOW, encoding="utf-8")
    return str(path)


@pytest.fixture(scope="module")
def found(low: str, tmp_path_factory: pytest.TempPathFactory) -> Found:
    """The tiny plan, played quickly."""
    folder = tmp_path_factory.mktemp("strength")
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(ROOT)
        runs = {
            each.name: Run(each, play(each, folder, SEED, each.quick, executor="inline", say=pytest.fail))
            for each in tiny(low)
        }
    return Found(runs, {"oracles": ("oracle",)})


# ------------------------------------------------------------------------------------------------------- the plan


def test_every_bot_of_the_plan_is_there_or_named_as_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)
    planned = plan()
    for experiment in planned.experiments:
        for bot in experiment.bots:
            assert find_bot(bot, bot, [ROOT]).entry.sha256
        assert set(experiment.challengers) <= set(experiment.bots)
    names = [experiment.name for experiment in experiments()]
    assert len(set(names)) == len(names)
    absent = {bot.partition("?")[0] for bots in planned.missing.values() for bot in bots}
    assert not absent & HOUSE_BOTS.keys()
    assert {each.name for each in planned.experiments} | planned.missing.keys() == set(names)


def test_an_experiment_is_left_out_without_the_bots_it_is_about() -> None:
    slow = Experiment("slow", ("one", "two", "slow"), 1, 1, challengers=("slow",))
    pair = Experiment("pair", ("one", "slow"), 1, 1)
    alone = Experiment("alone", ("slow",), 1, 1)
    many = Experiment("many", ("one", "two", "slow"), 1, 1)
    planned = plan([slow, pair, alone, many], lambda bot: bot != "slow")
    assert planned.experiments == (replace(many, bots=("one", "two")),)
    assert planned.missing == dict.fromkeys(("slow", "pair", "alone", "many"), ("slow",))


def test_quick_rounds_are_no_longer_than_full_ones() -> None:
    assert all(0 < each.quick < each.full for each in experiments())


# ------------------------------------------------------------------------------------------------------- playing


@pytest.fixture
def played(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> tuple[Experiment, Path]:
    monkeypatch.chdir(ROOT)
    experiment = Experiment("pair", ("random", BASE), 8, 16)
    play(experiment, tmp_path, SEED, 8, executor="inline")
    return experiment, tmp_path


def test_what_is_there_is_not_played_again(played: tuple[Experiment, Path]) -> None:
    experiment, folder = played
    parts = sorted((folder / "pair" / "boards").iterdir())
    written = [part.stat().st_mtime_ns for part in parts]
    for units in (8, 4):  # the second: a quick round after a full one
        assert play(experiment, folder, SEED, units, executor="inline") == folder / "pair"
        assert sorted((folder / "pair" / "boards").iterdir()) == parts
        assert [part.stat().st_mtime_ns for part in parts] == written


def test_a_run_goes_on_where_it_was_stopped(played: tuple[Experiment, Path]) -> None:
    experiment, folder = played
    first = results.load(folder / "pair")
    run = play(experiment, folder, SEED, 16, executor="inline", say=pytest.fail)
    longer = results.load(run)
    assert longer["board"].nunique() == 16
    pd.testing.assert_frame_equal(longer.head(len(first)), first)
    (run / "boards" / "part-000000.parquet").unlink()
    play(experiment, folder, SEED, 16, executor="inline", say=pytest.fail)
    pd.testing.assert_frame_equal(results.load(run), longer)


def test_runs_of_other_bots_or_another_plan_are_put_aside(played: tuple[Experiment, Path]) -> None:
    experiment, folder = played
    run, said = folder / "pair", []
    manifest = read_manifest(run)
    manifest.bots[1] = type(manifest.bots[1])(BASE, BASE, "0" * 64)
    manifest.started = "2026-01-02T03:04:05Z"
    write_manifest(run, manifest)
    play(experiment, folder, SEED, 8, executor="inline", say=said.append)
    assert read_manifest(folder / "pair.2026-01-02T030405Z").bots[1].sha256 == "0" * 64
    assert read_manifest(run).bots[1].sha256 != "0" * 64
    assert len(said) == 1
    assert playing.is_same(read_manifest(run), experiment, SEED)
    for other in (
        replace(experiment, plays=True),
        replace(experiment, challengers=(BASE,)),
        replace(experiment, games=True),
    ):
        assert not playing.is_same(read_manifest(run), other, SEED)
    assert not playing.is_same(read_manifest(run), experiment, SEED + 1)


# ------------------------------------------------------------------------------------------------------- figures


def frame_of(rows: list[tuple[int, str, str, int]]) -> pd.DataFrame:
    return pd.DataFrame(rows, columns=["board", "bot_ns", "bot_ew", "points"])


def test_points_of_a_board_are_the_mean_of_both_tables_of_the_pairing() -> None:
    frame = frame_of([(0, "a", "b", 4), (0, "b", "a", 2), (1, "a", "b", -3), (0, "a", "c", 9), (2, "b", "a", 1)])
    assert board_points(frame, "a", "b").to_dict() == {0: 1.0}  # boards 1 and 2 lack a table
    assert board_points(frame, "b", "a").to_dict() == {0: -1.0}


def score_of(run: Run, bot: str, other: str) -> Any:
    """What the standings of a run say of a pairing."""
    return next(each.score for each in run.standings.pairings if (each.bot, each.opponent) == (bot, other))


def test_points_agree_with_the_standings(found: Found) -> None:
    run = found.runs["pairings"]
    estimate = mean(board_points(run.frame, BASE, "random"))
    score = score_of(run, BASE, "random")
    assert estimate is not None
    assert estimate.interval is not None
    assert estimate.value == pytest.approx(score.points_per_board, abs=1e-8)
    assert estimate.interval == pytest.approx(score.ci95, abs=1e-8)


def test_games_won_agree_with_the_standings(found: Found) -> None:
    run = found.runs["games"]
    won = games_won(run.frame, BASE, "random")
    score = score_of(run, BASE, "random")
    assert len(won) == score.games == 3
    assert won.mean() == pytest.approx(score.games_won)
    assert (won + games_won(run.frame, "random", BASE)).eq(1).all()


def test_contracts_made_agree_with_the_standings(found: Found) -> None:
    run = found.runs["pairings"]
    for standing in run.standings.standings:
        declared, estimate = made(run.frame, standing.bot)
        assert declared == standing.bids.declared
        assert (estimate.value if estimate else None) == pytest.approx(standing.bids.rate)


@pytest.mark.parametrize("by", ["level", "strain"])
def test_bids_are_set_beside_each_other_only_against_the_same_opponent(found: Found, by: str) -> None:
    """A later run with fewer boards does not take the place of an earlier one, and nobody's field is another's."""
    runs = [run for run in found.runs.values() if len(run.bots) > 1 and not run.experiment.games]
    rows = {row[:2]: row[2:] for row in bids(runs, by).rows}
    met = {bot for run in runs if BASE in run.bots for bot in run.bots} - {BASE, "random"}
    assert rows.keys() == {(bot, BASE) for bot in met} | {(BASE, bot) for bot in met}
    for (bot, other), cells in rows.items():
        most = 0
        for run in runs:
            frame = run.frame
            tables = frame[frame["bot_ns"].isin([bot, other]) & frame["bot_ew"].isin([bot, other])]
            if len(tables) > most:
                most, declared = len(tables), int((tables["declaring_bot"] == bot).sum())
        assert cells[0].startswith(f"{declared:,}:") or (declared == 0 and cells[0] == "-")
    again = bids([*runs, *runs[::-1]], by)
    assert {row[:2]: row[2:] for row in again.rows} == rows


def test_a_ratio_has_the_interval_of_its_linear_part() -> None:
    rng = np.random.default_rng(3)
    under = rng.integers(1, 4, 50).astype(float)
    over = under * 0.6 + rng.normal(0, 0.2, 50)
    found = ratio(over, under)
    assert found is not None
    assert found.interval is not None
    value = over.sum() / under.sum()
    error = np.std(over - value * under, ddof=1) / math.sqrt(50) / under.mean() * math.sqrt(1 + 4 / 50)
    assert found.value == pytest.approx(value)
    assert found.interval == pytest.approx((value - 2.0096 * error, value + 2.0096 * error), rel=1e-4)
    assert ratio(over[:9], under[:9]) == Estimate(over[:9].sum() / under[:9].sum(), None)  # too few boards
    assert ratio(np.ones(20), np.ones(20)) == Estimate(1.0, None)  # nothing is known of what never happened
    assert ratio([], []) is None
    assert ratio([0.0], [0.0]) is None


def test_shares_of_the_way_and_differences_are_of_common_boards() -> None:
    part, whole = pd.Series({0: 1.0, 1: 2.0, 2: 3.0}), pd.Series({1: 4.0, 2: 4.0, 3: 100.0})
    way, more = share_of_way(part, whole), difference(whole, part)
    assert way is not None
    assert way.value == pytest.approx(5 / 8)
    assert more is not None
    assert more.value == pytest.approx(1.5)
    assert share_of_way(part, whole.iloc[:0]) is None


def test_boards_needed() -> None:
    assert deviation(pd.Series([1.0, 3.0])) == pytest.approx(math.sqrt(2))
    assert boards_needed(2.0, 0.1) == 1537  # (1.96 * 2 / 0.1) ** 2 = 1536.6


def test_figures_as_text() -> None:
    assert points(Estimate(0.5, (-0.25, 1.25))) == "+0.50 (-0.25 to +1.25)"
    assert share(Estimate(0.9, (0.7, 1.1))) == "90% (70 to 100)"
    assert percent(Estimate(0.9, (0.7, 1.1))) == "90% (70 to 110)"
    assert share(Estimate(1.0, None)) == "100%"
    assert points(None) == "-"


def test_points_meet_an_aim_by_the_lower_end_and_shares_by_the_figure() -> None:
    aim = Aim("points", 1.0, 2.0)
    ends = [(0.5, 3.0), (1.0, 2.0), (2.1, 2.2)]
    assert [verdict(aim, Estimate(sum(each) / 2, each)) for each in ends] == ["no", "yes", "good"]
    assert verdict(aim, Estimate(5.0, None)) == "no"
    assert verdict(Aim("games", 0.75, 0.88, share), Estimate(0.8, (0.6, 1.0))) == "yes"


# ------------------------------------------------------------------------------------------------------- apart


def test_gains_of_declarer_and_defenders_make_up_the_points(found: Found, low: str) -> None:
    run, yardstick = found.runs["cards"], found.runs["alike-heuristic"]
    gain = gains(run.frame, low, BASE, yardstick.frame)
    both = (gain.declarer.sort_index() + gain.defender.sort_index()) / 2
    pd.testing.assert_series_equal(both, board_points(run.frame, low, BASE), check_names=False)
    board = both.index[0]
    here = run.frame[run.frame["board"] == board]
    there = yardstick.frame[yardstick.frame["board"] == board].iloc[0]
    sign = 1 if there["declarer"] in ("N", "S") else -1
    own = here[here["declaring_bot"] == low].iloc[0]
    assert gain.declarer[board] == sign * (own["points"] - there["points"])
    other = here[here["declaring_bot"] == BASE].iloc[0]
    assert gain.defender[board] == sign * (there["points"] - other["points"])


def test_a_bot_gains_nothing_on_itself(found: Found) -> None:
    frame = found.runs["alike-heuristic"].frame
    gain = gains(frame, BASE, f"{BASE} again", frame)
    assert not gain.declarer.any()
    assert not gain.defender.any()


def test_different_contracts_are_refused(found: Found) -> None:
    with pytest.raises(ValueError, match="board 0: the contract is not the same"):
        gains(found.runs["pairings"].frame, "random", BASE, found.runs["alike-heuristic"].frame)


# ------------------------------------------------------------------------------------------------------- the game


def ending(last: str) -> Any:
    """The last seat of a trick to choose, spades trumps: its partner has the ace of diamonds yet, North the king."""
    state = np.zeros(1, STATE)[0]
    hands = ["DK", "DA", "D2", last]
    state["hands"] = [mask_of(parse_card(card) for card in hand.split()) for hand in hands]
    start(state, CLASSIC.record(), 3)
    public = state["public"]
    public["phase"], public["bid"], public["naming"], public["declarer"] = PLAYING, bid(2, UP), naming(0, UPTOWN), 0
    public["kitty_side"] = 0
    public["left"] = [1, 1, 1, 2]
    public["played"], public["turn"], public["tricks"] = 43, 3, [6, 4]
    public["led"], public["winning"], public["winner"] = mask_of(range(13, 26)), parse_card("HQ"), 0
    public["leaders"][10] = 0
    return state


@pytest.mark.parametrize(
    ("last", "same_points", "same_fate"),
    [
        ("H2 H3", 1, 1),  # North wins with the queen and leads to the ace: 8 books, level 2 is made
        ("HK H2", 0, 0),  # with the king two tricks are taken, 7 books: set
    ],
)
def test_leaves_of_a_last_choice(last: str, same_points: float, same_fate: float) -> None:
    assert leaves_of(ending(last)) == (same_points, same_fate)


def test_leaves_that_leave_a_choice_are_none() -> None:
    state = ending("HK H2")
    state["hands"] = [mask_of(map(parse_card, ("DK", "DQ"))), *state["hands"][1:]]
    assert leaves_of(state) is None


def test_shrinkings_join_the_cards_of_a_seat() -> None:
    assert shrinkings({0: [100.0, 10.0, 1.0], 2: [50.0, 5.0]}) == [(1, 100.0, 10.0), (2, 10.0, 1.0), (1, 50.0, 5.0)]


def test_nature_of_played_hands(found: Found) -> None:
    run = found.runs["alike-heuristic"]
    looked = nature(run.frame, run.rules, SEED, 5)
    assert looked.hands == 5
    assert (looked.shrinking["after"] <= looked.shrinking["before"]).all()
    assert (looked.shrinking["after"] >= 1).all()
    assert len(looked.shrinking) == 5 * 4 * 11
    once = run.frame.drop_duplicates("board").head(5)
    for (_, row), favoured in zip(once.iterrows(), looked.favoured, strict=True):
        own, other = ("ns", "ew") if row["declarer"] in ("N", "S") else ("ew", "ns")
        assert favoured == (row[f"change_{own}"] > row[f"change_{other}"])
    assert looked.leaves[["same_points", "same_fate"]].isin([0.0, 1.0]).all(axis=None)


def test_promises_are_those_of_the_solver(found: Found) -> None:
    run = found.runs["alike-heuristic"]
    said = promises(run.frame, run.rules, SEED, 1)
    for row, (_, told) in zip(run.frame.drop_duplicates("board").head(1).itertuples(), said.iterrows(), strict=True):
        deal = Table.deal(SEED, int(row.board))
        every = tricks_table(tuple(deal.hands), dealer=int(deal.public["dealer"]))  # type: ignore[arg-type]  # hands: a list of four
        assert told["promised"] == every[parse_contract(row.contract)[1], parse_seat(row.declarer)]
        assert told["taken"] == row.tricks
        assert told["holds"] == (told["promised"] + 1 - 6 >= row.level)  # classic: the kitty is a book
        assert told["made"] == row.made


def test_promises_need_a_kitty_that_nobody_takes_up(found: Found) -> None:
    with pytest.raises(PositionError, match="exchange"):
        promises(found.runs["alike-heuristic"].frame, preset("traditional"), SEED, 1)


@pytest.mark.parametrize(
    ("cards", "chance"), [("JR JB SA SK SQ SJ ST S9 S8 S7 S6 S5", 1.0), ("S3 S4 S5 H2 H3 H4 D2 D3 D4 C2 C3 C4", 0.0)]
)
def test_forecasts_of_what_is_certain(cards: str, chance: float) -> None:
    """All thirteen books, from twelve trumps, or from hopeless cards."""
    own = mask_of(map(parse_card, cards.split()))
    rest = [card for card in range(54) if not own >> card & 1]
    others = [mask_of(rest[place : place + 12]) for place in (0, 12, 24)]
    table = Table([own, *others], mask_of(rest[36:]), 3)
    for action in (bid(7, UP), PASS, PASS, PASS, naming(0, UPTOWN)):
        table.act(action)
    assert forecast(state_of(table), 0, 20, new_search()[0], 5) == chance


def test_forecasts_of_a_run(found: Found) -> None:
    run = found.runs["alike-heuristic"]
    said = forecasts(run.frame, run.rules, SEED, 6, 10)
    assert said["board"].tolist() == [0, 1, 2, 3, 4, 5]
    assert said["forecast"].between(0, 1).all()
    assert said.equals(forecasts(run.frame, run.rules, SEED, 6, 10))


def test_brier_scores_and_reliability() -> None:
    said = pd.DataFrame({"level": [2, 2, 3, 3], "forecast": [0.0, 0.05, 0.95, 1.0], "made": [False, True, True, True]})
    assert brier(said["forecast"], said["made"]) == pytest.approx((0 + 0.95**2 + 0.05**2 + 0) / 4)
    low, high = reliability(said)
    assert low[:3] == ("0-10%", 2, pytest.approx(0.025))
    assert high[:3] == ("90-100%", 2, pytest.approx(0.975))
    assert (low[3].value, high[3].value) == (0.5, 1.0)
    (two, hands, chance, came, score), _ = by_level(said)
    assert (two, hands, chance, came.value) == ("2", 2, pytest.approx(0.025), 0.5)
    assert score == pytest.approx(0.95**2 / 2)


def test_time_is_taken_by_phase() -> None:
    clocked = time_decisions(BASE, CLASSIC, SEED, seconds=60.0, most=4)
    boards = 3  # 1 + 2, after the one that is not counted
    calls, prepared, cards = clocked.decisions
    assert 0 < calls <= boards * 2 * 2
    assert 0 < prepared <= boards * 2
    assert boards * 2 * 2 < cards <= boards * 2 * 2 * 11
    assert (clocked.seconds > 0).all()


# ------------------------------------------------------------------------------------------------------- the page

TABLES = (
    "Aims",
    "Experiments",
    "Boards",
    "Games",
    "Bids by level",
    "Bids by strain",
    "Milliseconds a decision",
    "Cards alone",
    "Declarer and defenders apart",
    "Calls alone",
    "Worlds",
    "The way to the oracle",
    "Strangers",
    "Variance of duplicate boards",
    "Promises of a double-dummy search",
    "Forecasts by what they say",
    "Forecasts by level",
    "Brier scores",
    "Leaf correlation, bias, disambiguation",
    "Layouts by trick",
)


@pytest.fixture(scope="module")
def page(found: Found, tmp_path_factory: pytest.TempPathFactory) -> str:
    path = tmp_path_factory.mktemp("page") / "strength.md"
    write_page(found, path, SEED, 4, 0.01)
    for picture in re.findall(r"!\[[^]]*\]\((\S+)\)", path.read_text(encoding="utf-8")):
        assert (path.parent / picture).read_text(encoding="utf-8").count("<svg") == 1
    return path.read_text(encoding="utf-8")


def test_the_page_has_every_table(page: str) -> None:
    assert tuple(re.findall(r"^### (.*)$", page, re.MULTILINE)) == TABLES
    for grid in re.findall(r"(?:^\|.*\n)+", page, re.MULTILINE):
        lines = grid.splitlines()
        assert len(lines) > 2, grid
        assert len({line.count("|") for line in lines}) == 1, grid
    assert "nan" not in page
    assert not re.search(r"[ \t]$|  \w", page, re.MULTILINE)


def test_the_page_has_its_picture(page: str) -> None:
    assert "](strength.svg)" in page


def test_the_page_says_how_far_aims_are_met(page: str, found: Found) -> None:
    run = found.runs["pairings"]
    own = board_points(run.frame, "mc", BASE)
    assert f"| `mc` over `heuristic` | {points(mean(own))} | 12 | +1.50 | +2.80 |" in page
    won = games_won(found.runs["games"].frame, "mc", BASE)
    assert f"| `mc` against `heuristic`, games | {share(mean(won))} | 3 | 75% | 88% |" in page
    assert "| `pimc?worlds=40` over `heuristic` | not played yet | - | +1.00 | +2.30 | - |" in page
    whole = board_points(found.runs["oracles"].frame, "random", BASE)
    assert f"| mc | random | {points(mean(own))} | {percent(share_of_way(own, whole))} | 12 |" in page


def test_the_page_says_what_was_left_out(page: str) -> None:
    assert "Left out, since there are no such bots yet: `oracle`." in page


def test_the_command_plays_and_writes(
    low: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(ROOT)
    monkeypatch.setattr(strength, "plan", lambda: Plan(tuple(tiny(low)[:1]), {"oracles": ("oracle",)}))
    strength.main(["--list"])
    assert "pairings: 12 quick, 40 boards: random, heuristic, mc" in capsys.readouterr().out
    strength.main(["--quick", "--only", "pairings", "--jobs", "1", "--results", str(tmp_path)])
    assert not (tmp_path / "quick.md").exists()
    assert read_manifest(tmp_path / "pairings").units == 12
    (tmp_path / "pairings" / "manifest.json").write_text("{", encoding="utf-8")
    with pytest.raises(SystemExit, match=r"error: .*manifest"):
        strength.main(["--quick", "--results", str(tmp_path)])
    with pytest.raises(SystemExit, match="no experiment nonsense"):
        strength.main(["--only", "nonsense"])
    monkeypatch.chdir(tmp_path)
    with pytest.raises(SystemExit, match="the project's folder"):
        strength.main([])
