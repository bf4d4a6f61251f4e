"""Version 2 of the protocol: many questions in a message, what each is told, and whose fault a fault is."""

import json
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from bidwhist.bot.deciders import questions
from bidwhist.bot.deciders.command import CommandBot, start_plainly
from bidwhist.bot.deciders.protocol import FIELDS, LINE_LIMIT, MOST_QUESTIONS, VERSIONS, observation
from bidwhist.bot.deciders.questions import places_of, write_questions
from bidwhist.bot.deciders.talk import Talk
from bidwhist.bot.limits import Limits
from bidwhist.bot.sources.find import find_bot
from bidwhist.cards import FULL
from bidwhist.engine.batch import Batch
from bidwhist.engine.decider import Decider, DecisionFailed
from bidwhist.errors import BotFault, BotSpecError
from bidwhist.faults import Fault
from bidwhist.observation import observations
from bidwhist.process.child import Child
from bidwhist.process.deadline import Deadline
from bidwhist.process.output import Output
from bidwhist.public import PHASES
from bidwhist.rules import CLASSIC, PRESETS, Rules
from bidwhist.table import Table
from support import every_preset, rule_sets
from test_command_bots import EXAMPLES, PATIENT, PYTHON, house, sequences_of, some_rows
from transcript import FOLDERS

PRELUDE = """
import json, os, sys, time

def say(**message):
    os.write(1, (json.dumps(message) + "\\n").encode())

def get():
    return json.loads(sys.stdin.readline() or '{"type": "quit"}')

def greet(**more):
    hello = get()
    say(type="hello", protocol=2, **more)
    return hello

def firsts(message):
    return [question["observation"]["legal"][0] for question in message["questions"]]

def act(message, **changed):
    say(**{"type": "action", "id": message["id"], "actions": firsts(message), **changed})

"""
PLAY = """
while (message := get())["type"] != "quit":
    if message["type"] == "observe":
        act(message)
"""
NOTE = """
notes = open(f"notes-{hello['seat']}", "a")
while (message := get())["type"] != "quit":
    notes.write(json.dumps(message) + "\\n")
    notes.flush()
    if message["type"] == "observe":
        act(message)
"""


def make(folder: Path, body: str, *, limits: Limits = PATIENT, rules: Rules = CLASSIC, **more: Any) -> CommandBot:
    (folder / "bot.py").write_text(PRELUDE + body, "utf-8")
    return CommandBot("mine", [*PYTHON, "bot.py"], rules, {}, folder, limits, **more)


def of_seats(seats: Sequence[int]) -> NDArray[np.void]:
    """Questions to these seats."""
    found = some_rows(len(seats))
    found["seat"] = seats
    return found


def ask(bot: CommandBot, rows: NDArray[np.void]) -> list[int]:
    found: list[int] = bot.decide(rows, np.arange(len(rows))).tolist()
    return found


def notes(folder: Path, seat: int) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (folder / f"notes-{seat}").read_text("utf-8").splitlines()]


# --------------------------------------------------------------------------------------------- what stands in it


class Recorder(Decider):
    """Plays as a house bot and keeps what it is asked."""

    def __init__(self, spec: str) -> None:
        super().__init__("recorder")
        self._bot = house(spec)
        self.asked: list[NDArray[np.void]] = []

    def decide(self, rows: NDArray[np.void], sequences: NDArray[np.int64]) -> NDArray[np.int64]:
        self.asked.append(rows.copy())
        return self._bot.decide(rows, sequences)


def positions(rules: Rules, units: int, *, games: bool) -> NDArray[np.void]:
    """What is seen at all decisions of some boards with random play, or games with better play, which are longer."""
    recorder = Recorder("heuristic" if games else "random")
    Batch(rules, 9).play(sequences_of(rules, units, games=games), [recorder, recorder])
    return np.concatenate(recorder.asked)


def check_written(rows: NDArray[np.void]) -> None:
    """Each question has the values of the observation in Python, under the same names, in their order."""
    players = np.arange(len(rows)) * 999_983
    written = json.loads(b"[%b]" % write_questions(rows, players, places_of(FIELDS)))
    assert [each["player"] for each in written] == players.tolist()
    for each, obs in zip(written, observations(rows), strict=True):
        assert each["observation"] == json.loads(json.dumps(observation(obs, 2)))
        assert tuple(each["observation"]) == FIELDS


