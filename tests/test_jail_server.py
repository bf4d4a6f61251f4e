"""The parent of jailed processes: what it does when one ends."""

import os
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import psutil
import pytest

from bidwhist.bot.jailed.isolation import Level, level
from bidwhist.jail.client import Server, start
from bidwhist.jail.confine import Confinement
from bidwhist.jail.server import Request
from bidwhist.process.child import Pipes
from bidwhist.process.output import Output

pytestmark = pytest.mark.skipif(level() != Level.JAIL, reason="this machine has no jails")

LOOKED = "looked"


def note_looks() -> None:
    """In the server: leave a file in its folder when all processes of the machine are looked through."""
    children = psutil.Process.children

    def noted(own: psutil.Process, recursive: bool = False) -> list[psutil.Process]:
        Path(LOOKED).touch()
        return children(own, recursive)

    vars(psutil)["Process"].children = noted


def wait(pipes: Pipes, more: list[int], argument: None) -> None:
    os.read(pipes.of, 1)


def leave_one(pipes: Pipes, more: list[int], argument: None) -> None:
    """Leave a process in a session of its own, and say so."""
    pid = os.fork()
    if pid == 0:
        os.setsid()
        if os.fork() == 0:
            time.sleep(600)
        os._exit(0)
    os.waitpid(pid, 0)
    os.write(pipes.to, b"left\n")
    os.read(pipes.of, 1)


@pytest.fixture
def server(tmp_path: Path) -> Iterator[Server]:
    server = Server("test_jail_server:note_looks")
    yield server
    server.close()


def run(server: Server, target: Callable[..., None], tmp_path: Path, *, program: bool, line: bytes = b"") -> None:
    tmp_path.chmod(0o777)
    terms = Confinement(tmp_path, (Path(__file__).parent,), 64, program=program)
    child = start(server.address, Request(f"test_jail_server:{target.__name__}", None, terms), Output(1000))
    if line:
        assert child.receive() == line
    child.end()


def test_no_process_is_looked_for_that_cannot_be_there(server: Server, tmp_path: Path) -> None:
    """It takes long on a machine with many processes, and a check ends hundreds of jailed ones."""
    run(server, wait, tmp_path, program=False)
    assert not (server.folder / LOOKED).exists()
    run(server, wait, tmp_path, program=True)
    assert (server.folder / LOOKED).exists()


def test_what_a_program_leaves_is_ended(server: Server, tmp_path: Path) -> None:
    run(server, leave_one, tmp_path, program=True, line=b"left\n")
    end = time.monotonic() + 20
    while psutil.Process(server.pid).children(recursive=True):
        assert time.monotonic() < end
        time.sleep(0.02)
