"""`check`: each planted fault is named, and no other."""

import atexit
import json
import os
import re
import signal
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path
from textwrap import dedent
from typing import Any

import numpy as np
import psutil
import pytest

from bidwhist.bot.jailed.isolation import STRANGERS, TRUSTED, Isolation
from bidwhist.bot.limits import Limits
from bidwhist.bot.sources.find import find_bot
from bidwhist.check import Report, check
from bidwhist.check.lab import Lab
from bidwhist.check.meet import meet
from bidwhist.check.replay import replay
from bidwhist.check.report import TITLES
from bidwhist.check.task import Meet, Replay
from bidwhist.check.watch import Watch
from bidwhist.engine.decider import Decider, DecisionFailed
from bidwhist.errors import BotSpecError, RulesError
from bidwhist.observation import Obs
from bidwhist.rules import PRESETS

TWO = ("classic", "sported")
LAB = Lab()  # of all tests here
atexit.register(LAB.close)
PATIENT = Limits(decision=2.0, start=60)  # where a machine that is busy shall not be taken for a slow bot


def written(folder: Path, text: str, name: str = "own.py") -> str:
    path = folder / name
    path.write_text(dedent(text), encoding="utf-8")
    return str(path)


def report_of(spec: str, **options: Any) -> Report:
    return check(spec, **{"presets": TWO, "limits": PATIENT, "boards": 0, "positions": 6, "lab": LAB, **options})


def line(report: Report, key: str) -> Any:
    return next(each for each in report.lines if each.key == key)


HONEST = """
    def act(obs):
        return obs.legal[obs.random.below(len(obs.legal))]
"""


@pytest.mark.parametrize("spec", ["random", "random?calls=pass", "heuristic"])
def test_house_bots_pass_in_every_preset(spec: str) -> None:
    report = check(spec, limits=PATIENT, boards=30, lab=LAB)
    assert report.passed, report.lines
    assert report.presets == tuple(PRESETS)
    assert [each.key for each in report.lines] == list(TITLES)
    assert [each.passed for each in report.lines] == [True] * (len(TITLES) - 1) + [None]


@pytest.mark.parametrize("spec", ["mc?worlds=5", "pimc?worlds=2", "belief?worlds=5"])
def test_house_bots_that_search_pass(spec: str) -> None:
    report = report_of(spec, positions=1)
    assert report.passed, report.lines
    assert all(each.passed for each in report.lines)


@pytest.mark.long
@pytest.mark.parametrize("spec", ["mc?worlds=5", "pimc?worlds=2", "belief?worlds=5"])
def test_house_bots_that_search_pass_in_every_preset(spec: str) -> None:
    report = check(spec, limits=PATIENT, lab=LAB)
    assert report.passed, report.lines
    assert report.presets == tuple(PRESETS)
    assert [each.passed for each in report.lines] == [True] * (len(TITLES) - 1) + [None]


def test_a_bot_with_a_clock_is_not_blamed_for_answering_otherwise() -> None:
    report = report_of("mc?ms=1", positions=1)
    assert report.passed, report.lines
    untold = [each for each in report.lines if each.passed is None]
    assert [each.key for each in untold] == ["repeat", "hash", "forget", "blind", "order"]
    assert {each.words for each in untold} == {"not told: it plays by the clock, so its answers depend on the machine"}


def test_a_users_bot_that_does_not_answer_alike_is_blamed_whatever_its_parameter_is_called(tmp_path: Path) -> None:
    text = """
        import os
        class Own:
            def __init__(self, ms):
                pass
            def act(self, obs):
                return obs.legal[os.urandom(1)[0] % len(obs.legal)]
        """
    assert report_of(written(tmp_path, text) + "?ms=5").faults == ["repeat"]


KINDS = {
    "function": HONEST,
    "class": """
        class Own:
            def __init__(self, ctx):
                self.ctx, self.asked = ctx, 0
            def act(self, obs):
                self.asked += 1
                return obs.legal[(self.asked + self.ctx.random.below(9)) % len(obs.legal)]
        """,
    "batch": """
        from bidwhist.rows import actions, below, count, nth
        def act_batch(rows):
            return actions(rows, nth(rows["legal"], below(rows, count(rows["legal"]))))
        """,
    "compiled": """
        from bidwhist.bits import lowest
        from bidwhist.state import first_action
        def call(private, public, stream):
            return first_action(public["phase"]) + lowest(private.legal)
        prepare = call
        play = call
        """,
}


