"""Where a message ends in a stream of bytes: at the end of a line, or after as many bytes as its head says."""

from typing import Final, Protocol

from bidwhist.process.fault import ProcessFault
from bidwhist.text import quoted

_HEAD: Final = 8  # bytes


class Framing(Protocol):
    """Cuts the bytes that have arrived into messages."""

    def wrap(self, message: bytes) -> bytes:
        """A message as it is sent."""

    def take(self, arrived: bytearray) -> bytes | None:
        """Remove the first message from what has arrived; None if it is not whole yet.

        Raises ProcessFault if it is too long.
        """

    def check(self, arrived: bytearray) -> None:
        """Raises ProcessFault if no more is to be waited for, as too much has arrived."""

    def describe(self, arrived: bytearray) -> str:
        """The part of a message that has arrived, in words; '' if there is none."""


class Lines:
    """A message is a line of at most `limit` bytes, its end included. It is sent as it is."""

    def __init__(self, limit: int) -> None:
        self._limit = limit

    def wrap(self, message: bytes) -> bytes:
        """The line itself."""
        return message

    def take(self, arrived: bytearray) -> bytes | None:
        """The first line, with its end."""
        length = arrived.find(b"\n") + 1
        if length > self._limit:
            raise self._too_long(arrived)
        return _cut(arrived, 0, length) if length else None

    def check(self, arrived: bytearray) -> None:
        """Raises ProcessFault if a line would be too long."""
        if len(arrived) >= self._limit:
            raise self._too_long(arrived)

    def _too_long(self, arrived: bytearray) -> ProcessFault:
        begin = quoted(arrived[:80])
        return ProcessFault(f"wrote more than {self._limit:,} bytes where one line was due; they begin with {begin}")

    def describe(self, arrived: bytearray) -> str:
        """The beginning of a line."""
        return f"{quoted(arrived)}, no whole line" if arrived else ""


class Blocks:
    """A message is any bytes, sent behind their number."""

    def wrap(self, message: bytes) -> bytes:
        """The message behind its length."""
        return len(message).to_bytes(_HEAD, "little") + message

    def take(self, arrived: bytearray) -> bytes | None:
        """The first message."""
        end = _HEAD + int.from_bytes(arrived[:_HEAD], "little")
        return _cut(arrived, _HEAD, end) if len(arrived) >= max(_HEAD, end) else None

    def check(self, arrived: bytearray) -> None:
        """Any number of bytes may arrive."""

    def describe(self, arrived: bytearray) -> str:
        """The number of bytes."""
        return f"{len(arrived)} bytes, no whole message" if arrived else ""


def _cut(arrived: bytearray, start: int, end: int) -> bytes:
    message = bytes(arrived[start:end])
    del arrived[:end]
    return message
