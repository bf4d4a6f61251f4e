"""The house bots that see all hands: they know the truth, nobody else is shown it, and no standings rank them."""

import json
from pathlib import Path
from textwrap import dedent
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner
from numpy.typing import NDArray

from bidwhist.actions import NO_SUIT, PASS, level_of, trump_of
from bidwhist.bot.author.asking import Seated
from bidwhist.bot.deciders.search import OracleDecider
from bidwhist.bot.sources.find import find_bot
from bidwhist.check import check
from bidwhist.cli import group
from bidwhist.deal import board_cards
from bidwhist.engine.batch import Batch
from bidwhist.engine.decider import Decider, DecisionFailed, Seer
from bidwhist.engine.sequence import SEQUENCE, Played
from bidwhist.errors import BotSpecError, ConfigError, RunError
from bidwhist.ladder.ladder import open_ladder
from bidwhist.ladder.submit import Options, submit
from bidwhist.observation import OBSERVATION
from bidwhist.play import run_tournament
from bidwhist.public import CALLING, NAMING, PLAYING
from bidwhist.replay.hand import HandAgain
from bidwhist.results.hands import hands_of
from bidwhist.results.manifest import BotEntry, read_manifest
from bidwhist.results.standings import standings_of, write_derived
from bidwhist.rules import CLASSIC, PRESETS, Rules
from bidwhist.score import ALL_BOOKS, declarer_score, defender_score
from bidwhist.solver.front import solve
from bidwhist.solver.position import Position
from bidwhist.state import STATE
from bidwhist.table import Table
from bidwhist_bots import oracle_rollout
from runs import make_run, manifest_of
from support import every_preset

ORACLES = ("oracle-rollout", "oracle")
every_oracle = pytest.mark.parametrize("spec", ORACLES)
NOBODY = np.zeros(1, np.int64)


def seated(spec: str, rules: Rules = CLASSIC) -> Decider:
    return find_bot(spec, spec, [Path.cwd()]).load(rules)


def oracle(spec: str, rules: Rules = CLASSIC) -> OracleDecider:
    bot = seated(spec, rules)
    assert isinstance(bot, OracleDecider)
    return bot


def answer(bot: OracleDecider, row: Any, state: Any) -> int:
    bot.see(np.array([state], STATE))
    return int(bot.decide(np.array([row], OBSERVATION), NOBODY)[0])


def dealt_anew(state: Any) -> Any:
    """The same to the seat to act, but its opponents have changed hands."""
    other, turn = state.copy(), int(state["public"]["turn"])
    left, right = (turn + 1) % 4, (turn + 3) % 4
    other["hands"][[left, right]] = state["hands"][[right, left]]
    return other


# ---------------------------------------------------------------------------------------------------------- the truth


@every_oracle
def test_other_hidden_cards_other_answers(spec: str) -> None:
    changed = {CALLING: 0, PLAYING: 0}
    bot = oracle(spec)
    for board in range(12):
        table = Table.deal(7, board, auto=True)
        while not table.is_done:
            phase, row, state = int(table.public["phase"]), table.observe().row, table.state
            action = answer(bot, row, state)
            if phase != NAMING and table.public["played"] < 4:
                changed[phase] += answer(bot, row, dealt_anew(state)) != action
            table.act(action)
    assert min(changed.values()) > 0, changed


def test_the_engine_shows_the_table_of_every_row() -> None:
    """What is seen agrees with the row in all that the seat may see."""

    class Looking(OracleDecider):
        asked = 0

        def see(self, states: NDArray[np.void]) -> None:
            self.shown = states
            super().see(states)

        def decide(self, rows: NDArray[np.void], sequences: NDArray[np.int64]) -> NDArray[np.int64]:
            assert len(rows) == len(self.shown)
            for row, state in zip(rows, self.shown, strict=True):
                assert row["public"] == state["public"]
                assert row["hand"] == state["hands"][row["seat"]]
                assert row["buried"] == state["buried"][row["seat"]]
            Looking.asked += len(rows)
            return super().decide(rows, sequences)

    values = {"calls": "own", "cards": "own"}
    bot = Looking("looking", oracle_rollout.search(dict(values)), dict(values))
    play(PRESETS["sported"], [bot, seated("random")], 12, tables=5)
    assert Looking.asked > 500


def play(rules: Rules, bots: list[Decider], boards: int, tables: int = 4096) -> Played:
    """Boards and short games in which two bots are partners and opponents of each other; an illegal answer raises."""
    sequences = np.zeros((boards, 3), SEQUENCE)
    sequences["first_board"] = 3 * np.arange(boards)[:, None]
    sequences["hands"] = np.where(np.arange(boards) % 3 == 2, 3, 1)[:, None]
    sequences["dealer"] = np.arange(boards)[:, None] % 4
    sequences["lineup"] = ((0, 1, 0, 1), (1, 0, 1, 0), (0, 0, 1, 1))
    return Batch(rules, 3, tables).play(sequences.reshape(-1), bots)


