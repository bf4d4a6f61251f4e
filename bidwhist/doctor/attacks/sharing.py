"""Channels between partners: anything that one changes and the other sees. `leave` of the victim is the other side."""

import ctypes
import errno
import fcntl
import mmap
import os
import resource
import time
from collections.abc import Callable

from bidwhist.doctor.attack import Attacks
from bidwhist.doctor.calls import NotHere, call
from bidwhist.doctor.scene import NOTE, SECRET, Scene

ATTACKS = Attacks()
_SHARED_WAKE = 1  # FUTEX_WAKE without FUTEX_PRIVATE_FLAG
_TOLD = 77
"""A number that the partner tells."""


@ATTACKS.add("share memory (System V)")
def shared_memory(scene: Scene) -> bool:
    libc = ctypes.CDLL(None, use_errno=True)
    libc.shmat.restype = ctypes.c_void_p
    address = libc.shmat(call("shmget", scene.key, 4096, 0), None, 0)
    return ctypes.string_at(address, len(SECRET)) == SECRET


@ATTACKS.add("share a semaphore (System V)")
def semaphore(scene: Scene) -> bool:
    return call("semctl", call("semget", scene.key, 1, 0), 0, 12, 0) == _TOLD  # GETVAL


@ATTACKS.add("send each other messages (System V)")
def message_queue(scene: Scene) -> bool:
    message = ctypes.create_string_buffer(8 + len(SECRET))
    call("msgrcv", call("msgget", scene.key, 0), message, len(SECRET), 0, 0o4000)
    return message.raw[8:] == SECRET


@ATTACKS.add("send each other messages (POSIX)")
def posix_queue(scene: Scene) -> bool:
    return call("mq_open", scene.note.name.encode(), os.O_RDONLY, 0, None) > 0


@ATTACKS.add("share memory (POSIX)")
def posix_memory(scene: Scene) -> bool:
    return scene.note.read_bytes() == SECRET


