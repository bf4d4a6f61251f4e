"""Bots that are programs of their own: what they are told, how they play, and every way in which they fail.

The programs here speak version 1; test_many_questions.py has those of version 2.
"""

import json
import os
import shutil
import stat
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import transcript
from bidwhist.arena.part import Setting
from bidwhist.bot.deciders.command import CommandBot
from bidwhist.bot.deciders.protocol import FIELDS, LINE_LIMIT, MOST_QUESTIONS, VERSIONS, Title, observation
from bidwhist.bot.deciders.scalar import ScalarBot
from bidwhist.bot.limits import Limits
from bidwhist.bot.sources.find import find_bot
from bidwhist.bot.sources.source import BotSource
from bidwhist.bot.spec import Spec, parse_spec
from bidwhist.cards import cards_of
from bidwhist.engine.batch import Batch
from bidwhist.engine.decider import Decider, DecisionFailed
from bidwhist.errors import BotFault, BotSpecError
from bidwhist.observation import OBSERVATION, Obs
from bidwhist.play import run_tournament
from bidwhist.process.child import Child
from bidwhist.process.deadline import Deadline
from bidwhist.process.fault import ProcessFault
from bidwhist.process.output import Output
from bidwhist.results.schema import Part
from bidwhist.rules import CLASSIC, PRESETS, Rules
from bidwhist.table import Table
from support import every_preset
from test_docs import guide, named, rows, section

EXAMPLES = Path(__file__).parent.parent / "examples" / "cmd"
PYTHON = [sys.executable, "-IS"]  # without site packages it starts in a third of the time

needs_node = pytest.mark.skipif(shutil.which("node") is None, reason="node is not installed")

PATIENT = Limits(start=20, answer=20)  # for bots that do not mean to be late, on a machine that is busy

PRELUDE = """
import json, os, signal, subprocess, sys, time

def put(data):
    os.write(1, data.encode() if isinstance(data, str) else data)

def say(**message):
    put(json.dumps(message) + "\\n")

def get():
    return json.loads(sys.stdin.readline() or '{"type": "quit"}')

def greet():
    hello = get()
    say(type="hello", protocol=1)
    return hello

def act(question, **changed):
    say(**{"type": "action", "id": question["id"], "action": question["observation"]["legal"][0], **changed})

"""
PLAY = """
greet()
while (message := get())["type"] != "quit":
    if message["type"] == "observe":
        act(message)
"""


def make(folder: Path, body: str, *, limits: Limits = PATIENT, rules: Rules = CLASSIC) -> CommandBot:
    (folder / "bot.py").write_text(PRELUDE + body, "utf-8")
    return CommandBot("mine", [*PYTHON, "bot.py"], rules, {}, folder, limits)


def some_rows(number: int = 3, rules: Rules = CLASSIC) -> NDArray[np.void]:
    """What one seat sees at its call, again and again."""
    return np.array([Table.deal(1, 0, rules).observe().row] * number, OBSERVATION)


def ask(bot: CommandBot, sequences: list[int]) -> list[int]:
    found: list[int] = bot.decide(some_rows(len(sequences)), np.array(sequences)).tolist()
    return found


# ------------------------------------------------------------------------------------------------------- faults


def never_in_time(body: str, words: str) -> Any:
    return pytest.param(body, words, Limits(start=1, answer=1, idle=1), id=words)


def at_once(body: str, words: str) -> Any:
    return pytest.param(body, words, PATIENT, id=words)


def busy(body: str, words: str, **limits: float) -> Any:
    return pytest.param(body, words, Limits(**{"start": 20, "answer": 20, "idle": 30, **limits}), id=words)