@pytest.mark.parametrize("kind", KINDS)
def test_honest_bots_of_every_kind_pass(tmp_path: Path, kind: str) -> None:
    report = report_of(written(tmp_path, KINDS[kind]), boards=20)
    assert report.passed, report.lines
    assert {each.opponent for each in report.strengths} == {"random", "heuristic"}
    assert all(each.boards == 20 and each.preset == "classic" for each in report.strengths)


FAULTS = {
    "legal": """
        def act(obs):
            if obs.rules["sported"] and obs.phase == "play":
                return next(card for card in range(54) if card not in obs.legal)
            return obs.legal[0]
        """,
    "time": """
        import time
        def act(obs):
            if obs.random.below(30) == 0:
                time.sleep(0.06)
            return obs.legal[0]
        """,
    "memory": """
        kept = []
        def act(obs):
            kept.append(bytearray(50_000))
            kept[-1][::4096] = b"x" * len(kept[-1][::4096])
            return obs.legal[0]
        """,
    "chance": """
        import random
        def act(obs):
            return random.choice(obs.legal)
        """,
    "repeat": """
        import os
        def act(obs):
            return obs.legal[os.urandom(1)[0] % len(obs.legal)]
        """,
    "hash": """
        def act(obs):
            return obs.legal[hash(str(obs.hand)) % len(obs.legal)]
        """,
    "forget": """
        seen = []
        def act(obs):
            seen.append(obs.hand_mask)
            return obs.legal[len(set(seen[:200])) // 3 % len(obs.legal)]
        """,
    "order": """
        own = []
        def act(obs):
            # Knows what it called last, of whichever hand that was, and looks whether it was this one.
            mine = obs.hand_mask | sum(1 << card for seat, card in obs.played if seat == obs.seat)
            if obs.phase == "call":
                own[:] = [mine, list(obs.calls.items())]
            same = bool(own) and own[0] == mine and own[1] == list(obs.calls.items())[:len(own[1])]
            return obs.legal[-1 if same and obs.phase == "play" else 0]
        """,
    "blind": """
        import sys
        def act(obs):
            frame = sys._getframe()
            while frame is not None:
                state = frame.f_locals.get("state")
                if getattr(state, "dtype", None) is not None and "hands" in (state.dtype.names or ()):
                    partner = int(state["hands"][obs.partner])
                    return obs.legal[partner % len(obs.legal)]
                frame = frame.f_back
            return obs.legal[0]
        """,
}


@pytest.mark.parametrize("key", FAULTS)
def test_a_planted_fault_is_named_and_no_other(tmp_path: Path, key: str) -> None:
    limits = Limits(decision=0.05, start=60) if key == "time" else PATIENT
    isolation = TRUSTED if key == "blind" else STRANGERS  # in a jail there is nothing to be found
    report = report_of(written(tmp_path, FAULTS[key]), limits=limits, isolation=isolation)
    assert report.faults == [key], report.lines
    assert not report.passed


def test_a_jailed_bot_cannot_look_at_the_hands(tmp_path: Path) -> None:
    report = report_of(written(tmp_path, FAULTS["blind"]))
    assert report.passed, report.lines
    assert line(report, "blind").passed is True


def test_several_faults_are_all_named(tmp_path: Path) -> None:
    report = report_of(
        written(
            tmp_path,
            """
            import random
            import time
            kept = []
            def act(obs):
                kept.append(random.randbytes(60_000))
                if obs.random.below(20) == 0:
                    time.sleep(0.06)
                return obs.legal[0]
            """,
        ),
        limits=Limits(decision=0.05, start=60),
    )
    assert report.faults == ["time", "memory", "chance"]
    assert line(report, "forget").passed is None
    assert "not told: it draws from global random sources" in line(report, "forget").words


