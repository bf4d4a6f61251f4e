"""The text that a process writes to its standard error: its beginning and its end are kept, the rest is counted."""

from typing import Final

from bidwhist.text import printable

_LAST: Final = 2 * 1024  # bytes
_LINES: Final = 3
_MOST_TEXT: Final = 300  # characters


class Output:
    """Takes any number of bytes and keeps the first `limit` and the last 2 KB of them."""

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._first = bytearray()
        self._last = bytearray()
        self.size = 0
        """Bytes taken so far."""

    def add(self, data: bytes) -> None:
        """Take what was written next."""
        self.size += len(data)
        self._first += data[: max(0, self._limit - len(self._first))]
        self._last = (self._last + data)[-_LAST:]

    @property
    def text(self) -> str:
        """The first `limit` bytes, printable, and how many bytes followed."""
        dropped = self.size - len(self._first)
        return _decoded(self._first) + (f"\n... and {dropped:,} bytes more\n" if dropped else "")

    @property
    def tail(self) -> str:
        """The last few lines as one printable line of bounded length; '' if nothing was written."""
        lines = [line.strip() for line in _decoded(self._last).splitlines() if line.strip()]
        text = " | ".join(lines[-_LINES:])
        return text if len(text) <= _MOST_TEXT else "..." + text[-_MOST_TEXT:]


def _decoded(data: bytearray) -> str:
    return printable(data.decode("utf-8", "replace"), keep="\n")
