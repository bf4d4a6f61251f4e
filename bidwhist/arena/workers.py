"""Processes that play parts: as many as asked for, always; a part whose worker dies is played again.

concurrent.futures gives up its whole pool when one worker dies and cannot stop a worker at once, so the few lines
that we need stand here: a pipe to each worker, and a wait for answers and deaths.
"""

import json
import multiprocessing
import os
import subprocess
import sys
import threading
import time
from collections import Counter, deque
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from multiprocessing.connection import Connection, wait
from typing import TYPE_CHECKING, Any, Final

from bidwhist._cache import is_compiled
from bidwhist.arena.block import Setting, play_part
from bidwhist.arena.players import Player, seat_player
from bidwhist.errors import BidWhistError, Stopped
from bidwhist.results.schema import Part, encode_part

if TYPE_CHECKING:
    from bidwhist.engine.batch import Decider

_MOST_DEATHS: Final = 3


@dataclass(frozen=True)
class Job:
    """All that a worker needs to know to play any part of a run."""

    setting: Setting
    players: tuple[Player, ...]
    record: str

    def keeps_plays(self, part: Part) -> bool:
        """Whether a part keeps every card: 'auto' does unless both bots can be replayed from the seed."""
        if self.record == "auto":
            return not (self.players[part.a].is_house and self.players[part.b].is_house)
        return self.record == "plays"


@dataclass(frozen=True)
class PlayedPart:
    """A part's file, ready to be written, its tables, and the CPU seconds they took."""

    part: Part
    data: bytes
    tables: int
    cpu_seconds: float


class _Desk:
    """Plays parts in this process; bots are loaded when first needed."""

    def __init__(self, job: Job) -> None:
        self._job = job
        self._deciders: dict[int, Decider] = {}

    def play(self, part: Part) -> PlayedPart:
        began = time.process_time()
        for bot in (part.a, part.b):
            if bot not in self._deciders:
                self._deciders[bot] = seat_player(self._job.players[bot], self._job.setting.rules)
        deciders = {bot: self._deciders[bot] for bot in (part.a, part.b)}
        setting = self._job.setting
        columns = play_part(setting, part, deciders)
        data = encode_part(part, columns, games=setting.games, plays=self._job.keeps_plays(part))
        return PlayedPart(part, data, len(columns["board"]), time.process_time() - began)


def play_inline(job: Job, parts: Iterable[Part]) -> Iterator[PlayedPart]:
    """Play parts one after the other in this process. Raises BotFault."""
    desk = _Desk(job)
    for part in parts:
        yield desk.play(part)


def play_in_processes(job: Job, parts: Iterable[Part], workers: int) -> Iterator[PlayedPart]:
    """Play parts in `workers` processes; results come as they are ready. Raises BotFault or Stopped.

    Leaving the iterator early ends the processes.
    """
    team = _Team(job, parts, workers)
    try:
        yield from team.results()
    finally:
        team.dismiss()


# What a worker's interpreter runs. Unlike multiprocessing's own start methods this never imports the user's script
# anew, so a script needs no guard around the line that starts a tournament.
_START: Final = (
    "import json, sys; sys.path[:] = json.loads(sys.argv[3]); "
    "from bidwhist.arena.workers import serve; serve(int(sys.argv[1]), int(sys.argv[2]))"
)


class _Worker:
    def __init__(self, job: Job) -> None:
        self.part: Part | None = None
        self.pipe, theirs = multiprocessing.Pipe()
        watched, self._lifeline = os.pipe()
        command = [sys.executable, "-c", _START, str(theirs.fileno()), str(watched), json.dumps(sys.path)]
        try:
            # In a group of its own, so that Ctrl-C reaches the parent alone, which then ends its workers.
            self.process = subprocess.Popen(
                command, stdin=subprocess.DEVNULL, pass_fds=(theirs.fileno(), watched), process_group=0
            )
        finally:
            theirs.close()
            os.close(watched)
        self.pipe.send(job)

    def give(self, part: Part) -> None:
        self.part = part
        self.pipe.send(part)

    def end(self, patience: float = 0) -> None:
        """Let the process end by itself for some seconds, then kill it."""
        with suppress(subprocess.TimeoutExpired):
            self.process.wait(patience)
        self.process.kill()
        self.process.wait()
        self.pipe.close()
        os.close(self._lifeline)


class _Team:
    def __init__(self, job: Job, parts: Iterable[Part], size: int) -> None:
        self._job = job
        self._parts = iter(parts)
        self._again: deque[Part] = deque()
        self._deaths: Counter[int] = Counter()
        self._workers: list[_Worker] = []
        self._size = size
        # The first worker compiles what all need; the others would only compile the same beside it.
        self._fill(size if is_compiled() else 1)

    def _next_part(self) -> Part | None:
        return self._again.popleft() if self._again else next(self._parts, None)

    def _fill(self, size: int) -> None:
        """Hire until there are `size` workers or no parts left."""
        try:
            for _ in range(size - len(self._workers)):
                self._hire()
        except BaseException:
            self.dismiss()
            raise

    def _hire(self) -> None:
        part = self._next_part()
        if part is not None:
            worker = _Worker(self._job)
            self._workers.append(worker)
            worker.give(part)

    def results(self) -> Iterator[PlayedPart]:
        while self._workers:
            by_pipe: dict[Any, _Worker] = {worker.pipe: worker for worker in self._workers}
            for pipe in wait(list(by_pipe)):
                worker = by_pipe[pipe]
                try:
                    answer = worker.pipe.recv()
                except (EOFError, OSError):
                    self._bury(worker)
                    continue
                if isinstance(answer, BaseException):
                    raise answer
                part = self._next_part()
                if part is None:
                    self._workers.remove(worker)
                    worker.end()
                else:
                    worker.give(part)
                yield answer
                self._fill(self._size)

    def _bury(self, worker: _Worker) -> None:
        self._workers.remove(worker)
        worker.end(patience=2)  # its pipe is closed, so it is ending; the exit code shall be its own
        part = worker.part
        assert part is not None
        self._deaths[part.number] += 1
        if self._deaths[part.number] >= _MOST_DEATHS:
            names = " and ".join(repr(self._job.players[bot].entry.name) for bot in (part.a, part.b))
            raise Stopped(
                f"part {part.number} ({names}): the process that played it died {_MOST_DEATHS} times "
                f"(exit code {worker.process.returncode})"
            )
        self._again.append(part)
        self._hire()

    def dismiss(self) -> None:
        for worker in self._workers:
            worker.end()
        self._workers.clear()


def serve(channel: int, lifeline: int) -> None:
    """The life of a worker process: parts come in over the file descriptor `channel`, played parts or an error go out.

    The parent holds the other end of `lifeline` as long as it lives.
    """
    threading.Thread(target=_die_with_parent, args=(lifeline,), daemon=True).start()
    pipe: Any = Connection(channel)
    desk = _Desk(_or_end(pipe.recv))
    while True:
        part = _or_end(pipe.recv)
        try:
            answer: Any = desk.play(part)
        except BidWhistError as error:
            answer = type(error)(str(error))
        _or_end(pipe.send, answer)


def _or_end(speak: Callable[..., Any], *words: Any) -> Any:
    """Speak with the parent; end this process, without a word, if it is no longer there."""
    try:
        return speak(*words)
    except (EOFError, OSError):
        os._exit(1)


def _die_with_parent(lifeline: int) -> None:
    """End this process as soon as the parent is gone, even if it was killed without a chance to tell."""
    os.read(lifeline, 1)
    os._exit(1)
