"""Text from strangers, made fit to be printed in a line."""

import sys
from collections.abc import Callable
from typing import Any, Final

from bidwhist.interrupts import UserInterrupt

_MOST_TEXT: Final = 300  # characters
_MOST_ECHO: Final = 80


def printable(text: str, substitute: str = " ", keep: str = "") -> str:
    """The text with `substitute` for every character that is not printable and not in `keep`."""
    return "".join(each if each.isprintable() or each in keep else substitute for each in text)


def printable_name(name: str) -> str:
    """A name without characters that would move the cursor."""
    return printable(name, "\N{REPLACEMENT CHARACTER}")


def can_show(text: str) -> bool:
    """True if standard output's encoding has all characters of `text`."""
    try:
        text.encode(sys.stdout.encoding or "utf-8")
    except UnicodeEncodeError:
        return False
    return True


def is_label(text: str, most: int | None = None) -> bool:
    """True for one line of printable text that is not blank and has at most `most` characters."""
    return bool(text.strip()) and text.isprintable() and (most is None or len(text) <= most)


def shown(form: Callable[[Any], str], value: object) -> str:
    """A stranger's value as one printable line of bounded length, whatever its own methods do."""
    try:
        text = form(value)
    except UserInterrupt:
        raise
    except BaseException:  # a stranger's __repr__ or __str__ may raise anything
        return f"<{type(value).__name__} that has no text>"
    text = printable(text[:_MOST_TEXT])
    return text if len(text) < _MOST_TEXT else text + "..."


def echo(value: object, *, bare: bool = False) -> str:
    """A value that a user has given, as a message repeats it: with quotation marks unless it is `bare`, and without its
    middle if it is long."""
    text = printable(str(value) if bare else repr(value), "?")
    half = (_MOST_ECHO - 3) // 2
    return text if len(text) <= _MOST_ECHO else f"{text[:half]}...{text[-half:]}"


def quoted(data: bytes | bytearray) -> str:
    """Bytes that a process wrote, as one printable line of bounded length."""
    return shown(repr, data.decode("utf-8", "backslashreplace").rstrip("\r\n"))
