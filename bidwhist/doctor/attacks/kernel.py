"""The kernel: calls with which much can be changed, or that have had many faults. Arguments are such as do no harm."""

import ctypes
import mmap
import os
from collections import Counter
from collections.abc import Iterator

from bidwhist.doctor.attack import Attack, Attacks
from bidwhist.doctor.calls import ON_X86, NotHere, answers, call, invoke, number_of
from bidwhist.doctor.scene import Scene

ATTACKS = Attacks()
_NEW_USER, _NEW_PID, _NEW_NET, _NEW_MOUNT = 0x10000000, 0x20000000, 0x40000000, 0x00020000
_NOWHERE = b"/nowhere/at/all"

# Calls that the kernel must not even look at: a title, the call, its arguments; as root only.
_CALLS: tuple[tuple[str, str, tuple[object, ...], bool], ...] = (
    ("use io_uring", "io_uring_setup", (0, None), False),
    ("read and write asynchronously", "io_setup", (0, None), False),
    ("make a user namespace", "unshare", (_NEW_USER,), False),
    ("make a mount namespace", "unshare", (_NEW_MOUNT,), True),
    ("make a network namespace", "unshare", (_NEW_NET,), True),
    ("enter a namespace", "setns", (-1, 0), False),
    ("mount a file system", "mount", (b"none", _NOWHERE, b"tmpfs", 0, None), True),
    ("unmount a file system", "umount2", (_NOWHERE, 0), True),
    ("open a file system", "fsopen", (b"tmpfs", 0), True),
    ("open a tree of mounts", "open_tree", (-1, _NOWHERE, 1), True),
    ("exchange the root", "pivot_root", (_NOWHERE, _NOWHERE), True),
    ("change the root", "chroot", (_NOWHERE,), False),
    ("load a program into the kernel (bpf)", "bpf", (5, None, 0), True),
    ("measure the kernel (perf)", "perf_event_open", (None, 0, -1, -1, 0), False),
    ("handle page faults (userfaultfd)", "userfaultfd", (1,), False),
    ("keep a key", "add_key", (b"user", b"bidwhist", b"1", 1, -3), False),
    ("ask for a key", "request_key", (b"user", b"bidwhist-none", None, 0), False),
    ("use the keyring", "keyctl", (0, -3, 0), False),
    ("change its personality", "personality", (0xFFFFFFFF,), False),
    ("change segments of memory", "modify_ldt", (0, None, 0), False),
    ("filter its own calls", "seccomp", (0, 0, None), False),
    ("allow others to trace it", "prctl", (0x59616D61, -1, 0, 0, 0), False),
    ("change speculation", "prctl", (53, 0, 0, 0, 0), False),
    ("filter its own calls by prctl", "prctl", (22, 2, None, 0, 0), False),
    ("move to a disk", "swapon", (_NOWHERE, 0), True),
    ("restart the machine", "reboot", (0, 0, 0, None), True),
    ("set the clock", "settimeofday", (None, None), True),
    ("set the clock by its number", "clock_settime", (0, None), True),
    ("change quotas", "quotactl", (0x80000700, None, 0, None), True),
    ("load another kernel", "kexec_load", (0, 0, None, 1 << 40), True),
    ("load a module", "init_module", (None, 0, b""), True),
    ("remove a module", "delete_module", (b"bidwhist_none", 0), True),
    ("read the kernel's log", "syslog", (10, None, 0), True),
    ("account for processes", "acct", (_NOWHERE,), True),
    ("rename the machine", "sethostname", (b"", -1), True),
    ("use ports of devices", "iopl", (0,), True),
    ("send data past the process", "splice", (-1, None, -1, None, 0, 0), False),
    ("make a timer that signals", "timer_create", (0, None, None), False),
    ("write all to the disks", "sync", (), False),
    ("make a file in memory", "memfd_create", (b"attack", 0), False),
)


def _attacks() -> Iterator[Attack]:
    count: Counter[str] = Counter()
    for title, name, arguments, needs_root in _CALLS:
        count[name] += 1

        def run(scene: Scene, name: str = name, arguments: tuple[object, ...] = arguments) -> bool:
            return answers(name, *arguments)

        run.__name__ = name if count[name] == 1 else f"{name}_{count[name]}"
        yield Attack(run, title, needs_root)


ATTACKS += _attacks()


@ATTACKS.add("become root", needs_root=True)
def become_root(scene: Scene) -> bool:
    os.setuid(0)
    return os.geteuid() == 0


@ATTACKS.add("become another user", needs_root=True)
def become_other(scene: Scene) -> bool:
    os.setgroups([])
    os.setgid(12345)
    os.setuid(12345)
    return os.geteuid() == 12345


@ATTACKS.add("take capabilities", needs_root=True)
def take_capabilities(scene: Scene) -> bool:
    most = 0xFFFFFFFF
    header = (ctypes.c_uint32 * 2)(0x20080522, 0)
    held = (ctypes.c_uint32 * 6)()
    ctypes.CDLL(None).capget(header, held)
    own = held[0] & most
    return call("capset", header, (ctypes.c_uint32 * 6)(own, own, 0, 0, 0, 0)) == 0 and own != 0


def _run_code(code: bytes) -> int:
    """Run machine code."""
    memory = mmap.mmap(-1, 4096, prot=mmap.PROT_READ | mmap.PROT_WRITE | mmap.PROT_EXEC)
    memory.write(code)
    function = ctypes.CFUNCTYPE(ctypes.c_long)(ctypes.addressof(ctypes.c_char.from_buffer(memory)))
    return int(function())


@ATTACKS.add("make a call of the 32-bit interface (int 0x80)")
def old_interface(scene: Scene) -> bool:
    if not ON_X86:
        raise NotHere("only x86-64 has it")
    # push rbx; mov eax, 20 (getpid); int 0x80; pop rbx; ret
    return _run_code(b"\x53\xb8\x14\x00\x00\x00\xcd\x80\x5b\xc3") == os.getpid()


@ATTACKS.add("make a forbidden call by own machine code")
def own_code(scene: Scene) -> bool:
    if not ON_X86:
        raise NotHere("the machine code is for x86-64")
    # mov eax, 41 (socket); mov edi, 2; mov esi, 1; xor edx, edx; syscall; ret
    return _run_code(b"\xb8\x29\0\0\0\xbf\x02\0\0\0\xbe\x01\0\0\0\x31\xd2\x0f\x05\xc3") >= 0


@ATTACKS.add("make a call of the x32 interface")
def x32(scene: Scene) -> bool:
    if not ON_X86:
        raise NotHere("only x86-64 has it")
    return invoke(0x40000000 | number_of("getpid")) == os.getpid()
