"""The house bots that search: `mc` and `pimc`. What they weigh, what they answer, and what they refuse."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from bidwhist._jit import jit
from bidwhist.bits import count
from bidwhist.bot.sources.find import find_bot
from bidwhist.cards import SEATS, mask_of
from bidwhist.engine.batch import Batch
from bidwhist.engine.decider import Decider
from bidwhist.engine.sequence import SEQUENCE
from bidwhist.errors import BotSpecError
from bidwhist.notation import format_action, parse_call, parse_card, parse_hand, parse_naming
from bidwhist.observation import OBSERVATION, private_of, write_observation
from bidwhist.play import run_tournament
from bidwhist.public import CALLING, PLAYING
from bidwhist.results.standings import standings_of
from bidwhist.rules import CLASSIC, PRESETS, Rules
from bidwhist.state import step
from bidwhist_bots import hearing, mc
from bidwhist_bots.search import new_search
from runs import part_files, table_of
from support import ending, every_preset, new_state, random_deal


def seated(spec: str, rules: Rules = CLASSIC) -> Decider:
    return find_bot(spec, spec, []).load(rules)


class Recorder(Decider):
    """A bot whose questions and answers are kept."""

    def __init__(self, bot: Decider) -> None:
        super().__init__(bot.name)
        self.bot = bot
        self.rows: list[NDArray[np.void]] = []
        self.answers: list[NDArray[np.int64]] = []

    def decide(self, rows: NDArray[np.void], sequences: NDArray[np.int64]) -> NDArray[np.int64]:
        self.rows.append(rows.copy())
        self.answers.append(self.bot.decide(rows, sequences))
        return self.answers[-1]

    def finish(self, sequences: NDArray[np.int64]) -> None:
        self.bot.finish(sequences)


def met_at_random(spec: str, rules: Rules, boards: int) -> tuple[NDArray[np.void], NDArray[np.int64]]:
    """All decisions of a bot, and its answers, beside partners and opponents that call and play at random.

    The engine stops at an illegal answer. One sequence in two is three hands of a game.
    """
    lineups = ((0, 1, 0, 1), (1, 0, 1, 0), (0, 0, 0, 0), (0, 1, 1, 1))
    sequences = np.zeros((boards, len(lineups)), SEQUENCE)
    sequences["first_board"] = 3 * np.arange(boards)[:, None]
    sequences["hands"] = np.where(np.arange(boards) % 2 == 1, 3, 1)[:, None]
    sequences["dealer"] = np.arange(boards)[:, None] % SEATS
    sequences["lineup"] = lineups
    recorder = Recorder(seated(spec, rules))
    Batch(rules, 3).play(sequences.reshape(-1), [recorder, seated("random", rules)])
    return np.concatenate(recorder.rows), np.concatenate(recorder.answers)


@pytest.mark.parametrize("spec", ["mc?worlds=1", "mc?worlds=5", "pimc?worlds=1"])
@every_preset
def test_it_is_legal_everywhere_and_answers_alike_when_asked_alone_and_backwards(name: str, spec: str) -> None:
    rows, answers = met_at_random(spec, PRESETS[name], 6 if spec[0] == "m" else 2)
    assert {int(row["public"]["phase"]) for row in rows} >= {0, 1, 3}
    other = seated(spec, PRESETS[name])
    for place in reversed(range(0, len(rows), 3)):
        assert other.decide(rows[place : place + 1], np.zeros(1, np.int64))[0] == answers[place]


def test_with_a_limit_of_time_it_is_legal() -> None:
    for spec in ("mc?ms=1", "pimc?ms=1"):
        assert len(met_at_random(spec, CLASSIC, 1)[0]) > 50


# ------------------------------------------------------------------------------------------------------ parameters


@pytest.mark.parametrize(
    ("spec", "words"),
    [
        ("mc?worlds=0", "parameter worlds: '0' is no whole number from 1 to 1000000"),
        ("mc?worlds=many", "parameter worlds: 'many' is no whole number"),
        ("mc?worlds=1.5", "parameter worlds: '1.5' is no whole number"),
        ("mc?worlds=-3", "parameter worlds: '-3' is no whole number"),
        ("mc?worlds=", "parameter worlds: '' is no whole number"),
        ("mc?worlds=\u0663", "parameter worlds: '\u0663' is no whole number"),
        ("pimc?ms=0", "parameter ms: '0' is no whole number"),
        ("pimc?ms=99999999999999999999999", "parameter ms: "),
        ("mc?calls=mine", "parameter calls: 'mine' is none of own, heuristic"),
        ("mc?depth=3", "mc has no parameter 'depth'; it has worlds, ms, calls, cards"),
        ("mc?worlds=5&ms=5", "parameter ms stands instead of worlds, not beside it"),
    ],
)
def test_nonsense_is_refused_by_name(spec: str, words: str) -> None:
    assert words in refusal(spec)


@pytest.mark.parametrize("bot", ["mc", "pimc", "belief"])
@pytest.mark.parametrize(("key", "most"), [("worlds", 1_000_000), ("ms", 1_000_000)])
def test_every_bot_that_searches_takes_whole_numbers_in_bounds(bot: str, key: str, most: int) -> None:
    check_number(bot, key, most)


@pytest.mark.parametrize(("key", "most"), [("steps", 1000), ("calls_floor", 100), ("plays_floor", 100)])
def test_only_belief_has_steps_and_floors(key: str, most: int) -> None:
    check_number("belief", key, most)
    for bot in ("mc", "pimc"):
        assert refusal(f"{bot}?{key}=5").endswith(f"{bot} has no parameter '{key}'; it has worlds, ms, calls, cards")


def check_number(bot: str, key: str, most: int) -> None:
    """A parameter is a whole number from 1 to `most`; all else is refused by its name."""
    for value in (1, most):
        find_bot(f"{bot}?{key}={value}", bot, [])
    for nonsense in ("0", "-1", str(most + 1), "1.0", "1e2", " 1", "", "nan", "true", "9" * 30):
        words = f"parameter {key}: {nonsense!r} is no whole number from 1 to {most}"
        assert refusal(f"{bot}?{key}={nonsense}").endswith(words)


def refusal(spec: str) -> str:
    with pytest.raises(BotSpecError) as refused:
        find_bot(spec, spec, [])
    return str(refused.value)


def test_only_without_a_clock_it_can_be_replayed() -> None:
    assert find_bot("mc?worlds=7", "mc", []).replayable
    assert not find_bot("mc?ms=7", "mc", []).replayable


@pytest.mark.parametrize(("spec", "kept"), [("mc?worlds=1", False), ("mc?ms=1", True)])
def test_cards_of_a_bot_with_a_clock_are_recorded(tmp_path: Path, spec: str, kept: bool) -> None:
    fields = {"seed": 1, "boards": 1, "bots": [spec, "heuristic"]}
    folder = run_tournament(fields, out=tmp_path / "run", executor="inline")
    [part] = part_files(folder)
    assert (table_of(part).column("plays").null_count == 0) == kept


# -------------------------------------------------------------------------------------------------- what is weighed


@jit
def _begin(search: Any, rows: Any) -> None:
    mc.begin(search[0], private_of(rows[0]), rows[0]["public"])


def candidates(state: Any) -> set[str]:
    search, rows = new_search(), row_of(state)
    _begin(search, rows)
    return {format_action(int(action)) for action in search[0]["actions"][: search[0]["candidates"]]}


def row_of(state: Any, key: int = 5) -> NDArray[np.void]:
    rows = np.zeros(1, OBSERVATION)
    write_observation(state, np.uint64(key), rows[0])
    return rows


def in_play(contract: str, hands: list[str], plays: str = "", declarer: int = 0) -> Any:
    state = ending(CLASSIC, [parse_hand(hand) for hand in hands], 0, parse_naming(contract))
    state["public"]["declarer"] = declarer
    state["public"]["bid"] = parse_call("4N" if contract[0] == "N" else f"4{contract[0]}")
    state["public"]["tricks"] = 9 - int(state["public"]["left"][0]), 3
    for text in plays.split():
        step(state, parse_card(text))
    return state


def test_of_cards_that_are_as_good_as_each_other_one_is_weighed() -> None:
    hands = ["AKQ.76.2..", "JT9.54..3.", "876.32..4.", "542.T9..5."]
    assert len(candidates(in_play("UC", hands))) == 3  # every card between is the own one, or gone
    hands = ["AJ9.76.2..", "KT8.54..3.", "Q76.32..4.", "542.T9..5."]
    assert len(candidates(in_play("UC", hands))) == 5


def test_a_card_on_the_table_keeps_those_around_it_apart() -> None:
    assert len(candidates(in_play("UH", ["T2...", "65...", "43...", "J9..."], "ST S6 S4"))) == 2
    assert len(candidates(in_play("UH", ["32...", "65...", "T4...", "J9..."], "S3 S6 S4"))) == 2  # the ten is out
    assert len(candidates(in_play("UH", ["32...", "T5...", "64...", "J9..."], "S3 ST S6"))) == 2
    assert len(candidates(in_play("UH", ["32...", "85...", "64...", "J9..."], "S3 S8 S6"))) == 1


def test_jokers_are_one_in_no_trump_and_two_cards_among_trumps() -> None:
    hands = ["A....RB", "K..A2..", "Q..K3..", "J..Q4.."]
    assert len(candidates(in_play("NU", hands))) == 2
    assert len(candidates(in_play("UH", hands))) == 2  # they touch
    assert len(candidates(in_play("UH", ["A.K...B", "KQ....R", "QJ.A...", "JT.Q..."]))) == 3


def test_of_equals_the_choice_of_the_heuristic_is_listed_first() -> None:
    state = in_play("UH", ["K2...", "43...", "65...", ".A4.."], "SK S3 S5")
    search = new_search()
    _begin(search, row_of(state))
    assert format_action(int(search[0]["actions"][0])) == "H4"


@jit
def _hear(search: Any, rows: Any, hands: Any) -> None:
    ws, private, public = search[0], private_of(rows[0]), rows[0]["public"]
    mc.begin(ws, private, public)
    for world in range(len(hands)):
        hearing.imagine_heard(ws, private, public)
        hands[world] = ws["world"]["hands"]


def test_worlds_of_a_call_fit_the_calls_heard() -> None:
    """After a strong bid on the right that hand has more honours than after a pass, and nothing of the own hand."""
    top = mask_of(13 * suit + rank for suit in range(4) for rank in (10, 11, 12)) | 3 << 52
    strengths = []
    for call in ("P", "4U"):
        state = new_state(CLASSIC, *random_deal(CLASSIC, 8), 3)
        step(state, parse_call(call))
        rows, hands, search = row_of(state), np.zeros((400, SEATS), np.int64), new_search()
        _hear(search, rows, hands)
        assert all(hand == state["hands"][1] for hand in hands[:, 1])
        strengths.append(np.mean([count(int(hand) & top) for hand in hands[:, 0]]))
    assert strengths[1] > strengths[0] + 1


# ----------------------------------------------------------------------------------------------------------- strength


def points_of(spec: str, boards: int, folder: Path) -> tuple[float, float]:
    """95% interval of the points per board over the heuristic."""
    run = run_tournament({"seed": 12, "boards": boards, "bots": [spec, "heuristic"]}, out=folder, executor="inline")
    score = next(each.score for each in standings_of(run).pairings if each.bot == spec)
    assert score.ci95 is not None
    return score.ci95


def test_its_cards_and_its_calls_are_better_than_the_heuristics(tmp_path: Path) -> None:
    assert points_of("mc?worlds=40&calls=heuristic", 400, tmp_path / "cards")[0] > 0
    assert points_of("mc?worlds=40", 400, tmp_path / "all")[0] > 0


def test_more_worlds_answer_more_alike() -> None:
    rows = met_at_random("heuristic", CLASSIC, 3)[0]
    rows = rows[rows["public"]["phase"] == PLAYING]
    again = rows.copy()
    again["key"] += np.uint64(999)
    agreed = []
    for spec in ("mc?worlds=2", "mc?worlds=200"):
        bot, none = seated(spec), np.zeros(len(rows), np.int64)
        agreed.append(float((bot.decide(rows, none) == bot.decide(again, none)).mean()))
    assert agreed[1] > agreed[0] + 0.05


def test_with_few_worlds_it_calls_as_the_heuristic() -> None:
    """What few worlds tell is less than the head start of the heuristic's call."""
    rows = met_at_random("heuristic", CLASSIC, 4)[0]
    rows = rows[rows["public"]["phase"] == CALLING]
    none = np.zeros(len(rows), np.int64)
    usual = seated("heuristic").decide(rows, none)
    alike = [float((seated(spec).decide(rows, none) == usual).mean()) for spec in ("mc?worlds=1", "mc?worlds=200")]
    assert alike[0] == 1.0
    assert alike[1] < 0.95
