"""Linux's Landlock: from now on this process, and all that it starts, reaches only the files that are named.

See landlock(7). The bindings that are published cover older versions of the interface, without the rights that came
later; these are three system calls.
"""

import ctypes
import os
import stat
import struct
from collections.abc import Iterable
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import Final

_CREATE, _ADD, _RESTRICT = 444, 445, 446  # the same on all architectures
_VERSION: Final = 1
_PATH_BENEATH: Final = 1

# Rights to files (linux/landlock.h), and the version of the interface in which the last of them came.
_EXECUTE, _WRITE, _READ, _READ_DIR = 1 << 0, 1 << 1, 1 << 2, 1 << 3
_REMOVE_DIR, _REMOVE_FILE = 1 << 4, 1 << 5
_MAKE_DIR, _MAKE_FILE = 1 << 7, 1 << 8
_REFER, _TRUNCATE, _IOCTL = 1 << 13, 1 << 14, 1 << 15
_RIGHTS: Final = {1: 13, 2: 14, 3: 15, 5: 16}  # from this version on so many
_NETWORK: Final = 0b11  # bind and connect TCP, from version 4 on
_SCOPES: Final = 0b11  # abstract sockets and signals of others, from version 6 on

_READING: Final = _READ | _READ_DIR | _EXECUTE
_OF_FILES: Final = _EXECUTE | _WRITE | _READ | _TRUNCATE | _IOCTL


def _call(number: int, *arguments: int | bytes | None) -> int:
    libc = ctypes.CDLL(None, use_errno=True)
    values = [ctypes.c_long(each) if isinstance(each, int) else each for each in arguments]
    result: int = libc.syscall(ctypes.c_long(number), *values)
    if result < 0:
        code = ctypes.get_errno()
        raise OSError(code, os.strerror(code))
    return result


@cache
def version() -> int:
    """The version of the kernel's interface; 0 if there is none."""
    try:
        return _call(_CREATE, None, 0, _VERSION)
    except (OSError, AttributeError):
        return 0


def restrict(readable: Iterable[Path], writable: Iterable[Path]) -> None:
    """Leave this process the files below `readable`, to read and to execute, and those below `writable`.

    Paths that are not there are passed over. The process must have given up new privileges before. Raises OSError.
    """
    known = version()
    rights = (1 << max(count for since, count in _RIGHTS.items() if since <= known)) - 1
    attributes = struct.pack("=Q", rights)
    if known >= 4:
        attributes += struct.pack("=Q", _NETWORK)
    if known >= 6:
        attributes += struct.pack("=Q", _SCOPES)
    ruleset = _call(_CREATE, attributes, len(attributes), 0)
    try:
        for paths, allowed in (
            (readable, _READING),
            (writable, _READING | _WRITE | _REMOVE_DIR | _REMOVE_FILE | _MAKE_DIR | _MAKE_FILE | _REFER | _TRUNCATE),
        ):
            for path in paths:
                with suppress(FileNotFoundError, NotADirectoryError):
                    _allow(ruleset, path, allowed & rights)
        _call(_RESTRICT, ruleset, 0)
    finally:
        os.close(ruleset)


def _allow(ruleset: int, path: Path, rights: int) -> None:
    place = os.open(path, os.O_PATH | os.O_CLOEXEC)
    try:
        if not stat.S_ISDIR(os.fstat(place).st_mode):
            rights &= _OF_FILES
        _call(_ADD, ruleset, _PATH_BENEATH, struct.pack("=Qi", rights, place), 0)
    finally:
        os.close(place)