SPIN = "\n    for _ in iter(int, 1): pass\n"
STARTS = [
    never_in_time("time.sleep(60)", r"wrote nothing and did nothing for 1 s, before its hello"),
    never_in_time("for _ in iter(int, 1): pass", "wrote nothing within 1 s of processor time, before its hello"),
    never_in_time(
        "put('{\"type\": '); time.sleep(60)",
        r"wrote '{\"type\": ', no whole line, and did nothing for 1 s, before its hello",
    ),
    never_in_time(
        "greet; os.kill(os.getpid(), signal.SIGSTOP)", "wrote nothing and did nothing for 1 s, before its hello"
    ),
    at_once("get(); say(type='hello', protocol=3)", "its hello has 3 as protocol; this arena speaks 1 and 2"),
    at_once("get(); say(type='hello', protocol=True)", "its hello has True as protocol"),
    at_once("get(); say(type='hello', protocol='1')", "its hello has '1' as protocol"),
    at_once("get(); say(type='hello')", "its hello has no version as protocol"),
    at_once("get(); say(type='hello', protocol=1, name=7)", "its hello has 7 as name, which is not a text"),
    at_once("get(); say(type='hello', protocol=1, version='\\n')", "its hello has '.n' as version"),
    at_once("get(); say(type='action', id=0, action=54)", "where a JSON object of type 'hello' was due"),
    at_once("put('Welcome!\\n'); time.sleep(60)", "wrote 'Welcome!', which is no JSON"),
    at_once("get(); sys.exit(3)", "its process exited with code 3, before its hello"),
    at_once(
        "get(); sys.exit('no weights')",
        "its process exited with code 1, before its hello; the end of its .* error: no weights",
    ),
    at_once(
        "os.kill(os.getpid(), signal.SIGKILL)",
        r"its process was killed \(signal 9\); perhaps out of memory, before its hello",
    ),
    at_once("os.kill(os.getpid(), signal.SIGRTMIN + 2)", r"its process was ended by signal \d+, before its hello"),
]

ONE = "greet(); question = get(); "  # then comes what it does with the first question
ANSWERS = [
    never_in_time(ONE + "time.sleep(60)", "wrote nothing and did nothing for 1 s"),
    never_in_time(ONE + "put('{\"type\": \"ac'); time.sleep(60)", "wrote '{\"type\": \"ac', no whole line, and did"),
    never_in_time(ONE + "[(put(' '), time.sleep(0.02)) for _ in range(9999)]", "wrote ' +', no whole line, and did"),
    never_in_time(ONE + "os.kill(os.getpid(), signal.SIGSTOP)", "wrote nothing and did nothing for 1 s"),
    never_in_time(ONE + "[os.write(2, b'x' * 999) for _ in iter(int, 1)]", "wrote .* 1 s( of pr.* time)?; the end"),
    busy(
        ONE + f"\nif os.fork() == 0:{SPIN}\nos.wait()", "wrote nothing within 0.9 s of processor time$", answer=0.9
    ),
    busy(
        ONE + f"\nfor _ in range(20):\n  if os.fork() == 0:{SPIN}\nos.wait()", "within 0.8 s of processor", answer=0.8
    ),
    busy(
        ONE + "\nwhile True:\n  if os.fork() == 0: sum(range(9**6)); os._exit(0)\n  os.wait()",
        "wrote nothing within 0.7 s of processor time",
        answer=0.7,
    ),
    pytest.param(
        ONE + "act(question); get(); sum(range(10**12))",
        r"wrote nothing and has used up the 0\.3 s of processor time of its process \(limits\.run\)",
        Limits(start=20, answer=5, run=0.3),
        id="run",
    ),
    at_once(ONE + "put('{\"ty'); sys.exit(4)", "its process exited with code 4 after '{\"ty', no whole line"),
    at_once(ONE + "sys.exit(0)", "its process exited with code 0"),
    at_once(ONE + "os.kill(os.getpid(), signal.SIGSEGV)", "its process was ended by SIGSEGV"),
    at_once(ONE + "os.close(1); time.sleep(60)", "closed its standard output"),
    at_once(ONE + "os.close(0); act(question); time.sleep(60)", "closed its standard input"),
    at_once(ONE + "subprocess.Popen(['sleep', '60']); os._exit(7)", "its process exited with code 7"),
    at_once(ONE + "1 / 0", r"its process exited with code 1; the end of its .* \| ZeroDivisionError: division by zero"),
    at_once(ONE + "put(bytes(range(128, 256)) + b'\\0\\x1b[2J\\n')", "wrote '.*x80.*which is no JSON"),
    at_once(ONE + "put('54\\n')", "wrote '54', where a JSON object of type 'action' was due"),
    at_once(ONE + "put('[]\\n')", r"wrote '\[\]', where a JSON object"),
    at_once(ONE + "put('\\n')", "wrote '', which is no JSON"),
    at_once(ONE + "put('[' * 60000 + '\\n')", r"wrote '\[\[.*, which is no JSON"),
    at_once(ONE + "put('{\"type\": \"action\", \"id\": 0, \"action\": NaN}\\n')", "which is no JSON"),
    at_once(ONE + "say(type='act', id=0, action=54)", "wrote '.*\"act\".*where a JSON object of type 'action' was due"),
    at_once(ONE + "say(type='action', id=0)", r"answered '{\"type\".*which has no action"),
    at_once(ONE + "act(question, action=True)", r"answered True \(bool\): an action is an integer 0-97"),
    at_once(ONE + "act(question, action=1.0)", r"answered 1.0 \(float\): an action"),
    at_once(ONE + "act(question, action='SA')", r"answered 'SA' \(str\): an action"),
    at_once(ONE + "act(question, action=None)", r"answered None \(NoneType\): an action"),
    at_once(ONE + "act(question, action=98)", r"answered 98 \(int\): an action"),
    at_once(ONE + "act(question, action=-1)", r"answered -1 \(int\): an action"),
    at_once(ONE + "act(question, action=10**40)", r"answered 1\S+ \(\w+\): an action"),
    at_once(ONE + "act(question, id=7)", "answered with id 7: question 0 waits for its answer"),
    at_once(ONE + "act(question, id='0')", "answered with id '0': question 0 waits"),
    at_once(ONE + "act(question, id=False)", "answered with id False: question 0 waits"),
    at_once(ONE + "act(question); act(question); get(); time.sleep(60)", "without being asked|with id 0: question 1"),
    at_once(ONE + "put(b'x' * 4_000_000)", f"wrote more than {LINE_LIMIT:,} bytes where one line was due.*'xxx"),
    at_once(ONE + "put(b' ' * 70_000 + b'\\n')", f"wrote more than {LINE_LIMIT:,} bytes where one line"),
]  # fmt: skip


