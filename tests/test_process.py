"""Processes that work for this one: what they print is kept up to a limit, and nothing is left of them."""

import errno
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import psutil
import pytest

from bidwhist.bot import dump_observation
from bidwhist.errors import NotationError, Stopped
from bidwhist.process.fault import ProcessFault, exit_in_words
from bidwhist.process.forked import Forked
from bidwhist.process.machine import limit_in_words, machine_limits
from bidwhist.process.noted import Notes, last_note
from bidwhist.process.path import installed_first
from bidwhist.process.python import Channel, PythonChild
from bidwhist.table import Table


def talk(channel: Channel) -> None:
    """What the children of these tests do: what they are told, in Python, with `channel` at hand."""
    exec(channel.receive(), {"channel": channel})


def child(code: str) -> PythonChild:
    started = PythonChild.start("test_process:talk")
    started.send(code)
    return started


def test_what_it_prints_is_kept_up_to_a_limit() -> None:
    printer = child(
        "import os, sys\nprint('first')\nsys.stdout.flush()\nos.write(2, b'x' * 1_000_000)\nchannel.send(1)"
    )
    assert printer.receive() == 1
    printer.end(patience=5)
    assert printer.child.output.text.startswith("first\nxxxx")
    assert printer.child.output.size == 1_000_006
    assert len(printer.child.output.text) < 70_000
    assert printer.child.output.text.endswith("bytes more\n")


def test_last_words_are_a_printable_line() -> None:
    speaker = child("print('one\\x1b[31m')\nprint()\nprint('two')")
    speaker.end(patience=5)
    assert speaker.last_words == "; its last words: one [31m | two"
    assert speaker.child.exit_code == 0


def test_sets_of_texts_have_one_order() -> None:
    orders = set()
    for _ in range(3):
        asked = child("channel.send(list({'a', 'b', 'c', 'd', 'e', 'f'}))")
        orders.add(tuple(asked.receive()))
        asked.end(patience=5)
    assert len(orders) == 1


GRANDCHILD = (
    "import subprocess, sys\n"
    "own = subprocess.Popen([sys.executable, '-c', 'import time; time.sleep(600)'], start_new_session=True)\n"
    "channel.send(own.pid)\nchannel.receive()"
)


def is_gone(pid: int) -> bool:
    for _ in range(50):
        if not psutil.pid_exists(pid) or psutil.Process(pid).status() == psutil.STATUS_ZOMBIE:
            return True
        time.sleep(0.1)
    return False


def test_what_it_has_started_ends_with_it() -> None:
    parent = child(GRANDCHILD)
    pid = parent.receive()
    began = time.monotonic()
    parent.end()
    assert time.monotonic() - began < 5
    assert is_gone(pid)


@pytest.mark.parametrize("signal", ["SIGKILL", "SIGTERM"])
def test_it_ends_with_its_parent(signal: str) -> None:
    code = (
        "import os, signal, test_process\n"
        f"grand = test_process.child({GRANDCHILD!r})\n"
        "print(grand.child.pid, grand.receive(), flush=True)\n"
        f"os.kill(os.getpid(), signal.{signal})\n"
    )
    folder = str(Path(__file__).parent)
    done = subprocess.run(
        [sys.executable, "-c", code], env={**os.environ, "PYTHONPATH": folder}, capture_output=True, text=True
    )
    pids = [int(word) for word in done.stdout.split()]
    assert len(pids) == 2, done.stderr
    assert all(is_gone(pid) for pid in pids)


# ------------------------------------------------------------------------------------------- work in a copy


def test_the_answer_comes_back_and_nothing_else() -> None:
    said: list[object] = []

    def work(channel: Channel) -> int:
        os.environ["OF_THE_COPY"] = "1"
        channel.send("on the way")
        return 42

    with Forked(work) as forked:
        assert forked.outcome(said.append).result() == 42
    assert said == ["on the way"]
    assert "OF_THE_COPY" not in os.environ


def test_an_error_comes_back_as_its_text() -> None:
    def work(channel: Channel) -> None:
        raise NotationError("in words")

    with Forked(work) as forked, pytest.raises(NotationError, match="in words"):
        forked.outcome().result()


@pytest.mark.parametrize(
    ("end", "words"),
    [
        (lambda: os._exit(0), "exited with code 0"),
        (lambda: os.kill(os.getpid(), signal.SIGTERM), r"was ended by SIGTERM \(terminated\)"),
        (lambda: time.sleep(600), "gave no answer within 0.2 s"),
    ],
)
def test_an_end_without_an_answer_is_told(end: Callable[[], None], words: str) -> None:
    with Forked(lambda channel: end()) as forked, pytest.raises(ProcessFault, match=words):
        forked.outcome(seconds=0.2).result()


