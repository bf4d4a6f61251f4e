"""Notes of a process in a file, such as the decision it is at; they can be read after the process has died."""

import os
from contextlib import suppress
from pathlib import Path


class Notes:
    """A file that holds the last note."""

    def __init__(self, path: Path) -> None:
        self._file = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)

    def write(self, where: str) -> None:
        """Note where the process is, instead of what was noted before."""
        data = where.encode("utf-8", "surrogateescape")
        with suppress(OSError):  # a full disk, or a bot that has closed what it did not open
            os.pwrite(self._file, data, 0)
            os.ftruncate(self._file, len(data))


def last_note(path: Path) -> str:
    """The last note in a file; '' if there is none."""
    with suppress(OSError):
        return path.read_text("utf-8", "replace")
    return ""