@pytest.mark.parametrize(("body", "words", "limits"), STARTS + ANSWERS)
def test_a_fault_is_told_in_words_and_holds_nothing_up(tmp_path: Path, body: str, words: str, limits: Limits) -> None:
    bot = make(tmp_path, body, limits=limits)
    began = time.monotonic()
    with pytest.raises(DecisionFailed, match=words) as caught:
        ask(bot, [0, 0, 0])
    assert time.monotonic() - began < 15
    assert len(caught.value.reason) < 1000
    assert caught.value.reason.isprintable()


def test_a_second_answer_is_found_before_the_next_question(tmp_path: Path) -> None:
    bot = make(
        tmp_path, ONE + "both = json.dumps({'type': 'action', 'id': 0, 'action': 54}) + '\\n'; put(both * 2); get()"
    )
    with pytest.raises(DecisionFailed, match=r"wrote '{.*}' without being asked") as caught:
        ask(bot, [0, 0])
    assert caught.value.place == 1


def test_what_nobody_has_read_yet_of_standard_error_is_told(tmp_path: Path) -> None:
    more = "put('more\\n'); os.write(2, b'why'); open('done', 'w'); time.sleep(60)"
    bot = make(tmp_path, ONE + "act(question)\nwhile not os.path.exists('go'): time.sleep(0.01)\n" + more)
    ask(bot, [0])
    (tmp_path / "go").touch()
    while not (tmp_path / "done").exists():
        time.sleep(0.01)
    with pytest.raises(DecisionFailed, match=r"wrote 'more' without being asked; the end of its standard error: why$"):
        ask(bot, [0])


def test_a_second_answer_that_comes_late_has_the_wrong_id(tmp_path: Path) -> None:
    bot = make(tmp_path, ONE + "act(question); get(); act(question)")
    with pytest.raises(DecisionFailed, match="answered with id 0: question 1 waits for its answer") as caught:
        ask(bot, [0, 0])
    assert caught.value.place == 1


def test_who_does_not_read_does_not_hold_up_who_writes(tmp_path: Path) -> None:
    child = Child.start(["sleep", "60"], Output(100), line_limit=LINE_LIMIT, folder=tmp_path)
    with pytest.raises(ProcessFault, match=r"did not read what it was sent within 0\.3 s"):
        child.send(b" " * 1_000_000, Deadline(0.3))
    child.end()


