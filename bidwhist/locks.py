"""Locks on files, which end with the process that holds them."""

from typing import IO, Any

try:
    import fcntl
except ImportError:  # no such locks on this system
    fcntl = None  # type: ignore[assignment]


def are_there() -> bool:
    """True if the system has such locks."""
    return fcntl is not None


def takes(file: IO[Any]) -> bool:
    """Lock a file, if nobody holds it; False if somebody does. Without locks on the system it is always taken.

    Raises OSError where the file system refuses.
    """
    if fcntl is None:
        return True
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True
