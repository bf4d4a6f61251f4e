"""System calls by name, without the C library between, as an attacker would make them."""

import ctypes
import errno
import os
import platform
from typing import Final

_NUMBERS: Final = {
    "fork": (57, -1),
    "vfork": (58, -1),
    "clone": (56, 220),
    "clone3": (435, 435),
    "tkill": (200, 130),
    "tgkill": (234, 131),
    "rt_sigqueueinfo": (129, 138),
    "rt_tgsigqueueinfo": (297, 240),
    "pidfd_open": (434, 434),
    "pidfd_send_signal": (424, 424),
    "pidfd_getfd": (438, 438),
    "ptrace": (101, 117),
    "process_vm_readv": (310, 270),
    "process_vm_writev": (311, 271),
    "kcmp": (312, 272),
    "process_madvise": (440, 440),
    "ioprio_set": (251, 30),
    "sched_getattr": (315, 275),
    "get_robust_list": (274, 100),
    "io_uring_setup": (425, 425),
    "io_setup": (206, 0),
    "unshare": (272, 97),
    "setns": (308, 268),
    "mount": (165, 40),
    "umount2": (166, 39),
    "fsopen": (430, 430),
    "open_tree": (428, 428),
    "pivot_root": (155, 41),
    "chroot": (161, 51),
    "bpf": (321, 280),
    "perf_event_open": (298, 241),
    "userfaultfd": (323, 282),
    "add_key": (248, 217),
    "request_key": (249, 218),
    "keyctl": (250, 219),
    "personality": (135, 92),
    "modify_ldt": (154, -1),
    "arch_prctl": (158, -1),
    "prctl": (157, 167),
    "capset": (126, 91),
    "seccomp": (317, 277),
    "swapon": (167, 224),
    "reboot": (169, 142),
    "settimeofday": (164, 170),
    "clock_settime": (227, 112),
    "quotactl": (179, 60),
    "kexec_load": (246, 104),
    "init_module": (175, 105),
    "delete_module": (176, 106),
    "syslog": (103, 116),
    "acct": (163, 89),
    "sethostname": (170, 161),
    "iopl": (172, -1),
    "name_to_handle_at": (303, 264),
    "open_by_handle_at": (304, 265),
    "memfd_create": (319, 279),
    "execveat": (322, 281),
    "shmget": (29, 194),
    "shmat": (30, 196),
    "shmctl": (31, 195),
    "semget": (64, 190),
    "semctl": (66, 191),
    "msgget": (68, 186),
    "msgctl": (71, 187),
    "msgsnd": (69, 189),
    "msgrcv": (70, 188),
    "mq_open": (240, 180),
    "mq_unlink": (241, 181),
    "futex": (202, 98),
    "mincore": (27, 232),
    "preadv2": (327, 286),
    "cachestat": (451, 451),
    "inotify_init1": (294, 26),
    "inotify_add_watch": (254, 27),
    "fanotify_init": (300, 262),
    "mlockall": (151, 230),
    "sync": (162, 81),
    "splice": (275, 76),
    "timer_create": (222, 107),
    "renameat2": (316, 276),
    "sysinfo": (99, 179),
    "statfs": (137, 43),
    "getpid": (39, 172),
}
_COLUMN: Final = {"x86_64": 0, "aarch64": 1}
ON_X86: Final = platform.machine() == "x86_64"

_REFUSED: Final = frozenset({errno.EPERM, errno.EACCES, errno.ENOSYS})


class NotHere(Exception):
    """An attack that this machine has nothing for; the text says what."""


def number_of(name: str) -> int:
    """The number of a call on this machine. Raises NotHere."""
    column = _COLUMN.get(platform.machine())
    if column is None:
        raise NotHere(f"the calls of {platform.machine()} are not known")
    if _NUMBERS[name][column] < 0:
        raise NotHere(f"{platform.machine()} has no call {name}")
    return _NUMBERS[name][column]


def invoke(number: int, *arguments: object) -> int:
    """Make a call by its number; integers are passed as long. Raises OSError."""
    libc = ctypes.CDLL(None, use_errno=True)
    values = [ctypes.c_long(each) if isinstance(each, int) else each for each in arguments]
    result: int = ctypes.c_long(libc.syscall(ctypes.c_long(number), *values)).value & 0xFFFFFFFF
    if result == 0xFFFFFFFF:
        code = ctypes.get_errno()
        raise OSError(code, os.strerror(code))
    return result


def call(name: str, *arguments: object) -> int:
    """Make a call; its result, of which the lower 32 bits. Raises OSError, NotHere."""
    return invoke(number_of(name), *arguments)


def answers(name: str, *arguments: object) -> bool:
    """True if the kernel looks at a call, even if only to find its arguments wrong. Raises OSError if it is
    refused, NotHere.

    So calls are tried with arguments that do no harm.
    """
    try:
        call(name, *arguments)
    except OSError as error:
        if error.errno in _REFUSED:
            raise
    return True
