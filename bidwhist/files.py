"""Reading what is a file and nothing else, writing files that are whole or not there, and saying why that fails."""

import errno
import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO, Final
from uuid import uuid4

from bidwhist.errors import BidWhistError, RunError, Stopped

MOST_BYTES: Final = 256 << 20
"""Of a file that is read at once."""

_DISK: Final = {errno.ENOSPC, errno.EDQUOT, errno.EIO, errno.EMFILE, errno.ENFILE}  # faults of the machine


def refused(path: Path, what: str, error: OSError) -> BidWhistError:
    """The error for a path that cannot be `what` ("written"): Stopped for a disk that is full or fails, else RunError,
    as a user has named the path."""
    kind = Stopped if error.errno in _DISK else RunError
    return kind(f"{path}: cannot be {what}: {error.strerror}")


def read_file(path: Path, most: int = MOST_BYTES) -> bytes:
    """The content of a file. Raises OSError; also for what is none, such as a pipe, which would be waited for without
    end, and for one of more than `most` bytes."""
    found = path.stat()
    if stat.S_ISDIR(found.st_mode):
        raise OSError(errno.EISDIR, "it is a folder")
    if not stat.S_ISREG(found.st_mode):
        raise OSError(errno.EINVAL, "it is no regular file")
    if found.st_size > most:
        raise OSError(errno.EFBIG, f"it has more than {most >> 20} MB")
    return path.read_bytes()


def write_atomically(path: Path, data: bytes) -> None:
    """Write a file under a temporary name, sync it, and rename it to `path`.

    Whatever interrupts this, `path` has its old content or all of the new one. Raises Stopped if the disk refuses;
    no temporary file is left then.
    """
    temporary = path.with_name(path.name + ".tmp")
    try:
        if path.is_dir() and not path.is_symlink():
            path.rmdir()  # what has taken the file's place; with something in it, the user has to look
        with temporary.open("wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        temporary.replace(path)
    except OSError as error:
        with suppress(OSError):
            temporary.unlink(missing_ok=True)
        raise Stopped(f"{path}: cannot be written: {error.strerror}") from error


@contextmanager
def new_file(path: Path, *, force: bool) -> Iterator[IO[bytes]]:
    """A file to write to piece by piece, which is `path` when the block ends well, and is gone when it does not.

    Only `force` writes over a file that is there; a link to one is followed. It is written under a name of its own
    beside it and synced. Raises RunError for a path that is taken or is no regular file, and as `refused` says.
    """
    try:
        target = path.resolve()
        _may_write(path, target, force=force)
        temporary = target.with_name(f"{target.name[:40]}.{uuid4().hex}.tmp")
        with temporary.open("xb") as file:
            try:
                yield file
                file.flush()
                os.fsync(file.fileno())
                _may_write(path, target, force=force)  # it may have come in the meantime
                temporary.replace(target)
            except BaseException:
                with suppress(OSError):
                    temporary.unlink(missing_ok=True)
                raise
    except OSError as error:
        raise refused(path, "written", error) from error
    except RuntimeError as error:  # of `resolve`, in Python 3.11 and 3.12
        if "Symlink loop" not in str(error):
            raise
        raise RunError(f"{path}: cannot be written: it is a link to itself") from error


def _may_write(path: Path, target: Path, *, force: bool) -> None:
    """Raises RunError if `target`, which the user calls `path`, is not to be written over, and OSError."""
    try:
        mode = target.stat().st_mode
    except FileNotFoundError:
        return
    if stat.S_ISDIR(mode):
        raise RunError(f"{path}: cannot be written: it is a folder")
    if not stat.S_ISREG(mode):
        raise RunError(f"{path}: cannot be written: it is no regular file")
    if not force:
        raise RunError(f"{path}: is there already; --force writes over it")
