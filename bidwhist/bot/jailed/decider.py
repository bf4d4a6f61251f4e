"""A bot in Python that plays in processes of its own, one for each seat, which cannot reach anything else."""

import os
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import Final, TypeVar

import msgspec
import numpy as np
from numpy.typing import NDArray

from bidwhist import _cache
from bidwhist.actions import ACTIONS
from bidwhist.bot.jailed.exchange import (
    ANSWER,
    ANSWERED,
    ARENA_SLEEPS,
    ASK,
    ASKED,
    BOT_SLEEPS,
    CAPACITY,
    CHANCE,
    DONE,
    EXPLAIN,
    FAILED,
    FAULT,
    KIND,
    OVER,
    READY,
    ROWS,
    STATUS,
    Exchange,
)
from bidwhist.bot.jailed.inside import Explanation, Greeting, Order
from bidwhist.bot.jailed.jail import Jail
from bidwhist.bot.jailed.ready import ready_code
from bidwhist.bot.jailed.scratch import Scratch
from bidwhist.bot.limits import MOST_TOGETHER, Limits
from bidwhist.bot.sources.source import BotSource
from bidwhist.cards import SEATS, Seat
from bidwhist.engine.decider import Decider, DecisionFailed
from bidwhist.errors import BotSpecError
from bidwhist.faults import Fault
from bidwhist.jail.client import start
from bidwhist.jail.clock import ProcessorClock, ProcessorDeadline
from bidwhist.jail.confine import Confinement
from bidwhist.jail.server import Request
from bidwhist.observation import OBSERVATION, Obs
from bidwhist.process.fault import ProcessFault
from bidwhist.process.held import memory_of
from bidwhist.process.machine import machine_limits
from bidwhist.process.output import Output
from bidwhist.rules import Rules
from bidwhist.text import echo, printable

_MOST_OUTPUT: Final = 32 * 1024  # bytes that are kept of what a seat prints
_MOST_UNREAD: Final = 1 << 16  # bytes that may come through the pipe while one waits
_TARGET: Final = "bidwhist.bot.jailed.inside:live"


T = TypeVar("T")
_NO_ROWS: Final = np.zeros(0, OBSERVATION)
_NO_SEQUENCES: Final = np.zeros(0, np.int64)


class NotLoaded(ProcessFault):
    """The bot cannot be loaded; `reason` is a whole sentence."""


class _Allowance(ProcessorDeadline):
    """The time of one or more decisions.

    `words`: of an exchange in which every answer lets the time begin anew; None if it does not.
    """

    def __init__(self, clock: ProcessorClock, seconds: float, limits: Limits, words: memoryview | None) -> None:
        super().__init__(clock, seconds, limits.idle, limits.run)
        self._exchanged = words
        self._before = 0

    @property
    def left(self) -> float:
        """Seconds that have to pass at least before the time is over."""
        if self._exchanged is not None and self._exchanged[DONE] != self._before:
            self._before = self._exchanged[DONE]
            self.renew()
        return super().left


