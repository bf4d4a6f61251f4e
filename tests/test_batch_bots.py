"""Bots asked for many decisions at once: their helpers, what they see, their faults; and they play as others do."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from bidwhist import rows as help_for_rows
from bidwhist._jit import jit
from bidwhist.actions import ACTIONS, WORDS
from bidwhist.arena.part import Setting
from bidwhist.bits import count, highest, lowest, nth
from bidwhist.bot import dump_observation, replay_observation
from bidwhist.bot.deciders.batch import BatchBot
from bidwhist.bot.deciders.kernel import play_compiled
from bidwhist.bot.deciders.scalar import ScalarBot
from bidwhist.bot.sources.find import find_bot
from bidwhist.engine.batch import Batch
from bidwhist.engine.decider import Decider
from bidwhist.engine.sequence import Played
from bidwhist.errors import BotFault, BotSpecError
from bidwhist.memory import prefetch
from bidwhist.observation import OBSERVATION, Obs, Random, observations
from bidwhist.play import play_board, run_tournament
from bidwhist.public import CALLING, DISCARDING, NAMING, PLAYING
from bidwhist.results import load
from bidwhist.results.schema import Part
from bidwhist.rules import CLASSIC, PRESETS, Rules
from bidwhist.table import Table
from support import every_preset

Rows = NDArray[np.void]


def any_rows(number: int) -> Rows:
    """Rows of random masks, keys and phases, every other one of a larger array."""
    generator = np.random.default_rng(5)
    rows = np.zeros(2 * number, OBSERVATION)[::2]
    rows["legal"] = generator.integers(1, 1 << 54, number)
    rows["key"] = generator.integers(0, 1 << 64, number, np.uint64)
    rows["public"]["phase"] = generator.integers(CALLING, PLAYING + 1, number)
    return rows


ROWS = any_rows(500)


def masks() -> list[int]:
    found: list[int] = ROWS["legal"].tolist()
    return found


# ---------------------------------------------------------------------------------------------------------- the helpers


def test_bits_of_all_rows() -> None:
    legal = ROWS["legal"]
    assert help_for_rows.count(legal).tolist() == [count(mask) for mask in masks()]
    assert help_for_rows.lowest(legal).tolist() == [lowest(mask) for mask in masks()]
    assert help_for_rows.highest(legal).tolist() == [highest(mask) for mask in masks()]
    last = help_for_rows.count(legal) - 1
    assert help_for_rows.nth(legal, last).tolist() == [highest(mask) for mask in masks()]
    assert help_for_rows.nth(legal, last // 2).tolist() == [nth(mask, (count(mask) - 1) // 2) for mask in masks()]
    assert help_for_rows.nth(legal, 0).tolist() == [lowest(mask) for mask in masks()]


def test_bits_of_an_empty_mask() -> None:
    assert [help_for_rows.count(0), help_for_rows.lowest(0), help_for_rows.highest(0)] == [0, 64, -1]


def test_bits_become_actions_by_the_phase() -> None:
    actions = help_for_rows.actions(ROWS, np.arange(len(ROWS)) % 44)
    first = {CALLING: WORDS, NAMING: WORDS, DISCARDING: 0, PLAYING: 0}
    phases = ROWS["public"]["phase"].tolist()
    assert actions.tolist() == [first[phase] + place % 44 for place, phase in enumerate(phases)]
    assert set(phases) == set(first)


def test_legal_actions_of_all_rows() -> None:
    legal = [set(Obs(row).legal) for row in ROWS]
    for action in (-(1 << 62), -65, -1, *range(ACTIONS), ACTIONS, 1 << 40):
        assert help_for_rows.are_legal(ROWS, action).tolist() == [action in actions for actions in legal], action


def test_the_streams_of_rows_are_those_of_obs() -> None:
    sizes = help_for_rows.count(ROWS["legal"])
    drawn = [help_for_rows.below(ROWS, sizes, draw).tolist() for draw in range(3)]
    coins, fractions = help_for_rows.below(ROWS, 2, 3).tolist(), help_for_rows.real(ROWS, draw=4).tolist()
    for place, key in enumerate(ROWS["key"].tolist()):
        random = Random.from_key(key)
        assert [random.below(int(sizes[place])) for _ in range(3)] == [numbers[place] for numbers in drawn]
        assert (random.below(2), random.random()) == (coins[place], fractions[place])


@pytest.mark.parametrize("n", [0, -1, 1 << 31, [1] * 499 + [0]])
def test_no_number_below_that(n: Any) -> None:
    with pytest.raises(ValueError, match=r"below\(-?\d+ to -?\d+\): n must be 1 to 2147483647"):
        help_for_rows.below(ROWS, n)


@jit
def _ask_for_all(records: Any, first: int, last: int) -> None:
    for place in range(first, last):
        prefetch(records, place)


def test_asking_for_memory_changes_nothing_even_beyond_the_end() -> None:
    rows = ROWS.copy()
    _ask_for_all(rows, 0, len(rows) + 10_000)
    prefetch(rows, 1)
    assert rows.tobytes() == ROWS.tobytes()


# ------------------------------------------------------------------------------------------------- scalar, batch, house


def one_of_many(obs: Obs) -> int:
    return obs.legal[obs.random.below(len(obs.legal))]


def many_at_once(rows: Rows) -> NDArray[np.int64]:
    numbers = help_for_rows.below(rows, help_for_rows.count(rows["legal"]))
    return help_for_rows.actions(rows, help_for_rows.nth(rows["legal"], numbers))


def house(spec: str) -> Decider:
    return find_bot(spec, spec, []).load(CLASSIC)


def scalar(act: Callable[[Obs], int]) -> ScalarBot:
    return ScalarBot("scalar", lambda: act, __file__)


def batch(act_batch: Callable[[Rows], Any]) -> BatchBot:
    return BatchBot("batch", act_batch, __file__)


def sequences_of(rules: Rules, units: int, *, games: bool = False) -> Rows:
    return Setting(rules, 9, games).sequences(Part(0, 0, 1, 0, units))


def bytes_of(played: Played) -> list[bytes]:
    return [np.ascontiguousarray(column).tobytes() for column in played]


@every_preset
@pytest.mark.parametrize("games", [False, True])
def test_all_kinds_of_bot_that_choose_alike_play_alike(name: str, games: bool) -> None:
    rules = PRESETS[name]
    sequences = sequences_of(rules, 6 if games else 150, games=games)
    foe = house("heuristic")
    played = play_compiled(rules, 9, sequences, [house("random"), foe])
    assert played is not None
    for bot in (house("random"), scalar(one_of_many), batch(many_at_once)):
        for tables in (1, 7, 4096):
            assert bytes_of(Batch(rules, 9, tables).play(sequences, [bot, foe])) == bytes_of(played)


def test_hands_come_in_order_however_many_bots_and_tables() -> None:
    sequences = sequences_of(CLASSIC, 40, games=True)
    bots = [batch(many_at_once), scalar(one_of_many), house("random")]
    alike = Batch(CLASSIC, 9).play(sequences, bots)
    assert (np.diff(alike.sequence) >= 0).all()
    assert (alike.hand[np.flatnonzero(np.diff(alike.sequence)) + 1] == 0).all()
    sequences["lineup"] = np.arange(4 * len(sequences)).reshape(-1, 4) % 3
    assert bytes_of(Batch(CLASSIC, 9, 11).play(sequences, bots)) == bytes_of(alike)


def test_a_single_bot_may_sit_everywhere() -> None:
    sequences = sequences_of(CLASSIC, 10)
    sequences["lineup"] = 0
    played = Batch(CLASSIC, 9).play(sequences, [batch(many_at_once)])
    assert bytes_of(played) == bytes_of(Batch(CLASSIC, 9).play(sequences, [house("random")]))


# ------------------------------------------------------------------------------------------------------ what a bot sees


def whole_memory(rows: Rows) -> Rows:
    """All rows in reach of an array, through what it is a view of, blank ones left out."""
    while isinstance(rows.base, np.ndarray):
        rows = rows.base
    found = rows.reshape(-1)
    blank = np.zeros((), OBSERVATION).tobytes()
    return found[[row.tobytes() != blank for row in found]]


def test_rows_are_an_array_of_the_bots_own() -> None:
    """Neither the array nor what lies behind it holds a row of another bot; each row is what the seat should see."""
    seen: list[tuple[int, Rows]] = []

    def watching(bot: int) -> Callable[[Rows], Any]:
        def act_batch(rows: Rows) -> Any:
            assert {int(seat) % 2 for seat in whole_memory(rows)["seat"]} == {bot}
            assert not any(np.shares_memory(rows, other) for owner, other in seen[-4:] if owner != bot)
            seen.append((bot, rows))
            return many_at_once(rows)

        return act_batch

    sequences = sequences_of(CLASSIC, 30)
    sequences["lineup"] = [0, 1, 0, 1]
    Batch(CLASSIC, 9, 16).play(sequences, [batch(watching(0)), batch(watching(1))])
    assert {bot for bot, _ in seen} == {0, 1}


def test_what_a_bot_writes_on_its_rows_changes_nothing() -> None:
    def scribbling(rows: Rows) -> Any:
        answers = many_at_once(rows)
        rows.view(np.uint8)[:] = 0xFF
        return answers

    sequences = sequences_of(CLASSIC, 40)
    clean, dirty = (
        Batch(CLASSIC, 9, 16).play(sequences, [batch(act), house("heuristic")]) for act in (many_at_once, scribbling)
    )
    assert bytes_of(clean) == bytes_of(dirty)

    def spoiling(rows: Rows) -> Any:
        rows.view(np.uint8)[:] = 0xFF
        return np.full(len(rows), 54 - 1)

    with pytest.raises(BotFault, match=r"board 0, seat [NESW], decision call: answered 53: JR is a card"):
        Batch(CLASSIC, 9, 16).play(sequences, [batch(spoiling), house("heuristic")])


def test_rows_show_the_same_as_obs() -> None:
    asked: list[tuple[bytes, list[int]]] = []

    def noting(rows: Rows) -> Any:
        asked.extend((row.tobytes(), Obs(row).legal) for row in rows)
        assert [(obs.row.tobytes(), obs.legal) for obs in observations(rows)] == asked[-len(rows) :]
        return many_at_once(rows)

    told: list[tuple[bytes, list[int]]] = []

    def telling(obs: Obs) -> int:
        told.append((obs.row.tobytes(), obs.legal))
        return one_of_many(obs)

    for bot in (batch(noting), scalar(telling)):
        Batch(PRESETS["sported"], 9, 8).play(sequences_of(PRESETS["sported"], 20), [bot, house("random")])
    assert sorted(asked) == sorted(told)
    assert len(asked) > 500


# -------------------------------------------------------------------------------------------------- what stops a run


def write_bot(folder: Path, text: str) -> str:
    (folder / "bot.py").write_text("import numpy as np\nfrom bidwhist.rows import actions, lowest\n\n" + text, "utf-8")
    return str(folder / "bot.py")


FIRST = "def first(rows):\n    return actions(rows, lowest(rows['legal']))\n\n"


@pytest.mark.parametrize("trust", [False, True])
@pytest.mark.parametrize(
    ("answer", "words"),
    [
        ("None", r"answered None \(NoneType\): act_batch answers with a NumPy array of \d+ integers"),
        ("[54] * len(rows)", r"answered \[54.*\(list\): act_batch answers with a NumPy array"),
        ("first(rows)[:-1]", r"answered an array of shape \(\d*,\): act_batch answers"),
        ("first(rows)[:, None]", r"answered an array of shape \(\d+, 1\)"),
        ("first(rows)[0]", r"answered (np\.int64\()?54\)? \(int64\): act_batch answers"),
        ("first(rows) * 1.0", r"answered an array of float64"),
        ("first(rows) > 0", r"answered an array of bool"),
        ("first(rows).astype(object)", r"answered an array of object"),
        ("first(rows) - 1000", r"answered -946 \(int\): an action is an integer 0-97"),
        ("np.full(len(rows), 2**64 - 1, np.uint64)", r"answered 18446744073709551615 \(int\): an action is"),
        ("np.full(len(rows), 98, np.uint8)", r"answered 98 \(int\): an action is an integer 0-97"),
        ("1 / 0", r"bot\.py, line 8: ZeroDivisionError: division by zero \(asked for \d+ decisions at once, this one"),
        ("exit('bye')", r"bot\.py, line 8: SystemExit: bye"),
    ],
)
def test_a_batch_bot_that_fails_stops_the_run(tmp_path: Path, answer: str, words: str, trust: bool) -> None:
    spec = write_bot(tmp_path, FIRST + f"def act_batch(rows):\n    return {answer}\n")
    fields = {"seed": 7, "boards": 20, "bots": ["random", spec], "on_fault": "stop"}
    with pytest.raises(BotFault, match=words) as caught:
        run_tournament(fields, out=tmp_path / "run", executor="inline", trust=trust)
    assert f"bot {spec!r} failed on board 0, seat " in str(caught.value)
    assert ", decision call: " in str(caught.value)


@pytest.mark.parametrize(("wrong", "words"), [(0, "answered 0: S2 is a card, and"), (120, r"answered 120 \(int\)")])
def test_a_wrong_answer_in_the_middle_names_its_row(wrong: int, words: str) -> None:
    chosen: list[Any] = []

    def act_batch(rows: Rows) -> Any:
        answers = many_at_once(rows)
        calling = np.flatnonzero(rows["public"]["phase"] == CALLING)
        if len(rows) > 20 and len(calling) > 2:
            chosen.append(rows[calling[-2]].copy())
            answers[calling[-2]] = wrong
        return answers

    sequences = sequences_of(CLASSIC, 50)
    sequences["first_board"] = 1000 + np.arange(len(sequences))  # a board for each table, so that its number names it
    sequences["dealer"] = np.arange(len(sequences)) % 4
    with pytest.raises(BotFault, match=words) as caught:
        Batch(CLASSIC, 9).play(sequences, [house("random"), batch(act_batch)])
    found = [board for board in range(1000, 1100) if f"failed on board {board}, " in str(caught.value)]
    hands = Table.deal(9, found[0]).hands
    assert chosen[0]["hand"] == hands[chosen[0]["seat"]]
    assert f", seat {'NESW'[chosen[0]['seat']]}, decision call: " in str(caught.value)


# ----------------------------------------------------------------------------------------------------- from spec to bot

BOTH = (
    FIRST
    + """