@every_preset
def test_what_is_written_is_the_observation(name: str) -> None:
    rules = PRESETS[name]
    rows = np.concatenate((positions(rules, 24, games=False), positions(rules, 2, games=True)))
    assert len(rows) > 2000
    assert {PHASES[phase] for phase in rows["public"]["phase"]} >= {"call", "name", "play"}
    assert rows["public"]["scores"].any()
    check_written(rows)


@settings(max_examples=40)
@given(rule_sets())
def test_it_is_under_all_rules(rules: Rules) -> None:
    check_written(positions(rules, 1, games=False))


small = st.integers(-(1 << 15), (1 << 15) - 1)


@given(st.integers(0, (1 << 64) - 1), st.lists(small, min_size=4, max_size=4), st.integers(0, FULL), st.booleans())
def test_it_is_with_numbers_of_any_size(key: int, numbers: list[int], mask: int, is_first: bool) -> None:
    row = some_rows(1)
    row["key"] = key
    row["public"]["scores"], row["public"]["sets"] = numbers[:2], numbers[2:]
    row["public"]["void"], row["public"]["gone"], row["public"]["led"] = mask, mask, FULL ^ mask
    row["kitty"], row["buried"] = FULL ^ mask, mask
    row["public"]["calls"] = -1 if is_first else 54
    check_written(row)


@given(st.integers(0, (1 << 53) - 1) | st.integers(0, 53).map(lambda bit: (1 << bit) - 1))
def test_a_fraction_is_read_as_the_same_float(share: int) -> None:
    out = bytearray(100)
    end = questions._fraction(out, 0, share)
    assert float(out[:end]) == share / 2**53
    assert json.loads(out[:end]) == share / 2**53
    assert end < 40


def test_the_longest_question_has_room() -> None:
    row = some_rows(1)
    public = row["public"]
    row["hand"], row["kitty"], row["buried"], row["legal"] = FULL, FULL, FULL, FULL
    public["gone"], public["led"], public["void"] = FULL, FULL, FULL
    public["phase"], public["played"], public["plays"], public["leaders"] = 3, 52, 53, 0
    public["scores"], public["sets"], public["calls"] = -(1 << 15), -(1 << 15), 97
    public["bid"], public["naming"], public["rules"]["target"] = 82, 97, 100
    text = write_questions(row, np.array([(1 << 63) - 1]), places_of(FIELDS))
    assert len(text) < questions._MOST_BYTES / 1.5
    assert json.loads(text)["player"] == (1 << 63) - 1


@given(st.sets(st.sampled_from(FIELDS)))
def test_wanted_fields_are_written_and_no_others(wanted: set[str]) -> None:
    rows = some_rows(2)
    written = json.loads(b"[%b]" % write_questions(rows, np.array([0, 1]), places_of(wanted)))
    told = observation(next(observations(rows)), 2)
    for each in written:
        assert each["observation"] == json.loads(json.dumps({name: told[name] for name in wanted}))


def test_a_declarer_is_told_how_many_discards_are_left() -> None:
    table = Table.deal(1, 0, PRESETS["traditional"])
    told = {}
    while not table.is_done:
        obs = table.observe()
        told.setdefault(obs.phase, []).append(observation(obs, 2)["to_discard"])
        assert "to_discard" not in observation(obs)
        table.act(obs.legal[0])
    assert told.pop("discard") == [6, 5, 4, 3, 2, 1]
    assert {number for numbers in told.values() for number in numbers} == {0}


# ---------------------------------------------------------------------------------------------- what it is told


def test_a_message_has_many_questions_but_not_too_many(tmp_path: Path) -> None:
    number = 2 * MOST_QUESTIONS + 10
    with make(tmp_path, "hello = greet()" + NOTE) as bot:
        assert ask(bot, of_seats([1] * number)) == [54] * number
        bot.finish(np.array([0, 7, number + 1]))
        assert bot.decide(of_seats([1, 1]), np.array([7, 8])).tolist() == [54, 54]
        bot.finish(np.array([8]))
    first, second, third, over, last, rest = notes(tmp_path, 1)
    asked = [first, second, third, last]
    assert [message["id"] for message in asked] == [0, 1, 2, 3]
    assert [len(message["questions"]) for message in asked] == [MOST_QUESTIONS, MOST_QUESTIONS, 10, 2]
    players = [question["player"] for message in asked for question in message["questions"]]
    assert players == [*range(number), number, 8]  # sequence 7 was over: its player is a new one
    assert (over, rest) == ({"type": "end", "players": [0, 7]}, {"type": "end", "players": [8]})


