"""Where a bot is examined: processes in which nothing of it is left from before, with a watch beside it.

A process that has the engine compiled and loaded waits, and forks for every task: so each task begins with a fresh
import of the bot, and none has to load the engine again.
"""

import faulthandler
import os
import pickle
import tempfile
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from types import TracebackType
from typing import IO, Any, Final, NamedTuple

from bidwhist.bot.context import Limits
from bidwhist.check.contest import contest
from bidwhist.check.meet import meet, warm_up
from bidwhist.check.replay import replay
from bidwhist.check.task import Contest, Meet, Task
from bidwhist.errors import BidWhistError
from bidwhist.process import Child, or_end

_LEAST_PATIENCE: Final = 10.0  # seconds; a machine may be busy with other things
_MOST_WAIT: Final = 60.0  # seconds, for many answers at once
_TIMES: Final = 20  # so many times the limit of a decision


class Died(NamedTuple):
    """A task's process has ended without an answer: why, in words that follow 'the bot'."""

    words: str


class Order(NamedTuple):
    """A task, and the PYTHONHASHSEED under which it is done."""

    task: Task
    hash_seed: int = 0


class Lab:
    """A context in which tasks are done; leaving it ends its processes."""

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

    def do(self, *orders: Order) -> list[Any]:
        """Do tasks at the same time. For each what came of it: its answer, Died, or the BidWhistError it raised."""
        folders = [self._new_folder() for _ in orders]
        children = [self._child(order.hash_seed) for order in orders]
        for order, folder, child in zip(orders, folders, children, strict=True):
            child.pipe.send((order.task, str(folder)))
        found = []
        for order, folder, child in zip(orders, folders, children, strict=True):
            try:
                status = child.pipe.recv()
            except (EOFError, OSError):
                status = 1
            found.append(_answer(order.task, folder, status))
        return found

    def close(self) -> str:
        """End all processes; what the bot has printed when it was met, and where a process has died since."""
        child = self._children.pop(0, None)
        if child:
            child.end()
        for each in self._children.values():
            each.end()
        self._children.clear()
        with suppress(OSError):
            self._folder.cleanup()
        return child.output.text if child else ""

    def _new_folder(self) -> Path:
        self._used += 1
        folder = Path(self._folder.name) / str(self._used)
        folder.mkdir()
        return folder

    def _child(self, hash_seed: int) -> Child:
        if hash_seed not in self._children:
            self._children[hash_seed] = Child("bidwhist.check.lab:serve", {"PYTHONHASHSEED": str(hash_seed)})
        return self._children[hash_seed]


def _answer(task: Task, folder: Path, status: int) -> Any:
    with suppress(OSError, EOFError, pickle.UnpicklingError):
        return pickle.loads((folder / "answer").read_bytes())
    watched = (folder / "watch").read_text("utf-8", "replace") if (folder / "watch").exists() else ""
    if "Timeout" in watched:
        return Died(f"gave no answer in time{_place(watched, task.player.file)}")
    how = f"signal {-status}" if status < 0 else f"exit code {status}"
    return Died(f"ended the process that it played in ({how})")


def _place(watched: str, file: Path | None) -> str:
    """Where the main thread was: the innermost line of the bot's file, or else of what is not of the arena."""
    main = watched.rpartition("(most recent call first):")[2]
    lines = [line.strip() for line in main.splitlines() if line.strip().startswith("File ")]
    own = str(Path(__file__).parent.parent)
    places = [line for line in lines if file and f'"{file}"' in line] or [line for line in lines if own not in line]
    return f": {places[0]}" if places else ""


def serve(pipe: Any) -> None:
    """What a process of the lab does: tasks and folders come in, exit codes go out when answers lie in the folders."""
    warm_up()
    pids: list[int] = []
    while True:
        while not pids or pipe.poll():
            task, folder = or_end(pipe.recv)
            pid = os.fork()
            if pid == 0:
                _work(task, Path(folder))
            pids.append(pid)
        _, status = os.waitpid(pids.pop(0), 0)
        or_end(pipe.send, os.waitstatus_to_exitcode(status))


def _work(task: Task, folder: Path) -> None:
    """Do a task and end this process, without a way back."""
    code = 1
    try:
        if not isinstance(task, Meet):
            silence = os.open(os.devnull, os.O_WRONLY)
            os.dup2(silence, 1)
            os.dup2(silence, 2)
        with (folder / "watch").open("w", encoding="utf-8") as file:
            answer = _do(task, file)
        aside = folder / "answer.tmp"
        aside.write_bytes(pickle.dumps(answer))
        aside.rename(folder / "answer")
        code = 0
    finally:
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


def failed(answer: Any) -> str | None:
    """Why there is no answer, in words that follow 'the bot'; None if there is one."""
    if isinstance(answer, Died):
        return answer.words
    return f"failed: {answer}" if isinstance(answer, BidWhistError) else None


def all_failed(answers: Sequence[Any]) -> str | None:
    """The first failure among answers."""
    return next((words for words in map(failed, answers) if words), None)
