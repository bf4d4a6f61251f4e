"""Bots that misbehave when they are imported, while they play and when they are over, as a command meets them."""

import errno
import os
import re
import signal
import sys
import time
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from bidwhist.arena.executors import Job, play_in_processes, play_inline
from bidwhist.arena.part import Setting, play_part
from bidwhist.bot.limits import Limits
from bidwhist.bot.probing import probe_all
from bidwhist.bot.sources.find import find_bot
from bidwhist.engine.traced import Traced
from bidwhist.errors import BotFault, BotSpecError, Stopped
from bidwhist.play import play_board
from bidwhist.results.manifest import read_manifest
from bidwhist.results.schema import Part
from bidwhist.rules import CLASSIC
from bidwhist.text import shown
from commands import start
from runs import manifest_of, part_files

pytestmark = pytest.mark.usefixtures("nothing_left")

PLAYS = "\ndef act(obs):\n    return obs.legal[0]\n"


def tournament(folder: Path, **bots: str) -> None:
    """A tournament of two house bots, which play each other first, and these."""
    for name, code in bots.items():
        (folder / f"{name}.py").write_text(code, encoding="utf-8")
    names = ["random", "heuristic", *(f"{name}.py" for name in bots)]
    (folder / "t.toml").write_text(f"seed = 1\nboards = 4\nbots = {names}\n", encoding="utf-8")


def run(folder: Path, executor: str = "processes", jobs: int = 1, *, trust: bool = True) -> tuple[int, str]:
    """Exit code of a run into the folder `out`, and the last line of its standard error, behind its progress."""
    trusted = ["--trust"] if trust else []
    done = start(folder, "run", "t.toml", "--out", "out", "--executor", executor, "--jobs", jobs, *trusted)
    _, errors = done.communicate(timeout=120)
    assert "Traceback" not in errors
    return done.returncode, "".join(errors.splitlines()[-1:])


AT_IMPORT = {  # the code, what is told of a trusted bot, and what of a jailed one if that differs
    "exits": ("import os\nos._exit(0)\n", "the process that loads it exited with code 0"),
    "killed": ("import os\nos.kill(os.getpid(), 9)\n", "the process that loads it was killed (signal 9)"),
    "interrupts": ("x = 1\nraise KeyboardInterrupt\n", "bad.py, line 2: KeyboardInterrupt"),
    "signals": (
        "import signal\nsignal.raise_signal(signal.SIGINT)\n",
        "bad.py, line 2: KeyboardInterrupt",
        "the process that loads it was ended by SIGINT (interrupt)",
    ),
    "parent": (
        "import os\nos.kill(os.getppid(), 9)\n",
        "it ended the process that waits for it",
        "bad.py, line 2: PermissionError",
    ),
}


@pytest.mark.parametrize("trust", [False, True])
@pytest.mark.parametrize("key", AT_IMPORT)
def test_a_bot_that_cannot_be_imported_is_named(tmp_path: Path, key: str, trust: bool) -> None:
    code, *told = AT_IMPORT[key]
    words = told[0] if trust else told[-1]
    tournament(tmp_path, bad=code + PLAYS)
    returned, errors = run(tmp_path, trust=trust)
    assert returned == 2
    assert re.match(r"error: bot 'bad\.py' cannot be (loaded|imported): ", errors)
    assert words in errors
    assert not (tmp_path / "out").exists()


def test_an_import_has_a_limit_of_time(tmp_path: Path) -> None:
    (tmp_path / "bad.py").write_text("import time\nprint('asleep', flush=True)\ntime.sleep(600)\n", encoding="utf-8")
    bots = [find_bot(each, folders=[tmp_path]) for each in ("random", "bad.py")]
    with pytest.raises(BotSpecError, match=r"'bad\.py' cannot be loaded: .* no answer within 0\.5 s; .*: asleep"):
        probe_all(bots, CLASSIC, Limits(start=0.5))


def test_probing_leaves_this_process_as_it_is(tmp_path: Path) -> None:
    code = "import os, sys\nos.chdir('/')\nsys.path.clear()\nos.environ['LEFT'] = '1'\nos.close(2)\n"
    (tmp_path / "own.py").write_text(code + PLAYS, encoding="utf-8")
    before = Path.cwd(), list(sys.path)
    probe_all([find_bot("own.py", folders=[tmp_path])], CLASSIC)
    assert (Path.cwd(), sys.path) == before
    assert "LEFT" not in os.environ
    os.fstat(2)


