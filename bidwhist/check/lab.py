"""Processes in which a bot is examined: nothing of it is left from before, and a watch stands beside it.

A process that has the engine compiled and loaded waits, and forks for every task: so each task begins with a fresh
import of the bot, and none has to load the engine again.
"""

import tempfile
from contextlib import suppress
from pathlib import Path
from types import TracebackType
from typing import Any, Final, NamedTuple

from bidwhist.activity import listening, tell
from bidwhist.check.contest import contest
from bidwhist.check.meet import meet, warm_up
from bidwhist.check.replay import replay
from bidwhist.check.task import Contest, Meet, Task
from bidwhist.check.watch import Watch, timed_out, where_it_was
from bidwhist.errors import BidWhistError
from bidwhist.process.fault import ProcessFault
from bidwhist.process.python import Channel, PythonChild
from bidwhist.process.tree import adopt_orphans, end_children

_PATIENCE: Final = 3.0  # seconds for a process that has answered to end by itself


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
        self._children: dict[int, PythonChild] = {}
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
        done: dict[int, Done] = {}
        places_by_seed: dict[int, list[int]] = {}
        for place, order in enumerate(orders):
            places_by_seed.setdefault(order.hash_seed, []).append(place)
        for hash_seed, places in places_by_seed.items():
            self._child(hash_seed).send([(orders[place].task, folders[place]) for place in places])
        for hash_seed, places in places_by_seed.items():
            try:
                done.update(zip(places, self._answers(hash_seed), strict=True))
            except ProcessFault:
                child = self._children.pop(hash_seed)
                child.end()
                words = "ended the process that examines it" + child.last_words
                done.update({place: Done(None, words, where=where_it_was(folders[place])) for place in places})
        return [done[place] for place in range(len(orders))]

    def close(self) -> None:
        """End all processes."""
        for each in self._children.values():
            each.end()
        self._children.clear()
        with suppress(OSError):
            self._folder.cleanup()

    def _answers(self, hash_seed: int) -> list[Done]:
        while not isinstance(message := self._children[hash_seed].receive(), list):
            tell(message)
        return message

    def _new_folder(self) -> Path:
        self._used += 1
        folder = Path(self._folder.name) / str(self._used)
        folder.mkdir()
        return folder

    def _child(self, hash_seed: int) -> PythonChild:
        if hash_seed not in self._children:
            environment = {"PYTHONHASHSEED": str(hash_seed)}
            self._children[hash_seed] = PythonChild.start("bidwhist.check.lab:serve", environment)
        return self._children[hash_seed]


def serve(channel: Channel) -> None:
    """The life of a process of the lab: tasks with their folders come in, what came of them goes out."""
    with listening(channel.send):
        warm_up()
    adopt_orphans()
    while True:
        running = [(task, folder, _fork(task, folder)) for task, folder in channel.receive()]
        pids = {child.child.pid for _, _, child in running}
        done = []
        for task, folder, child in running:
            done.append(_done(child, task, folder, channel))
            end_children(pids := pids - {child.child.pid})
        channel.send(done)


class _Answer(NamedTuple):
    """The answer to a task, or the error that stands for it."""

    value: Any


def _fork(task: Task, folder: Path) -> PythonChild:
    def work(channel: Channel) -> None:
        with listening(channel.send):
            channel.send(_Answer(_do(task, Watch(folder, task.limits))))

    return PythonChild.fork(work)


def _do(task: Task, watch: Watch) -> Any:
    try:
        if isinstance(task, Contest):
            return contest(task, watch)
        return meet(task, watch) if isinstance(task, Meet) else replay(task, watch)
    except BidWhistError as error:
        return type(error)(str(error))


def _done(child: PythonChild, task: Task, folder: Path, channel: Channel) -> Done:
    """What came of a task in a forked process, which has ended then; its activities are passed on meanwhile."""
    try:
        while not isinstance(answer := child.receive(), _Answer):
            channel.send(answer)
    except ProcessFault:
        answer = None
    child.end(_PATIENCE)
    output = child.child.output.text
    if answer is not None:
        failure = f"failed: {answer.value}" if isinstance(answer.value, BidWhistError) else None
        return Done(answer.value, failure, output)
    line = timed_out(folder, task.bot.path)
    if line is None:
        status = child.child.exit_code or 0
        how = f"signal {-status}" if status < 0 else f"exit code {status}"
        failure = f"ended the process that it played in ({how}){child.last_words}"
    else:
        failure = "gave no answer in time" + (f": {line}" if line else "")
    return Done(None, failure, output, where_it_was(folder))
