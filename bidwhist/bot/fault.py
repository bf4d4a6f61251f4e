"""Whether a stranger's answer is an action, and what else his code did wrong, in one printable line."""

import traceback
from collections.abc import Callable
from typing import Any, Final, TypeGuard

import numpy as np

from bidwhist.actions import ACTIONS

_MOST_TEXT: Final = 300


def is_action(answer: object) -> TypeGuard[int]:
    """True for an integer, Python's or NumPy's, that is the number of an action."""
    return isinstance(answer, int | np.integer) and not isinstance(answer, bool) and 0 <= int(answer) < ACTIONS


def no_action(answer: object) -> str:
    """What is wrong with an answer that is no action."""
    return f"answered {shown(repr, answer)} ({type(answer).__name__}): an action is an integer 0-{ACTIONS - 1}"


def shown(form: Callable[[Any], str], value: object) -> str:
    """A stranger's value as text, printable, of bounded length, whatever its own methods do."""
    try:
        text = form(value)
    except Exception:  # a stranger's __repr__ or __str__ may raise anything
        return f"<{type(value).__name__} that has no text>"
    text = "".join(letter if letter.isprintable() else " " for letter in text[:_MOST_TEXT])
    return text if len(text) < _MOST_TEXT else text + "..."


def describe_error(error: BaseException, file: str) -> str:
    """An exception in one line, with the last line of `file` that it passed through."""
    lines = [frame.lineno for frame in traceback.extract_tb(error.__traceback__) if frame.filename == file]
    where = f"{file}, line {lines[-1]}: " if lines else f"{file}: "
    if isinstance(error, SyntaxError) and error.filename == file:
        where = f"{file}, line {error.lineno}: "
    return f"{where}{type(error).__name__}: {shown(str, error)}"
