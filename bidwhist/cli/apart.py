"""Work of a command that runs a stranger's code: done in a copy of the process, which shares its terminal."""

import signal
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext, suppress
from typing import Any, TypeAlias

from bidwhist.errors import Stopped
from bidwhist.process.fault import ProcessFault
from bidwhist.process.forked import Forked

Say: TypeAlias = Callable[[Any], None]
"""Called by the work with what the command shall hear; returns when it has been dealt with."""


def apart(
    work: Callable[[Say], Any],
    *,
    title: str,
    hear: Callable[[Any], None] = lambda message: None,
    debugger: bool = False,
) -> Any:
    """The result of `work`, which can be sent between processes; `hear` is called with what it says on its way.

    Whatever a bot does to the copy, to its threads, its streams or its working folder, the command goes on, and nothing
    that was started there is left. `title`: what begins the message if the copy ends without a result; `debugger`: it
    is the copy that Ctrl-C interrupts. Raises what the work raises, and Stopped if it ends without a result.
    """

    def done(channel: Any) -> Any:
        def say(message: Any) -> None:
            _flush()  # what the bot has printed comes before it
            channel.send(message)
            channel.receive()

        return work(say)

    def heard(message: Any) -> None:
        hear(message)
        forked.send(None)

    with (
        _kept_terminal(),
        Forked(done, terminal=True, takes_interrupts=debugger) as forked,
        _deaf() if debugger else nullcontext(),
    ):
        outcome = forked.outcome(heard)
    try:
        return outcome.result()
    except ProcessFault as fault:
        raise Stopped(f"{title}: the process that it played in {fault.reason}") from None


def _flush() -> None:
    for stream in (sys.stdout, sys.stderr):
        with suppress(OSError, ValueError):  # the bot has closed it
            stream.flush()


@contextmanager
def _deaf() -> Iterator[None]:
    """Leave Ctrl-C to the processes that share the terminal."""
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)


@contextmanager
def _kept_terminal() -> Iterator[None]:
    """Put the terminal back as it was, which a bot or a debugger may have left without an echo."""
    try:
        import termios

        descriptor = sys.__stdin__.fileno() if sys.__stdin__ else -1
        before = termios.tcgetattr(descriptor)
    except (ImportError, OSError, ValueError, termios.error):  # no terminal
        yield
        return
    try:
        yield
    finally:
        if termios.tcgetattr(descriptor) != before:  # a process in the background is stopped if it sets anything
            termios.tcsetattr(descriptor, termios.TCSADRAIN, before)
