"""Executors: functions from a job and its parts to an iterator of played parts.

Worker processes are as many as asked for, always; a part whose worker dies is played again.
"""

import os
import sys
import time
from collections import Counter, deque
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import ExitStack, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from bidwhist.activity import tell
from bidwhist.arena.part import Setting, play_part, reasons_of, refereed
from bidwhist.bot.limits import LIMITS, Limits
from bidwhist.bot.loading import load_bot
from bidwhist.bot.sources.source import BotSource
from bidwhist.errors import BidWhistError, BotFault, BotSpecError, Stopped, bare
from bidwhist.faults import Fault
from bidwhist.process.child import wait_for
from bidwhist.process.fault import ProcessFault
from bidwhist.process.folder import TemporaryFolder
from bidwhist.process.noted import Notes, last_note
from bidwhist.process.python import Activity, Channel, PythonChild, reporting_to
from bidwhist.results.identity import identity_of
from bidwhist.results.manifest import Manifest
from bidwhist.results.reasons import FaultReason
from bidwhist.results.schema import Part, encode_part

if TYPE_CHECKING:
    from bidwhist.engine.decider import Decider

_MOST_DEATHS: Final = 3
_NOBODY: Final[Mapping[int, str]] = {}  # bots by index that are not asked
_PATIENCE: Final = 3.0  # seconds for a worker to end by itself


@dataclass(frozen=True)
class Job:
    """All that a worker needs to know to play any part of a run."""

    setting: Setting
    bots: tuple[BotSource, ...]
    manifest: Manifest
    limits: Limits = LIMITS

    def keeps_plays(self, part: Part) -> bool:
        """Whether a part keeps every card: 'auto' does unless all its bots can be replayed from the seed."""
        if self.manifest.record == "auto":
            return not all(self.bots[bot].replayable for bot in self.manifest.bots_of(part))
        return self.manifest.record == "plays"

    def encode(self, part: Part, columns: Mapping[str, Any]) -> bytes:
        """The file of a part that has been played."""
        identity = identity_of(self.manifest, part)
        return encode_part(part, identity, columns, games=self.setting.games, plays=self.keeps_plays(part))


@dataclass(frozen=True)
class PlayedPart:
    """A part's file, ready to be written, its tables, the CPU seconds they took, and why bots failed in it."""

    part: Part
    data: bytes
    tables: int
    cpu_seconds: float
    reasons: tuple[FaultReason, ...] = ()


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
    with _Player(job, keep_output) as player:
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

    def __init__(self, job: Job, keep_output: KeepOutput) -> None:
        self._job = job
        self._keep_output = keep_output
        self._deciders: dict[int, Decider] = {}
        self._stack = ExitStack()
        self._owner = os.getpid()

    def __enter__(self) -> "_Player":
        return self

    def __exit__(self, *raised: object) -> None:
        self._stack.close()
        self.keep_errors()

    def play(self, part: Part, notes: Notes | None = None, lost: Mapping[int, str] = _NOBODY) -> PlayedPart:
        """Raises BotFault or BotSpecError.

        `notes`: where to note what a bot is asked, before it is; `lost`: bots by index that are not asked, with why.
        """
        began = time.process_time()
        setting, manifest = self._job.setting, self._job.manifest
        try:
            deciders = {bot: self._decider(bot, notes, lost.get(bot)) for bot in manifest.bots_of(part)}
            if notes:
                deciders = _traced(deciders, setting.sequences(part), notes)
            judged = refereed(part, deciders, manifest)
            columns = play_part(setting, part, judged)
            for decider in deciders.values():
                decider.reset()  # no process of a bot meets the same boards again
        finally:
            if os.getpid() != self._owner:
                os._exit(1)  # a bot has forked this process, and its copy has come back from the bot's code
        data, tables = self._job.encode(part, columns), len(columns["board"])
        reasons = tuple(reasons_of(setting, part, judged, manifest))
        return PlayedPart(part, data, tables, time.process_time() - began, reasons)

    def keep_errors(self) -> None:
        """Keep what bots that are programs of their own have written to their standard error."""
        from bidwhist.notation import format_seat

        for decider in self._deciders.values():
            for seat, text in decider.errors.items():
                if text:
                    self._keep_output(f"{decider.name}, seat {format_seat(seat)}, standard error:\n{text}")

    def _decider(self, bot: int, notes: Notes | None, lost: str | None) -> "Decider":
        from bidwhist.engine.lost import LostBot

        source = self._job.bots[bot]
        if lost is not None:
            return LostBot(source.entry.name, lost)
        if bot not in self._deciders:
            if notes:
                notes.write(f"bot {source.entry.name!r} cannot be loaded")
            try:
                decider = load_bot(source, self._job.setting.rules, self._job.limits)
            except BotSpecError as error:
                if self._job.manifest.bots[bot].on_fault == "stop":
                    raise
                # For this part: at the next one it is tried again.
                return LostBot(source.entry.name, str(error), _fault_of(error))
            self._deciders[bot] = self._stack.enter_context(decider)
        return self._deciders[bot]


def _fault_of(error: BotSpecError) -> Fault:
    """The kind of the fault by which a bot could not be loaded."""
    return error.__cause__.fault if isinstance(error.__cause__, ProcessFault) else Fault.CRASH


