"""Confining a process: what it may still do when a stranger's code begins to run in it."""

import contextlib
import ctypes
import importlib.util
import os
import resource
import signal
import site
import sys
import sysconfig
import tempfile
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from bidwhist.jail import landlock, seccomp
from bidwhist.jail.view import narrow
from bidwhist.process.tree import adopt_orphans

# Operations of prctl(2), and the version of capset(2).
_PARENT_DEATH_SIGNAL, _DUMPABLE, _KEEP_CAPABILITIES, _NO_NEW_PRIVILEGES = 1, 4, 8, 38
_CAPABILITIES: Final = 0x20080522
_READ_ALL: Final = 2  # CAP_DAC_READ_SEARCH
_AMBIENT, _RAISE = 47, 2  # the capability is kept by a program that is run

_MEGABYTE: Final = 1 << 20
MOST_OPEN: Final = 64
"""File descriptors that a jailed process may have."""
MOST_FILE: Final = 16 << 20
"""Bytes that a file may have that it writes."""
_MOST_STACK: Final = 16 << 20
_MOST_TASKS: Final = 64  # processes and threads of a program
_MOST_OF_USER: Final = 512  # that a user's programs may add to what the user has
_FIRST_USER: Final = 0x40000000  # from here on user numbers that nobody has; see `_leave_root`

_SYSTEM: Final = (
    "/usr",
    "/lib",
    "/lib64",
    "/bin",
    "/etc/ld.so.cache",
    "/etc/localtime",
    "/etc/alternatives",
    "/etc/ssl/openssl.cnf",
)
_DEVICES: Final = ("/dev/null", "/dev/zero", "/dev/urandom", "/dev/random")


@dataclass(frozen=True)
class Confinement:
    """The limits of a jailed process.

    `scratch`: the folder that it may write; `readable`: further files and folders that it may read; `memory`: MB that
    it may take beyond what it has; `program`: another program will be run, which may start processes and threads;
    `isolated`: False to leave out Landlock and seccomp, where the machine has none.
    """

    scratch: Path
    readable: tuple[Path, ...]
    memory: int
    program: bool = False
    isolated: bool = True

    @property
    def may_start(self) -> bool:
        """True if the process may start others."""
        return self.program or not self.isolated


def is_available() -> bool:
    """True if this machine can confine processes fully."""
    return seccomp.is_available() and landlock.version() > 0


def own_everything(paths: Iterable[Path], user: int) -> None:
    """Give files to a user."""
    for path in paths:
        os.chown(path, user, user)


def scratch_user() -> int:
    """The user number that a process with this id will have, if this one is root's; else its own."""
    return _FIRST_USER + os.getpid() if os.geteuid() == 0 else os.geteuid()


def hide() -> None:
    """Let no other process of the same user look into this one, or trace it (Linux only)."""
    with contextlib.suppress(OSError, AttributeError):
        ctypes.CDLL(None).prctl(_DUMPABLE, 0, 0, 0, 0)


def confine(terms: Confinement, keep: Iterable[int]) -> None:
    """Confine this process, for good. It must have a single thread, and be about to run a stranger's code.

    Its file descriptors are closed but 0, 1, 2 and those to `keep`. Raises OSError if the system refuses.
    """
    signal.set_wakeup_fd(-1)
    for each in (signal.SIGINT, signal.SIGTERM, signal.SIGCHLD):
        signal.signal(each, signal.SIG_DFL)
    _close_others(keep)
    _set_environment(terms)
    os.umask(0o077)
    os.chdir(terms.scratch)
    _prctl(_PARENT_DEATH_SIGNAL, signal.SIGKILL)
    if terms.program:
        adopt_orphans()  # so that what it has started and left ends with it
    limits = _limits(terms)
    if terms.isolated:
        narrow()
    _leave_root(terms)
    _set_limits(limits)
    # After the change of the user, which lets go of both.
    _prctl(_PARENT_DEATH_SIGNAL, signal.SIGKILL)
    _prctl(_DUMPABLE, 0)
    _prctl(_NO_NEW_PRIVILEGES, 1)
    if terms.isolated:
        landlock.restrict([*_readable(), *terms.readable], [terms.scratch])
        seccomp.install(program=terms.program)


def _prctl(operation: int, value: int) -> None:
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.prctl(operation, ctypes.c_ulong(value), ctypes.c_ulong(0), ctypes.c_ulong(0), ctypes.c_ulong(0)) != 0:
        raise OSError(ctypes.get_errno(), f"prctl({operation}, {value}) failed")


def _close_others(keep: Iterable[int]) -> None:
    first = 3
    for each in sorted(keep):
        os.closerange(first, each)
        first = each + 1
    os.closerange(first, 1 << 16)