class Both:
    player = None

    def __init__(self, least=1):
        self.least = least

    def act(self, obs):
        raise AssertionError("act_batch is there")

    def act_batch(self, rows):
        assert len(rows) >= self.least, "not enough rows"
        assert Both.player in (None, self), "one object plays everywhere"
        Both.player = self
        return first(rows)
"""
)


def test_a_class_with_both_is_asked_for_many(tmp_path: Path) -> None:
    spec = write_bot(tmp_path, BOTH)
    out = run_tournament({"seed": 7, "boards": 50, "bots": ["random", spec]}, out=tmp_path / "run", executor="inline")
    assert len(load(out)) == 100


def test_parameters_reach_a_batch_bot(tmp_path: Path) -> None:
    with pytest.raises(BotFault, match="not enough rows"):
        play_board(write_bot(tmp_path, BOTH) + "?least=99", "random", seed=1, board=0)


@pytest.mark.parametrize("name", ["", ":act_batch", ":Named"])
def test_ways_to_name_a_batch_bot(tmp_path: Path, name: str) -> None:
    act = "def act(obs):\n    raise AssertionError('the other one')\n\n"
    method = "class Named:\n    def act_batch(self, rows):\n        return first(rows)\n"
    spec = write_bot(tmp_path, FIRST + "act_batch = first\n\n" + act + method)
    assert play_board(spec + name, "random", seed=1, board=0).is_done


@pytest.mark.parametrize(
    ("text", "suffix", "words"),
    [
        ("act_batch = 3\n", "", "act_batch is a int; it needs a function act"),
        ("async def act_batch(rows): ...\n", "", "act_batch is async"),
        ("def act_batch(rows): ...\n", "?depth=3", "a function takes no parameters; a class does"),
        ("class A:\n    def act_batch(self, rows): ...\n", "?depth=3", "cannot be made: .*takes no arguments"),
        (
            "class A:\n    def act_batch(self): ...\nclass B:\n    def act(self): ...\n",
            "",
            "several such classes: A, B",
        ),
        ("class A: ...\n", ":A", "class A has no method act"),
    ],
)
def test_what_is_no_batch_bot(tmp_path: Path, text: str, suffix: str, words: str) -> None:
    with pytest.raises(BotSpecError, match=words):
        play_board(write_bot(tmp_path, text) + suffix, "random", seed=1, board=0)


def test_a_batch_bot_is_asked_about_a_dumped_observation(tmp_path: Path) -> None:
    obs = Table.deal(seed=1, board=0).observe()
    dump_observation(obs, tmp_path / "decision.json")
    spec = write_bot(tmp_path, FIRST + "act_batch = first\n")
    assert replay_observation(tmp_path / "decision.json", spec) == obs.legal[0] < ACTIONS


def test_bots_of_all_kinds_meet(tmp_path: Path) -> None:
    """Parts and workers make no difference to batch bots either."""
    folder = tmp_path / "scalar"
    folder.mkdir()
    one = write_bot(folder, "def act(obs):\n    return obs.legal[0]\n")
    bots: Sequence[str] = ["random", "heuristic", one, write_bot(tmp_path, FIRST + "act_batch = first\n")]
    frames = [
        load(run_tournament({"seed": 2, "boards": 40, "bots": bots}, out=tmp_path / how, executor=how, jobs=2))
        for how in ("inline", "processes")
    ]
    assert frames[0].equals(frames[1])
    against = {name: frames[0][(frames[0]["bot_ns"] == name) & (frames[0]["bot_ew"] == "random")] for name in bots[2:]}
    assert len({tuple(frame["points"]) for frame in against.values()}) == 1
