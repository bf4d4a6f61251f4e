"""Processes in which a bot is examined: nothing of it is left from before, and a watch stands beside it.

A process that has the engine compiled and loaded waits, and forks for every task: so each task begins with a fresh
import of the bot, and none has to load the engine again.
"""

from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from types import TracebackType
from typing import Any, NamedTuple

from bidwhist.check.contest import contest
from bidwhist.check.meet import meet, warm_up
from bidwhist.check.replay import replay
from bidwhist.check.task import Contest, Meet, Task
from bidwhist.check.watch import Watch, timed_out, where_it_was
from bidwhist.errors import BidWhistError, BotFault, Stopped
from bidwhist.process.fault import ProcessFault
from bidwhist.process.folder import TemporaryFolder
from bidwhist.process.forked import ForkServer, Outcome


class Done(NamedTuple):
    """What came of a task: its answer, or why there is none in words that follow 'the bot'; what was printed; where
    the bot was last; and whether it gave no answer in time."""

    answer: Any
    failure: str | None = None
    output: str = ""
    where: str = ""
    late: bool = False


class Order(NamedTuple):
    """A task, and the PYTHONHASHSEED under which it is done."""

    task: Task
    hash_seed: int = 0


class Lab:
    """A context in which tasks are done, for one check or many; leaving it ends its processes."""

    def __init__(self) -> None:
        self._servers: dict[int, ForkServer] = {}
        self._folder = TemporaryFolder("check")
        self._used = 0

    def __enter__(self) -> "Lab":
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def do(self, *orders: Order) -> list[Done]:
        """Do tasks at the same time. Raises Stopped if the machine refuses."""
        folders = [self._new_folder() for _ in orders]
        done: dict[int, Done] = {}
        places_by_seed: dict[int, list[int]] = {}
        for place, order in enumerate(orders):
            places_by_seed.setdefault(order.hash_seed, []).append(place)
        for hash_seed, places in places_by_seed.items():
            self._server(hash_seed).begin([(orders[place].task, folders[place]) for place in places])
        for hash_seed, places in places_by_seed.items():
            try:
                for place, outcome in zip(places, self._servers[hash_seed].outcomes(), strict=True):
                    done[place] = _done(outcome, orders[place].task, folders[place])
            except ProcessFault:
                server = self._servers.pop(hash_seed)
                server.end()
                words = "ended the process that examines it" + server.last_words
                done.update({place: Done(None, words, where=where_it_was(folders[place])) for place in places})
        return [done[place] for place in range(len(orders))]

    def close(self) -> None:
        """End all processes."""
        for each in self._servers.values():
            each.end()
        self._servers.clear()
        with suppress(OSError):
            self._folder.remove()

    def _new_folder(self) -> Path:
        self._used += 1
        folder = self._folder.path / str(self._used)
        folder.mkdir()
        return folder

    def _server(self, hash_seed: int) -> ForkServer:
        if hash_seed not in self._servers:
            self._servers[hash_seed] = ForkServer("bidwhist.check.lab:prepare", hash_seed)
        return self._servers[hash_seed]


def prepare() -> Callable[[tuple[Task, Path]], Any]:
    """In a process of the lab: load the engine, and give the function that does a task."""
    warm_up()
    return _do


def _do(order: tuple[Task, Path]) -> Any:
    task, folder = order
    watch = Watch(folder, task.limits, contained=task.bot.contained)
    if isinstance(task, Contest):
        return contest(task, watch)
    return meet(task, watch) if isinstance(task, Meet) else replay(task, watch)


def _done(outcome: Outcome, task: Task, folder: Path) -> Done:
    """The result of a task. Raises Stopped for an error that is not the bot's."""
    output = outcome.output.text
    if outcome.fault is None:
        answer = outcome.answer
        if isinstance(answer, Stopped) and not isinstance(answer, BotFault):
            raise answer
        return Done(answer, f"failed: {answer}" if isinstance(answer, BidWhistError) else None, output)
    line = timed_out(folder, task.bot.path)
    if line is None:
        tail = outcome.output.tail
        failure = f"ended the process that it played in, which {outcome.fault}" + (
            f"; its last words: {tail}" if tail else ""
        )
    else:
        failure = "gave no answer in time" + (f": {line}" if line else "")
    return Done(None, failure, output, where_it_was(folder), late=line is not None)
