"""`bw-arena ask`: what a seat of a run saw, seen again exactly; and what a bot answers to it now."""

import json
import os
import re
import subprocess
import sys
from collections import Counter
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from bidwhist import run_tournament
from bidwhist.bot import dump_observation
from bidwhist.cli import ask, group
from bidwhist.errors import BidWhistError, BotSpecError, NotationError, RunError
from bidwhist.replay.hand import HandAgain
from bidwhist.results.hands import Hand, hands_of
from bidwhist.results.manifest import Manifest, read_manifest
from bidwhist.table import Table

# Plays at random, discards its highest first, and keeps all that it was shown.
SEEN = """
seen = []

def act(obs):
    seen.append(obs.row.tobytes())
    return obs.legal[-1] if obs.phase == "discard" else obs.random.choice(obs.legal)
"""

DRAWS = """
class Draws:
    def __init__(self):
        self.asked = []

    def act(self, obs):
        self.asked.append(obs.phase)
        return obs.legal[-1] if obs.phase == "discard" else obs.random.choice(obs.legal)

    def explain(self, obs):
        return f"asked for {', '.join(self.asked)}\\nof {len(obs.legal)} \\x1b[31m actions"
"""


def invoke(*arguments: object) -> Result:
    return CliRunner().invoke(ask.command, [str(each) for each in arguments], catch_exceptions=False)


def asked(*arguments: object) -> dict[str, Any]:
    """The answer for programs."""
    answer: dict[str, Any] = json.loads(invoke(*arguments, "--json").stdout)
    return answer


def decision(run: Path, number: object, seat: str, name: str) -> tuple[object, ...]:
    return run, "--board", number, "--seat", seat, "--decision", name


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("ask")
    (folder / "draws.py").write_text(DRAWS, encoding="utf-8")
    return folder


@pytest.fixture(scope="module")
def run(folder: Path) -> Path:
    """A run on boards, with an exchange of cards, in which the class above played."""
    fields = {"name": "own", "seed": 3, "boards": 12, "rules": {"preset": "traditional"}}
    bots = ["random?calls=pass", {"spec": str(folder / "draws.py"), "name": "A vs B"}]
    return run_tournament({**fields, "bots": bots}, out=folder / "run", executor="inline")


def all_hands(run: Path) -> list[Hand]:
    """Every hand of a run of one pairing."""
    manifest, found = read_manifest(run), []
    most = manifest.units * (manifest.rule_set().cap if manifest.is_games else 1)
    for number in range(most):
        for hands in hands_of(run, manifest, number).values():
            found += hands
    return found


def questions(run: Path, manifest: Manifest, hand: Hand, bot: int) -> list[bytes]:
    """What a bot's seats are asked in a hand, where it answers as SEEN does."""
    rows = []
    for seat in range(4):
        if hand.row["lineup"][seat] == bot:
            source = HandAgain(run, manifest, hand).questions(seat)
            question = next(source, None)
            while question:
                rows.append(question.obs.row.tobytes())
                obs = question.obs
                try:
                    question = source.send(obs.legal[-1] if obs.phase == "discard" else None)
                except StopIteration:
                    question = None
    return rows


@pytest.mark.parametrize(
    ("preset", "form"),
    [("traditional", "boards"), ("traditional", "games"), ("sported", "games"), ("classic", "boards")],
)
def test_a_seat_is_asked_again_exactly_what_it_was_asked(tmp_path: Path, preset: str, form: str) -> None:
    (tmp_path / "seen.py").write_text(SEEN, encoding="utf-8")
    length = {"format": "games", "games": 2} if form == "games" else {"boards": 6}
    rules = {"preset": preset, "cap": 9} if form == "games" else {"preset": preset}
    fields = {"seed": 5, "bots": ["random", str(tmp_path / "seen.py")], "rules": rules, **length}
    run = run_tournament(fields, out=tmp_path / "run", executor="inline", trust=True)
    copy = next((run / "bots").glob("*/seen.py"))  # is what plays
    module = next(each for each in sys.modules.values() if getattr(each, "__file__", "") == str(copy))
    manifest = read_manifest(run)
    again = [row for hand in all_hands(run) for row in questions(run, manifest, hand, 1)]
    assert len(again) > 80
    assert Counter(again) == Counter(module.seen)