def test_a_bot_is_sent_the_fields_that_it_wants(tmp_path: Path) -> None:
    with make(tmp_path, "hello = greet(fields=['winner', 'legal', 'legal'])" + NOTE) as bot:
        ask(bot, of_seats([2, 2]))
    (message,) = notes(tmp_path, 2)
    assert [set(question["observation"]) for question in message["questions"]] == [{"legal", "winner"}] * 2


def test_answers_go_to_the_questions_of_their_seats(tmp_path: Path) -> None:
    seats = [3, 0, 0, 2, 3, 1, 2, 0]
    body = "seat = greet()['seat']\nwhile (m := get())['type'] == 'observe':\n"
    body += "    act(m, actions=[10 * seat + place for place, _ in enumerate(m['questions'])])\n"
    with make(tmp_path, body) as bot:
        assert ask(bot, of_seats(seats)) == [30, 0, 1, 20, 31, 10, 21, 2]


def test_the_seats_think_at_the_same_time(tmp_path: Path) -> None:
    body = "hello = greet(); message = get()\nopen(f\"here-{hello['seat']}\", 'w')\n"
    body += "while not all(os.path.exists(f'here-{seat}') for seat in range(4)): time.sleep(0.01)\n"
    with make(tmp_path, body + "act(message); get()") as bot:
        assert ask(bot, of_seats([0, 1, 2, 3])) == [54] * 4


def test_the_seats_start_at_the_same_time(tmp_path: Path) -> None:
    body = "hello = get()\nopen(f\"here-{hello['seat']}\", 'w')\n"
    body += "while not all(os.path.exists(f'here-{seat}') for seat in range(4)): time.sleep(0.01)\n"
    body += "say(type='hello', protocol=2)" + PLAY
    with make(tmp_path, body) as bot:
        bot.ready()
        assert set(bot.titles) == {0, 1, 2, 3}


def test_a_seat_is_started_when_it_is_first_asked(tmp_path: Path) -> None:
    source = find_bot("cmd:./pass_and_follow.py", "mine", [EXAMPLES])
    with source.load(CLASSIC, PATIENT) as bot:
        assert isinstance(bot, CommandBot)
        assert bot.titles == {}
        bot.decide(of_seats([2]), np.zeros(1, np.int64))
        assert set(bot.titles) == {2}


def test_a_bot_that_cannot_start_says_so_before_it_is_asked(tmp_path: Path) -> None:
    body = "hello = get()\nif hello['seat'] == 3: sys.exit('no weights')\nsay(type='hello', protocol=2)" + PLAY
    words = r"bot 'mine' cannot be started: its process exited with code 1, before its hello; .*: no weights"
    with make(tmp_path, body) as bot:
        with pytest.raises(BotSpecError, match=words):
            bot.ready()
        assert 3 not in bot.titles


def test_seats_may_speak_different_versions(tmp_path: Path) -> None:
    body = """
hello = get()
version = 1 + hello["seat"] % 2
say(type="hello", protocol=version)
while (message := get())["type"] != "quit":
    if version == 1:
        say(type="action", id=message["id"], action=message["observation"]["legal"][0])
    else:
        act(message)
"""
    with make(tmp_path, body) as bot:
        assert ask(bot, of_seats([0, 1, 2, 3, 0, 1, 2, 3])) == [54] * 8


@every_preset
def test_both_versions_play_alike(name: str) -> None:
    rules = PRESETS[name]
    played = []
    for version in VERSIONS:
        source = find_bot(f"cmd:{sys.executable} pass_and_follow.py", "mine", [FOLDERS[version]])
        with source.load(rules, PATIENT) as bot:
            done = Batch(rules, 9).play(sequences_of(rules, 2), [bot, house("random")])
            assert isinstance(bot, CommandBot)
            assert {title.version for title in bot.titles.values()} == {f"{version}.0"}
        played.append([np.ascontiguousarray(column).tobytes() for column in done])
    assert played[0] == played[1]


