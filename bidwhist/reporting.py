"""Telling people what a program waits for: its activities and its progress, as soon as they take a while.

On a terminal the words stand in one line, which is kept up to date and removed at the end. Elsewhere each is a line of
its own: the first after two seconds, the next ones after ever longer times, up to a minute.
"""

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, nullcontext
from typing import Any, Final, Self

from bidwhist.activity import listening

_PATIENCE: Final = 2.0  # seconds of silence before anything is told
_LONGEST: Final = 60.0  # seconds between two lines
_REDRAW: Final = 0.2  # seconds between two looks
_WIDTH: Final = 79  # columns: a line that wraps could not be removed
_CLEAR: Final = "\r\x1b[K"


class Reporter:
    """A context in which activities and progress are told by `write`.

    `is_live`: write(text) shows the text on a terminal as it is, so that a line can be drawn anew; else it writes a
    whole line.
    """

    def __init__(self, write: Callable[[str], None], *, is_live: bool = False) -> None:
        self._write = write
        self._is_live = is_live
        self._lock = threading.RLock()
        self._activity: str | None = None
        self._progress: Callable[[float], str] | None = None
        self._since = time.monotonic()
        self._wait = _PATIENCE
        self._is_drawn = False
        self._is_over = threading.Event()
        self._thread = threading.Thread(target=self._watch, daemon=True)
        self._stack = ExitStack()

    def __enter__(self) -> Self:
        self._stack.enter_context(listening(self._hear))
        self._thread.start()
        return self

    def __exit__(self, *raised: object) -> None:
        self._stack.close()
        self._is_over.set()
        self._thread.join()
        self._clear()

    @contextmanager
    def progress(self, words: Callable[[float], str]) -> Iterator[None]:
        """Tell how far something is, by a function from the seconds it has taken, beside what is being done."""
        began = time.monotonic()
        with self._lock:
            self._progress = lambda now: words(now - began)
            self._start_over()
        try:
            yield
        finally:
            with self._lock:
                self._progress = None
                self._clear()

    def _hear(self, activity: str | None) -> None:
        with self._lock:
            if self._activity is None and self._progress is None:
                self._start_over()
            self._activity = activity
            if activity is None and self._progress is None:
                self._clear()

    def _start_over(self) -> None:
        self._since, self._wait = time.monotonic(), _PATIENCE

    def _watch(self) -> None:
        while not self._is_over.wait(_REDRAW):
            with self._lock:
                now = time.monotonic()
                if now - self._since < self._wait or not (self._activity or self._progress):
                    continue
                self._tell(now)
                if not self._is_live:
                    self._since, self._wait = now, min(2 * self._wait, _LONGEST)

    def _tell(self, now: float) -> None:
        parts = [self._progress(now) if self._progress else None, self._activity]
        text = "; ".join(filter(None, parts))
        self._write(f"{_CLEAR}{text[:_WIDTH]}" if self._is_live else text)
        self._is_drawn = self._is_live

    def _clear(self) -> None:
        if self._is_drawn:
            self._write(_CLEAR)
            self._is_drawn = False


def pytest_reporter(config: Any) -> Reporter:
    """A Reporter that writes on pytest's terminal while tests run; `config` is the fixture `pytestconfig`."""
    capture, terminal = config.pluginmanager.getplugin("capturemanager"), config.get_terminal_writer()

    def write(text: str) -> None:
        with capture.global_and_fixture_disabled() if capture else nullcontext():
            terminal.line(f"\n{text}")
            terminal.flush()

    return Reporter(write)