def test_who_floods_and_does_not_read(tmp_path: Path) -> None:
    child = Child.start(
        [*PYTHON, "-c", "while True: print('x' * 99)"], Output(100), line_limit=LINE_LIMIT, folder=tmp_path
    )
    with pytest.raises(ProcessFault, match=f"more than {LINE_LIMIT:,} bytes"):
        child.send(b" " * 1_000_000, Deadline(20))
    child.end()


def test_what_came_in_time_counts_even_if_it_is_looked_for_too_late(tmp_path: Path) -> None:
    child = Child.start(["echo", "word"], Output(100), line_limit=LINE_LIMIT, folder=tmp_path)
    time.sleep(0.3)
    assert child.receive(Deadline(0)) == b"word\n"
    child.end()


def test_a_hello_may_come_before_it_is_asked_for(tmp_path: Path) -> None:
    with make(tmp_path, "say(type='hello', protocol=1); get(); act(get()); get()") as bot:
        assert ask(bot, [0]) == [54]


def test_an_illegal_answer_is_refused_by_the_engine(tmp_path: Path) -> None:
    with (
        make(tmp_path, ONE + "act(question, action=0)") as bot,
        pytest.raises(BotFault, match="answered 0: S2 is a card"),
    ):
        Batch(CLASSIC, 9).play(sequences_of(CLASSIC, 1), [bot, house("random")])


def test_a_fault_in_a_run_names_bot_board_and_decision(tmp_path: Path) -> None:
    body = "greet()\nwhile (message := get())['type'] != 'quit':\n    if message['type'] == 'observe':\n"
    body += "        if message['observation']['phase'] == 'play': sys.exit('oh')\n        act(message)\n"
    words = r"bot .mine. failed on board 0, seat [NESW], decision play, trick 1: its process exited with code 1; .*: oh"
    with make(tmp_path, body) as bot, pytest.raises(BotFault, match=words):
        Batch(CLASSIC, 9).play(sequences_of(CLASSIC, 1), [bot, bot])


# -------------------------------------------------------------------------------------------- what is left of it


@contextmanager
def watched(folder: Path) -> Iterator[Callable[[], None]]:
    """A pipe `watch` that processes of a bot write to and hold open; what is given waits until none of them lives."""
    os.mkfifo(folder / "watch")
    pipe = os.open(folder / "watch", os.O_RDONLY | os.O_NONBLOCK)

    def wait() -> None:
        assert os.read(pipe, 100) == b"12"
        end = time.monotonic() + 5
        while time.monotonic() < end:
            try:
                assert os.read(pipe, 100) == b""
                return
            except BlockingIOError:  # there is still somebody who might write
                time.sleep(0.01)
        raise AssertionError("a process of the bot lives on")

    yield wait
    os.close(pipe)


# Two processes that cannot be asked to go.
STUBBORN = """
signal.signal(signal.SIGTERM, signal.SIG_IGN)
watch = os.open("watch", os.O_WRONLY)
os.write(watch, b"1")
if os.fork() == 0:
    os.write(watch, b"2")
    while True: time.sleep(60)
time.sleep(0.1)
"""


@pytest.mark.parametrize(
    "rest", ["sys.exit(1)", "time.sleep(60)", "os.close(1); time.sleep(60)", "put('no\\n'); time.sleep(60)"]
)
def test_a_fault_ends_what_the_bot_has_started(tmp_path: Path, rest: str) -> None:
    with watched(tmp_path) as wait:
        bot = make(tmp_path, "greet()" + STUBBORN + rest, limits=Limits(start=20, answer=1))
        with pytest.raises(DecisionFailed):
            ask(bot, [0])
        wait()


@pytest.mark.parametrize("rest", ["get(); sys.exit()", "time.sleep(60)"])
def test_closing_ends_what_the_bot_has_started(tmp_path: Path, rest: str) -> None:
    with watched(tmp_path) as wait:
        bot = make(tmp_path, "greet()" + STUBBORN + "act(get())\n" + rest)
        ask(bot, [0])
        began = time.monotonic()
        bot.close()
        assert time.monotonic() - began < 5
        wait()


