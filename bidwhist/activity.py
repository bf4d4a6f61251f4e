"""The activities of this process that may keep others waiting, told to whoever listens: compiling, for instance."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Final, TypeAlias

Listener: TypeAlias = Callable[[str | None], None]
"""Called with what is being done, in words, and with None when it is over. May be called by any thread."""

_listeners: Final[list[Listener]] = []
_current: Final[list[str]] = []


@contextmanager
def busy(words: str) -> Iterator[None]:
    """Tell the listeners what is being done, as in 'compiling bidwhist.state.step', for as long as it takes."""
    _current.append(words)
    tell(words)
    try:
        yield
    finally:
        _current.pop()
        tell(None)


@contextmanager
def listening(listener: Listener) -> Iterator[None]:
    """Have `listener` told of all activities while the context is open."""
    _listeners.append(listener)
    try:
        yield
    finally:
        _listeners.remove(listener)


def tell(words: str | None) -> None:
    """Tell the listeners of an activity, of another process perhaps; with None that it is over."""
    if words is None and _current:
        words = _current[-1]  # within which it was
    for listener in tuple(_listeners):
        listener(words)
