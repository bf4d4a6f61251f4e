"""Loading bots once, to see that they can be loaded: in processes of their own, of which nothing is left."""

from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack
from typing import TYPE_CHECKING, NamedTuple

from bidwhist.activity import busy
from bidwhist.bot.limits import LIMITS, Limits
from bidwhist.bot.loading import blaming
from bidwhist.errors import BotSpecError
from bidwhist.process.fault import ProcessFault
from bidwhist.process.forked import ForkServer
from bidwhist.rules import Rules
from bidwhist.text import echo

if TYPE_CHECKING:
    from bidwhist.bot.sources.source import BotSource


class _Task(NamedTuple):
    bot: "BotSource"
    rules: Rules
    limits: Limits


def probe_all(bots: "Iterable[BotSource]", rules: Rules, limits: Limits = LIMITS) -> None:
    """Load each bot once, one after the other.

    Raises BotSpecError for the first that cannot be loaded, or ends the process in which it is loaded, or takes longer
    than the limit of its start.
    """
    for _, failure in probed(bots, rules, limits):
        if failure is not None:
            raise failure


def probed(
    bots: "Iterable[BotSource]", rules: Rules, limits: Limits = LIMITS
) -> "Iterator[tuple[BotSource, BotSpecError | None]]":
    """Load each bot once, one after the other: each with the error that `probe_all` would raise, or None."""
    with ExitStack() as stack:
        server = None
        for bot in bots:
            if bot.runs_in_process and server is None:
                server = ForkServer("bidwhist.bot.probing:prepare")
                stack.callback(server.end)
            try:
                if server is not None and bot.runs_in_process:
                    with busy(f"loading {bot.entry.name}"):
                        _probe_apart(server, _Task(bot, rules, limits))
                else:
                    bot.probe(rules, limits)
            except BotSpecError as error:
                yield bot, error
            else:
                yield bot, None


def _probe_apart(server: ForkServer, task: _Task) -> None:
    try:
        server.begin([task], task.limits.start)
        outcome = server.outcomes()[0]
    except ProcessFault as fault:
        raise BotSpecError(
            f"{_cannot(task.bot)}: it ended the process that waits for it, which {fault.reason}"
        ) from None
    if outcome.fault is not None:
        last = f"; its last words: {outcome.output.tail}" if outcome.output.tail else ""
        raise BotSpecError(f"{_cannot(task.bot)}: the process that loads it {outcome.fault}{last}")
    outcome.result()


def prepare() -> Callable[[_Task], None]:
    """In the process of the server: load the engine, and give the function that loads a bot."""
    import bidwhist.bot.deciders.python  # noqa: F401  # imported once here, for all tasks

    return _probe


def _probe(task: _Task) -> None:
    with blaming(task.bot):
        task.bot.probe(task.rules, task.limits)


def _cannot(bot: "BotSource") -> str:
    return f"bot {echo(bot.spec.text)} cannot be loaded"