def test_who_forgets_to_close_leaves_nothing_behind(tmp_path: Path) -> None:
    with watched(tmp_path) as wait:
        bot = make(tmp_path, "greet()" + STUBBORN + "act(get())\nget()")
        ask(bot, [0])
        del bot
        wait()


def test_when_python_exits_its_bots_are_told(tmp_path: Path) -> None:
    make(tmp_path, PLAY + "open('told', 'w').write(message['type'])")
    program = (
        "import pathlib; import numpy as np; from bidwhist import Table; from bidwhist.rules import CLASSIC\n"
        "from bidwhist.bot.deciders.command import CommandBot\n"
        f"bot = CommandBot('mine', {[*PYTHON, 'bot.py']!r}, CLASSIC, {{}}, pathlib.Path({str(tmp_path)!r}))\n"
        "print(bot.decide(np.array([Table.deal(1, 0).observe().row]), np.zeros(1, int))[0])\n"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert (done.stdout, done.stderr) == ("54\n", "")
    assert (tmp_path / "told").read_text("utf-8") == "quit"


def open_files() -> list[str]:
    return sorted(path.name for path in Path("/dev/fd").iterdir())


def test_no_pipe_is_left_open(tmp_path: Path) -> None:
    before = open_files()
    for body in (PLAY, ONE + "sys.exit(1)"):
        bot = make(tmp_path, body)
        try:
            ask(bot, [0])
        except DecisionFailed:
            assert body != PLAY
        bot.close()
    assert open_files() == before


def test_after_a_fault_a_new_process_is_asked(tmp_path: Path) -> None:
    body = "import pathlib; seen = pathlib.Path('seen'); seen.touch(); seen.write_text(seen.read_text() + '.')\n"
    bot = make(tmp_path, body + "greet(); act(get()); message = get()\nif message['type'] == 'observe': sys.exit(1)")
    with bot:
        for times in (1, 2):
            with pytest.raises(DecisionFailed) as caught:
                ask(bot, [0, 0])
            assert caught.value.place == 1
            assert (tmp_path / "seen").read_text("utf-8") == "." * times


# ---------------------------------------------------------------------------------------------- what it is told

NOTE = """
notes = open("notes", "a")
def noted(message):
    notes.write(json.dumps(message) + "\\n")
    notes.flush()
    return message

noted(greet())
while (message := noted(get()))["type"] != "quit":
    if message["type"] == "observe":
        act(message)
"""


def notes(folder: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (folder / "notes").read_text("utf-8").splitlines()]


def test_hello_tells_rules_seat_parameters_and_limits(tmp_path: Path) -> None:
    rules = PRESETS["no-jokers-52"]
    (tmp_path / "bot.py").write_text(PRELUDE + NOTE, "utf-8")
    row = Table.deal(1, 0, rules).observe().row
    spec = f"cmd:{sys.executable} -IS bot.py?depth=3&bold=true"
    with find_bot(spec, "mine", [tmp_path]).load(rules, Limits(start=20, answer=5)) as bot:
        bot.decide(np.array([row], OBSERVATION), np.zeros(1, np.int64))
    (hello,) = [message for message in notes(tmp_path) if message["type"] == "hello"]
    assert hello == {
        "type": "hello",
        "protocol": 1,
        "protocols": [1, 2],
        "rules": {**rules.as_dict(), "hand_size": 12},
        "seat": int(row["seat"]),
        "parameters": {"depth": "3", "bold": "true"},
        "limits": {"start": 20, "answer": 5},
    }


def test_each_seat_and_table_is_a_player_until_its_end(tmp_path: Path) -> None:
    with make(tmp_path, NOTE) as bot:
        ask(bot, [70, 90, 70])
        bot.finish(np.array([70, 71]))
        ask(bot, [70, 90])
        bot.finish(np.array([90]))
    told = [(message["type"], message.get("id"), message.get("player")) for message in notes(tmp_path)]
    assert told == [
        ("hello", None, None),
        *(("observe", 0, 0), ("observe", 1, 1), ("observe", 2, 0)),
        *(("end", None, 0), ("observe", 3, 2), ("observe", 4, 1)),
        *(("end", None, 1), ("quit", None, None)),
    ]


def test_a_process_plays_one_seat(tmp_path: Path) -> None:
    with make(tmp_path, NOTE.replace('"notes"', 'f"notes-{os.getpid()}"')) as bot:
        Batch(CLASSIC, 9).play(sequences_of(CLASSIC, 2), [bot, bot])
    files = list(tmp_path.glob("notes-*"))
    assert len(files) == 4
    seats = set()
    for file in files:
        hello, *told = [json.loads(line) for line in file.read_text("utf-8").splitlines()]
        assert {each["observation"]["seat"] for each in told if each["type"] == "observe"} == {hello["seat"]}
        seats.add(hello["seat"])
    assert seats == {0, 1, 2, 3}


@every_preset
def test_an_observation_has_all_that_obs_has(name: str) -> None:
    table = Table.deal(3, 0, PRESETS[name])
    while not table.is_done:
        obs = table.observe()
        told = json.loads(json.dumps(observation(obs)))
        for key, value in told.items():
            if key in ("gone", "led"):
                assert value == cards_of(getattr(obs, f"{key}_mask"))
            elif key == "void":
                assert value == [cards_of(mask) for mask in obs.void_masks]
            elif key == "random":
                again = Obs(obs.row).random
                assert value == [again.random() for _ in range(8)]
            elif key == "calls":
                assert value == [[seat, call] for seat, call in obs.calls.items()]
            else:
                assert value == json.loads(json.dumps(getattr(obs, key)))
        as_masks = {"gone": "gone_mask", "led": "led_mask", "void": "void_masks"}
        left_out = {"hand_mask", "rules", "row"}
        properties = {each for each in vars(Obs) if not each.startswith("_")}
        assert {as_masks.get(key, key) for key in told} == properties - left_out
        table.act(obs.legal[obs.random.below(len(obs.legal))])


def test_a_bot_may_say_who_it_is(tmp_path: Path) -> None:
    body = "get(); say(type='hello', protocol=1, name='Élan', version='2', more=[]); act(get()); get()"
    with make(tmp_path, body) as bot:
        ask(bot, [0])
        assert list(bot.titles.values()) == [Title("Élan", "2")]


# ----------------------------------------------------------------------------------------------- standard error


def test_standard_error_is_kept_and_capped(tmp_path: Path) -> None:
    body = "greet(); question = get()\nfor k in range(100_000): print('line', k, file=sys.stderr)\n"
    with make(tmp_path, body + "os.write(2, b'\\x1b[2J\\xff'); sys.stderr.flush(); act(question); get()") as bot:
        ask(bot, [0])
        (text,) = bot.errors.values()
    first, _, rest = text.partition("\n... and ")
    assert first.startswith("line 0\nline 1\n")
    assert len(first) == 32 * 1024
    assert int(rest.replace(",", "").split(" ")[0]) > 1_000_000 - 32 * 1024


def test_what_is_said_at_the_end_is_kept_too(tmp_path: Path) -> None:
    bot = make(tmp_path, PLAY + "print('\\x1b[1mbye', file=sys.stderr)")
    ask(bot, [0])
    bot.close()
    assert list(bot.errors.values()) == [" [1mbye\n"]


@pytest.mark.parametrize("executor", ["processes", "inline"])
def test_standard_error_of_a_run_that_goes_well_is_kept(tmp_path: Path, executor: str) -> None:
    source = (EXAMPLES / "pass_and_follow.py").read_text(encoding="utf-8")
    (tmp_path / "own.py").write_text("import sys\nprint('I am here', file=sys.stderr, flush=True)\n" + source)
    bots = ["random", {"spec": f"cmd:{sys.executable} {tmp_path / 'own.py'}", "name": "loud"}]
    out = run_tournament({"seed": 1, "boards": 2, "bots": bots}, out=tmp_path / "run", jobs=1, executor=executor)
    kept = (out / "timings" / "output.txt").read_text(encoding="utf-8")
    assert sorted(kept.splitlines()) == ["I am here"] * 4 + [f"loud, seat {seat}, standard error:" for seat in "ENSW"]


def test_the_end_of_an_output_is_short_and_printable() -> None:
    output = Output(1000)
    assert (output.text, output.tail) == ("", "")
    output.add(b"a\n\nb\x07\n  c\r\n\n")
    output.add("d é\n".encode())
    assert output.tail == "b | c | d é"
    output.add(b"x" * 100_000)
    assert len(output.tail) < 320
    assert output.tail.endswith("xxx")


# ------------------------------------------------------------------------------------------------- from spec to bot


def program(path: Path, text: str = "#!/bin/sh\n", *, runs: bool = True) -> Path:
    path.parent.mkdir(exist_ok=True)
    path.write_text(text, "utf-8")
    path.chmod(stat.S_IRWXU if runs else stat.S_IRUSR)
    return path


def test_a_command_is_taken_apart() -> None:
    text = "cmd:./my.py:x --depth 3?key=a%20b&other="
    spec = Spec(text, "cmd:./my.py:x --depth 3", (("key", "a b"), ("other", "")))
    assert parse_spec(text) == spec
    assert spec.query == "?key=a%20b&other="


@pytest.mark.parametrize(
    ("spec", "words"),
    [
        ("cmd:", "names no command"),
        ("cmd: ?depth=3", "names no command"),
        ("cmd:./bot 'half", "a quotation mark or a backslash in the command has no second half"),
        ("cmd:./bot \\", "a quotation mark or a backslash"),
        ("cmd:./bot a\0b", "a command has no NUL characters"),
        ("cmd:./bot?depth", r"parameters are written \?key=value"),
        ("cmd:./nowhere", "there is no such file in"),
        ("cmd:" + "./x" * 5000, "there is no such file"),
        ("cmd:./" + "x" * 5000, "cannot be looked up: File name too long"),
        ("cmd:./plain", "plain may not be executed; `chmod [+]x` allows it"),
        (
            "cmd:no-such-program bot.js",
            r"there is no program 'no-such-program' in the search path; .* \./no-such-program",
        ),
    ],
)
def test_a_command_that_is_not_there(tmp_path: Path, spec: str, words: str) -> None:
    program(tmp_path / "plain", runs=False)
    with pytest.raises(BotSpecError, match=words):
        find_bot(spec, "mine", [tmp_path])


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("print('no first line')", "it is no program; a script begins with"),
        ("#!/no/such/python\n", "not the interpreter"),
    ],
)
def test_a_file_that_is_no_program(tmp_path: Path, text: str, words: str) -> None:
    program(tmp_path / "bot", text)
    bot = find_bot("cmd:./bot", "mine", [tmp_path])
    with pytest.raises(BotSpecError, match=rf"bot 'mine': \S+/bot cannot be started: .*{words}"):
        bot.probe(CLASSIC)