@every_oracle
@every_preset
def test_it_is_legal_everywhere_and_plays_alike_at_any_number_of_tables(name: str, spec: str) -> None:
    rules = PRESETS[name]
    one, other = (play(rules, [seated(spec), seated("random", rules)], 3, tables) for tables in (4096, 2))
    assert len(one.outcome) >= 9
    assert (one.outcome == other.outcome).all()


@every_preset
def test_four_oracles_make_the_points_of_best_play_by_all(name: str) -> None:
    """Not the tricks: where those change nothing, as in a contract that is down, they play as they like."""
    rules, boards = PRESETS[name], 6
    sequences = np.zeros(boards, SEQUENCE)
    sequences["first_board"], sequences["hands"], sequences["dealer"] = np.arange(boards), 1, np.arange(boards) % 4
    played = Batch(rules, 11).play(sequences, [oracle("oracle", rules)])
    for board, outcome in enumerate(played.outcome):
        dealer, last_bid = board % 4, int(np.flatnonzero(outcome["calls"] != PASS)[-1])
        declarer = (dealer + 1 + last_bid) % 4
        hands, kitty, _ = board_cards(rules, 11, board)
        if outcome["discards"]:
            hands[declarer] = (hands[declarer] | kitty) & ~int(outcome["discards"])
        leader = declarer if rules.first_lead == "declarer" else (dealer + 1) % 4
        tricks = solve(Position(tuple(hands), int(outcome["naming"]), leader)).tricks
        assert points(rules, outcome, int(outcome["tricks"])) == points(rules, outcome, tricks[declarer & 1])


def points(rules: Rules, outcome: Any, tricks: int) -> tuple[int, int]:
    """Score of the declaring side and of the defenders, the kitty counted for the former; no more than ends a game."""
    books, record = tricks + (1 if rules.kitty_size else 0), rules.record()
    bid = int(outcome["calls"][outcome["calls"] != PASS][-1])
    is_no_trump = trump_of(int(outcome["naming"])) == NO_SUIT
    score = declarer_score(record, level_of(bid), is_no_trump, books)
    return min(max(score, -rules.target), rules.target), defender_score(record, ALL_BOOKS - books)


@every_oracle
def test_what_is_left_to_the_heuristic_it_leaves(spec: str) -> None:
    bots = [oracle(f"{spec}?calls=heuristic"), oracle(f"{spec}?cards=heuristic"), oracle(spec)]
    heuristic = seated("heuristic")
    agreed = {CALLING: [0, 0, 0], PLAYING: [0, 0, 0]}
    asked = {CALLING: 0, PLAYING: 0}
    for board in range(8):
        table = Table.deal(9, board, auto=True)
        while not table.is_done:
            phase, row = int(table.public["phase"]), table.observe().row
            usual = int(heuristic.decide(np.array([row], OBSERVATION), NOBODY)[0])
            if phase in asked:
                asked[phase] += 1
                for place, bot in enumerate(bots):
                    agreed[phase][place] += answer(bot, row, table.state) == usual
            table.act(usual)
    assert agreed[CALLING][0] == asked[CALLING] > agreed[CALLING][1] == agreed[CALLING][2]
    assert agreed[PLAYING][1] == asked[PLAYING] > agreed[PLAYING][0] == agreed[PLAYING][2]


@every_oracle
def test_it_is_far_better_than_who_has_to_guess(tmp_path: Path, spec: str) -> None:
    fields = {"seed": 12, "boards": 60, "bots": ["heuristic", spec]}
    score = standings_of(run_tournament(fields, out=tmp_path / "run", executor="inline")).standings[1].score
    assert score.ci95 is not None
    assert score.ci95[0] > 2


# ------------------------------------------------------------------------------------------------ nobody else is shown

NOSY = {
    "scalar.py": """
        class Nosy:
            def see(self, states):
                raise AssertionError("shown")
            def act(self, obs):
                return obs.legal[0]
    """,
    "several.py": """
        from bidwhist.rows import actions, lowest
        class Nosy:
            def see(self, states):
                raise AssertionError("shown")
            def act_batch(self, rows):
                return actions(rows, lowest(rows["legal"]))
    """,
    "function.py": """
        def see(states):
            raise AssertionError("shown")
        def act(obs):
            return obs.legal[0]
        act.see = see
    """,
    "compiled.py": """
        from bidwhist.bits import lowest
        def see(states):
            raise AssertionError("shown")
        def call(private, public, stream):
            return 54 + lowest(private.legal)
        def prepare(private, public, stream):
            return 54 + lowest(private.legal)
        def play(private, public, stream):
            return lowest(private.legal)
    """,
    "inherits.py": """
        from bidwhist.bot.deciders.search import OracleDecider
        from bidwhist.engine.decider import Seer
        class Nosy(Seer):
            cheats = True
            def __init__(self):
                pass
            def decide(self, rows, sequences):
                raise AssertionError("asked")
            def see(self, states):
                raise AssertionError("shown")
            def act(self, obs):
                return obs.legal[0]
    """,
}


