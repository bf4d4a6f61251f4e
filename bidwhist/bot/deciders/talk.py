"""A talk with one process of a bot that is a program of its own, in the version that its hello has chosen."""

from collections.abc import Sequence
from typing import Final

import numpy as np
from numpy.typing import NDArray

from bidwhist.bot.deciders.protocol import (
    MOST_QUESTIONS,
    QUIT,
    Title,
    action_of,
    actions_of,
    end,
    end_all,
    hello_of,
    observe,
    observe_all,
)
from bidwhist.bot.deciders.questions import places_of, prepare_writing, write_questions
from bidwhist.faults import Fault
from bidwhist.jail.clock import ProcessorClock
from bidwhist.observation import observations
from bidwhist.process.child import Child
from bidwhist.process.deadline import Deadline
from bidwhist.process.fault import ProcessFault
from bidwhist.text import quoted

_SINGLE: Final = 1  # the version that has one question in a message


class Talk:
    """The state of the conversation with a process.

    Each step is one half of an exchange, so that several processes can be told something before the first is waited
    for: `greet`, `meet` once, then `ask`, `hear` again and again. Every step may raise ProcessFault, after which the
    talk is over.
    """

    def __init__(self, child: Child) -> None:
        self.child = child
        self.clock = ProcessorClock(child.pid)
        self.title = Title("", "")
        """The title in its hello."""
        self.is_met = False
        """True once its hello has come."""
        self.owes = False
        """True while it owes a message."""
        self.most = 0
        """Most questions of a message."""
        self._version = 0
        self._fields = 0  # which fields of an observation it wants
        self._messages = 0
        self._asked = 0  # questions of the last message
        self._deadline = Deadline()  # for the message that it owes
        self._numbers: dict[int, int] = {}  # what the process calls the player of a sequence
        self._players = 0
        self._over: list[int] = []  # players whose end it has still to be told

    def greet(self, greeting: bytes, deadline: Deadline) -> None:
        """Send the arena's hello."""
        self._deadline = deadline
        self.owes = True
        try:
            self.child.send(greeting, deadline)
        except ProcessFault as fault:
            raise _early(fault) from None

    def meet(self) -> None:
        """Wait for its hello."""
        try:
            line = self.child.receive(self._deadline)
        except ProcessFault as fault:
            raise _early(fault) from None
        hello = hello_of(line)
        self.title = hello.title
        self._version = hello.version
        self._fields = places_of(hello.fields)
        self.is_met, self.owes = True, False
        if hello.version == _SINGLE:
            self.most = 1
        else:
            self.most = MOST_QUESTIONS
            prepare_writing()  # before the clock of a question runs

    def ask(self, rows: NDArray[np.void], sequences: Sequence[int], deadline: Deadline) -> None:
        """Ask the seat's players of these sequences; at most `most` OBSERVATION rows."""
        players = [self._player(sequence) for sequence in sequences]
        self._asked = len(rows)
        self._deadline = deadline
        unasked = self.child.take_unasked()
        if unasked:
            raise ProcessFault(f"wrote {quoted(unasked)} without being asked", Fault.MESSAGE)
        if self._version == _SINGLE:
            (obs,) = observations(rows)
            message = observe(self._messages, players[0], obs)
        else:
            questions = write_questions(rows, np.array(players, np.int64), self._fields)
            message = observe_all(self._messages, questions)
        self.owes = True
        self.child.send(self._unsaid() + message, deadline)

    def hear(self) -> list[int]:
        """Wait for the actions, in the order of the questions. Raises AnswerFault if a single one is wrong."""
        line = self.child.receive(self._deadline)
        number = self._messages
        self._messages += 1
        if self._version == _SINGLE:
            actions = [action_of(line, number)]
        else:
            actions = actions_of(line, number, self._asked)
        self.owes = False
        return actions

    def forget(self, sequence: int) -> None:
        """Forget a sequence that is over; the process is told with the next message, so this cannot fail."""
        if sequence in self._numbers:
            self._over.append(self._numbers.pop(sequence))

    def farewell(self) -> None:
        """Say what is left to say, and that it is all over."""
        self.child.close_input(self._unsaid() + QUIT)

    def _player(self, sequence: int) -> int:
        number = self._numbers.get(sequence)
        if number is None:
            number = self._numbers[sequence] = self._players
            self._players += 1
        return number

    def _unsaid(self) -> bytes:
        if not self._over:
            return b""
        over = b"".join(map(end, self._over)) if self._version == _SINGLE else end_all(self._over)
        self._over.clear()
        return over


def _early(fault: ProcessFault) -> ProcessFault:
    return type(fault)(f"{fault.reason}, before its hello", fault.fault)
