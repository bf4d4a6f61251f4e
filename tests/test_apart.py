"""Commands that need a stranger's code run it in a copy of their process: whatever it does, the command goes on."""

import os
import pty
import signal
import subprocess
import sys
import termios
import time
from pathlib import Path

import pytest

from bidwhist import Table, run_tournament
from bidwhist.bot import dump_observation
from commands import start

pytestmark = pytest.mark.usefixtures("nothing_left")

PLAYS = "def act(obs):\n    return obs.legal[0]\n"
# How a bot ends a process without a word, or goes on in it.
ENDS = {
    "import": ("import os\nos._exit(0)\n" + PLAYS, 3, "bot 'own.py' gave no answer: "),
    "act": ("import os\ndef act(obs):\n    os._exit(0)\n", 3, "exited with code 0"),
    "segfault": ("import ctypes\ndef act(obs):\n    ctypes.string_at(0)\n", 3, "ended by SIGSEGV (segmentation fault)"),
    "interrupt": ("raise KeyboardInterrupt\n", 2, "own.py, line 1: KeyboardInterrupt"),
    "sys.exit": ("import sys\ndef act(obs):\n    sys.exit(5)\n", 1, "own.py, line 3: SystemExit: 5"),
    "signal": ("import signal\ndef act(obs):\n    signal.raise_signal(2)\n", 1, "own.py, line 3: KeyboardInterrupt"),
    "explain": (PLAYS + "def explain(obs):\n    raise KeyboardInterrupt\n", 0, "explain(obs) failed: "),
    "repr": (
        "class A:\n    def __repr__(self):\n        raise SystemExit\ndef act(obs):\n    return A()\n",
        1,
        "<A that",
    ),
    "thread": (f"import threading, time\nthreading.Thread(target=time.sleep, args=(600,)).start()\n{PLAYS}", 0, ""),
    "atexit": (f"import atexit, time\natexit.register(time.sleep, 600)\n{PLAYS}", 0, ""),
    "folder": (f"import os\nos.chdir('/')\n{PLAYS}", 0, ""),
    "closes": (f"import os\nos.closerange(0, 3)\n{PLAYS}", 0, ""),
    "starts": (
        "import subprocess, sys\nsleep = [sys.executable, '-c', 'import time; time.sleep(600)']\n"
        f"subprocess.Popen(sleep)\nsubprocess.Popen(sleep, start_new_session=True)\n{PLAYS}",
        0,
        "",
    ),
}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    dump_observation(Table.deal(seed=1, board=0).observe(), tmp_path / "seen.json")
    return tmp_path


@pytest.mark.parametrize("key", ENDS)
def test_a_bot_that_is_asked(folder: Path, key: str) -> None:
    code, wanted, words = ENDS[key]
    (folder / "own.py").write_text(code, encoding="utf-8")
    asked = start(folder, "ask", "own.py", "--observation", "seen.json", "--trust")
    output, errors = asked.communicate(timeout=120)
    assert asked.returncode == wanted, errors
    assert "Traceback" not in errors
    assert words in output + errors
    if wanted < 2:
        assert output.count("\nanswer    ") == 1


JAILED = {
    "import": (2, "cannot be loaded: the process that loads it exited with code 0"),
    "act": (1, "none: its process exited with code 0"),
    "segfault": (1, "was ended by SIGSEGV (segmentation fault)"),
    "thread": (2, "RuntimeError: can't start new thread"),
    "starts": (2, "own.py, line 3: PermissionError"),
    "explain": (0, "explain(obs) failed: "),
    "closes": (0, ""),
}


@pytest.mark.parametrize("key", JAILED)
def test_a_jailed_bot_that_is_asked(folder: Path, key: str) -> None:
    wanted, words = JAILED[key]
    (folder / "own.py").write_text(ENDS[key][0], encoding="utf-8")
    asked = start(folder, "ask", "own.py", "--observation", "seen.json")
    output, errors = asked.communicate(timeout=120)
    assert asked.returncode == wanted, errors
    assert "Traceback" not in errors
    assert words in output + errors