@pytest.mark.parametrize("name", list(NOSY))
def test_a_users_bot_is_not_shown_anything_whatever_methods_it_has(tmp_path: Path, name: str) -> None:
    (tmp_path / name).write_text(dedent(NOSY[name]), encoding="utf-8")
    spec = str(tmp_path / name)
    bot = seated(spec)
    assert not isinstance(bot, Seer)
    assert not find_bot(spec, spec, [tmp_path]).entry.cheats
    assert len(play(CLASSIC, [bot, seated("oracle-rollout")], 2).outcome) == 6


def test_of_house_bots_only_those_that_are_marked_are() -> None:
    for spec in ("random", "heuristic", "mc", "pimc", "belief"):
        assert not isinstance(seated(spec), Seer)


@every_oracle
def test_without_the_truth_it_does_not_answer(spec: str) -> None:
    bot, table = oracle(spec), Table.deal(1, 1)
    row = table.observe().row
    assert answer(bot, row, table.state) in table.legal
    with pytest.raises(DecisionFailed, match="sees all hands, and was shown none"):  # nor from the question before
        bot.decide(np.array([row], OBSERVATION), NOBODY)


# ---------------------------------------------------------------------------------------------------------- standings


def cheating(manifest: Any, *names: str) -> Any:
    manifest.bots = [BotEntry(bot.name, bot.spec, bot.sha256, bot.name in names) for bot in manifest.bots]
    return manifest


@pytest.mark.parametrize("games", [False, True], ids=["boards", "games"])
def test_who_sees_all_hands_has_no_rank_and_does_not_count_for_others(tmp_path: Path, games: bool) -> None:
    """The bots cheat by their entry in the manifest only; a comes first in the list, and is met by both."""
    manifests = [manifest_of(bots, [(len(bots), 30)], games=games) for bots in (["a", "b", "c", "d"], ["a", "b", "c"])]
    whole = standings_of(make_run(tmp_path / "whole", cheating(manifests[0], "d")))
    without = standings_of(make_run(tmp_path / "without", manifests[1]))
    assert whole.standings[:3] == without.standings
    assert [(each.bot, each.rank, each.cheats) for each in whole.standings[3:]] == [("d", None, True)]
    last = whole.standings[3].score
    against = [each.score for each in whole.pairings if each.bot == "d"]
    assert len(against) == 3
    assert last.points_per_board == pytest.approx(np.mean([each.points_per_board for each in against]))
    assert last.tables == sum(each.tables for each in against)
    assert whole.counted == whole.rows > without.rows


def test_who_has_met_no_others_is_ranked_by_what_it_made_against_them(tmp_path: Path) -> None:
    manifest = cheating(manifest_of(["a", "b", "c"], [(3, 40)], challengers=["a"]), "b", "c")
    found = standings_of(make_run(tmp_path / "run", manifest))
    first = found.standings[0]
    against = [each.score.points_per_board for each in found.pairings if each.bot == "a"]
    assert (first.bot, first.rank, first.score.boards) == ("a", 1, 40)
    assert first.score.points_per_board == pytest.approx(np.mean(against))
    assert first.bids.declared + sum(each.bids.declared for each in found.standings[1:]) == found.rows


def test_the_table_marks_them_below_all_others(tmp_path: Path) -> None:
    run = make_run(tmp_path / "run", cheating(manifest_of(["a", "b", "c"], [(3, 20)]), "a"))
    standings = write_derived(run)
    assert standings == standings_of(run)  # as read from what was written
    text = CliRunner().invoke(group, ["table", str(run)], catch_exceptions=False).stdout
    lines = [line for line in text.splitlines() if line.startswith((" 1  ", " 2  ", " *  "))]
    assert [line[1] for line in lines[:3]] == ["1", "1", "*"]
    assert lines[2].startswith(" *  a ")
    assert "* sees all hands: has no place, and counts for nobody who has met others." in text
    told = json.loads(CliRunner().invoke(group, ["table", str(run), "--json"], catch_exceptions=False).stdout)
    assert [(row["rank"], row["cheats"]) for row in told["standings"]] == [(1, False), (1, False), (None, True)]
    assert len(told["pairings"]) == 6