# ------------------------------------------------------------------------------------------------------- faults

STARTS = [
    ("fields='legal'", "its hello has 'legal' as fields, which is no list of names"),
    ("fields=7", "its hello has 7 as fields, which is no list"),
    ("fields=['legal', 'cards']", "its hello has 'cards' among fields, which is no field of an observation"),
    ("fields=['legal', ['legal']]", r"its hello has \['legal'\] among fields"),
    ("fields=[None]", "its hello has None among fields"),
    ("name=7", "its hello has 7 as name"),
]


@pytest.mark.parametrize(("more", "words"), STARTS)
def test_a_wrong_hello_is_told_in_words(tmp_path: Path, more: str, words: str) -> None:
    with make(tmp_path, f"greet({more}); get()") as bot, pytest.raises(DecisionFailed, match=words) as caught:
        ask(bot, some_rows(3))
    assert (caught.value.place, caught.value.fault) == (0, Fault.MESSAGE)


WRONG = [
    ("True", r"answered True \(bool\): an action is an integer 0-97"),
    ("54.0", r"answered 54.0 \(float\)"),
    ("'54'", r"answered '54' \(str\)"),
    ("None", r"answered None \(NoneType\)"),
    ("[54]", r"answered \[54\] \(list\)"),
    ("98", r"answered 98 \(int\)"),
    ("-1", r"answered -1 \(int\)"),
    ("10**40", r"answered 1\S+ \(\w+\)"),
    ("2**63", r"answered 9223372036854775808 \(int\)"),
]


@pytest.mark.parametrize(("value", "words"), WRONG)
def test_one_wrong_action_is_that_of_its_question(tmp_path: Path, value: str, words: str) -> None:
    body = f"greet(); message = get(); act(message, actions=[64, 65, {value}, 66, None]); get()"
    with make(tmp_path, body) as bot, pytest.raises(DecisionFailed, match=words) as caught:
        ask(bot, some_rows(5))
    failure = caught.value
    assert (failure.place, failure.fault, failure.answers.tolist()) == (2, Fault.ILLEGAL, [64, 65])


ANSWERS = [
    ("act(message, actions=[54])", r"answered with 1 actions, where 3 were due"),
    ("act(message, actions=[54] * 4)", r"answered with 4 actions, where 3 were due"),
    ("act(message, actions=54)", r"answered '.*', where actions is no list"),
    ("act(message, actions={})", r"where actions is no list"),
    ("say(type='action', id=0, action=54)", r"answered '.*', which has no actions"),
    ("say(type='observe', id=0, actions=[])", r"where a JSON object of type 'action' was due"),
    ("act(message, id=1)", r"answered with id 1: message 0 waits for its answer"),
    ("act(message, id=False)", r"answered with id False: message 0"),
    ('os.write(1, b\'{"type":"action","id":0,"actions":[54,NaN,54]}\\n\')', r"which is no JSON"),
    ("act(message, why='x' * 5000)", r"wrote 5,0\d\d bytes, where the answer to message 0 has at most 4,816; they"),
    ("act(message, why='x' * 70_000)", f"wrote more than {LINE_LIMIT:,} bytes"),
    ("sys.exit(3)", "its process exited with code 3"),
]


@pytest.mark.parametrize(("answer", "words"), ANSWERS)
def test_a_wrong_answer_is_that_of_its_first_question(tmp_path: Path, answer: str, words: str) -> None:
    body = f"seat = greet()['seat']; message = get(); {answer} if seat == 1 else act(message)\nget()"
    rows = of_seats([0, 1, 0, 1, 1])
    with make(tmp_path, body) as bot, pytest.raises(DecisionFailed, match=words) as caught:
        ask(bot, rows)
    assert (caught.value.place, caught.value.answers.tolist()) == (1, [54])


def test_an_answer_has_room_for_each_question(tmp_path: Path) -> None:
    body = "greet(); act(get(), why='x' * 60_000); get()"
    with make(tmp_path, body) as bot:
        assert ask(bot, some_rows(MOST_QUESTIONS)) == [54] * MOST_QUESTIONS


