"""Bots in any language: commands that speak the protocol of docs/protocol.md.

A process plays one seat, at all tables that the arena's own process plays. It is asked one message at a time, and the
processes of a bot think at the same time.
"""

import errno
import weakref
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Final, NamedTuple, Protocol, TypeAlias

import numpy as np
from numpy.typing import NDArray

from bidwhist.bot.deciders.protocol import LINE_LIMIT, AnswerFault, Title, hello
from bidwhist.bot.deciders.talk import Talk
from bidwhist.bot.limits import LIMITS, MOST_TOGETHER, Limits
from bidwhist.cards import SEATS, Seat
from bidwhist.engine.decider import Decider, DecisionFailed
from bidwhist.errors import BotSpecError
from bidwhist.jail.clock import ProcessorDeadline
from bidwhist.layout import taken
from bidwhist.process.child import Child
from bidwhist.process.deadline import Deadline
from bidwhist.process.fault import ProcessFault
from bidwhist.process.held import memory_below
from bidwhist.process.output import Output
from bidwhist.results.manifest import Isolated
from bidwhist.rules import Rules

_PATIENCE: Final = 1.0  # seconds to exit after `quit`
_MOST_ERRORS: Final = 32 * 1024  # bytes that are kept of a seat's standard error


Start: TypeAlias = Callable[[Sequence[str], Output, Path, Limits], Child]
"""Starts a command in a folder, its standard error taken by an Output: `start_plainly`, or what contains it further.

Lines from the process may be LINE_LIMIT bytes long. Raises OSError, or Stopped for a limit of the machine.
"""


class Starter(Protocol):
    """Starts commands where they are kept from the arena."""

    @property
    def isolation(self) -> Isolated:
        """The isolation of its processes."""

    def start(
        self, command: Sequence[str], output: Output, folder: Path, limits: Limits, *, readable: Sequence[Path]
    ) -> Child:
        """See Start; `readable`: the files of the bot, wherever they lie."""


def start_plainly(command: Sequence[str], output: Output, folder: Path, limits: Limits) -> Child:
    """Start a command as a process that may do what the user may."""
    return Child.start(command, output, line_limit=LINE_LIMIT, folder=folder)


def _end_all(talks: dict[Seat, Talk]) -> None:
    for talk in talks.values():
        talk.farewell()
    deadline = Deadline(_PATIENCE)
    while talks:
        talks.popitem()[1].child.end(deadline)


class _Failure(NamedTuple):
    """A row that has no answer, the seat that was asked, and what its process did."""

    place: int
    seat: Seat
    fault: ProcessFault