SLEEP = "[sys.executable, '-c', 'import time; time.sleep(600)']"
HARMLESS = {
    "wanders": "import os\nos.chdir('/')\n" + PLAYS,
    "threads": "import threading, time\nthreading.Thread(target=time.sleep, args=(600,)).start()\n" + PLAYS,
    "lingers": "import atexit, time\natexit.register(time.sleep, 600)\n" + PLAYS,
    "starts": (
        f"import os, subprocess, sys\nsubprocess.Popen({SLEEP})\nsubprocess.Popen({SLEEP}, start_new_session=True)\n"
        f"if os.fork() == 0:\n    os.setsid()\n    subprocess.Popen({SLEEP})\n    os._exit(0)\n" + PLAYS
    ),
    "forks": "import os\nos.fork()\n" + PLAYS,
    "floods": "import sys\ndef act(obs):\n    print('x' * 10_000)\n    return obs.legal[0]\n",
    "closes": "import os\ndef act(obs):\n    os.closerange(0, 3)\n    return obs.legal[0]\n",
}


@pytest.mark.parametrize("executor", ["processes", "inline"])
def test_what_does_no_harm_to_the_results_does_none_to_the_run(tmp_path: Path, executor: str) -> None:
    other = "floods" if executor == "inline" else "closes"  # in one process, what one closes the other cannot flood
    tournament(tmp_path, **{name: code for name, code in HARMLESS.items() if name != other})
    returned, errors = run(tmp_path, executor, jobs=2)
    assert returned == 0, errors
    assert read_manifest(tmp_path / "out").state == "finished"
    assert executor == "inline" or (tmp_path / "out" / "timings" / "output.txt").stat().st_size < 1_000_000


IN_PLAY = {
    "exits": ("act(obs)", "os._exit(0)", "exited with code 0"),
    "segfault": ("act_batch(rows)", "ctypes.string_at(0)", "was ended by SIGSEGV (segmentation fault)"),
    "aborts": ("act(obs)", "os.abort()", "was ended by SIGABRT (aborted)"),
    "killed": ("act(obs)", "os.kill(os.getpid(), 9)", "was killed (signal 9); perhaps out of memory"),
}


@pytest.mark.parametrize("key", IN_PLAY)
def test_a_bot_that_ends_its_process_is_named_with_its_decision(tmp_path: Path, key: str) -> None:
    function, action, words = IN_PLAY[key]
    tournament(tmp_path, bad=f"import ctypes, os\n\ndef {function}:\n    {action}\n")
    returned, errors = run(tmp_path)
    assert returned == 3
    assert errors.startswith("error: bot 'bad.py' failed on board 0, seat ")
    assert ", decision call" in errors
    assert ": the process that played part " in errors
    assert words in errors
    assert "random" not in errors
    assert "heuristic" not in errors
    assert len(part_files(tmp_path / "out")) == 1, "finished parts stay"


ENDINGS = {**{key: each[:2] for key, each in IN_PLAY.items()}, "parent": ("act(obs)", "os.kill(os.getppid(), 9)")}


@pytest.mark.parametrize("key", ENDINGS)
def test_a_jailed_bot_that_ends_a_process_costs_its_hands_alone(tmp_path: Path, key: str) -> None:
    function, action = ENDINGS[key]
    tournament(tmp_path, bad=f"import ctypes, os\n\ndef {function}:\n    {action}\n")
    returned, errors = run(tmp_path, trust=False)
    assert returned == 0, errors
    assert read_manifest(tmp_path / "out").state == "finished"
    assert len(part_files(tmp_path / "out")) == 3
    faults = pq.read_table(tmp_path / "out" / "faults.parquet").to_pylist()
    assert {row["bot"] for row in faults} == {"bad.py"}


def test_the_decision_is_the_one_that_was_asked_for(tmp_path: Path) -> None:
    code = "import os\ndef act(obs):\n    if obs.phase == 'play' and obs.seat == 2 and len(obs.hand) == 9:\n"
    tournament(tmp_path, bad=code + "        os._exit(7)\n    return obs.legal[0]\n")
    returned, errors = run(tmp_path)
    assert returned == 3
    assert "seat S, decision play, trick 4: " in errors
    assert "exited with code 7" in errors


@pytest.mark.parametrize("executor", ["processes", "inline"])
@pytest.mark.parametrize("action", ["raise KeyboardInterrupt", "signal.raise_signal(signal.SIGINT)"])
def test_an_interrupt_of_a_bot_is_its_fault(tmp_path: Path, action: str, executor: str) -> None:
    tournament(tmp_path, bad=f"import signal\ndef act(obs):\n    {action}\n")
    returned, errors = run(tmp_path, executor)
    assert returned == 3
    assert errors.startswith("error: bot 'bad.py' failed on board 0, seat ")
    assert "bad.py, line 3: KeyboardInterrupt" in errors
    assert len(part_files(tmp_path / "out")) == 1


