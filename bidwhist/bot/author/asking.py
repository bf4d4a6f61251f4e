"""Asking a bot, as a run asks it, for one decision at a time: its answers, and why."""

from collections.abc import Callable
from contextlib import nullcontext
from dataclasses import dataclass, replace
from types import TracebackType
from typing import Any, Final, Self

import numpy as np

from bidwhist.actions import Action
from bidwhist.activity import busy
from bidwhist.bot.author.debugger import Debugger
from bidwhist.bot.loading import load_bot
from bidwhist.bot.python.errors import describe_error
from bidwhist.bot.sources.source import BotSource
from bidwhist.engine.decider import DecisionFailed, Seer
from bidwhist.errors import BotSpecError
from bidwhist.interrupts import UserInterrupt, user_interrupts
from bidwhist.observation import OBSERVATION, Obs
from bidwhist.rules import Rules
from bidwhist.state import STATE
from bidwhist.table import explain_illegal
from bidwhist.text import echo

_SEQUENCE: Final = np.zeros(1, np.int64)


@dataclass(frozen=True)
class Answer:
    """A bot's answer: the action, None if it gave none, and the reason why it is not legal, None if it is.

    If asked why: `explanation`, the bot's own, if it offers `explain(obs)`; and `errors`, what it has written to its
    standard error so far, if it is a program of its own. `error`: what a bot written in Python has raised.
    """

    action: Action | None
    fault: str | None
    explanation: str | None = None
    errors: str = ""
    error: BaseException | None = None


class Seated:
    """A bot at one seat of one table, where it may remember what it is asked; a context that lets it go."""

    def __init__(self, source: BotSource, rules: Rules, *, debugger: bool = False) -> None:
        """`debugger`: who asks why is taken to the bot's first line. Raises BotSpecError for a bot without lines."""
        self._source = source
        self._debugger = debugger
        with busy(f"loading {source.entry.name}"):
            self._decider = load_bot(source, rules)
        if debugger:
            with self._decider as bot:  # its processes, if it has some, are not needed
                self._decider = bot.in_python()

    def ask(self, obs: Obs, state: Any = None) -> Answer:
        """The bot's answer to the seat's next question; only a bot that sees all hands is shown the STATE record.

        Raises BotSpecError if there is none (None) and the bot needs it, or if the bot cannot be started.
        """
        return self._ask(obs, state, self._decider.decide)

    def ask_why(self, obs: Obs, state: Any = None) -> Answer:
        """The same, with the bot's reasons for its answer. Raises UserInterrupt if the debugger is left."""
        decide = self._decider.decide
        if self._debugger:
            answer = self._ask(obs, state, lambda *asked: Debugger().runcall(decide, *asked))
        else:
            answer = self._ask(obs, state, decide)
        explanation = None if answer.action is None else self._explain(obs)
        return replace(answer, explanation=explanation, errors=self._decider.errors.get(obs.seat, ""))

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._decider.finish(_SEQUENCE)
        self._decider.close()

    def _ask(self, obs: Obs, state: Any, decide: Callable[..., Any]) -> Answer:
        if isinstance(self._decider, Seer):
            if state is None:
                raise BotSpecError(
                    f"bot {echo(self._source.spec.text)}: sees all hands, and an observation has but one"
                )
            self._decider.see(np.array([state], STATE))
        self._decider.ready([obs.seat])
        try:
            # Under the debugger it is the user who is waited for.
            waiting = nullcontext() if self._debugger else busy(f"waiting for the answer of {self._source.entry.name}")
            with waiting, user_interrupts():
                action = int(decide(np.array([obs.row], OBSERVATION), _SEQUENCE)[0])
        except DecisionFailed as failure:
            return Answer(None, failure.reason, error=failure.__cause__)
        return Answer(action, None if action in obs.legal else explain_illegal(obs, action))

    def _explain(self, obs: Obs) -> str | None:
        try:
            with user_interrupts():
                return self._decider.explain(obs)
        except UserInterrupt:
            raise
        except BaseException as error:  # a stranger's code may raise anything
            return f"explain(obs) failed: {describe_error(error, str(self._decider.file))}"
