"""Processes that play parts: as many as asked for, always; a part whose worker dies is played again.

concurrent.futures gives up its whole pool when one worker dies and cannot stop a worker at once, so the few lines
that we need stand here: a pipe to each worker, and a wait for answers and deaths.
"""

import time
from collections import Counter, deque
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from multiprocessing.connection import wait
from typing import TYPE_CHECKING, Any, Final

from bidwhist.arena.block import Setting, play_part
from bidwhist.arena.players import Player, seat_player
from bidwhist.errors import BidWhistError, Stopped
from bidwhist.process import Child, or_end
from bidwhist.results.schema import Part, encode_part

if TYPE_CHECKING:
    from bidwhist.engine.batch import Decider

_MOST_DEATHS: Final = 3
_PATIENCE: Final = 3.0  # seconds for a process to end by itself


@dataclass(frozen=True)
class Job:
    """All that a worker needs to know to play any part of a run."""

    setting: Setting
    players: tuple[Player, ...]
    record: str

    def keeps_plays(self, part: Part) -> bool:
        """Whether a part keeps every card: 'auto' does unless both bots can be replayed from the seed."""
        if self.record == "auto":
            return not (self.players[part.a].is_replayable and self.players[part.b].is_replayable)
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


def play_in_processes(
    job: Job, parts: Iterable[Part], workers: int, keep_output: Callable[[str], None] = lambda text: None
) -> Iterator[PlayedPart]:
    """Play parts in `workers` processes; results come as they are ready. Raises BotFault or Stopped.

    `keep_output` is given what a process, or a bot in it, has printed. Leaving the iterator early ends the processes.
    """
    team = _Team(job, parts, workers, keep_output)
    try:
        yield from team.results()
    finally:
        team.dismiss()


class _Worker(Child):
    def __init__(self, job: Job) -> None:
        super().__init__("bidwhist.arena.workers:work")
        self.part: Part | None = None
        self.pipe.send(job)

    def give(self, part: Part | None) -> None:
        """The next part to play; None: there is none, and the process may end."""
        self.part = part
        self.pipe.send(part)


class _Team:
    def __init__(self, job: Job, parts: Iterable[Part], size: int, keep_output: Callable[[str], None]) -> None:
        self._job = job
        self._keep_output = keep_output
        self._parts = iter(parts)
        self._again: deque[Part] = deque()
        self._deaths: Counter[int] = Counter()
        self._workers: list[_Worker] = []
        self._size = size
        self._fill(size)

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
                worker.give(part)
                if part is None:
                    self._end(worker)
                yield answer
                self._fill(self._size)

    def _bury(self, worker: _Worker) -> None:
        self._end(worker)
        part = worker.part
        assert part is not None
        self._deaths[part.number] += 1
        if self._deaths[part.number] >= _MOST_DEATHS:
            names = " and ".join(repr(self._job.players[bot].entry.name) for bot in (part.a, part.b))
            raise Stopped(
                f"part {part.number} ({names}): the process that played it died {_MOST_DEATHS} times "
                f"(exit code {worker.process.returncode})" + worker.output.last_words()
            )
        self._again.append(part)
        self._hire()

    def _end(self, worker: _Worker, patience: float = _PATIENCE) -> None:
        """Part with a process that is ending: time for its bots to end, and for its exit code to be its own."""
        self._workers.remove(worker)
        worker.end(patience)
        if worker.output.size:
            self._keep_output(worker.output.text)

    def dismiss(self) -> None:
        for worker in list(self._workers):
            self._end(worker, patience=0)


def work(pipe: Any) -> None:
    """The life of a worker process: a job and then parts come in, played parts or an error go out."""
    desk = _Desk(or_end(pipe.recv))
    while (part := or_end(pipe.recv)) is not None:
        try:
            answer: Any = desk.play(part)
        except BidWhistError as error:
            answer = type(error)(str(error))
        or_end(pipe.send, answer)
