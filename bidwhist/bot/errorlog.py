"""What a bot's process writes to its standard error: its beginning and its end are kept, the rest is counted."""

from typing import Final

_FIRST: Final = 32 * 1024
_LAST: Final = 2 * 1024
_LINES: Final = 3
_MOST_TEXT: Final = 300


class ErrorLog:
    """Takes any number of bytes and keeps at most 34 KB of them."""

    def __init__(self) -> None:
        self._first = bytearray()
        self._last = bytearray()
        self._size = 0

    def add(self, data: bytes) -> None:
        """Take what was written next."""
        self._size += len(data)
        self._first += data[: max(0, _FIRST - len(self._first))]
        self._last = (self._last + data)[-_LAST:]

    def text(self) -> str:
        """The first 32 KB, printable, and how many bytes followed."""
        dropped = self._size - len(self._first)
        return _printable(self._first) + (f"\n... and {dropped:,} bytes more\n" if dropped else "")

    def tail(self) -> str:
        """The last few lines in one printable line of bounded length; empty if nothing was written."""
        lines = [line.strip() for line in _printable(self._last).splitlines() if line.strip()]
        text = " | ".join(lines[-_LINES:])
        return text if len(text) <= _MOST_TEXT else "..." + text[-_MOST_TEXT:]


def _printable(data: bytearray) -> str:
    text = data.decode("utf-8", "replace")
    return "".join(letter if letter.isprintable() or letter == "\n" else " " for letter in text)
