"""The end of a process: callbacks of whoever has started something that is to be ended and removed with it.

They are called however it ends by itself: at the end of Python, and by those who end a process without that.
"""

import atexit
from collections.abc import Callable
from contextlib import suppress
from typing import Final

_callbacks: Final[list[Callable[[], None]]] = []


def at_end(callback: Callable[[], None]) -> None:
    """Call this when the process ends; the last one first."""
    _callbacks.append(callback)


@atexit.register
def end_all() -> None:
    """Call what was left here, each once."""
    while _callbacks:
        with suppress(Exception):
            _callbacks.pop()()


def forget() -> None:
    """Forget what was left here: in a copy of a process, since that is still the task of the process itself."""
    _callbacks.clear()
