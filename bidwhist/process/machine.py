"""Limits of the machine: an error that is about one of them is nobody's fault in the program or in a bot."""

import errno
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

from bidwhist.errors import Stopped

_LIMITS: Final = {
    errno.EMFILE: "too many open files in one process (`ulimit -n` shows the limit)",
    errno.ENFILE: "too many open files on the machine",
    errno.EAGAIN: "too many processes (`ulimit -u` shows the limit)",
    errno.ENOMEM: "out of memory",
    errno.ENOSPC: "no space left on the disk",
    errno.EDQUOT: "no space left on the disk for this user",
}


def limit_in_words(error: OSError) -> str | None:
    """The limit of the machine that an error is about; None for any other error."""
    return _LIMITS.get(error.errno or 0)


@contextmanager
def machine_limits(what: str) -> Iterator[None]:
    """Turn an OSError about a limit of the machine into Stopped; `what`: what could not be done then."""
    try:
        yield
    except OSError as error:
        words = limit_in_words(error)
        if words is None:
            raise
        raise Stopped(f"{what}: {words}") from error