def test_the_answer_of_an_unchanged_bot_is_that_of_the_run(run: Path, folder: Path) -> None:
    discards = 0
    for hand in all_hands(run):
        seat = 1 if hand.orientation == 0 else 2
        letter = "NESW"[seat]
        for question in HandAgain(run, read_manifest(run), hand).questions(seat):
            if question.name in ("play:3", "play:4", "name", "discard:3"):
                where = decision(run, hand.row["board"], letter, question.name)
                answer = asked(folder / "draws.py", *where, "--table", hand.orientation + 1)
                assert answer["fault"] is None
                assert answer["before"] == []
                if question.obs.phase == "discard":
                    discards += 1
                    assert hand.discards >> answer["answer"]["action"] & 1
                else:
                    assert answer["answer"] == answer["taken"]
    assert discards


def test_a_class_remembers_the_decisions_before(run: Path, folder: Path) -> None:
    told = asked(folder / "draws.py", *decision(run, 2, "E", "play:4"))["explanation"]
    phases = re.fullmatch(r"asked for (.*)\nof \d+ .* actions", told)
    assert phases is not None
    names = [question.name for question in HandAgain(run, read_manifest(run), hands_of(
        run, read_manifest(run), 2)[0, 1][0]).questions(1)]  # fmt: skip
    assert phases[1].split(", ") == [name.split(":")[0] for name in names[: names.index("play:4") + 1]]


def test_what_is_on_the_screen(run: Path, folder: Path) -> None:
    text = invoke(folder / "draws.py", *decision(run, 2, "E", "play:4")).stdout
    lines = text.splitlines()
    assert lines[0] == "own, board 2, table 1: random?calls=pass North-South, A vs B East-West"
    assert lines[1] == "E decides play:4"
    labels = [line.split(" ")[0] for line in lines[2:] if line[:1].isalpha()]
    assert labels[:3] == ["hand", "dealer", "auction"]
    assert labels[-6:] == ["tricks", "trick", "legal", "answer", "the", "because"]
    answer = asked(folder / "draws.py", *decision(run, 2, "E", "play:4"))["answer"]
    assert re.search(rf"^answer    plays \S+ \({answer['action']}\), by ", text, re.MULTILINE)
    assert re.search(rf"^the run   plays \S+ \({answer['action']}\), by A vs B$", text, re.MULTILINE)
    assert "\x1b" not in text


def test_what_a_program_of_its_own_writes_is_shown(run: Path, tmp_path: Path) -> None:
    source = (Path(__file__).parent.parent / "examples" / "cmd" / "pass_and_follow.py").read_text(encoding="utf-8")
    bot = tmp_path / "bot.py"
    bot.write_text("import sys\nprint('here\\nI am', file=sys.stderr, flush=True)\n" + source, encoding="utf-8")
    spec = f"cmd:{sys.executable} {bot}"
    text = invoke(spec, *decision(run, 2, "E", "play:4")).stdout
    assert text.endswith("stderr    here\n          I am\n")
    answer = asked(spec, *decision(run, 2, "E", "play:4"))
    assert answer["fault"] is None
    assert answer["errors"] == "here\nI am\n"
    with pytest.raises(BotSpecError, match="is none written in Python"):
        invoke(spec, *decision(run, 2, "E", "play:4"), "--debug")