def test_an_inline_run_tells_that_it_was_ended(tmp_path: Path) -> None:
    tournament(tmp_path, bad="import os\ndef act(obs):\n    os._exit(0)\n")
    returned, errors = run(tmp_path, "inline")
    assert returned == 3
    assert errors.startswith("error: t: a bot has ended the run (--executor processes tells which): ")
    assert errors.endswith("exited with code 0")


@pytest.mark.parametrize("executor", ["processes", "inline"])
def test_the_users_interrupt_is_the_users(tmp_path: Path, executor: str) -> None:
    tournament(tmp_path, slow="import time\ndef act(obs):\n    time.sleep(0.5)\n    return obs.legal[0]\n")
    own = start(tmp_path, "run", "t.toml", "--out", "out", "--executor", executor, "--jobs", 1)
    while not list((tmp_path / "out" / "boards").glob("part-*")) and own.poll() is None:
        time.sleep(0.05)
    os.killpg(own.pid, signal.SIGINT)  # as a terminal does
    _, errors = own.communicate(timeout=60)
    assert (own.returncode, errors.splitlines()[-1]) == (130, "interrupted")
    assert "Traceback" not in errors


def test_the_limits_of_a_run_reach_its_bots(tmp_path: Path) -> None:
    code = "class A:\n    def __init__(self, ctx):\n        self.limits = ctx.limits\n    def act(self, obs):\n"
    (tmp_path / "own.py").write_text(code + "        return self.limits.answer\n", encoding="utf-8")
    bots = tuple(find_bot(each, folders=[tmp_path]) for each in ("random", "own.py"))
    manifest = manifest_of(["random", "own.py"], [(2, 1)])
    job = Job(Setting(CLASSIC, 1, games=False), bots, manifest, Limits(answer=7.5))
    for executor in (play_inline, play_in_processes):
        with pytest.raises(BotFault, match=r"answered 7\.5 \(float\)"):
            list(executor(job, [Part(0, 0, 1, 0, 1)], 1, print))


def test_an_interrupt_in_the_process_of_a_script(tmp_path: Path) -> None:
    """Where trusted bots play in the user's own process, what they raise is their fault, and a signal is the user's."""
    ways = {"a.py": ("raise KeyboardInterrupt", BotFault), "b.py": ("signal.raise_signal(2)", KeyboardInterrupt)}
    for name, (action, error) in ways.items():
        (tmp_path / name).write_text(f"import signal\ndef act(obs):\n    {action}\n", encoding="utf-8")
        with pytest.raises(error):
            play_board(name, "random", seed=1, board=0, folders=[tmp_path], trust=True)
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


def test_text_that_cannot_be_made(tmp_path: Path) -> None:
    class Wild:
        def __repr__(self) -> str:
            raise GeneratorExit

    assert shown(repr, Wild()) == "<Wild that has no text>"


def test_a_traced_bot_plays_the_same(tmp_path: Path) -> None:
    noted: list[str] = []
    setting = Setting(CLASSIC, 1, games=True)
    part = Part(0, 0, 1, 0, 6)
    bots = [find_bot(each).load(CLASSIC) for each in ("heuristic", "random")]
    traced = [Traced(bot, setting.sequences(part), noted.append) for bot in bots]
    one, other = (play_part(setting, part, dict(enumerate(each))) for each in (bots, traced))
    assert all((one[name] == other[name]).all() for name in one)
    assert set(noted[1::2]) == {""}
    places = {re.sub(r"\d+", "N", note) for note in noted[::2]}
    assert "bot 'random' failed on board N, seat W, decision play, trick N" in places
    assert "bot 'heuristic' failed when its tables were over" in places


@pytest.mark.parametrize("number", [errno.EMFILE, errno.ENFILE, errno.ENOMEM])
def test_a_limit_of_the_machine_at_import_is_no_fault_of_a_bot(tmp_path: Path, number: int) -> None:
    (tmp_path / "own.py").write_text(f"import os\nraise OSError({number}, os.strerror({number}))\n", encoding="utf-8")
    with pytest.raises(Stopped, match=r"^bot 'own.py' cannot be loaded: (too many open files|out of memory)"):
        probe_all([find_bot("own.py", folders=[tmp_path])], CLASSIC)
