"""One writer at a time: a lock on a folder, which ends with the process that holds it."""

import os
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
        # Opened in both directions, a pipe is not waited for.
        descriptor = os.open(folder / LOCK, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o666)
    except OSError as error:
        raise refused(folder / LOCK, "written", error) from error
    with os.fdopen(descriptor, "wb", 0) as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            raise RunError(f"{folder}: {busy}") from None
        yield