class CommandBot(Decider):
    """A command, started for a seat when it is first asked or introduced."""

    is_apart = True
    answers_together = True  # in version 2

    def __init__(
        self,
        name: str,
        command: Sequence[str],
        rules: Rules,
        parameters: Mapping[str, str],
        folder: Path,
        limits: Limits = LIMITS,
        start: Start = start_plainly,
    ) -> None:
        """`folder`: where the command is started; `start`: how."""
        super().__init__(name)
        self._command = command
        self._rules = rules
        self._parameters = parameters
        self._folder = folder
        self._limits = limits
        self._start = start
        self._talks: dict[Seat, Talk] = {}
        self._outputs: dict[Seat, Output] = {}
        self._finalizer = weakref.finalize(self, _end_all, self._talks)  # also when Python exits

    @property
    def titles(self) -> dict[Seat, Title]:
        """The titles of the processes, by seat."""
        return {seat: talk.title for seat, talk in self._talks.items()}

    @property
    def errors(self) -> dict[Seat, str]:
        """By seat the first 32 KB, and a count of the rest."""
        for talk in self._talks.values():
            talk.child.read_errors()
        return {seat: output.text for seat, output in self._outputs.items()}

    def decide(self, rows: NDArray[np.void], sequences: NDArray[np.int64]) -> NDArray[np.int64]:
        """An action for each OBSERVATION row. Raises DecisionFailed, and BotSpecError if the command does not start.

        The processes of all seats take each step of an exchange together, so each is told its questions before the
        first answer is waited for. After a fault only what comes before it is still asked for.
        """
        answers = np.empty(len(rows), np.int64)
        seats = rows["seat"]
        waiting = {seat: places for seat in range(SEATS) if len(places := np.flatnonzero(seats == seat))}
        first: _Failure | None = None
        try:
            while waiting:
                failures = self._exchange(rows, sequences, waiting, answers)
                if failures:
                    first = min(failures if first is None else (first, *failures), key=lambda each: each.place)
                    early = {seat: places[places < first.place] for seat, places in waiting.items()}
                    waiting = {seat: places for seat, places in early.items() if len(places)}
        except BaseException:
            self._drop_who_owe()
            raise
        if first is not None:
            reason = self._with_last_words(first.fault.clause, first.seat)
            raise DecisionFailed(first.place, reason, first.fault.fault, answers[: first.place]) from first.fault
        return answers

    def _exchange(
        self,
        rows: NDArray[np.void],
        sequences: NDArray[np.int64],
        waiting: dict[Seat, NDArray[np.intp]],
        answers: NDArray[np.int64],
    ) -> "list[_Failure]":
        """One message to each seat, and its answer.

        `waiting`: by seat the places of rows that have not been asked, not empty; what is answered is taken out, and so
        is all of a seat that fails.
        """
        failures = []

        def each(step: Callable[[Seat], None]) -> None:
            for seat in list(waiting):
                try:
                    step(seat)
                except ProcessFault as fault:
                    self._drop(seat)
                    places = waiting.pop(seat)
                    good = fault.answers if isinstance(fault, AnswerFault) else ()
                    answers[places[: len(good)]] = good
                    failures.append(_Failure(int(places[len(good)]), seat, fault))

        def ask(seat: Seat) -> None:
            talk = self._talks[seat]
            places = waiting[seat][: talk.most]
            talk.ask(taken(rows, places), sequences[places].tolist(), self._deadline(talk, len(places)))

        def hear(seat: Seat) -> None:
            talk = self._talks[seat]
            places, rest = waiting[seat][: talk.most], waiting[seat][talk.most :]
            answers[places] = talk.hear()
            if len(rest):
                waiting[seat] = rest
            else:
                del waiting[seat]

        each(self._begin)
        each(self._meet)
        each(ask)
        each(hear)
        return failures

    def _deadline(self, talk: Talk, questions: int) -> Deadline:
        """The time from now on in which the process may answer a message with so many questions."""
        seconds = self._limits.answer * min(questions, MOST_TOGETHER)
        return ProcessorDeadline(talk.clock, seconds, self._limits.idle, self._limits.run)

    def finish(self, sequences: NDArray[np.int64]) -> None:
        """Forget the players of these sequences."""
        over = sequences.tolist()
        for talk in self._talks.values():
            for sequence in over:
                talk.forget(sequence)

    def reset(self) -> None:
        """End the processes: those that are asked next have seen nothing."""
        _end_all(self._talks)

    def close(self) -> None:
        """End the processes. One that is asked again is started anew, and remembers nothing."""
        _end_all(self._talks)

    def ready(self, seats: Sequence[Seat] = range(SEATS)) -> float:
        """Start the processes of these seats that do not run. Raises BotSpecError."""
        self._introduce(seats)
        return max(talk.clock.total for talk in self._talks.values())

    def memory(self) -> int:
        """Most bytes that a process holds, of those of its seats and those that they have started."""
        return max((memory_below(talk.child.pid) for talk in self._talks.values()), default=0)

    def introduce(self, seat: Seat) -> Title:
        """Start the process of a seat, if it does not run; its title. Raises BotSpecError."""
        self._introduce([seat])
        return self._talks[seat].title

    def _introduce(self, seats: Iterable[Seat]) -> None:
        try:
            for step in (self._begin, self._meet):
                for seat in seats:
                    try:
                        step(seat)
                    except ProcessFault as fault:
                        self._drop(seat)
                        reason = self._with_last_words(fault.clause, seat)
                        raise BotSpecError(f"bot {self.name!r} cannot be started: {reason}") from fault
        except BaseException:
            self._drop_who_owe()
            raise

    def _begin(self, seat: Seat) -> None:
        """Start the process of a seat and greet it, if there is none. Raises ProcessFault, BotSpecError."""
        if seat in self._talks:
            return
        try:
            output = self._outputs.setdefault(seat, Output(_MOST_ERRORS))
            child = self._start(self._command, output, self._folder, self._limits)
        except OSError as error:
            program = self._command[0]
            raise BotSpecError(f"bot {self.name!r}: {program} cannot be started: {_reason(error)}") from error
        talk = self._talks[seat] = Talk(child)
        talk.greet(
            hello(self._rules, seat, self._parameters, self._limits),
            ProcessorDeadline(talk.clock, self._limits.start, self._limits.idle, self._limits.run),
        )

    def _meet(self, seat: Seat) -> None:
        """Wait for the hello of a seat's process, if it has not come. Raises ProcessFault."""
        talk = self._talks[seat]
        if not talk.is_met:
            talk.meet()

    def _drop(self, seat: Seat) -> None:
        """End the process of a seat, if there is one; when the seat is asked again it is started anew."""
        talk = self._talks.pop(seat, None)
        if talk:
            talk.child.end()

    def _drop_who_owe(self) -> None:
        """End the processes that owe a message: whatever has interrupted it, later ones would be out of step."""
        for seat in [seat for seat, talk in self._talks.items() if talk.owes]:
            self._drop(seat)

    def _with_last_words(self, reason: str, seat: Seat) -> str:
        last = self._outputs[seat].tail
        return f"{reason}; the end of its standard error: {last}" if last else reason


def _reason(error: OSError) -> str:
    if error.errno == errno.ENOEXEC:
        return "it is no program; a script begins with a line such as #!/usr/bin/env python3"
    if error.errno == errno.ENOENT:
        return "there is no such file, or not the interpreter that its first line names"
    return error.strerror or type(error).__name__
