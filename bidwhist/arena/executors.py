"""Executors: functions from a job and its parts to an iterator of played parts.

Worker processes are as many as asked for, always; a part whose worker dies is played again.
"""

import time
from collections import Counter, deque
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import ExitStack, suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, NamedTuple, Protocol

from bidwhist.activity import listening, tell
from bidwhist.arena.part import Setting, play_part
from bidwhist.bot.sources.source import BotSource
from bidwhist.errors import BidWhistError, Stopped
from bidwhist.process.child import wait_for
from bidwhist.process.fault import ProcessFault
from bidwhist.process.python import Channel, PythonChild
from bidwhist.results.identity import identity_of
from bidwhist.results.manifest import Manifest
from bidwhist.results.schema import Part, encode_part

if TYPE_CHECKING:
    from bidwhist.engine.decider import Decider

_MOST_DEATHS: Final = 3
_PATIENCE: Final = 3.0  # seconds for a worker to end by itself


@dataclass(frozen=True)
class Job:
    """All that a worker needs to know to play any part of a run."""

    setting: Setting
    bots: tuple[BotSource, ...]
    manifest: Manifest

    def keeps_plays(self, part: Part) -> bool:
        """Whether a part keeps every card: 'auto' does unless both bots can be replayed from the seed."""
        if self.manifest.record == "auto":
            return not (self.bots[part.a].replayable and self.bots[part.b].replayable)
        return self.manifest.record == "plays"

    def encode(self, part: Part, columns: Mapping[str, Any]) -> bytes:
        """The file of a part that has been played."""
        identity = identity_of(self.manifest, part.a, part.b)
        return encode_part(part, identity, columns, games=self.setting.games, plays=self.keeps_plays(part))


@dataclass(frozen=True)
class PlayedPart:
    """A part's file, ready to be written, its tables, and the CPU seconds they took."""

    part: Part
    data: bytes
    tables: int
    cpu_seconds: float


KeepOutput = Callable[[str], None]


class Executor(Protocol):
    """Plays parts; results come as they are ready."""

    def __call__(self, job: Job, parts: Iterable[Part], workers: int, keep_output: KeepOutput) -> Iterator[PlayedPart]:
        """`keep_output` is given what a process, or a bot in it, has printed. Raises BotFault or Stopped.

        Leaving the iterator early ends all that it has started.
        """


def play_inline(
    job: Job, parts: Iterable[Part], workers: int = 1, keep_output: KeepOutput = lambda text: None
) -> Iterator[PlayedPart]:
    """Play parts one after the other in this process. Raises BotFault."""
    with _Player(job) as player:
        for part in parts:
            yield player.play(part)


def play_in_processes(job: Job, parts: Iterable[Part], workers: int, keep_output: KeepOutput) -> Iterator[PlayedPart]:
    """Play parts in `workers` processes."""
    pool = _Pool(job, parts, workers, keep_output)
    try:
        yield from pool.results()
    finally:
        pool.end()


EXECUTORS: Final[dict[str, Executor]] = {"processes": play_in_processes, "inline": play_inline}


class _Player:
    """Plays parts in this process; bots are loaded when first needed, and closed when its context is left."""

    def __init__(self, job: Job) -> None:
        self._job = job
        self._deciders: dict[int, Decider] = {}
        self._stack = ExitStack()

    def __enter__(self) -> "_Player":
        return self

    def __exit__(self, *raised: object) -> None:
        self._stack.close()

    def play(self, part: Part) -> PlayedPart:
        """Raises BotFault or BotSpecError."""
        began = time.process_time()
        columns = play_part(self._job.setting, part, {bot: self._decider(bot) for bot in (part.a, part.b)})
        return PlayedPart(part, self._job.encode(part, columns), len(columns["board"]), time.process_time() - began)

    def _decider(self, bot: int) -> "Decider":
        if bot not in self._deciders:
            self._deciders[bot] = self._stack.enter_context(self._job.bots[bot].load(self._job.setting.rules))
        return self._deciders[bot]


class _Activity(NamedTuple):
    """What a worker does that keeps its part waiting, in words; None when that is over."""

    words: str | None


class _Worker(PythonChild):
    part: Part | None = None
    activity: str | None = None

    def assign(self, part: Part | None) -> None:
        """The next part to play; None: there is none, and the worker may end."""
        self.part = part
        # One that has died is noticed when its answer is waited for.
        with suppress(ProcessFault):
            self.send(part)


class _Pool:
    def __init__(self, job: Job, parts: Iterable[Part], size: int, keep_output: KeepOutput) -> None:
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
        """Start workers until there are `size` of them or no parts left."""
        try:
            for _ in range(size - len(self._workers)):
                self._start_worker()
        except BaseException:
            self.end()
            raise

    def _start_worker(self) -> None:
        part = self._next_part()
        if part is not None:
            worker = _Worker.start("bidwhist.arena.executors:work")
            self._workers.append(worker)
            with suppress(ProcessFault):
                worker.send(self._job)
            worker.assign(part)

    def results(self) -> Iterator[PlayedPart]:
        """Played parts, as they are ready. Raises BotFault, BotSpecError or Stopped."""
        while self._workers:
            ready = wait_for(worker.child for worker in self._workers)
            for worker in [each for each in self._workers if each.child in ready]:
                try:
                    answer = worker.receive()
                except ProcessFault:
                    self._replace(worker)
                    continue
                if isinstance(answer, BaseException):
                    raise answer
                if isinstance(answer, _Activity):
                    worker.activity = answer.words
                    # One that compiles comes before those that wait for it.
                    tell(min((each.activity for each in self._workers if each.activity), default=None))
                    continue
                part = self._next_part()
                worker.assign(part)
                if part is None:
                    self._end_worker(worker)
                yield answer
                self._fill(self._size)

    def _replace(self, worker: _Worker) -> None:
        """Have the part of a worker that has died played again. Raises Stopped if that has happened too often."""
        self._end_worker(worker)
        part = worker.part
        assert part is not None
        self._deaths[part.number] += 1
        if self._deaths[part.number] >= _MOST_DEATHS:
            names = " and ".join(repr(self._job.bots[bot].entry.name) for bot in (part.a, part.b))
            raise Stopped(
                f"part {part.number} ({names}): the process that played it died {_MOST_DEATHS} times "
                f"(exit code {worker.child.exit_code}){worker.last_words}"
            )
        self._again.append(part)
        self._start_worker()

    def _end_worker(self, worker: _Worker, patience: float = _PATIENCE) -> None:
        """Let a worker end that has no more to do: time for its bots to end, and for its exit code to be its own."""
        self._workers.remove(worker)
        worker.end(patience)
        output = worker.child.output
        if output.size:
            self._keep_output(output.text)

    def end(self) -> None:
        """End all workers at once."""
        for worker in list(self._workers):
            self._end_worker(worker, patience=0)


def work(channel: Channel) -> None:
    """The life of a worker: a job and then parts come in, played parts or an error go out."""
    with _Player(channel.receive()) as player, listening(lambda words: channel.send(_Activity(words))):
        while (part := channel.receive()) is not None:
            try:
                answer: Any = player.play(part)
            except BidWhistError as error:
                answer = type(error)(str(error))
            channel.send(answer)
