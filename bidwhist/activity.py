"""The activities of this process that may keep others waiting, told to whoever listens: compiling, for instance."""

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Final, TypeAlias

Listener: TypeAlias = Callable[[str | None], None]
"""Called with what is being done, in words, and with None when it is over; by any thread, one at a time."""

_listeners: Final[list[Listener]] = []
_current: Final[dict[object, str]] = {}  # what is being done, the latest last
_lock: Final = threading.RLock()


@contextmanager
def busy(words: str) -> Iterator[None]:
    """Tell the listeners what is being done, as in 'compiling bidwhist.state.step', for as long as it takes."""
    key = object()
    with _lock:
        _current[key] = words
        tell(words)
    try:
        yield
    finally:
        with _lock:
            del _current[key]
            tell(None)


@contextmanager
def listening(listener: Listener) -> Iterator[None]:
    """Have `listener` told of all activities while the context is open."""
    _listeners.append(listener)
    try:
        yield
    finally:
        _listeners.remove(listener)


def start_over() -> None:
    """Forget listeners and activities: in a copy of a process they are those of the original."""
    _listeners.clear()
    _current.clear()


def tell(words: str | None) -> None:
    """Tell the listeners of an activity, of another process perhaps; with None that it is over."""
    with _lock:
        if words is None and _current:
            words = [*_current.values()][-1]  # which goes on
        for listener in tuple(_listeners):
            listener(words)
