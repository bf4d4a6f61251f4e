"""The file system as a jailed process sees it: without the folder that tells of other processes.

Landlock keeps a process from opening files, and not from asking for their sizes and times (landlock(7)). Those in
`/proc` tell how many files another process has open; the time of access of any file, whether somebody has read it.
Both would be ways for partners to talk. A machine that lets no process have a view of its own leaves them open;
`bw-arena doctor` tells so.
"""

import ctypes
import os
import struct
from contextlib import suppress
from pathlib import Path
from typing import Final

_NEW_MOUNTS, _NEW_USER = 0x00020000, 0x10000000  # flags of unshare(2)
_DUMPABLE: Final = 4  # operation of prctl(2)
_READ_ONLY, _RECURSIVE, _PRIVATE = 1, 1 << 14, 1 << 18  # flags of mount(2)
_SET_ATTRIBUTES: Final = 442  # mount_setattr(2), on all architectures
_HERE, _BELOW_TOO = -100, 0x8000  # AT_FDCWD, AT_RECURSIVE
_NO_ACCESS_TIME, _ACCESS_TIME = 0x10, 0x70  # MOUNT_ATTR_NOATIME, MOUNT_ATTR__ATIME


def narrow() -> None:
    """Give this process a view of its own, as far as this machine allows it. It must have a single thread."""
    with suppress(OSError, AttributeError):
        _take_own()
        _mount("none", "/", None, _RECURSIVE | _PRIVATE)
        _mount("none", "/proc", "tmpfs", _READ_ONLY)
        attributes = struct.pack("=QQQQ", _NO_ACCESS_TIME, _ACCESS_TIME, 0, 0)
        _check(_libc().syscall(_SET_ATTRIBUTES, _HERE, b"/", _BELOW_TOO, attributes, len(attributes)))


def _take_own() -> None:
    """Mounts that nobody else has; for an ordinary user, they come with a name space of users."""
    if os.geteuid() == 0:
        _check(_libc().unshare(_NEW_MOUNTS))
        return
    user, group = os.geteuid(), os.getegid()
    _check(_libc().unshare(_NEW_MOUNTS | _NEW_USER))
    _check(_libc().prctl(_DUMPABLE, ctypes.c_ulong(1), *[ctypes.c_ulong(0)] * 3))  # else the files belong to root
    for name, text in (("setgroups", "deny"), ("uid_map", f"{user} {user} 1"), ("gid_map", f"{group} {group} 1")):
        Path(f"/proc/self/{name}").write_text(text, "ascii")


def _mount(source: str, target: str, kind: str | None, flags: int) -> None:
    _check(_libc().mount(source.encode(), target.encode(), kind and kind.encode(), ctypes.c_ulong(flags), None))


def _check(result: int) -> None:
    if result != 0:
        code = ctypes.get_errno()
        raise OSError(code, os.strerror(code))


def _libc() -> ctypes.CDLL:
    return ctypes.CDLL(None, use_errno=True)
