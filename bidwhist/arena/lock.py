"""One writer at a time: a lock on a folder, which ends with the process that holds it."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from bidwhist.errors import RunError
from bidwhist.files import refused

LOCK: Final = ".lock"


@contextmanager
def locked(folder: Path, busy: str) -> Iterator[None]:
    """Keep others out of the folder while this one writes. Raises RunError with the words `busy` if one is there."""
    try:
        import fcntl
    except ImportError:  # no such locks on this system
        yield
        return
    try:
        opened = (folder / LOCK).open("w")
    except OSError as error:
        raise refused(folder, "written", error) from error
    with opened as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            raise RunError(f"{folder}: {busy}") from None
        yield