WHERE = PRELUDE + "get(); sys.exit(' '.join([os.getcwd(), sys.argv[0], *sys.argv[1:]]))"


def told_by(bot: BotSource) -> str:
    with pytest.raises(BotSpecError) as caught:
        bot.probe(CLASSIC)
    return str(caught.value).partition("error: ")[2]


def test_where_a_command_is_found_and_started(tmp_path: Path) -> None:
    first, second = tmp_path / "first", tmp_path / "se cond"
    first.mkdir()
    script = program(second / "bot", f"#!{sys.executable}\n{WHERE}")
    (first / "link").symlink_to(script)
    for spec, expected in (
        ("cmd:./bot '--a b' c", f"{second} {second}/bot --a b c"),
        ("cmd:./link", f"{first} {first}/link"),
        (f"cmd:'{script}' x", f"{first} {script} x"),
    ):
        assert told_by(find_bot(spec, "mine", [first, second])) == expected


def test_an_interpreter_starts_in_the_folder_of_its_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    first, second = tmp_path / "first", tmp_path / "second"
    first.mkdir()
    program(second / "bot", WHERE)
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin" / "mypython").symlink_to(sys.executable)
    monkeypatch.setenv("PATH", str(tmp_path / "bin"))
    bot = find_bot("cmd:mypython -IS bot y", "mine", [first, second])
    assert told_by(bot) == f"{second} bot y"