def test_what_a_bot_prints_does_not_spoil_the_output_for_programs(run: Path, tmp_path: Path) -> None:
    (tmp_path / "loud.py").write_text("print('loaded')\ndef act(obs):\n    print('asked')\n    return obs.legal[0]\n")
    command = [sys.executable, "-m", "bidwhist", "ask", tmp_path / "loud.py", *decision(run, 2, "E", "call"), "--json"]
    result = subprocess.run([str(each) for each in command], capture_output=True, text=True, check=False)
    assert json.loads(result.stdout)["answer"]["text"]
    assert json.loads(result.stdout)["errors"] == "loaded\nasked\n"
    assert result.stderr == ""
    trusted = [*map(str, command), "--trust"]
    result = subprocess.run(trusted, capture_output=True, text=True, check=False)
    assert json.loads(result.stdout)["answer"]["text"]
    assert result.stderr == "loaded\nasked\n"


def test_each_phase_in_words(run: Path) -> None:
    seen = {}
    for hand in all_hands(run):
        for seat in (0, 1, 2, 3):
            for question in HandAgain(run, read_manifest(run), hand).questions(seat):
                seen.setdefault(question.name, (hand, "NESW"[seat]))
    for name, words in (("call", "(passes|bids)"), ("name", "names"), ("discard:2", "discards"), ("play:1", "plays")):
        hand, letter = seen[name]
        text = invoke("random", *decision(run, hand.row["board"], letter, name), "--table", hand.orientation + 1).stdout
        assert re.search(rf"^answer    {words} .*\(\d+\), by random$", text, re.MULTILINE)
        assert ("their order is not recorded" in text) == (name == "discard:2")


def test_without_a_table_it_is_where_the_bot_sat(run: Path, folder: Path) -> None:
    for seat, table in (("E", 1), ("S", 2)):
        assert asked(folder / "draws.py", *decision(run, 2, seat, "play:4"))["table"] == table
    assert asked("heuristic", *decision(run, 2, "S", "play:4"))["table"] == 1


def test_an_edited_bot_is_told_where_it_departs(run: Path, folder: Path, tmp_path: Path) -> None:
    (tmp_path / "edited.py").write_text("def act(obs):\n    return obs.legal[0]\n", encoding="utf-8")
    where = decision(run, 2, "E", "play:6")
    answer = asked(tmp_path / "edited.py", *where)
    assert answer["before"]
    for turn in answer["before"]:
        assert turn["answer"] != turn["taken"]
    text = invoke(tmp_path / "edited.py", *where).stdout
    assert len(re.findall(r"^before    \S+: .* \(\d+\); in the run ", text, re.MULTILINE)) == len(answer["before"])


@pytest.mark.parametrize(
    ("code", "words"),
    [
        ("def act(obs):\n    return 54\n", "P is no card, and it is time to play"),
        ("def act(obs):\n    return 1.5\n", "answered 1.5 (float)"),
        ("def act(obs):\n    x = 1\n    return x / 0\n", "line 3: ZeroDivisionError: division by zero"),
        ("def act_batch(rows):\n    return [1]\n", "act_batch answers with a NumPy array of 1 integers"),
    ],
)
def test_a_wrong_answer_is_shown_with_the_reason(run: Path, tmp_path: Path, code: str, words: str) -> None:
    (tmp_path / "wrong.py").write_text(code, encoding="utf-8")
    result = invoke(tmp_path / "wrong.py", *decision(run, 2, "E", "play:4"))
    assert result.exit_code == 1
    assert words in result.stdout
    assert words in asked(tmp_path / "wrong.py", *decision(run, 2, "E", "play:4"))["fault"]


REASONS = {
    "function": "def act(obs):\n    return obs.legal[0]\n",
    "batch": "from bidwhist.rows import actions, lowest\ndef act_batch(rows):\n"
    "    return actions(rows, lowest(rows['legal']))\n",
    "compiled": "from bidwhist.bits import lowest\n"
    "def call(private, public, stream):\n    return 54 + lowest(private.legal)\n"
    "def play(private, public, stream):\n    return lowest(private.legal)\nprepare = call\n",
}


@pytest.mark.parametrize("kind", REASONS)
def test_a_module_explains(run: Path, tmp_path: Path, kind: str) -> None:
    own = tmp_path / "own.py"
    own.write_text(REASONS[kind] + "def explain(obs):\n    return 7\n", encoding="utf-8")
    answer = asked(own, *decision(run, 2, "E", "play:4"))
    assert (answer["explanation"], answer["answer"]["action"]) == ("7", answer["legal"][0])