@ATTACKS.add("see a lock of the partner (flock)")
def lock(scene: Scene) -> bool:
    try:
        fcntl.flock(os.open(scene.shared, os.O_RDONLY), fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    return False


@ATTACKS.add("see a lock of the partner (fcntl)")
def record_lock(scene: Scene) -> bool:
    import struct

    asked = struct.pack("hhqqi4x", fcntl.F_WRLCK, 0, 0, 0, 0)
    found = fcntl.fcntl(os.open(scene.shared, os.O_RDONLY), fcntl.F_GETLK, asked)
    return int(struct.unpack("hhqqi4x", found)[4]) == scene.partner.pid


@ATTACKS.add("see that the partner has a file open, by a lease")
def lease(scene: Scene) -> bool:
    try:
        fcntl.fcntl(os.open(scene.old, os.O_RDONLY), fcntl.F_SETLEASE, fcntl.F_WRLCK)
    except BlockingIOError:
        return True
    return False


@ATTACKS.add("watch who uses a file (inotify)")
def watch_file(scene: Scene) -> bool:
    watching = call("inotify_init1", os.O_NONBLOCK)
    call("inotify_add_watch", watching, os.fsencode(scene.shared), 0x20)  # IN_OPEN
    os.close(os.open(scene.shared, os.O_RDONLY))
    return len(os.read(watching, 4096)) > 0


@ATTACKS.add("watch who uses a disk (fanotify)")
def watch_disk(scene: Scene) -> bool:
    return call("fanotify_init", 0x200, 0) > 0  # FAN_REPORT_FID


@ATTACKS.add("wake each other at a page of a file (futex)")
def wake(scene: Scene) -> bool:
    descriptor = os.open(scene.shared, os.O_RDONLY)
    libc = ctypes.CDLL(None, use_errno=True)
    libc.mmap.restype = ctypes.c_void_p
    address = libc.mmap(None, ctypes.c_size_t(4096), mmap.PROT_READ, mmap.MAP_SHARED, descriptor, ctypes.c_long(0))
    return call("futex", ctypes.c_void_p(address), _SHARED_WAKE, 1, None, None, 0) >= 0


@ATTACKS.add("see whether a file is in memory (mincore)")
def resident(scene: Scene) -> bool:
    own = mmap.mmap(-1, 4096)
    result = ctypes.create_string_buffer(1)
    place = ctypes.addressof(ctypes.c_char.from_buffer(own))
    return call("mincore", ctypes.c_void_p(place), ctypes.c_size_t(4096), result) == 0


@ATTACKS.add("see whether a file is in memory (RWF_NOWAIT)")
def read_at_once(scene: Scene) -> bool:
    try:
        return len(SECRET) == os.preadv(os.open(scene.shared, os.O_RDONLY), [bytearray(len(SECRET))], 0, os.RWF_NOWAIT)
    except BlockingIOError:
        return True


@ATTACKS.add("see whether a file is in memory (cachestat)")
def cached(scene: Scene) -> bool:
    reach, found = (ctypes.c_uint64 * 2)(0, 4096), (ctypes.c_uint64 * 5)()
    return call("cachestat", os.open(scene.shared, os.O_RDONLY), reach, found, 0) == 0


@ATTACKS.add("see whether a file was in memory (page faults)")
def faults(scene: Scene) -> bool:
    return resource.getrusage(resource.RUSAGE_SELF).ru_minflt > 0


@ATTACKS.add("see how long the partner has worked")
def clock(scene: Scene) -> bool:
    return time.clock_gettime((-scene.partner.pid - 1) * 8 + 2) > 0


@ATTACKS.add("see the priority of the partner")
def priority(scene: Scene) -> bool:
    return os.getpriority(os.PRIO_PROCESS, scene.partner.pid) >= 0


@ATTACKS.add("see how the partner is scheduled", allowed=True)
def scheduler(scene: Scene) -> bool:
    return os.sched_getscheduler(scene.partner.pid) >= 0


@ATTACKS.add("see the processors of the partner", allowed=True)
def processors(scene: Scene) -> bool:
    return len(os.sched_getaffinity(scene.partner.pid)) > 0


@ATTACKS.add("see the group of the partner")
def group(scene: Scene) -> bool:
    return os.getpgid(scene.partner.pid) > 0 and os.getsid(scene.partner.pid) > 0


@ATTACKS.add("see whether the partner traps the end of threads")
def robust_list(scene: Scene) -> bool:
    head, size = ctypes.c_void_p(), ctypes.c_size_t()
    return call("get_robust_list", scene.partner.pid, ctypes.byref(head), ctypes.byref(size)) == 0


@ATTACKS.add("see how much memory the machine has left")
def memory_left(scene: Scene) -> bool:
    return call("sysinfo", ctypes.create_string_buffer(256)) == 0


@ATTACKS.add("see how much room the disk has left")
def room_left(scene: Scene) -> bool:
    return os.statvfs(scene.scratch).f_bfree > 0


@ATTACKS.add("find the partner's scratch folder among its neighbours")
def neighbours(scene: Scene) -> bool:
    beside = scene.scratch.parent
    return any((beside / name / NOTE).exists() for name in os.listdir(beside) if name != scene.scratch.name)


@ATTACKS.add("find the partner's scratch folder by its process")
def folder_of_partner(scene: Scene) -> bool:
    return os.path.exists(f"/proc/{scene.partner.pid}/cwd/{NOTE}")


@ATTACKS.add("make a pipe, whose number tells how many there were", allowed=True)
def pipe_number(scene: Scene) -> bool:
    return os.fstat(os.pipe()[0]).st_ino > 0


def _counts(look: Callable[[], int]) -> bool:
    try:
        return look() > 0
    except OSError as error:
        if error.errno in (errno.ENOENT, errno.EACCES, errno.EPERM):
            return False
        raise NotHere(str(error)) from None


# ---------------------------------------------------------------- what can be seen of files that cannot be opened

CHANNELS = Attacks()


@CHANNELS.add("see that a file is there, and how large it is")
def see_file(scene: Scene) -> bool:
    return _counts(lambda: os.stat(scene.secret).st_size)


@CHANNELS.add("see how many files the partner has open")
def count_open(scene: Scene) -> bool:
    return _counts(lambda: os.stat(f"/proc/{scene.partner.pid}/fd").st_size)


@CHANNELS.add("see that a process is there")
def see_process(scene: Scene) -> bool:
    return _counts(lambda: os.stat(f"/proc/{scene.partner.pid}").st_nlink)


@CHANNELS.add("see that the partner has read a file, by its time of access")
def see_reading(scene: Scene) -> bool:
    return _counts(lambda: int(os.stat(scene.old).st_atime > os.stat(scene.old).st_mtime))