def _set_environment(terms: Confinement) -> None:
    """Leave nothing of the host's variables. One thread: a bot has one processor."""
    scratch = str(terms.scratch)
    tempfile.tempdir = None  # it is looked for anew
    os.environ.clear()
    os.environ.update(
        dict.fromkeys(("HOME", "TMPDIR"), scratch),
        PATH="/usr/local/bin:/usr/bin:/bin",
        LANG="C.UTF-8",
        NUMBA_CACHE_DIR=scratch,
        **{f"{library}_NUM_THREADS": "1" for library in ("OMP", "OPENBLAS", "MKL", "NUMBA")},
    )


def _leave_root(terms: Confinement) -> None:
    """Become a user that nobody is and that no other jailed process has, with no rights beyond that.

    It may read what root may, as an interpreter may lie in root's home; Landlock says which files these are.
    """
    if os.geteuid() != 0:
        _set_capabilities(0)  # an ordinary user has some in a view of its own
        return
    user = scratch_user()
    own_everything([terms.scratch], user)
    _prctl(_KEEP_CAPABILITIES, 1)
    os.setgroups([])
    os.setresgid(user, user, user)
    os.setresuid(user, user, user)
    _set_capabilities(1 << _READ_ALL)
    libc = ctypes.CDLL(None)
    libc.prctl(_AMBIENT, ctypes.c_ulong(_RAISE), ctypes.c_ulong(_READ_ALL), ctypes.c_ulong(0), ctypes.c_ulong(0))
    _prctl(_KEEP_CAPABILITIES, 0)


def _set_capabilities(kept: int) -> None:
    libc = ctypes.CDLL(None, use_errno=True)
    header = (ctypes.c_uint32 * 2)(_CAPABILITIES, 0)
    # effective, permitted, inheritable; the lower and then the upper half
    data = (ctypes.c_uint32 * 6)(kept, kept, kept, 0, 0, 0)
    if libc.capset(header, data) != 0:
        raise OSError(ctypes.get_errno(), "capset failed")


def _limits(terms: Confinement) -> dict[int, int]:
    """The limits, by the numbers that the system has for them."""
    more = terms.memory * _MEGABYTE
    limits = {
        resource.RLIMIT_CORE: 0,
        resource.RLIMIT_FSIZE: MOST_FILE,
        resource.RLIMIT_NOFILE: MOST_OPEN,
        resource.RLIMIT_MEMLOCK: 0,
        resource.RLIMIT_STACK: _MOST_STACK,
    }
    if hasattr(resource, "RLIMIT_MSGQUEUE"):
        limits[resource.RLIMIT_MSGQUEUE] = 0
    if terms.program:
        # Address space tells nothing of a program that reserves more than it uses, as those in Go and JavaScript do.
        limits[resource.RLIMIT_DATA] = more
        # All processes of a user count: those of a user of its own are the program's, of another one many are not.
        own = scratch_user() != os.geteuid()
        limits[resource.RLIMIT_NPROC] = _MOST_TASKS if own else _tasks_of_user() + _MOST_OF_USER
    else:
        total, data = _sizes()
        limits[resource.RLIMIT_AS] = total + more
        limits[resource.RLIMIT_DATA] = data + more
        limits[resource.RLIMIT_NPROC] = 0
    return limits


def _set_limits(limits: Mapping[int, int]) -> None:
    for which, value in limits.items():
        _, most = resource.getrlimit(which)
        value = value if most == resource.RLIM_INFINITY else min(value, most)
        with contextlib.suppress(ValueError):  # a limit that this system does not let one set
            resource.setrlimit(which, (value, value))


def _tasks_of_user() -> int:
    """Processes and threads of the user of this process."""
    import psutil

    user, count = os.geteuid(), 0
    for each in psutil.process_iter():
        with contextlib.suppress(psutil.Error):
            if each.uids().real == user:
                count += each.num_threads()
    return count


def _sizes() -> tuple[int, int]:
    """Bytes of address space, and of data, that this process has."""
    try:
        fields = Path("/proc/self/statm").read_text("ascii").split()
    except OSError:
        return 4 << 30, 4 << 30
    page = os.sysconf("SC_PAGE_SIZE")
    return int(fields[0]) * page, int(fields[5]) * page


def _readable() -> list[Path]:
    """The interpreter, its installed packages, this program and the system's libraries."""
    paths = sysconfig.get_paths()
    found = [sys.prefix, sys.exec_prefix, *(paths[name] for name in ("stdlib", "platstdlib", "purelib", "platlib"))]
    found += [str(Path(sys.base_prefix) / each) for each in ("bin", "lib", "lib64", "share")]
    if site.ENABLE_USER_SITE:
        found.append(site.getusersitepackages())
    specs = [importlib.util.find_spec(name) for name in ("bidwhist", "bidwhist_bots")]
    packages = [str(Path(each.origin).parent) for each in specs if each and each.origin]
    return [Path(each) for each in dict.fromkeys([*_SYSTEM, *_DEVICES, *found, *packages])]
