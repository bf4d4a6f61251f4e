"""Where a bot is examined: processes in which nothing of it is left from before, with a watch beside it.

A process that has the engine compiled and loaded waits, and forks for every task: so each task begins with a fresh
import of the bot, and none has to load the engine again.
"""

import ctypes
import os
import pickle
import sys
import tempfile
import traceback
from contextlib import suppress
from pathlib import Path
from types import TracebackType
from typing import Any, Final, NamedTuple

import psutil

from bidwhist.check.contest import contest
from bidwhist.check.meet import meet, warm_up
from bidwhist.check.replay import replay
from bidwhist.check.task import Contest, Meet, Task
from bidwhist.check.watch import Watch, timed_out, where_it_was
from bidwhist.errors import BidWhistError
from bidwhist.process import Child, Output, kill_tree, or_end

_SUBREAPER: Final = 36  # PR_SET_CHILD_SUBREAPER of Linux


class Done(NamedTuple):
    """What came of a task: its answer, or why there is none in words that follow 'the bot'; what was printed; and where
    the bot was last."""

    answer: Any
    failure: str | None = None
    output: str = ""
    where: str = ""


class Order(NamedTuple):
    """A task, and the PYTHONHASHSEED under which it is done."""

    task: Task
    hash_seed: int = 0


class Lab:
    """A context in which tasks are done, for one check or many; leaving it ends its processes."""

    def __init__(self) -> None:
        self._children: dict[int, Child] = {}
        self._folder = tempfile.TemporaryDirectory(prefix="bidwhist-check-")
        self._used = 0

    def __enter__(self) -> "Lab":
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def do(self, *orders: Order) -> list[Done]:
        """Do tasks at the same time."""
        folders = [self._new_folder() for _ in orders]
        children = [self._child(order.hash_seed) for order in orders]
        for order, folder, child in zip(orders, folders, children, strict=True):
            child.pipe.send((order.task, str(folder)))
        found = []
        for order, folder, child in zip(orders, folders, children, strict=True):
            try:
                found.append(_done(order.task, folder, *child.pipe.recv()))
            except (EOFError, OSError):
                self._children.pop(order.hash_seed, child).end()
                words = "ended the process that examines it" + child.output.last_words()
                found.append(Done(None, words, where=where_it_was(folder)))
        return found

    def close(self) -> None:
        """End all processes."""
        for each in self._children.values():
            each.end()
        self._children.clear()
        with suppress(OSError):
            self._folder.cleanup()

    def _new_folder(self) -> Path:
        self._used += 1
        folder = Path(self._folder.name) / str(self._used)
        folder.mkdir()
        return folder

    def _child(self, hash_seed: int) -> Child:
        if hash_seed not in self._children:
            self._children[hash_seed] = Child("bidwhist.check.lab:serve", {"PYTHONHASHSEED": str(hash_seed)})
        return self._children[hash_seed]


def _done(task: Task, folder: Path, status: int, output: str, last_words: str) -> Done:
    with suppress(OSError, EOFError, pickle.UnpicklingError):
        answer = pickle.loads((folder / "answer").read_bytes())
        failure = f"failed: {answer}" if isinstance(answer, BidWhistError) else None
        return Done(answer, failure, output)
    where = where_it_was(folder)
    line = timed_out(folder, task.player.file)
    if line is None:
        how = f"signal {-status}" if status < 0 else f"exit code {status}"
        words = f"ended the process that it played in ({how}){last_words}"
    else:
        words = "gave no answer in time" + (f": {line}" if line else "")
    return Done(None, words, output, where)


def serve(pipe: Any) -> None:
    """What a process of the lab does: tasks and folders come in; when an answer lies in its folder, an exit code and
    what was printed go out."""
    warm_up()
    _adopt_orphans()
    running: list[tuple[int, Output]] = []
    while True:
        while not running or pipe.poll():
            task, folder = or_end(pipe.recv)
            running.append(_fork(task, Path(folder)))
        pid, output = running.pop(0)
        _, status = os.waitpid(pid, 0)
        _end_leftovers({each for each, _ in running})
        output.close()
        or_end(pipe.send, (os.waitstatus_to_exitcode(status), output.text, output.last_words()))


def _fork(task: Task, folder: Path) -> tuple[int, Output]:
    """Do a task in a new process: its number, and what it prints."""
    ours, theirs = os.pipe()
    pid = os.fork()
    if pid == 0:
        os.dup2(theirs, 1)
        os.dup2(theirs, 2)
        _work(task, folder)
    os.close(theirs)
    return pid, Output(ours)


def _adopt_orphans() -> None:
    """What a task leaves behind becomes a child of this process, which can end it then (on Linux)."""
    with suppress(OSError, AttributeError):
        ctypes.CDLL(None).prctl(_SUBREAPER, 1, 0, 0, 0)


def _end_leftovers(running: set[int]) -> None:
    """End all children that are no running task."""
    for child in psutil.Process().children():
        if child.pid not in running:
            kill_tree(child.pid)
            with suppress(ChildProcessError):
                os.waitpid(child.pid, 0)


def _work(task: Task, folder: Path) -> None:
    """Do a task and end this process, without a way back."""
    code = 1
    try:
        answer = _do(task, Watch(folder, task.limits))
        aside = folder / "answer.tmp"
        aside.write_bytes(pickle.dumps(answer))
        aside.rename(folder / "answer")
        code = 0
    except BaseException:
        traceback.print_exc()
    finally:
        sys.stdout.flush()
        os._exit(code)


def _do(task: Task, watch: Watch) -> Any:
    try:
        if isinstance(task, Contest):
            return contest(task, watch)
        return meet(task, watch) if isinstance(task, Meet) else replay(task, watch)
    except BidWhistError as error:
        return type(error)(str(error))