EXITS = "import os\ndef act(obs):\n    os._exit(7)\n"
IS_KILLED = "import os\nos.kill(os.getpid(), 9)\n"
KILLS = "import os\ndef act(obs):\n    os.kill(os.getppid(), 9)\n"
LOOPS = "def act(obs):\n    while True:\n        pass\n"
# What keeps a bot from playing: its code, the line of the report that tells it, and its words.
AT_ONCE = [
    ("import nothing_of_this_name\n", "start", "own.py, line 1: ModuleNotFoundError"),
    ("raise SystemExit(3)\n", "start", "SystemExit: 3"),
    ("bot = 3\n", "start", "a bot file has a function act(obs)"),
    ("def act(obs):\n    return obs.hand[0] / 0\n", "legal", "own.py, line 2: ZeroDivisionError"),
    ("def act(obs):\n    raise KeyboardInterrupt\n", "legal", "KeyboardInterrupt"),
    ("class M(type):\n    name = property(lambda cls: 1 / 0)\nclass B(metaclass=M):\n    act = len\n", "start", "Zero"),
    ('presets = ["clasic"]\ndef act(obs):\n    return obs.legal[0]\n', "start", "did you mean classic"),
]
JAILED = [
    (EXITS, "legal", "decision call: its process exited with code 7"),
    (IS_KILLED, "start", "cannot be loaded: the process that loads it was killed (signal 9)"),
    (KILLS, "legal", "own.py, line 3: PermissionError"),
    ("def act(obs):\n    return 97\n", "legal", "in all presets: bot "),
    (LOOPS, "time", "decision call: gave no answer within 0.3 s of processor time"),
]
IN_PROCESS = [
    (EXITS, "legal", "in classic, boards 0 to 0: the bot ended the process"),
    (IS_KILLED, "start", "ended the process that it played in, which was killed (signal 9)"),
    (KILLS, "legal", "ended the process that examines it"),
    (LOOPS, "time", "gave no answer in time: File"),
]


@pytest.mark.parametrize(
    ("isolation", "text", "key", "words"),
    [(STRANGERS, *case) for case in AT_ONCE + JAILED] + [(TRUSTED, *case) for case in AT_ONCE + IN_PROCESS],
)
def test_a_bot_that_does_not_get_far(tmp_path: Path, isolation: Isolation, text: str, key: str, words: str) -> None:
    limits = Limits(decision=0.05, start=30, answer=0.3)
    report = report_of(written(tmp_path, text), presets=(), limits=limits, isolation=isolation)
    assert report.faults == [key]
    assert words in line(report, key).words


def test_a_fault_is_told_once_for_all_presets_that_have_it(tmp_path: Path) -> None:
    text = """
        def act(obs):
            if obs.rules["sported"] and obs.phase == "play":
                return 97
            if obs.rules["kitty"] == "none" and obs.phase == "play":
                raise ValueError("no kitty")
            if obs.phase == "play":
                raise ValueError(f"in {obs.rules['jokers']}")
            return obs.legal[0]
        """
    report = report_of(written(tmp_path, text), presets=("classic", "traditional", "sported"))
    words = line(report, "legal").words
    assert re.fullmatch(
        r"in classic, traditional(; in classic)?: bot '.*' failed on board \d+, .*: own.py, line 8: ValueError: in \d; "
        r"in sported: bot '.*' failed on board \d+, .*: answered 97.*",
        words,
    )


def test_decisions_that_take_too_long_are_no_illegal_ones(tmp_path: Path) -> None:
    text = """
        def act(obs):
            while obs.rules["sported"]:
                pass
            return obs.legal[0]
        """
    report = report_of(written(tmp_path, text), limits=Limits(start=30, answer=0.3))
    assert report.faults == ["time"]
    assert "in sported: bot" in line(report, "time").words
    assert re.fullmatch(r"[\d,]+ decisions in classic", line(report, "legal").words)
    assert len([each for each in report.lines if each.key == "time"]) == 1


def test_memory_is_that_of_the_largest_process(tmp_path: Path) -> None:
    source = (Path(__file__).parent.parent / "examples" / "cmd" / "pass_and_follow.py").read_text(encoding="utf-8")
    (tmp_path / "large.py").write_text("held = b'x' * 60_000_000\n" + source, encoding="utf-8")
    limits = Limits(decision=5, memory=200, start=60)  # eight processes, four in each preset
    for isolation in (STRANGERS, TRUSTED):
        spec = f"cmd:{sys.executable} {tmp_path / 'large.py'}"
        report = report_of(spec, limits=limits, positions=1, isolation=isolation)
        assert report.faults == []
        assert 60 <= int(line(report, "memory").words.split()[0]) < 150