def test_what_a_copy_has_started_ends_with_it() -> None:
    def work(channel: Channel) -> int:
        sleep = [sys.executable, "-c", "import time; time.sleep(600)"]
        return subprocess.Popen(sleep, start_new_session=True).pid

    with Forked(work) as forked:
        assert is_gone(forked.outcome().result())


def test_a_copy_that_a_bot_makes_of_its_process_is_not_heard() -> None:
    asked = child("import os\nown = os.getpid()\nos.fork()\nchannel.send(os.getpid() == own)\nchannel.receive()")
    assert asked.receive() is True
    asked.send(None)
    with pytest.raises(ProcessFault, match="exited with code 0"):
        asked.receive()
    asked.end()


# ----------------------------------------------------------------------------------------- the machine and notes


def test_exit_codes_in_words() -> None:
    assert exit_in_words(3) == "exited with code 3"
    assert exit_in_words(-9) == "was killed (signal 9); perhaps out of memory"
    assert exit_in_words(-6) == "was ended by SIGABRT (aborted)"
    assert exit_in_words(-40) == "was ended by signal 40"


@pytest.mark.parametrize("number", [errno.EMFILE, errno.ENFILE, errno.EAGAIN, errno.ENOMEM, errno.ENOSPC])
def test_limits_of_the_machine_stop_what_is_done(number: int) -> None:
    with pytest.raises(Stopped, match=r"^nothing can be done: [a-z]"), machine_limits("nothing can be done"):
        raise OSError(number, os.strerror(number))


def test_other_errors_are_none_of_the_machine() -> None:
    with pytest.raises(FileNotFoundError), machine_limits("nothing can be done"):
        raise FileNotFoundError(errno.ENOENT, "no such file")
    assert limit_in_words(OSError("without a number")) is None


def test_the_last_note_stands(tmp_path: Path) -> None:
    notes = Notes(tmp_path / "notes")
    for text in ("a long note", "short", "ü"):
        notes.write(text)
        assert last_note(tmp_path / "notes") == text
    assert last_note(tmp_path / "nowhere") == ""


# ----------------------------------------------------------------------------------------------- the working folder


@pytest.mark.parametrize("here", ["", ".", "{here}"])
def test_the_working_folder_comes_last(here: str) -> None:
    here = here.format(here=Path.cwd())
    assert installed_first([here, "/lib", "/site", "lib"]) == [
        "/lib",
        "/site",
        str(Path("lib").absolute()),
        str(Path.cwd()),
    ]
    assert installed_first(["/lib", "/site"]) == ["/lib", "/site"]


NAMES = (
    "click",
    "ctypes",
    "json",
    "numba",
    "numpy",
    "pickle",
    "random",
    "selectors",
    "signal",
    "subprocess",
    "tempfile",
)
COMMANDS = {
    "run": ("run", "t.toml", "--out", "out", "--jobs", "1"),
    "inline": ("run", "t.toml", "--out", "out", "--executor", "inline"),
    "ask": ("ask", "own.py", "--observation", "seen.json"),
    "check": ("check", "own.py", "--preset", "classic", "--boards", "0", "--time", "5000"),
    "submit": ("submit", "own.py", "--ladder", "ladder", "--time", "5000"),
}


@pytest.mark.parametrize(
    ("how", "key"),
    [("-m", "run"), ("-m", "inline"), ("-m", "ask"), ("-m", "check"), ("bw-arena", "run"), ("bw-arena", "submit")],
)
def test_modules_are_not_taken_from_the_working_folder(tmp_path: Path, how: str, key: str) -> None:
    for name in NAMES:
        (tmp_path / f"{name}.py").write_text(f"raise RuntimeError('{name} of the working folder')\n", encoding="utf-8")
    (tmp_path / "own.py").write_text("import random\n\ndef act(obs):\n    return obs.legal[0]\n", encoding="utf-8")
    (tmp_path / "t.toml").write_text('seed = 1\nboards = 2\nbots = ["random", "own.py"]\n', encoding="utf-8")
    dump_observation(Table.deal(seed=1, board=0).observe(), tmp_path / "seen.json")
    program = [sys.executable, "-m", "bidwhist"] if how == "-m" else [str(Path(sys.executable).with_name(how))]
    done = subprocess.run([*program, *COMMANDS[key]], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert "working folder" not in done.stdout + done.stderr


def test_a_module_of_the_working_folder_is_found_all_the_same(tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text("def act(obs):\n    return obs.legal[0]\n", encoding="utf-8")
    (tmp_path / "t.toml").write_text('seed = 1\nboards = 2\nbots = ["random", "mine:act"]\n', encoding="utf-8")
    command = [sys.executable, "-m", "bidwhist", "run", "t.toml", "--out", "out", "--jobs", "1"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