def test_the_debugger_and_what_it_prints_come_in_order(folder: Path) -> None:
    (folder / "own.py").write_text("import threading\n" + PLAYS, encoding="utf-8")
    command = [sys.executable, "-m", "bidwhist", "ask", "own.py", "--observation", "seen.json", "--debug"]
    done = subprocess.run(command, cwd=folder, input="p 6 * 7\nc\n", capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    places = [done.stdout.index(each) for each in ("legal   ", "own.py(3)act()", "(Pdb) 42", "answer    ")]
    assert places == sorted(places)


@pytest.mark.parametrize(
    "arguments", [("ask", "own.py", "--observation", "seen.json"), ("check", "own.py"), ("submit", "own.py")]
)
def test_the_users_interrupt_ends_the_command(folder: Path, arguments: tuple[str, ...]) -> None:
    code = f"import pathlib, time\npathlib.Path({str(folder / 'begun')!r}).touch()\ntime.sleep(600)\n"
    (folder / "own.py").write_text(code, encoding="utf-8")
    own = start(folder, *arguments, "--trust")
    while not (folder / "begun").exists() and own.poll() is None:
        time.sleep(0.05)
    os.killpg(own.pid, signal.SIGINT)  # as a terminal does
    _, errors = own.communicate(timeout=60)
    assert (own.returncode, errors.splitlines()[-1]) == (130, "interrupted")


def test_a_hand_that_is_played_again_is_played_apart(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "own.py").write_text(PLAYS, encoding="utf-8")
    fields = {"seed": 1, "boards": 2, "record": "results", "bots": ["random", str(tmp_path / "own.py")]}
    run = run_tournament(fields, out=tmp_path / "run", jobs=1, trust=True)
    shown = start(tmp_path, "show", run, "--board", 0)
    assert shown.communicate(timeout=120)[0].count("result    ") == 2
    code = "import os\nif os.environ.get('NOW'):\n    os._exit(0)\n" + PLAYS
    (tmp_path / "own.py").write_text(code, encoding="utf-8")
    run = run_tournament({**fields, "name": "again"}, out=tmp_path / "again", jobs=1, trust=True)
    monkeypatch.setenv("NOW", "1")
    shown = start(tmp_path, "show", run, "--board", 0)
    _, errors = shown.communicate(timeout=120)
    assert (shown.returncode, errors) == (
        3,
        f"error: {run}: the hand cannot be shown: the process that it played in exited with code 0\n",
    )


def test_what_a_bot_prints_comes_before_its_answer(folder: Path) -> None:
    (folder / "own.py").write_text("def act(obs):\n    print('thinking')\n    return obs.legal[0]\n", encoding="utf-8")
    own = start(folder, "ask", "own.py", "--observation", "seen.json", "--trust")
    output, _ = own.communicate(timeout=120)
    assert output.index("legal  ") < output.index("thinking") < output.index("answer  ")
    output, _ = start(folder, "ask", "own.py", "--observation", "seen.json").communicate(timeout=120)
    assert output.endswith("stderr    thinking\n"), "it comes from another process, and is shown at the end"


def test_the_terminal_is_left_as_it_was(folder: Path) -> None:
    code = "import os, termios\nmode = termios.tcgetattr(0)\nmode[3] &= ~termios.ECHO\n"
    code += f"termios.tcsetattr(0, termios.TCSANOW, mode)\nopen({str(folder / 'done')!r}, 'w').close()\nos._exit(0)\n"
    (folder / "own.py").write_text(code, encoding="utf-8")
    ours, theirs = pty.openpty()
    before = termios.tcgetattr(theirs)
    command = [sys.executable, "-m", "bidwhist", "ask", "own.py", "--observation", "seen.json", "--trust"]
    done = subprocess.run(command, cwd=folder, stdin=theirs, capture_output=True, check=False)
    assert done.returncode == 3
    assert (folder / "done").exists()
    assert termios.tcgetattr(theirs) == before
    os.close(ours)
    os.close(theirs)
