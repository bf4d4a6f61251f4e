"""Processes that work for this one: what they print is kept up to a limit, and nothing is left of them."""

import os
import subprocess
import sys
import time
from pathlib import Path

import psutil
import pytest

from bidwhist.process.python import Channel, PythonChild


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