def _traced(deciders: "Mapping[int, Decider]", sequences: NDArray[np.void], notes: Notes) -> "dict[int, Decider]":
    """The bots with notes of what they are asked; but one that sees all hands is known by its class."""
    from bidwhist.engine.decider import Seer
    from bidwhist.engine.traced import Traced

    notes.write("")
    return {
        bot: decider if isinstance(decider, Seer) else Traced(decider, sequences, notes.write)
        for bot, decider in deciders.items()
    }


class _Assignment(NamedTuple):
    """A part to play; `notes`: the file in which to note what a bot is asked, if that is wanted; `lost`: bots by index
    that are not asked, with the reasons."""

    part: Part
    notes: Path | None = None
    lost: Mapping[int, str] = _NOBODY


class _Worker(PythonChild):
    assignment: _Assignment | None = None
    activity: str | None = None

    def assign(self, assignment: _Assignment | None) -> None:
        """The next part to play; None: there is none, and the worker may end."""
        self.assignment = assignment
        # One that has died is noticed when its answer is waited for.
        with suppress(ProcessFault):
            self.send(assignment)


class _Pool:
    def __init__(self, job: Job, parts: Iterable[Part], size: int, keep_output: KeepOutput) -> None:
        self._job = job
        self._keep_output = keep_output
        self._parts = iter(parts)
        self._again: deque[_Assignment] = deque()
        # The working folder of the workers, where no file of a bot's author lies by chance.
        self._scratch = TemporaryFolder("run")
        self._notes: TemporaryFolder | None = None
        self._deaths: Counter[int] = Counter()
        self._workers: list[_Worker] = []
        self._size = size
        self._fill(size)

    def _next(self) -> _Assignment | None:
        if self._again:
            return self._again.popleft()
        part = next(self._parts, None)
        return None if part is None else _Assignment(part)

    def _fill(self, size: int) -> None:
        """Start workers until there are `size` of them or no parts left."""
        try:
            for _ in range(size - len(self._workers)):
                self._start_worker()
        except BaseException:
            self.end()
            raise

    def _start_worker(self) -> None:
        assignment = self._next()
        if assignment is not None:
            worker = _Worker.start("bidwhist.arena.executors:work", folder=self._scratch.path)
            self._workers.append(worker)
            with suppress(ProcessFault):
                worker.send(self._job)
            worker.assign(assignment)

    def results(self) -> Iterator[PlayedPart]:
        """Played parts, as they are ready. Raises BotFault, BotSpecError or Stopped."""
        while self._workers:
            ready = wait_for(worker.child for worker in self._workers)
            for worker in [each for each in self._workers if each.child in ready]:
                try:
                    answer = worker.receive()
                except ProcessFault as fault:
                    self._replace(worker, fault)
                    continue
                if isinstance(answer, BaseException):
                    raise answer
                if isinstance(answer, Activity):
                    worker.activity = answer.words
                    # One that compiles comes before those that wait for it.
                    tell(min((each.activity for each in self._workers if each.activity), default=None))
                    continue
                assignment = self._next()
                worker.assign(assignment)
                if assignment is None:
                    self._end_worker(worker)
                yield answer
                self._fill(self._size)

    def _replace(self, worker: _Worker, fault: ProcessFault) -> None:
        """Have the part of a worker that has died played again; the last time it is noted what a bot is asked.

        When that has happened too often, the bot that was asked is not asked any more in this part, if its faults are
        not to stop the run. Raises BotFault if they are, or Stopped if no bot was asked.
        """
        self._end_worker(worker)
        assert worker.assignment is not None
        part, notes, lost = worker.assignment
        self._deaths[part.number] += 1
        deaths = self._deaths[part.number]
        if deaths == _MOST_DEATHS:
            note = last_note(notes) if notes else ""
            what = f"the process that played part {part.number} {fault.reason}, the third time{worker.last_words}"
            names = {bot: self._job.bots[bot].entry.name for bot in self._job.manifest.bots_of(part)}
            if not note:
                bots = " and ".join(map(repr, names.values()))
                none = "neither" if len(names) == 2 else "none of them"
                raise Stopped(f"{what}; it was a part of {bots}, and {none} was asked for anything at that moment")
            guilty = next((bot for bot, name in names.items() if note.startswith(f"bot {name!r} ")), None)
            if guilty is None or self._job.manifest.bots[guilty].on_fault == "stop":
                raise BotFault(f"{note}: {what}", None if guilty is None else names[guilty])
            lost = {**lost, guilty: f"{note}: {what}"}
            deaths = self._deaths[part.number] = 0
        is_last = deaths == _MOST_DEATHS - 1
        self._again.append(_Assignment(part, self._notes_of(part) if is_last else None, lost))
        self._start_worker()

    def _notes_of(self, part: Part) -> Path:
        if self._notes is None:
            self._notes = TemporaryFolder("notes")
        return self._notes.path / str(part.number)

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
        self._scratch.remove()
        if self._notes is not None:
            self._notes.remove()


def work(channel: Channel) -> None:
    """The life of a worker: a job and then assignments come in, played parts or an error go out."""
    with _Player(channel.receive(), _print_error) as player, reporting_to(channel):
        while (assignment := channel.receive()) is not None:
            part, notes, lost = assignment
            try:
                answer: Any = player.play(part, Notes(notes) if notes else None, lost)
            except BidWhistError as error:
                answer = bare(error)
                player.keep_errors()
            channel.send(answer)


def _print_error(text: str) -> None:
    """Keep a text: a worker's standard error is kept by the process that has started it."""
    print(text.rstrip("\n"), file=sys.stderr, flush=True)