def test_a_slow_import_has_its_own_limit(tmp_path: Path) -> None:
    limits = Limits(decision=2, start=1)
    spec = written(tmp_path, "import time\nwhile time.process_time() < 1.5:\n    pass\n" + dedent(HONEST))
    report = report_of(spec, limits=limits)
    assert report.faults == ["start"]
    assert "cannot be loaded: the process that loads it gave no answer within 1 s of processor time" in (
        line(report, "start").words
    )
    spec = written(tmp_path, "import time\ntime.sleep(1.5)\n" + dedent(HONEST))
    report = report_of(spec, limits=limits, isolation=TRUSTED)
    assert report.faults == ["start"]
    assert "(limit 1 s)" in line(report, "start").words


def test_the_start_is_that_of_one_process(tmp_path: Path) -> None:
    spec = written(tmp_path, "import time\nwhile time.process_time() < 0.5:\n    pass\n" + dedent(HONEST))
    report = report_of(spec, positions=1)
    assert report.passed
    assert 0.3 < float(line(report, "start").words.split()[1]) < 1.5  # eight processes, four in each preset


def test_field_fault_39_what_a_bot_prints_is_kept_and_cut(tmp_path: Path) -> None:
    report = report_of(written(tmp_path, "print('hello', 'x' * 1_000_000)\n" + dedent(HONEST)))
    assert report.passed
    assert report.output.startswith("hello xxx")
    assert len(report.output) < 70_000


def test_it_plays_where_it_claims(tmp_path: Path) -> None:
    spec = written(tmp_path, 'name, version, presets = "Mine", "0.1", ("no-kitty",)\n' + dedent(HONEST))
    report = report_of(spec, presets=())
    assert (report.name, report.version, report.presets) == ("Mine", "0.1", ("no-kitty",))
    assert "decisions in no-kitty" in line(report, "legal").words


def test_wrong_use_is_an_error() -> None:
    with pytest.raises(BotSpecError, match="there is no such file"):
        check("nowhere.py")
    with pytest.raises(RulesError, match="did you mean classic"):
        check("random", presets=["clasic"])


def arena(*words: str, folder: Path) -> "subprocess.CompletedProcess[str]":
    return subprocess.run([sys.executable, "-m", "bidwhist", *words], cwd=folder, capture_output=True, text=True)


def test_the_command(tmp_path: Path) -> None:
    written(tmp_path, HONEST)
    options = ("--preset", "classic", "--time", "2000", "--boards", "10")
    done = arena("check", "own.py", *options, "--json", folder=tmp_path)
    assert (done.returncode, "error" in done.stderr) == (0, False)  # on a busy machine it tells what it does
    answer = json.loads(done.stdout)
    assert answer["passed"]
    assert answer["strengths"][1]["opponent"] == "heuristic"
    written(tmp_path, "def act(obs):\n    return 99\n")
    done = arena("check", "own.py", *options, folder=tmp_path)
    assert (done.returncode, "error" in done.stderr) == (1, False)
    assert "FAULT  legal actions only" in done.stdout
    assert "answered 99 (int)" in done.stdout
    done = arena("check", "nowhere.py", folder=tmp_path)
    assert (done.returncode, done.stdout) == (2, "")


@pytest.mark.parametrize("session", ["False", "True"])
def test_nothing_that_a_bot_starts_is_left(tmp_path: Path, session: str) -> None:
    start = f"subprocess.Popen([sys.executable, '-c', 'import time; time.sleep(300)'], start_new_session={session})"
    pids_file = tmp_path / "pids"
    note = f"open({str(pids_file)!r}, 'a').write(f'{{own.pid}} ')"
    spec = written(tmp_path, f"import subprocess, sys\nown = {start}\n{note}\n" + dedent(HONEST))
    report_of(spec, presets=("classic",), positions=1, isolation=TRUSTED)
    pids = [int(word) for word in pids_file.read_text().split()]
    assert len(pids) >= 6
    left = [pid for pid in pids if psutil.pid_exists(pid) and psutil.Process(pid).status() != psutil.STATUS_ZOMBIE]
    assert not left