def test_a_batch_class_explains_and_without_explain_nothing_is_said(run: Path, tmp_path: Path) -> None:
    own = tmp_path / "own.py"
    body = REASONS["batch"].replace(
        "def act_batch(rows):\n    return", "class Own:\n  def act_batch(self, rows):\n    return"
    )
    own.write_text(body + "  def explain(self, obs):\n    return obs.phase\n", encoding="utf-8")
    where = decision(run, 2, "E", "play:4")
    assert asked(own, *where)["explanation"] == "play"
    assert asked("heuristic", *where)["explanation"] is None
    assert "because" not in invoke("heuristic", *where).stdout


def test_a_failing_explanation_does_not_hide_the_answer(run: Path, tmp_path: Path) -> None:
    own = tmp_path / "own.py"
    own.write_text(REASONS["function"] + "def explain(obs):\n    return 1 / 0\n", encoding="utf-8")
    text = invoke(own, *decision(run, 2, "E", "play:4")).stdout
    assert re.search(r"^because   explain\(obs\) failed: .*own\.py, line 4: ZeroDivisionError", text, re.MULTILINE)
    assert "answer    plays" in text


def test_an_observation_is_written_and_asked_about(run: Path, folder: Path, tmp_path: Path) -> None:
    file = tmp_path / "decision.json"
    answer = asked("random", *decision(run, 2, "E", "play:4"), "--dump", file)
    again = asked("random", "--observation", file)
    for key in ("answer", "legal", "hand", "contract", "trick"):
        assert again[key] == answer[key]
    assert again["taken"] is None
    text = invoke(folder / "draws.py", "--observation", file).stdout
    assert text.startswith(f"{file}: E to play\n")
    assert "because   asked for play\n" in text
    with pytest.raises(RunError, match="cannot be written: No such file or directory"):
        invoke("random", *decision(run, 2, "E", "play:4"), "--dump", tmp_path / "none" / "x.json")


def test_rules_are_those_of_the_observation(tmp_path: Path) -> None:
    from bidwhist.rules import PRESETS

    (tmp_path / "own.py").write_text(
        "class Own:\n    def __init__(self, ctx):\n        self.ctx = ctx\n    def act(self, obs):\n"
        "        return obs.legal[0]\n    def explain(self, obs):\n        return self.ctx.rules.kitty_size\n"
    )
    dump_observation(Table.deal(1, 0, PRESETS["no-kitty"]).observe(), tmp_path / "seen.json")
    assert asked(tmp_path / "own.py", "--observation", tmp_path / "seen.json")["explanation"] == "0"


def test_a_decision_that_was_not_asked_for(run: Path) -> None:
    with pytest.raises(
        RunError, match=r"E was not asked for 'play:13' in this hand; it was asked for call, .*play:1, "
    ):
        invoke("random", *decision(run, 2, "E", "play:13"))
    with pytest.raises(RunError, match="was not asked for 'bid'"):
        invoke("random", *decision(run, 2, "E", "bid"))


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["random"], "say which decision: RUN with --board"),
        (["random", "run", "--observation", "x.json"], "say which decision"),
        (["random", "--observation", "x.json", "--board", "1"], "--observation goes without --board"),
        (["random", "run", "--board", "1", "--decision", "call"], "a decision of a run needs --seat"),
        (["random", "run", "--board", "1", "--seat", "N"], "a decision of a run needs --decision"),
        (["random", "run", "--board", "1", "--seat", "X"], "Invalid value for '--seat': 'X'"),
        (["random", "run", "--debug", "--json"], "--debug and --json do not go together"),
        (["random", "run", "--seat", "n", "--decision", "call"], "which hand? say --board"),
        (["random", "run", "--board", "99", "--seat", "n", "--decision", "call"], "no table of board 99"),
        (["nobody", "run", "--board", "1", "--seat", "n", "--decision", "call"], "there is no bot 'nobody'"),
    ],
)
def test_wrong_use_is_told(run: Path, monkeypatch: pytest.MonkeyPatch, arguments: list[str], words: str) -> None:
    monkeypatch.chdir(run.parent)
    result = CliRunner().invoke(group, ["ask", *arguments])
    assert result.exit_code != 0
    assert words in (str(result.exception) if isinstance(result.exception, BidWhistError) else result.output)


