"""Asking a bot, as a run asks it, for one decision: what it answers, and why."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from bidwhist.actions import Action
from bidwhist.arena.players import Player, seat_player
from bidwhist.arena.replay import HandAgain, Question
from bidwhist.bot.debugger import Debugger
from bidwhist.bot.fault import describe_error
from bidwhist.bot.found import find_bot
from bidwhist.bot.python import PythonBot
from bidwhist.bot.scalar import ScalarBot
from bidwhist.cards import Seat
from bidwhist.engine.batch import DecisionFailed, Seer
from bidwhist.errors import BotSpecError, RunError
from bidwhist.notation import format_seat
from bidwhist.observation import OBSERVATION, Obs
from bidwhist.rules import Rules
from bidwhist.state import STATE
from bidwhist.table import explain_illegal

if TYPE_CHECKING:
    from bidwhist.engine.batch import Decider

_SEQUENCE: Final = np.zeros(1, np.int64)


@dataclass(frozen=True)
class Answer:
    """A bot's answer: the action, None if it gave none, and what is wrong with it, None if it is legal.

    If asked why: `explanation`, what the bot says of it, if it offers `explain(obs)`; and `errors`, what it has written
    to its standard error so far, if it is a program of its own.
    """

    action: Action | None
    fault: str | None
    explanation: str | None = None
    errors: str = ""


class Seated:
    """A bot at one seat of one table, where it may remember what it is asked."""

    def __init__(self, player: Player, rules: Rules, *, debugger: bool = False) -> None:
        """`debugger`: who asks why is taken to the bot's first line. Raises BotSpecError for a bot without lines."""
        self._player = player
        self._debugger = debugger
        self._decider: Decider = seat_player(player, rules)
        if debugger:
            self._decider = _in_plain_python(player, self._decider)

    def ask(self, obs: Obs, state: Any) -> Answer:
        """The bot's answer to the seat's next question; only a bot that sees all hands is shown the STATE record.

        Raises BotSpecError if there is none (None) and the bot needs it.
        """
        return self._ask(obs, state, None)

    def ask_why(self, obs: Obs, state: Any) -> Answer:
        """The same, with what the bot says of its answer. Raises KeyboardInterrupt if the debugger is left."""
        answer = self._ask(obs, state, Debugger() if self._debugger else None)
        errors: Mapping[Seat, str] = getattr(self._decider, "errors", {})
        explanation = None if answer.action is None else self._explain(obs)
        return replace(answer, explanation=explanation, errors=errors.get(obs.seat, ""))

    def leave(self) -> None:
        """The table is over."""
        self._decider.finish(_SEQUENCE)
        close = getattr(self._decider, "close", None)
        if close:
            close()

    def _ask(self, obs: Obs, state: Any, debugger: Debugger | None) -> Answer:
        rows = np.array([obs.row], OBSERVATION)
        if isinstance(self._decider, Seer):
            if state is None:
                raise BotSpecError(f"bot {self._player.spec.text!r}: sees all hands, and an observation has but one")
            self._decider.see(np.array([state], STATE))
        decide = self._decider.decide
        try:
            actions: Any = debugger.runcall(decide, rows, _SEQUENCE) if debugger else decide(rows, _SEQUENCE)
        except DecisionFailed as failure:
            return Answer(None, failure.reason)
        action = int(actions[0])
        return Answer(action, None if action in obs.legal else explain_illegal(obs, action))

    def _explain(self, obs: Obs) -> str | None:
        explain = getattr(self._decider, "explain", None)
        try:
            said: str | None = explain(obs) if explain else None
        except Exception as error:  # a stranger's code may raise anything
            return f"explain(obs) failed: {describe_error(error, str(self._player.file))}"
        return said


def ask_until(bot: Seated, again: HandAgain, seat: Seat, name: str) -> tuple[list[tuple[Question, Answer]], Question]:
    """Ask a bot for all decisions of a seat before that of a name: these with its answers, and the one of the name.

    Raises RunError if the seat was not asked for a decision of this name.
    """
    asked = [question.name for question in again.questions(seat)]
    if name not in asked:
        told = f"it was asked for {', '.join(asked)}" if asked else "it was asked for nothing"
        raise RunError(f"--decision: {format_seat(seat)} was not asked for {name!r} in this hand; {told}")
    questions = again.questions(seat)
    earlier = []
    question = next(questions)
    while question.name != name:
        answer = bot.ask(question.obs, question.state)
        earlier.append((question, answer))
        question = questions.send(answer.action)
    return earlier, question


def _in_plain_python(player: Player, decider: "Decider") -> ScalarBot:
    """The bot as one that is asked for a single decision, by its functions as they are written. Raises BotSpecError."""
    if not isinstance(decider, PythonBot):
        raise BotSpecError(f"bot {player.spec.text!r}: is none written in Python, whose lines a debugger could show")
    act = decider.player()  # made now, or the debugger would stop where it is made
    found = find_bot(player.spec, player.file)
    return ScalarBot(player.entry.name, lambda: act, found.source, found.module)