@pytest.mark.parametrize(
    "option",
    [
        ("--time", "nan"),
        ("--start", "inf"),
        ("--time", "0"),
        ("--boards", "9" * 20),
        ("--memory", "15"),
        ("--start", "0.01"),
    ],
)
def test_nonsense_options_are_wrong_use(tmp_path: Path, option: tuple[str, str]) -> None:
    done = arena("check", "random", *option, folder=tmp_path)
    assert (done.returncode, done.stdout) == (2, "")
    assert option[0] in done.stderr


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_check_that_is_ended_leaves_nothing(tmp_path: Path, number: int) -> None:
    written(tmp_path, "import time\ntime.sleep(60)\n" + dedent(HONEST))
    (tmp_path / "temp").mkdir()
    command = [sys.executable, "-m", "bidwhist", "check", "own.py", "--start", "100"]
    environment = {**os.environ, "TMPDIR": str(tmp_path / "temp")}
    own = subprocess.Popen(command, cwd=tmp_path, env=environment, stderr=subprocess.PIPE, text=True)
    while not (started := psutil.Process(own.pid).children(recursive=True)) or not list((tmp_path / "temp").iterdir()):
        time.sleep(0.2)
    own.send_signal(number)
    _, errors = own.communicate(timeout=60)
    assert (own.returncode, errors) == (130, "interrupted\n")
    assert not list((tmp_path / "temp").iterdir())
    psutil.wait_procs(started, timeout=10)
    assert not [each for each in started if each.is_running() and each.status() != psutil.STATUS_ZOMBIE]


@pytest.mark.long
@pytest.mark.parametrize("spec", ["mc?worlds=2", "pimc?worlds=2"])
def test_compiling_a_house_bot_is_none_of_its_time(spec: str, tmp_path: Path) -> None:
    command = [sys.executable, "-m", "bidwhist", "check", spec, "--preset", "classic", "--boards", "0"]
    done = subprocess.run(command, env={**os.environ, "NUMBA_CACHE_DIR": str(tmp_path)}, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr


class _Counting(Decider):
    """A bot with a process for each seat, as the check sees it: passes on every question, and keeps them."""

    is_apart = True

    def __init__(self, *, together: bool) -> None:
        super().__init__("counting")
        self.answers_together = together
        self.asked: list[Any] = []

    def decide(self, rows: Any, sequences: Any) -> Any:
        self.asked.append(rows.copy())
        answers = np.array([legal_actions(row)[0] for row in rows])
        wrong = np.flatnonzero(rows["hand"] % 5 == 0)
        if len(wrong):
            raise DecisionFailed(int(wrong[0]), "no idea", answers=answers[: wrong[0]])
        return answers


class _NoWatch(Watch):
    """A watch of bots that need none."""

    def __init__(self) -> None:
        pass

    def start(self) -> None:
        pass

    def ask(self, decisions: int = 1) -> None:
        pass

    def rest(self) -> None:
        pass

    def note(self, where: str) -> None:
        pass


def legal_actions(row: Any) -> Any:
    return Obs(row).legal


@pytest.mark.parametrize("together", [False, True])
def test_a_seat_is_asked_for_all_that_it_decides_at_a_table_in_one_question(
    monkeypatch: pytest.MonkeyPatch, together: bool
) -> None:
    """Unless the decisions are timed, or the bot would see that they come together; the order is the same."""
    limits = Limits()
    met = meet(Meet(find_bot("random"), limits, ("classic",), 60.0, 2), _NoWatch())
    [positions] = met.positions[-1:]
    bots: list[_Counting] = []

    def load(*arguments: Any) -> _Counting:
        bots.append(_Counting(together=together))
        return bots[-1]

    monkeypatch.setattr("bidwhist.check.replay.load_bot", load)
    one_by_one = Replay(find_bot("random"), limits, [positions])
    timed = [positions.tables[-1:]]
    first, again = (replay(task, _NoWatch()) for task in (one_by_one, replace(one_by_one, timed=timed)))
    singly, grouped = bots
    assert {len(rows) for rows in singly.asked} == {1}
    assert np.isfinite(first.seconds[0]).all()
    assert (again.answers[0] == first.answers[0]).all()
    assert 0 < (first.answers[0] < 0).sum() < len(positions.rows)
    if together:
        assert len(grouped.asked) == len(singly.asked)
        return
    failed = int((first.answers[0] < 0).sum())
    ends = (positions.tables == positions.tables[0]) | (positions.tables == positions.tables[-1])
    assert (np.isfinite(again.seconds[0]) >= ends).all(), "those of the first table, and those that are to be timed"
    seats = len(set(zip(positions.tables[~ends].tolist(), positions.rows["seat"][~ends].tolist(), strict=True)))
    assert len(grouped.asked) <= ends.sum() + seats + failed < len(singly.asked)
    for seat in range(4):
        asked = [[row["key"] for row in np.concatenate(bot.asked) if row["seat"] == seat] for bot in bots]
        assert list(dict.fromkeys(asked[0])) == list(dict.fromkeys(asked[1]))