def test_files_that_are_no_observation(tmp_path: Path) -> None:
    for content, words in (("{", "is no JSON"), ("{}", "has no field 'observation'"), (None, "No such file")):
        path = tmp_path / "x.json"
        path.unlink(missing_ok=True)
        if content is not None:
            path.write_text(content)
        with pytest.raises(NotationError, match=words):
            invoke("random", "--observation", path)


def test_a_secret_seed_is_needed(folder: Path, tmp_path: Path) -> None:
    fields = {"seed": "secret", "boards": 2, "bots": ["random?calls=pass", str(folder / "draws.py")]}
    run = run_tournament(fields, out=tmp_path / "run", executor="inline")
    first = None
    for trick in range(1, 12):  # which of them leave a choice depends on the seed
        where = decision(run, 1, "E", f"play:{trick}")
        with suppress(RunError):
            first = asked(folder / "draws.py", *where)
            break
    assert first is not None
    assert first["answer"] == first["taken"]
    (tmp_path / "run.secret-seed").unlink()
    with pytest.raises(RunError, match=r"the seed is secret, and .* cannot be read"):
        invoke(folder / "draws.py", *where)


def test_cards_that_were_not_recorded_are_played_again(tmp_path: Path) -> None:
    run = run_tournament(
        {"seed": 1, "boards": 3, "bots": ["random", "heuristic"]}, out=tmp_path / "run", executor="inline"
    )
    answer = asked("heuristic", *decision(run, 2, "E", "play:4"))
    assert answer["answer"] == answer["taken"]


# ------------------------------------------------------------------------------------------------------- the debugger


def debug(script: str, *arguments: object) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "bidwhist", "ask", *map(str, arguments), "--debug"]
    environment = {**os.environ, "PYTHONIOENCODING": "utf-8"}
    return subprocess.run(command, input=script, env=environment, capture_output=True, text=True, check=False)


CLASS = DRAWS.replace("self.asked = []", "self.asked = [0]")


@pytest.mark.parametrize(
    ("code", "name", "line"),
    [
        ("\ndef act(obs):\n    return obs.legal[0]\n", "act", 3),
        (CLASS, "act", 7),
        (REASONS["batch"], "act_batch", 3),
        (REASONS["compiled"], "play", 5),
    ],
    ids=["function", "class", "batch", "compiled"],
)
def test_the_debugger_stops_at_the_first_line(run: Path, tmp_path: Path, code: str, name: str, line: int) -> None:
    own = tmp_path / "own.py"
    own.write_text(code, encoding="utf-8")
    dump = tmp_path / "seen.json"
    invoke("random", *decision(run, 2, "E", "play:4"), "--dump", dump)
    done = debug("p 6 * 7\nc\n", own, "--observation", dump)
    assert done.returncode == 0, done.stderr
    before, stop, after = done.stdout.partition(f"> {own}({line}){name}()\n")
    assert stop, done.stdout
    assert "legal     " in before
    assert "(Pdb) 42\n" in after
    assert "answer    plays" in after


def test_the_debugger_is_left(run: Path, folder: Path) -> None:
    done = debug("q\n", folder / "draws.py", *decision(run, 2, "E", "play:4"))
    assert (done.returncode, done.stderr) == (130, "interrupted\n")
    assert done.stdout.count("(Pdb)") == 1  # not at the decisions before


def test_house_bots_have_no_lines_to_debug(run: Path) -> None:
    with pytest.raises(BotSpecError, match="'heuristic': is none written in Python"):
        invoke("heuristic", *decision(run, 2, "E", "play:4"), "--debug")
