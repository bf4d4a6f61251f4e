"""Exceptions of a bot's code in one printable line."""

import os.path
import re
import traceback
from typing import Final

from bidwhist.text import shown

_COPY: Final = re.compile(r"^.*/[0-9a-f]{64}/")  # the folder of a copy, whose name helps nobody


def describe_error(error: BaseException, file: str) -> str:
    """An exception in one line, with the last line in the folder of the bot's `file` that it passed through."""
    folder = os.path.join(os.path.dirname(file), "")  # noqa: PTH118, PTH120  # a text is compared with texts
    frames = [(frame.filename, frame.lineno) for frame in traceback.extract_tb(error.__traceback__)]
    if isinstance(error, SyntaxError) and error.filename:
        frames.append((error.filename, error.lineno))
    own = [(name, line) for name, line in frames if name == file or (folder and name.startswith(folder))]
    name, line = own[-1] if own else (file, None)
    where = _COPY.sub("", name) + (f", line {line}" if line else "")
    text = shown(str, error)
    return f"{where}: {type(error).__name__}" + (f": {text}" if text else "")
