"""A filter of system calls: those in a list are allowed, some with certain arguments only, all others fail with EPERM.

The filter is a program for the kernel's classic BPF machine (`linux/seccomp.h`, seccomp(2)). Bindings of libseccomp
need that library on the machine; the few instructions that are needed here do not.
"""

import ctypes
import errno
import os
import platform
import struct
from collections.abc import Iterable, Mapping, Sequence
from typing import Final, NamedTuple, TypeAlias

from bidwhist.jail.syscalls import GUARDED, HARMLESS, PROGRAM

_ARCHITECTURES: Final = {"x86_64": (0, 0xC000003E), "aarch64": (1, 0xC00000B7)}  # column of syscalls, AUDIT_ARCH
_X32: Final = 0x40000000  # calls of the x32 interface have this bit

# Instructions and return values of the filter (linux/bpf_common.h, linux/seccomp.h).
_LOAD, _AND, _RETURN = 0x20, 0x54, 0x06
_IF_EQUAL, _IF_AT_LEAST = 0x15, 0x35
_ALLOW: Final = 0x7FFF0000
_ERROR: Final = 0x00050000
_NUMBER, _ARCHITECTURE, _ARGUMENTS = 0, 4, 16  # offsets in struct seccomp_data

_SET_MODE_FILTER: Final = 1
_SECCOMP: Final = {"x86_64": 317, "aarch64": 277}


class Where(NamedTuple):
    """A condition on an argument of a call: `argument & mask == value`; arguments have 64 bits."""

    argument: int
    mask: int
    value: int


Rule: TypeAlias = Sequence[Sequence[Where]]
"""Alternatives, each a list of conditions that have to hold together."""

_ALL: Final = (1 << 64) - 1
_INT: Final = (1 << 32) - 1


def _one_of(argument: int, values: Iterable[int]) -> Rule:
    return [[Where(argument, _INT, value & _INT)] for value in values]


_NO_NAMESPACES: Final = 0x7E020000  # the CLONE_NEW* flags of clone(2)
_SHARED, _ANONYMOUS = 0x01, 0x20  # MAP_SHARED, MAP_ANONYMOUS
_PRIVATE: Final = 128  # FUTEX_PRIVATE_FLAG
_WAITING: Final = (0, 9)  # FUTEX_WAIT, FUTEX_WAIT_BITSET: for the end of a thread


def _rules(own: int, *, program: bool) -> Mapping[str, Rule]:
    """The rules of the guarded calls of the process `own`."""
    # Waking others through a page that several processes have mapped would be a way to talk to a partner.
    futex: list[list[Where]] = [[Where(1, _PRIVATE, _PRIVATE)]]
    if program:
        futex += [[Where(1, 0x7F, value)] for value in _WAITING]
    rules: dict[str, Rule] = {
        # Duplicates, flags, the size of a pipe; no locks, which partners could share, no signals, no larger pipes.
        "fcntl": _one_of(1, (0, 1, 2, 3, 4, 1030, 1032)),
        # Is it a terminal, how much can be read, close on exec, blocking or not.
        "ioctl": _one_of(1, (0x5401, 0x541B, 0x5413, 0x5451, 0x5450, 0x5421)),
        "futex": futex,
        # Names of threads and of memory, and questions; not what happens when the parent dies.
        "prctl": _one_of(0, (3, 15, 16, 21, 23, 39, 0x53564D41)),
        "prlimit64": [[Where(0, _INT, 0), Where(2, _ALL, 0)]],
        "kill": _one_of(0, (own,)),
        "tgkill": _one_of(0, (own,)),
        # The clocks of the system and of the process itself; others' tell how much a partner has worked.
        **{name: [[Where(0, _INT & ~0xF, 0)]] for name in ("clock_gettime", "clock_getres", "clock_nanosleep")},
        "getpgid": _one_of(0, (0, own)),
        "getsid": _one_of(0, (0, own)),
        # Nothing of others, not even whether they are there.
        **{name: _one_of(0, (0, own)) for name in ("sched_getaffinity", "sched_getparam", "sched_getscheduler")},
        # Memory that processes share counts in no limit of a program.
        "mmap": [[Where(3, _ANONYMOUS, 0)], [Where(3, _SHARED, 0)]] if program else [[]],
    }
    if program:
        # Of its threads.
        rules |= {name: [[]] for name in ("sched_getaffinity", "sched_getparam", "sched_getscheduler")}
        # Not what its processes have used: page faults tell whether somebody has read a file before.
        rules |= {"wait4": [[Where(3, _ALL, 0)]], "waitid": [[Where(4, _ALL, 0)]]}
        rules["clone"] = [[Where(0, _NO_NAMESPACES, 0)]]
        rules["tgkill"] = [[]]  # of threads; to whom signals may go, Landlock says
    return rules


