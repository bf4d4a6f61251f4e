"""Exceptions of a bot's code in one printable line."""

import traceback

from bidwhist.text import shown


def describe_error(error: BaseException, file: str) -> str:
    """An exception in one line, with the last line of `file` that it passed through."""
    lines = [frame.lineno for frame in traceback.extract_tb(error.__traceback__) if frame.filename == file]
    where = f"{file}, line {lines[-1]}: " if lines else f"{file}: "
    if isinstance(error, SyntaxError) and error.filename == file:
        where = f"{file}, line {error.lineno}: "
    return f"{where}{type(error).__name__}: {shown(str, error)}"
