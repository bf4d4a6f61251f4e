"""Where a bot is examined: processes in which nothing of it is left from before, with a watch beside it.

A process that has the engine compiled and loaded waits, and forks for every task: so each task begins with a fresh
import of the bot, and none has to load the engine again.
"""

import faulthandler
import os
import pickle
import sys
import tempfile
import traceback
from contextlib import suppress
from pathlib import Path
from types import TracebackType
from typing import IO, Any, Final, NamedTuple

from bidwhist.bot.context import Limits
from bidwhist.check.contest import contest
from bidwhist.check.meet import meet, warm_up
from bidwhist.check.replay import replay
from bidwhist.check.task import Contest, Meet, Task
from bidwhist.errors import BidWhistError, Stopped
from bidwhist.process import Child, Output, or_end

_LEAST_PATIENCE: Final = 10.0  # seconds; a machine may be busy with other things
_MOST_WAIT: Final = 60.0  # seconds, for many answers at once
_TIMES: Final = 20  # so many times the limit of a decision


class Done(NamedTuple):
    """What came of a task: its answer, or why there is none in words that follow 'the bot'; and what was printed."""

    answer: Any
    failure: str | None = None
    output: str = ""


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
                status, output, last_words = child.pipe.recv()
            except (EOFError, OSError):
                raise Stopped("check: the process that examines bots has ended" + child.output.last_words()) from None
            found.append(_done(order.task, folder, status, output, last_words))
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
    watched = (folder / "watch").read_text("utf-8", "replace") if (folder / "watch").exists() else ""
    if "Timeout" in watched:
        return Done(None, f"gave no answer in time{_place(watched, task.player.file)}", output)
    how = f"signal {-status}" if status < 0 else f"exit code {status}"
    return Done(None, f"ended the process that it played in ({how}){last_words}", output)


def _place(watched: str, file: Path | None) -> str:
    """Where the main thread was: the innermost line of the bot's file, or else of what is not of the arena."""
    main = watched.rpartition("(most recent call first):")[2]
    lines = [line.strip() for line in main.splitlines() if line.strip().startswith("File ")]
    own = str(Path(__file__).parent.parent)
    places = [line for line in lines if file and f'"{file}"' in line] or [line for line in lines if own not in line]
    return f": {places[0]}" if places else ""


def serve(pipe: Any) -> None:
    """What a process of the lab does: tasks and folders come in; when an answer lies in its folder, an exit code and
    what was printed go out."""
    warm_up()
    running: list[tuple[int, Output]] = []
    while True:
        while not running or pipe.poll():
            task, folder = or_end(pipe.recv)
            running.append(_fork(task, Path(folder)))
        pid, output = running.pop(0)
        _, status = os.waitpid(pid, 0)
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


def _work(task: Task, folder: Path) -> None:
    """Do a task and end this process, without a way back."""
    code = 1
    try:
        with (folder / "watch").open("w", encoding="utf-8") as file:
            answer = _do(task, file)
        aside = folder / "answer.tmp"
        aside.write_bytes(pickle.dumps(answer))
        aside.rename(folder / "answer")
        code = 0
    except BaseException:
        traceback.print_exc()
    finally:
        sys.stdout.flush()
        os._exit(code)


def _do(task: Task, file: IO[str]) -> Any:
    def guard(seconds: float) -> None:
        """End the process after some seconds, and tell where it was; 0: it need not be."""
        if seconds:
            faulthandler.dump_traceback_later(min(seconds, _MOST_WAIT), exit=True, file=file)
        else:
            faulthandler.cancel_dump_traceback_later()

    patience = _patience(task.limits)
    try:
        if isinstance(task, Contest):
            return contest(task)
        return meet(task, guard, patience) if isinstance(task, Meet) else replay(task, guard, patience)
    except BidWhistError as error:
        return type(error)(str(error))


def _patience(limits: Limits) -> float:
    """Seconds after which a decision is taken for one that never ends."""
    return max(_LEAST_PATIENCE, _TIMES * limits.decision)
