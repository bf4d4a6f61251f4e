"""Writing files that are whole or not there."""

import os
from contextlib import suppress
from pathlib import Path

from bidwhist.errors import Stopped


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
