"""Interrupts of the user, told from a KeyboardInterrupt that a bot has raised."""

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Final

_SIGNALS: Final = (signal.SIGINT, signal.SIGTERM)


class UserInterrupt(KeyboardInterrupt):
    """SIGINT, as by Ctrl-C, or SIGTERM."""


@contextmanager
def user_interrupts() -> Iterator[None]:
    """Have signals that raise KeyboardInterrupt raise UserInterrupt while the context is open.

    Where they are handled otherwise, or in a thread other than the main one, nothing changes.
    """
    is_main = threading.current_thread() is threading.main_thread()
    changed = [each for each in _SIGNALS if is_main and signal.getsignal(each) is signal.default_int_handler]
    for each in changed:
        signal.signal(each, _interrupt)
    try:
        yield
    finally:
        for each in changed:
            signal.signal(each, signal.default_int_handler)


def keep_interrupts_to_bots() -> None:
    """In a process of bots: have SIGINT raise a KeyboardInterrupt, which is a bot's fault like any other exception.

    The user interrupts the process that waits for this one.
    """
    signal.signal(signal.SIGINT, _interrupt_bot)
    signal.signal(signal.SIGTERM, signal.SIG_DFL)


def _interrupt(number: int, frame: FrameType | None) -> None:
    raise UserInterrupt


def _interrupt_bot(number: int, frame: FrameType | None) -> None:
    raise KeyboardInterrupt
