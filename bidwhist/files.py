"""Writing files that are whole or not there, and saying why one cannot be written."""

import errno
import os
from contextlib import suppress
from pathlib import Path
from typing import Final

from bidwhist.errors import BidWhistError, RunError, Stopped

_DISK: Final = {errno.ENOSPC, errno.EDQUOT, errno.EIO, errno.EMFILE, errno.ENFILE}  # faults of the machine


def refused(path: Path, what: str, error: OSError) -> BidWhistError:
    """The error for a path that cannot be `what` ("written"): Stopped for a disk that is full or fails, else RunError,
    as a user has named the path."""
    kind = Stopped if error.errno in _DISK else RunError
    return kind(f"{path}: cannot be {what}: {error.strerror}")


def write_atomically(path: Path, data: bytes) -> None:
    """Write a file under a temporary name, sync it, and rename it to `path`.

    Whatever interrupts this, `path` has its old content or all of the new one. Raises Stopped if the disk refuses;
    no temporary file is left then.
    """
    temporary = path.with_name(path.name + ".tmp")
    try:
        with temporary.open("wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        temporary.replace(path)
    except OSError as error:
        with suppress(OSError):
            temporary.unlink(missing_ok=True)
        raise Stopped(f"{path}: cannot be written: {error.strerror}") from error
