"""Bots in any language: commands that speak the protocol of docs/protocol.md.

A process plays one seat, at all tables that the arena's own process plays, and is asked one question at a time.
"""

import errno
import weakref
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final

import numpy as np
from numpy.typing import NDArray

from bidwhist.bot.deciders.protocol import (
    LINE_LIMIT,
    QUIT,
    Title,
    action_of,
    end,
    hello,
    observe,
    title_of,
)
from bidwhist.bot.limits import LIMITS, Limits
from bidwhist.cards import SEATS, Seat
from bidwhist.engine.decider import Decider, DecisionFailed
from bidwhist.errors import BotSpecError
from bidwhist.faults import Fault
from bidwhist.observation import Obs, observations
from bidwhist.process.child import Child
from bidwhist.process.deadline import Deadline
from bidwhist.process.fault import ProcessFault
from bidwhist.process.output import Output
from bidwhist.rules import Rules
from bidwhist.text import quoted

_PATIENCE: Final = 1.0  # seconds to exit after `quit`
_MOST_ERRORS: Final = 32 * 1024  # bytes that are kept of a seat's standard error


class _Talk:
    """What has been said to one process, and what it has still to be told."""

    def __init__(self, child: Child, greeting: bytes, limits: Limits) -> None:
        """Exchange the hellos. Raises ProcessFault."""
        self.child = child
        self._limit = limits.answer
        self._questions = 0
        self._numbers: dict[int, int] = {}  # what the process calls the player of a sequence
        self._players = 0
        self._ends: list[bytes] = []
        deadline = Deadline(limits.start)
        try:
            child.send(greeting, deadline)
            line = child.receive(deadline)
        except ProcessFault as fault:
            raise ProcessFault(f"{fault.reason}, before its hello", fault.fault) from None
        self.title: Title = title_of(line)

    def ask(self, sequence: int, obs: Obs) -> int:
        """The answer of a sequence's player. Raises ProcessFault."""
        if sequence not in self._numbers:
            self._numbers[sequence] = self._players
            self._players += 1
        number = self._questions
        self._questions += 1
        unasked = self.child.take_unasked()
        if unasked:
            raise ProcessFault(f"wrote {quoted(unasked)} without being asked", Fault.MESSAGE)
        deadline = Deadline(self._limit)
        self.child.send(self._unsaid() + observe(number, self._numbers[sequence], obs), deadline)
        return action_of(self.child.receive(deadline), number)

    def forget(self, sequence: int) -> None:
        """The sequence is over. The process is told with the next message: telling can fail, forgetting cannot."""
        if sequence in self._numbers:
            self._ends.append(end(self._numbers.pop(sequence)))

    def farewell(self) -> None:
        """Say what is left to say, and that it is all over."""
        self.child.close_input(self._unsaid() + QUIT)

    def _unsaid(self) -> bytes:
        ends = b"".join(self._ends)
        self._ends.clear()
        return ends


def _end_all(talks: dict[Seat, _Talk]) -> None:
    for talk in talks.values():
        talk.farewell()
    deadline = Deadline(_PATIENCE)
    while talks:
        talks.popitem()[1].child.end(deadline)


class CommandBot(Decider):
    """A command, started for a seat when it is first asked or introduced."""

    def __init__(
        self,
        name: str,
        command: Sequence[str],
        rules: Rules,
        parameters: Mapping[str, str],
        folder: Path,
        limits: Limits = LIMITS,
    ) -> None:
        """`folder`: where the command is started."""
        super().__init__(name)
        self._command = command
        self._rules = rules
        self._parameters = parameters
        self._folder = folder
        self._limits = limits
        self._talks: dict[Seat, _Talk] = {}
        self._outputs: dict[Seat, Output] = {}
        self._finalizer = weakref.finalize(self, _end_all, self._talks)  # also when Python exits

    @property
    def titles(self) -> dict[Seat, Title]:
        """The titles of the processes, by seat."""
        return {seat: talk.title for seat, talk in self._talks.items()}

    @property
    def errors(self) -> dict[Seat, str]:
        """By seat the first 32 KB, and a count of the rest."""
        return {seat: output.text for seat, output in self._outputs.items()}

    def decide(self, rows: NDArray[np.void], sequences: NDArray[np.int64]) -> NDArray[np.int64]:
        """An action for each OBSERVATION row. Raises DecisionFailed, and BotSpecError if the command does not start."""
        answers = np.empty(len(rows), np.int64)
        for place, (obs, sequence) in enumerate(zip(observations(rows), sequences.tolist(), strict=True)):
            try:
                answers[place] = self._ask(obs, sequence)
            except ProcessFault as fault:
                reason = self._with_last_words(fault.reason, obs.seat)
                raise DecisionFailed(place, reason, fault.fault, answers[:place]) from fault
        return answers

    def finish(self, sequences: NDArray[np.int64]) -> None:
        """Forget the players of these sequences."""
        over = sequences.tolist()
        for talk in self._talks.values():
            for sequence in over:
                talk.forget(sequence)

    def close(self) -> None:
        """End the processes. One that is asked again is started anew, and remembers nothing."""
        _end_all(self._talks)

    def introduce_all(self) -> None:
        """Start the processes of all seats. Raises BotSpecError."""
        for seat in range(SEATS):
            self.introduce(seat)

    def introduce(self, seat: Seat) -> Title:
        """Start the process of a seat, if it does not run; its title. Raises BotSpecError."""
        try:
            return self._talk(seat).title
        except ProcessFault as fault:
            reason = self._with_last_words(fault.reason, seat)
            raise BotSpecError(f"bot {self.name!r} cannot be started: {reason}") from fault

    def _talk(self, seat: Seat) -> _Talk:
        """The talk with a seat's process, begun if there is none."""
        if seat not in self._talks:
            child = self._start(seat)
            try:
                greeting = hello(self._rules, seat, self._parameters, self._limits)
                self._talks[seat] = _Talk(child, greeting, self._limits)
            except BaseException:
                child.end()
                raise
        return self._talks[seat]

    def _ask(self, obs: Obs, sequence: int) -> int:
        """The answer of the player of a seat and sequence. Raises ProcessFault."""
        try:
            return self._talk(obs.seat).ask(sequence, obs)
        except BaseException:
            # Whatever came between question and answer, the answers would be out of step.
            talk = self._talks.pop(obs.seat, None)
            if talk:
                talk.child.end()
            raise

    def _start(self, seat: Seat) -> Child:
        try:
            output = self._outputs.setdefault(seat, Output(_MOST_ERRORS))
            return Child.start(self._command, output, line_limit=LINE_LIMIT, folder=self._folder)
        except OSError as error:
            program = self._command[0]
            raise BotSpecError(f"bot {self.name!r}: {program} cannot be started: {_reason(error)}") from error

    def _with_last_words(self, reason: str, seat: Seat) -> str:
        last = self._outputs[seat].tail
        return f"{reason}; the end of its standard error: {last}" if last else reason


def _reason(error: OSError) -> str:
    if error.errno == errno.ENOEXEC:
        return "it is no program; a script begins with a line such as #!/usr/bin/env python3"
    if error.errno == errno.ENOENT:
        return "there is no such file, or not the interpreter that its first line names"
    return error.strerror or type(error).__name__