class Player:
    """The process of a seat."""

    def __init__(self, jail: Jail, source: BotSource, rules: Rules | None, limits: Limits, output: Output) -> None:
        """Start it; `greet` waits until it is ready. Without `rules` it only tells its metadata.

        Raises OSError or Stopped.
        """
        self._limits = limits
        self._question = 0
        self._greeting: Greeting | None = None
        self.scratch = Scratch(Path(jail.address).parent, limits.scratch)
        try:
            self._exchange, memory = Exchange.create()
            try:
                ready = ready_code(source)
                readable = [_cache.CODE, ready, *source.readable]
                terms = Confinement(
                    self.scratch.path,
                    tuple(each for each in readable if each is not None),
                    limits.memory,
                    isolated=jail.isolated,
                )
                self._exchange.words[ANSWER] = -1
                order = Order(source, rules, limits, self.scratch.path, ready)
                self.child = start(
                    jail.address,
                    Request(_TARGET, order, terms),
                    output,
                    [memory],
                    line_limit=_MOST_UNREAD,
                    at_end=self.scratch.remove,
                    watch=self.scratch.check,
                )
            finally:
                os.close(memory)
        except BaseException:
            self.scratch.remove()
            raise
        self._held = memory_of(self.child.pid)
        self.clock = ProcessorClock(self.child.pid)
        self._deadline = _Allowance(self.clock, limits.start, limits, None)

    def greet(self) -> Greeting:
        """Wait until the bot is loaded. Raises ProcessFault."""
        if self._greeting is None:
            status = self._await_answer()
            if status == FAILED:
                raise NotLoaded(printable(self._exchange.text), _known(self._exchange.words[FAULT]))
            try:
                if status != READY:
                    raise msgspec.ValidationError
                self._greeting = msgspec.json.decode(self._exchange.text, type=Greeting)
            except msgspec.DecodeError:
                raise ProcessFault("sent something else than that it is ready", Fault.MESSAGE) from None
        return self._greeting

    def ask(
        self,
        kind: int,
        rows: NDArray[np.void],
        sequences: NDArray[np.int64],
        over: list[int],
        places: NDArray[np.intp] | None = None,
    ) -> None:
        """Send a question about up to CAPACITY rows, or those at some places. Raises ProcessFault."""
        greeting = self.greet()
        exchange, words = self._exchange, self._exchange.words
        count = exchange.write(rows, sequences, places)
        if over:
            exchange.over[: len(over)] = over
        exchange.answers[:count] = -1
        words[DONE], words[KIND], words[ROWS], words[OVER] = 0, kind, count, len(over)
        self._question += 1
        words[ASKED] = self._question
        together = greeting.together
        seconds = self._limits.answer * (min(count, MOST_TOGETHER) if together else 1)
        self._deadline = _Allowance(self.clock, seconds, self._limits, None if together else words)
        if words[BOT_SLEEPS]:
            self.child.send(b".", self._deadline)

    def answers(self, count: int) -> NDArray[np.int64]:
        """The answers (int64[count]) to what was asked. Raises DecisionFailed."""
        reason, fault, cause = "sent an answer of a wrong kind", Fault.MESSAGE, None
        try:
            status = self._await_answer()
            if status == ANSWERED:
                return self._all_given(count)
            if status == FAILED:
                reason, fault = printable(self._exchange.text), _known(self._exchange.words[FAULT])
        except ProcessFault as error:
            reason, fault, cause = error.clause, error.fault, error
        given = self._given(min(max(self._exchange.words[DONE], 0), count - 1))
        raise DecisionFailed(len(given), reason, fault, given) from cause

    def told(self, kind: type[T]) -> T:
        """The text with which it has answered, as JSON of a `kind`. Raises ProcessFault."""
        status = self._await_answer()
        try:
            if status != ANSWERED:
                raise msgspec.ValidationError
            return msgspec.json.decode(self._exchange.text, type=kind)
        except msgspec.DecodeError:
            raise ProcessFault("gave an answer that cannot be read", Fault.MESSAGE) from None

    def memory(self) -> int:
        """Bytes that its process holds beyond those with which it began."""
        return memory_of(self.child.pid) - self._held

    def end(self) -> None:
        """End the process, with all that it has started, and remove its folder."""
        self.child.end()

    def _all_given(self, count: int) -> NDArray[np.int64]:
        given = self._given(count)
        if len(given) < count:
            answer = int(self._exchange.answers[len(given)])
            reason = f"answered {answer}: an action is an integer 0-{ACTIONS - 1}"
            raise DecisionFailed(len(given), reason, Fault.ILLEGAL, given)
        return given

    def _given(self, most: int) -> NDArray[np.int64]:
        """The answers up to the first that is no action, `most` of them at most."""
        answers = self._exchange.answers[:most].copy()  # the bot may go on writing
        unsigned = answers.view(np.uint16)  # so that those below 0 are too high, too
        if unsigned.max(initial=0) >= ACTIONS:
            answers = answers[: int((unsigned >= ACTIONS).argmax())]
        given: NDArray[np.int64] = answers.astype(np.int64)
        return given

    def _await_answer(self) -> int:
        """Wait for the answer to the last question; its kind. Raises ProcessFault."""
        exchange, words = self._exchange, self._exchange.words
        if not exchange.shows(ANSWER, self._question):
            words[ARENA_SLEEPS] = 1
            while words[ANSWER] != self._question:
                if words[BOT_SLEEPS]:  # a byte was missed
                    self.child.send(b".", self._deadline)
                self.child.wait(self._deadline, "gave no answer")
            words[ARENA_SLEEPS] = 0
            self.child.take_arrived()
        return words[STATUS]