class _Program:
    """Instructions, as bytes."""

    def __init__(self) -> None:
        self.code = bytearray()

    def add(self, code: int, value: int, if_true: int = 0, if_false: int = 0) -> None:
        self.code += struct.pack("=HBBI", code, if_true, if_false, value)

    def load(self, offset: int) -> None:
        self.add(_LOAD, offset)

    def end(self, value: int) -> None:
        self.add(_RETURN, value)


def _alternative(conditions: Sequence[Where]) -> bytes:
    """Instructions that allow a call if all conditions hold, and else go on behind them."""
    tests: list[tuple[int, int, int]] = []  # offset, mask, value
    for argument, mask, value in conditions:
        for half in range(2):
            part = mask >> (32 * half) & _INT
            if part:
                tests.append((_ARGUMENTS + 8 * argument + 4 * half, part, value >> (32 * half) & _INT))
    program = _Program()
    for place, (offset, mask, value) in enumerate(tests):
        left = 3 * (len(tests) - place - 1) + 1  # instructions to the end behind this test
        program.load(offset)
        program.add(_AND, mask)
        program.add(_IF_EQUAL, value, 0, left)
    program.end(_ALLOW)
    return bytes(program.code)


def filter_program(machine: str, own: int, *, program: bool) -> bytes:
    """The filter for the process with the id `own`, as an array of struct sock_filter.

    `program`: it will be another program, which may start processes and threads. Raises KeyError for an architecture
    that is not known.
    """
    column, architecture = _ARCHITECTURES[machine]
    made = _Program()
    made.load(_ARCHITECTURE)
    made.add(_IF_EQUAL, architecture, 1, 0)
    made.end(_ERROR | errno.EPERM)
    made.load(_NUMBER)
    made.add(_IF_AT_LEAST, _X32, 0, 1)
    made.end(_ERROR | errno.EPERM)
    for numbers in (*HARMLESS.values(), *(PROGRAM.values() if program else ())):
        if numbers[column] >= 0:
            made.add(_IF_EQUAL, numbers[column], 0, 1)
            made.end(_ALLOW)
    # The C library takes another way when it is told that there is no such call.
    made.add(_IF_EQUAL, GUARDED["clone3"][column], 0, 1)
    made.end(_ERROR | errno.ENOSYS)
    for name, rule in _rules(own, program=program).items():
        body = b"".join(map(_alternative, rule))
        made.add(_IF_EQUAL, GUARDED[name][column], 0, len(body) // 8 + 1)
        made.code += body
        made.end(_ERROR | errno.EPERM)
    made.end(_ERROR | errno.EPERM)
    return bytes(made.code)


def install(*, program: bool) -> None:
    """Filter the calls of this process from now on, in all that it starts too. Raises OSError.

    The process must have given up new privileges before (`no_new_privs`).
    """
    code = filter_program(platform.machine(), os.getpid(), program=program)
    buffer = ctypes.create_string_buffer(code, len(code))
    header = struct.pack("=H6xQ", len(code) // 8, ctypes.addressof(buffer))
    libc = ctypes.CDLL(None, use_errno=True)
    number = _SECCOMP[platform.machine()]
    if libc.syscall(ctypes.c_long(number), _SET_MODE_FILTER, ctypes.c_ulong(0), ctypes.c_char_p(header)) != 0:
        raise OSError(ctypes.get_errno(), "seccomp refuses the filter")


def is_available() -> bool:
    """True on Linux on an architecture whose calls are known."""
    return platform.system() == "Linux" and platform.machine() in _ARCHITECTURES