def test_the_hash_covers_the_files_that_a_command_names(tmp_path: Path) -> None:
    def digest(spec: str) -> str:
        return find_bot(spec, "mine", [tmp_path]).entry.sha256

    one, other = program(tmp_path / "one"), program(tmp_path / "other", "#!/bin/sh\n#\n")
    (tmp_path / "net").write_bytes(b"1")
    specs = ["cmd:./one", "cmd:./one net", "cmd:./one 3", "cmd:./other", "cmd:sh one", "cmd:sh other", "cmd:sh net one"]
    before = [digest(spec) for spec in specs]
    assert len(set(before)) == len(specs)
    assert digest("cmd:./one?depth=3") == before[0]
    (tmp_path / "net").write_bytes(b"2")
    assert [digest(spec) == old for spec, old in zip(specs, before, strict=True)] == [1, 0, 1, 1, 1, 1, 0]
    (tmp_path / "net").write_bytes(b"1")
    one.write_bytes(other.read_bytes())
    assert [digest(spec) == old for spec, old in zip(specs, before, strict=True)] == [0, 0, 0, 1, 0, 1, 0]


# --------------------------------------------------------------------------------------------------- the examples


def house(spec: str) -> Decider:
    return find_bot(spec, spec, []).load(CLASSIC)


def sequences_of(rules: Rules, units: int, *, games: bool = False) -> NDArray[np.void]:
    return Setting(rules, 9, games).sequences(Part(0, 0, 1, 0, units))