def _known(code: int) -> Fault:
    return Fault(code) if code in set(Fault) - {Fault.NONE, Fault.UNASKED} else Fault.CRASH


def introduced(player: Player, spec: str, output: Output) -> Greeting:
    """The greeting of a process; `output`: what it prints. Raises BotSpecError if the bot cannot be loaded there."""
    try:
        return player.greet()
    except NotLoaded as error:
        raise BotSpecError(error.reason) from None
    except ProcessFault as fault:
        player.end()
        last = f"; the end of what it printed: {output.tail}" if output.tail else ""
        raise BotSpecError(
            f"bot {echo(spec)} cannot be loaded: the process that loads it {fault.reason}{last}"
        ) from fault


class JailedBot(Decider):
    """A bot in Python, in a jail for each seat, started when it is first asked."""

    is_apart = True

    def __init__(self, source: BotSource, rules: Rules, limits: Limits, jail: Jail) -> None:
        super().__init__(source.entry.name)
        self._source = source
        self._rules = rules
        self._limits = limits
        self._jail = jail
        self._players: dict[Seat, Player] = {}
        self._has_begun = False  # to answer
        self._places: dict[Seat, NDArray[np.intp]] = {}  # of rows that are still to be answered
        self._over: dict[Seat, list[int]] = {}  # sequences that have ended, and of which a seat is still to be told
        self._outputs = [Output(_MOST_OUTPUT) for _ in range(SEATS)]

    @property
    def errors(self) -> dict[Seat, str]:
        """By seat the first 32 KB of what was printed, and a count of the rest."""
        for player in self._players.values():
            player.child.read_errors()
        return {seat: output.text for seat, output in enumerate(self._outputs) if output.size}

    def begin(self, rows: NDArray[np.void], sequences: NDArray[np.int64]) -> None:
        """Send the first questions to all seats, so that they think at the same time, and others meanwhile.

        Raises Stopped if no process can be started.
        """
        self._has_begun = True
        self._places = _by_seat(rows)
        self._failures: dict[int, DecisionFailed] = {}  # by place
        for seat in self._places:
            self._start(seat)
        self._ask_all(rows, sequences, 0)

    def decide(self, rows: NDArray[np.void], sequences: NDArray[np.int64]) -> NDArray[np.int64]:
        """An action for each OBSERVATION row. Raises DecisionFailed, or Stopped if no process can be started."""
        if not self._has_begun:
            self.begin(rows, sequences)
        self._has_begun = False
        if len(rows) <= CAPACITY and len(self._places) == 1 and not self._failures:  # nothing to put together
            return self._hear(self._places.popitem()[0], len(rows))
        answers = np.full(len(rows), -1, np.int64)
        begin = 0
        while self._places:
            for seat, places in list(self._places.items()):
                chunk = places[begin : begin + CAPACITY]
                try:
                    answers[chunk] = self._hear(seat, len(chunk))
                    if len(places) <= begin + CAPACITY:
                        del self._places[seat]
                except DecisionFailed as failure:
                    given = failure.answers
                    answers[chunk[: len(given)]] = given
                    self._fail(seat, int(chunk[failure.place]), failure)
            begin += CAPACITY
            self._ask_all(rows, sequences, begin)
        if self._failures:
            place = min(self._failures)
            first = self._failures[place]
            raise DecisionFailed(place, first.reason, first.fault, answers) from first
        return answers

    def _ask_all(self, rows: NDArray[np.void], sequences: NDArray[np.int64], begin: int) -> None:
        """Send the questions from `begin` on to each seat that has some."""
        for seat, places in list(self._places.items()):
            chunk = places[begin : begin + CAPACITY]
            try:
                self._ask(seat, rows, sequences, None if len(chunk) == len(rows) else chunk)
            except DecisionFailed as failure:
                self._fail(seat, int(chunk[0]), failure)

    def _fail(self, seat: Seat, place: int, failure: DecisionFailed) -> None:
        """A seat has failed at a row, and is not asked any more for now."""
        self._failures[place] = failure
        del self._places[seat]

    def _ask(
        self, seat: Seat, rows: NDArray[np.void], sequences: NDArray[np.int64], places: NDArray[np.intp] | None
    ) -> None:
        """Send a question. Raises DecisionFailed."""
        player = self._players[seat]
        try:
            player.ask(ASK, rows, sequences, self._take_over(seat), places)
            self.answers_together = player.greet().together
        except ProcessFault as fault:
            self._drop(seat)
            raise DecisionFailed(0, self._reason(seat, fault.clause), fault.fault) from fault

    def _hear(self, seat: Seat, count: int) -> NDArray[np.int64]:
        """The answers to the last question. Raises DecisionFailed."""
        try:
            return self._players[seat].answers(count)
        except DecisionFailed as failure:
            if isinstance(failure.__cause__, ProcessFault):
                failure.reason = self._reason(seat, failure.reason)
                self._drop(seat)
            raise

    def finish(self, sequences: NDArray[np.int64]) -> None:
        """Forget the players of these sequences. They are told with the next question."""
        if not self.answers_together:  # else it has nothing to forget
            for seat in self._players:
                self._over.setdefault(seat, []).extend(sequences.tolist())

    def restart(self, sequence: int, seat: Seat) -> None:
        """Forget the player of a seat in a sequence; the other players of its process stay, if the process does."""
        if seat in self._players:
            self._over.setdefault(seat, []).append(sequence)

    def explain(self, obs: Obs) -> str | None:
        """The reasons of the seat's player for its last answer."""
        seat = obs.seat
        if seat not in self._players:
            return None
        player = self._players[seat]
        try:
            player.ask(EXPLAIN, np.array([obs.row], OBSERVATION), np.zeros(1, np.int64), [])
            return player.told(Explanation).text
        except ProcessFault as fault:
            self._drop(seat)
            return f"explain(obs) failed: {fault.clause}"

    def ready(self, seats: Sequence[Seat] = range(SEATS)) -> float:
        """Start the processes of these seats that do not run. Raises BotSpecError, or Stopped if that is impossible."""
        for seat in seats:
            self._start(seat)
        for seat in seats:
            try:
                introduced(self._players[seat], self._source.spec.text, self._outputs[seat])
            except BotSpecError:
                self.reset()
                raise
        return max(player.clock.total for player in self._players.values())

    def memory(self) -> int:
        """Most bytes that one of its processes has taken."""
        return max((player.memory() for player in self._players.values()), default=0)

    def drawn_from(self) -> list[str]:
        """Names of the global sources of chance that its processes have drawn from."""
        found: set[str] = set()
        for player in self._players.values():
            with suppress(ProcessFault):
                player.ask(CHANCE, _NO_ROWS, _NO_SEQUENCES, [])
                found.update(player.told(list[str]))
        return sorted(found)

    def reset(self) -> None:
        """End all processes: those that are asked next have seen nothing."""
        self._has_begun, self._places = False, {}
        for seat in list(self._players):
            self._drop(seat)

    def close(self) -> None:
        """End all processes."""
        self.reset()

    def _start(self, seat: Seat) -> None:
        if seat not in self._players:
            with machine_limits("no process can be started"):
                self._players[seat] = Player(self._jail, self._source, self._rules, self._limits, self._outputs[seat])

    def _take_over(self, seat: Seat) -> list[int]:
        """Sequences that a seat is to be told are over, as many as a message holds."""
        over = self._over.get(seat, [])
        taken, self._over[seat] = over[:CAPACITY], over[CAPACITY:]
        return taken

    def _drop(self, seat: Seat) -> None:
        self._over.pop(seat, None)
        self._players.pop(seat).end()

    def _reason(self, seat: Seat, reason: str) -> str:
        last = self._outputs[seat].tail
        return f"{reason}; the end of what it printed: {last}" if last else reason


def _by_seat(rows: NDArray[np.void]) -> "dict[Seat, NDArray[np.intp]]":
    """By seat the places of its rows."""
    seats = np.ascontiguousarray(rows["seat"])
    first = int(seats[0])
    if seats.tobytes().count(first) == len(seats):
        return {first: np.arange(len(seats))}
    return {seat: places for seat in range(SEATS) if len(places := np.flatnonzero(seats == seat))}
