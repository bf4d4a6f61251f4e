"""The life of a bot in its jail: it is loaded, asked, and told which of its tables are over."""

import errno
import gc
import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final, NamedTuple, NoReturn

import msgspec
import numba
import numpy as np

from bidwhist import _cache
from bidwhist.bot.chance import Chance
from bidwhist.bot.deciders.scalar import ScalarBot
from bidwhist.bot.jailed.exchange import (
    ANSWER,
    ANSWERED,
    ARENA_SLEEPS,
    ASKED,
    BOT_SLEEPS,
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
from bidwhist.bot.limits import Limits
from bidwhist.bot.loading import blaming
from bidwhist.bot.metadata import Metadata
from bidwhist.bot.python.errors import describe_error
from bidwhist.bot.sources.source import BotSource
from bidwhist.engine.decider import Decider, DecisionFailed
from bidwhist.errors import BidWhistError
from bidwhist.faults import Fault
from bidwhist.jail.confine import MOST_FILE, MOST_OPEN
from bidwhist.observation import Obs
from bidwhist.process.child import Pipes
from bidwhist.rules import CLASSIC, Rules

_OF_LIMITS: Final = frozenset({errno.EFBIG, errno.ENOSPC, errno.EDQUOT, errno.EMFILE, errno.ENOMEM})
CODE: Final = "code"
"""The folder of compiled code in the scratch folder."""


class Order(NamedTuple):
    """The task of a jailed process with a bot: play by `rules`; or, without them, tell its metadata and end.

    `scratch`: its folder; `ready`: a folder with code that was compiled for this bot before.
    """

    bot: BotSource
    rules: Rules | None
    limits: Limits
    scratch: Path
    ready: Path | None


class Greeting(msgspec.Struct):
    """A bot says that it is ready: whether it answers several questions at once, and its metadata if it was asked."""

    together: bool
    metadata: Metadata | None = None


class Explanation(msgspec.Struct):
    """A bot's reasons, None without any."""

    text: str | None


def prepare() -> None:
    """In the parent of jailed processes: load what bots need, so that no process has to."""
    import bidwhist.bot.deciders.python
    import bidwhist.rows
    import bidwhist.worlds.front  # noqa: F401  # loaded here, for all
    from bidwhist.bot.playing import play_one_hand
    from bidwhist.bot.sources.find import find_bot

    with find_bot("random").load(CLASSIC) as bot:
        play_one_hand(ScalarBot("first", lambda: _first, ""), CLASSIC)
        play_one_hand(bot, CLASSIC)


def _first(obs: Obs) -> int:
    return obs.legal[0]


def live(pipes: Pipes, more: list[int], order: Order) -> None:
    """Load the bot and answer as long as somebody asks."""
    sys.stdout.reconfigure(line_buffering=True)  # type: ignore[union-attr]  # it is a text stream
    gc.unfreeze()
    vars(numba.config)["CACHE_DIR"] = str(order.scratch)
    _cache.keep_apart(order.scratch / CODE, order.ready / CODE if order.ready else None)
    life = _Life(pipes, Exchange.of(more[0]), order.limits)
    try:
        with blaming(order.bot):
            if order.rules is None:
                life.say(READY, text=_greeting(order.bot.metadata()))
                life.end()
            bot = order.bot.load(order.rules, order.limits)
    except BidWhistError as error:
        life.say(FAILED, _kind_of(error), str(error) + _limit_of(error, order.limits))
        life.end()
    life.say(READY, text=msgspec.json.encode(Greeting(bot.answers_together)).decode())
    life.answer(bot)


def _greeting(metadata: Metadata) -> str:
    return msgspec.json.encode(Greeting(False, metadata)).decode()


def _kind_of(error: BaseException) -> Fault:
    """The kind of fault that an exception is."""
    error = _origin(error)
    if isinstance(error, MemoryError) or (isinstance(error, OSError) and error.errno in _OF_LIMITS):
        return Fault.LIMIT
    return Fault.CRASH


def _origin(error: BaseException) -> BaseException:
    while error.__cause__ is not None:
        error = error.__cause__
    return error


def _limit_of(error: BaseException, limits: Limits) -> str:
    """The limit that an exception comes from, to be put behind its words; '' if it is none of ours."""
    error = _origin(error)
    code = errno.ENOMEM if isinstance(error, MemoryError) else error.errno if isinstance(error, OSError) else None
    words = {
        errno.EFBIG: f"a file has {MOST_FILE >> 20} MB at most",
        errno.EMFILE: f"{MOST_OPEN} files are open at most",
        errno.ENOMEM: f"the bot has {limits.memory} MB of memory",
    }
    return f" ({words[code]})" if code in words else ""


def _explained(bot: Decider, exchange: Exchange) -> Explanation:
    obs = Obs(exchange.rows[0])
    try:
        return Explanation(bot.explain(obs))
    except BaseException as error:  # a stranger's code may raise anything
        return Explanation(f"explain(obs) failed: {describe_error(error, str(bot.file))}")


class _Life:
    def __init__(self, pipes: Pipes, exchange: Exchange, limits: Limits) -> None:
        self._pipes = pipes
        self._limits = limits
        self._exchange = exchange
        self._answers: memoryview = exchange.answers.data
        self._question = 0
        self._chance = Chance()

    def end(self) -> NoReturn:
        """End the process, without waiting for what the bot has left in it."""
        sys.stdout.flush()
        os._exit(0)

    def say(self, kind: int, fault: Fault = Fault.NONE, text: str = "") -> None:
        """Give the answer to the last question; the first one is that it is ready."""
        words = self._exchange.words
        words[STATUS], words[FAULT] = kind, fault
        self._exchange.text = text
        words[ANSWER] = self._question
        if words[ARENA_SLEEPS]:
            os.write(self._pipes.to, b".")

    def _await_question(self) -> None:
        """Wait for the next question. The process ends when nobody will ask any more."""
        exchange, words = self._exchange, self._exchange.words
        self._question += 1
        if not exchange.shows(ASKED, self._question):
            words[BOT_SLEEPS] = 1
            while words[ASKED] != self._question:
                if not os.read(self._pipes.of, 64):
                    self.end()
            words[BOT_SLEEPS] = 0

    def answer(self, bot: Decider) -> NoReturn:
        """Answer questions until nobody asks any more."""
        ask: Callable[[Any, int], None] = self._ask_each if isinstance(bot, ScalarBot) else self._ask_together
        exchange, words = self._exchange, self._exchange.words
        while True:
            self._await_question()
            if words[OVER]:
                bot.finish(exchange.over[: words[OVER]].copy())
            if words[KIND] in (EXPLAIN, CHANCE):
                said = _explained(bot, exchange) if words[KIND] == EXPLAIN else self._chance.drawn()
                self.say(ANSWERED, text=msgspec.json.encode(said).decode())
                continue
            try:
                ask(bot, words[ROWS])
            except DecisionFailed as failure:
                kind = _kind_of(failure) if failure.fault == Fault.CRASH else failure.fault
                given = failure.answers[: failure.place].astype(np.int16)
                exchange.answers[: len(given)] = given
                words[DONE] = len(given)
                self.say(FAILED, kind, failure.reason + _limit_of(failure, self._limits))
            else:
                self.say(ANSWERED)

    def _ask_each(self, bot: ScalarBot, rows: int) -> None:
        """Ask a scalar bot, and show how far it is: its time is that of a decision."""
        exchange, answers, words = self._exchange, self._answers, self._exchange.words
        for place, answer in enumerate(bot.answers(exchange.rows[:rows], exchange.sequences[:rows])):
            answers[place] = answer
            words[DONE] = place + 1

    def _ask_together(self, bot: Decider, rows: int) -> None:
        exchange = self._exchange
        answers = bot.decide(exchange.rows[:rows], exchange.sequences[:rows])
        exchange.answers[:rows] = answers
        exchange.words[DONE] = rows