def test_where_nobody_cheats_the_table_says_nothing_of_it(tmp_path: Path) -> None:
    run = make_run(tmp_path / "run", manifest_of(["a", "b"], [(2, 4)]))
    assert "sees all hands" not in CliRunner().invoke(group, ["table", str(run)], catch_exceptions=False).stdout


# ------------------------------------------------------------------------------------------------ other places that ask


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    fields = {"name": "seen", "seed": 3, "boards": 4, "bots": ["heuristic", *ORACLES], "rules": "sported"}
    return run_tournament(fields, out=tmp_path_factory.mktemp("oracle") / "run", executor="inline")


def test_the_manifest_says_who_cheats(run: Path) -> None:
    assert [bot.cheats for bot in read_manifest(run).bots] == [False, True, True]
    assert json.loads((run / "manifest.json").read_text(encoding="utf-8"))["bots"][1]["cheats"] is True


def test_asked_again_it_answers_as_in_the_run(run: Path) -> None:
    manifest, asked = read_manifest(run), 0
    for (a, b), hands in hands_of(run, manifest, 1).items():
        for hand in hands:
            seat = next(seat for seat in range(4) if hand.row["lineup"][seat] == max(a, b))
            spec = manifest.bots[max(a, b)].spec
            bot = Seated(find_bot(spec, spec, []), manifest.rule_set())
            for question in HandAgain(run, manifest, hand).questions(seat):
                if question.obs.phase != "discard":
                    assert bot.ask(question.obs, question.state).action == question.taken
                    asked += 1
    assert asked > 40


def test_ask_shows_it_the_hands_of_a_run_and_refuses_a_file(run: Path, tmp_path: Path) -> None:
    file = tmp_path / "decision.json"
    seat = "NESW"[(int(Table.deal(3, 1, PRESETS["sported"]).turn))]
    where = [str(run), "--board", "1", "--pairing", "heuristic,oracle", "--seat", seat, "--decision", "call"]
    done = CliRunner().invoke(group, ["ask", "oracle", *where, "--dump", str(file)], catch_exceptions=False)
    assert done.exit_code == 0
    assert "by oracle" in done.stdout
    with pytest.raises(BotSpecError, match="bot 'oracle': sees all hands, and an observation has but one"):
        CliRunner().invoke(group, ["ask", "oracle", "--observation", str(file)], catch_exceptions=False)


def test_show_plays_its_boards_again(run: Path) -> None:
    where = ["--board", "2", "--pairing", "heuristic,oracle"]
    shown = CliRunner().invoke(group, ["show", str(run), *where], catch_exceptions=False)
    assert "oracle" in shown.stdout


@every_oracle
def test_it_is_neither_checked_nor_let_onto_a_ladder(tmp_path: Path, spec: str) -> None:
    with pytest.raises(BotSpecError, match=f"bot '{spec}': sees all hands"):
        check(spec)
    with pytest.raises(BotSpecError, match="has no place on a ladder"):
        submit(spec, tmp_path / "ladder", Options(name="anyone"))
    assert not (tmp_path / "ladder").exists()
    (tmp_path / "ladder.toml").write_text(f'boards = 4\nbots = ["random", "{spec}?calls=heuristic"]\n')
    with pytest.raises(ConfigError, match="sees all hands, and a ladder has no place for it"):
        open_ladder(tmp_path).bots()


def test_a_ladder_whose_run_was_given_one_says_so(tmp_path: Path) -> None:
    from bidwhist.ladder.standing import standing_of

    (tmp_path / "ladder.toml").write_text('boards = 4\nbots = ["a", "b"]\n')
    make_run(tmp_path / "run", cheating(manifest_of(["a", "b"], [(2, 4)]), "b"))
    with pytest.raises(RunError, match="bot 'b' sees all hands"):
        standing_of(open_ladder(tmp_path))


def test_the_list_of_bots_marks_them() -> None:
    listed = CliRunner().invoke(group, ["bots"], catch_exceptions=False).stdout
    for spec in ORACLES:
        assert f"\n{spec} (never ranked): sees all hands" in listed or f"\n{spec} (never ranked): as " in listed
    found = json.loads(CliRunner().invoke(group, ["bots", "--json"], catch_exceptions=False).stdout)
    assert {bot["name"] for bot in found if bot["cheats"]} == set(ORACLES)


@pytest.mark.parametrize("parameter", ["worlds=5", "ms=5"])
def test_of_worlds_it_has_one(parameter: str) -> None:
    with pytest.raises(BotSpecError, match="oracle has no parameter"):
        find_bot(f"oracle?{parameter}", "oracle", [])