def twin(obs: Obs) -> int:
    """The strategy of the examples."""
    legal = obs.legal
    if obs.phase == "call":
        return 54 if 54 in legal else legal[0]
    if obs.phase != "play":
        return legal[0]
    if not obs.trick:
        return legal[int(obs.random.random() * len(legal))]
    return legal[0] if obs.winner == obs.partner else legal[-1]


@every_preset
@pytest.mark.parametrize("command", ["./pass_and_follow.py", pytest.param("./pass_and_follow.js", marks=needs_node)])
def test_the_examples_play_card_for_card_like_a_bot_in_python(name: str, command: str) -> None:
    rules = PRESETS[name]
    sequences = sequences_of(rules, 3)
    played = []
    source = find_bot(f"cmd:{command}", "mine", [EXAMPLES])
    with source.load(rules, Limits(start=30, answer=30)) as bot:
        assert isinstance(bot, CommandBot)
        for decider in (bot, ScalarBot("twin", lambda: twin, __file__)):
            done = Batch(rules, 9).play(sequences, [decider, house("random")])
            played.append([np.ascontiguousarray(column).tobytes() for column in done])
        assert set(bot.titles.values()) == {Title("pass and follow", "2.0")}
    assert set(bot.errors.values()) == {""}
    assert played[0] == played[1]


def test_games_are_played_to_their_end(tmp_path: Path) -> None:
    sequences = sequences_of(CLASSIC, 1, games=True)
    with make(tmp_path, NOTE) as bot:
        Batch(CLASSIC, 9).play(sequences, [bot, house("random")])
    kinds = [message["type"] for message in notes(tmp_path)]
    assert kinds.count("end") == 2 * len(sequences)
    assert kinds.count("quit") == 4


# ------------------------------------------------------------------------------------------------- docs/protocol.md


@pytest.mark.parametrize("version", VERSIONS)
def test_the_transcript_is_what_is_said(version: int) -> None:
    assert f"```text\n{transcript.transcript(version)}```" in guide("protocol")


@pytest.mark.parametrize("version", VERSIONS)
def test_every_message_and_field_is_told(version: int) -> None:
    said = [json.loads(line) for _, line in transcript.conversation(version)]
    for message in said:
        told = {row[0].strip("`") for row in rows(section(guide("protocol"), f"### {message['type']}"))}
        assert set(message) - {"type"} <= told, message["type"]
    asked = [message for message in said if message["type"] == "observe"]
    observed = asked[0]["observation"] if version == 1 else asked[0]["questions"][0]["observation"]
    told = [row[0].strip("`") for row in rows(section(guide("protocol"), "## The observation"))]
    assert sorted(told) == sorted(FIELDS)
    assert set(told) - set(observed) == (set() if version == 2 else {"to_discard"})


def test_versions_and_bounds_are_told() -> None:
    text = guide("protocol")
    for version in VERSIONS:
        assert f"version {version}" in text
    assert f"{LINE_LIMIT:,} bytes" in text
    assert f"{MOST_QUESTIONS} questions" in text
    assert {"examples/cmd/pass_and_follow.py", "examples/cmd/pass_and_follow.js"} <= {
        name.removeprefix("../") for name in named(text)
    }