def test_after_a_fault_what_comes_before_is_asked_still(tmp_path: Path) -> None:
    """The first of two faults is told, whichever message it is in, and no row before it is without an answer."""
    body = f"""
seat = greet()["seat"]
while (message := get())["type"] == "observe":
    with open(f"asked-{{seat}}", "a") as file:
        file.write(f"{{len(message['questions'])}}\\n")
    if seat == 0:
        sys.exit(1)  # at row {MOST_QUESTIONS + 20}
    actions = firsts(message)
    if seat == 2 and message["id"] == 1:
        actions[5] = None
    act(message, actions=actions)
"""
    seats = [2] * (MOST_QUESTIONS + 20) + [0, 1] + [2] * 1000
    with make(tmp_path, body) as bot, pytest.raises(DecisionFailed, match="answered None") as caught:
        ask(bot, of_seats(seats))
    assert caught.value.place == MOST_QUESTIONS + 5
    assert caught.value.answers.tolist() == [54] * caught.value.place
    asked = {seat: (tmp_path / f"asked-{seat}").read_text("utf-8").split() for seat in (0, 1, 2)}
    assert asked == {0: ["1"], 1: ["1"], 2: [str(MOST_QUESTIONS), "20"]}


def test_after_a_fault_the_other_seats_play_on(tmp_path: Path) -> None:
    body = """
seat = greet()["seat"]
open(f"started-{seat}", "a").write(".")
while (message := get())["type"] == "observe":
    act(message, actions=[98 if len(message["questions"]) == 2 else 54])
"""
    with make(tmp_path, body) as bot:
        assert ask(bot, of_seats([0, 1])) == [54, 54]
        with pytest.raises(DecisionFailed, match="answered with 1 actions, where 2 were due") as caught:
            ask(bot, of_seats([0, 1, 1]))
        assert (caught.value.place, caught.value.answers.tolist()) == (1, [54])
        assert ask(bot, of_seats([1, 0])) == [54, 54]
    assert [(tmp_path / f"started-{seat}").read_text("utf-8") for seat in (0, 1)] == [".", ".."]


def test_an_illegal_action_is_refused_by_the_engine(tmp_path: Path) -> None:
    body = "greet(); message = get(); act(message, actions=[0 for _ in message['questions']]); get()"
    with (
        make(tmp_path, body) as bot,
        pytest.raises(BotFault, match=r"bot 'mine' failed on board \d.*answered 0: S2 is"),
    ):
        Batch(CLASSIC, 9).play(sequences_of(CLASSIC, 3), [bot, house("random")])


# ---------------------------------------------------------------------------------------- start and time replaced


def test_the_start_can_be_replaced(tmp_path: Path) -> None:
    started = []

    def start(command: Sequence[str], output: Output, folder: Path, limits: Limits) -> Child:
        started.append((list(command), folder))
        return start_plainly(command, output, folder, limits)

    with make(tmp_path, "greet()" + PLAY, start=start) as bot:
        assert ask(bot, of_seats([3, 1])) == [54, 54]
    assert started == [([*PYTHON, "bot.py"], tmp_path)] * 2


def test_a_message_has_time_for_each_of_its_questions(tmp_path: Path) -> None:
    limits = Limits(start=20, answer=0.5)
    body = """
def work(seconds):
    end = time.process_time() + seconds
    while time.process_time() < end:
        pass

greet()
message = get()
work(1)
act(message)
get()
work(60)
"""
    with make(tmp_path, body, limits=limits) as bot:
        assert ask(bot, some_rows(6)) == [54] * 6
        began = time.monotonic()
        with pytest.raises(DecisionFailed, match=r"wrote nothing within 1 s of processor time") as caught:
            ask(bot, some_rows(2))
        assert caught.value.fault == Fault.TIME
        assert time.monotonic() - began < 30


def test_the_time_of_a_message_can_be_replaced(tmp_path: Path) -> None:
    asked = []

    class Hasty(CommandBot):
        def _deadline(self, talk: Talk, questions: int) -> Deadline:
            asked.append((talk.child.pid, questions))
            return Deadline(0.2)

    (tmp_path / "bot.py").write_text(PRELUDE + "greet(); get(); time.sleep(60)", "utf-8")
    with (
        Hasty("mine", [*PYTHON, "bot.py"], CLASSIC, {}, tmp_path, PATIENT) as bot,
        pytest.raises(DecisionFailed, match=r"wrote nothing within 0\.2 s"),
    ):
        ask(bot, some_rows(4))
    assert [questions for _, questions in asked] == [4]
