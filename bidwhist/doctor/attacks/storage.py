"""Memory, disk and descriptors: more than what was granted. What is taken is bounded, in case that it can be had."""

import mmap
import os
import resource

from bidwhist.doctor.attack import Attacks
from bidwhist.doctor.calls import answers, call
from bidwhist.doctor.scene import Scene

ATTACKS = Attacks()
_PAGE = 4096
_CHUNK = 4  # MB
_MOST_FILES = 4200
_MOST_OPEN = 300
_LARGE = 16  # MB of a file
_MOST_UNSEEN = 1024  # MB


def _fill(memory: mmap.mmap) -> None:
    for place in range(0, len(memory), _PAGE):
        memory[place] = 1


@ATTACKS.add("fill the memory")
def fill_memory(scene: Scene) -> bool:
    taken = [bytearray(_CHUNK << 20) for _ in range(0, 2 * scene.memory, _CHUNK)]
    return sum(map(len, taken)) > scene.memory << 20


@ATTACKS.add("fill the memory with private mappings")
def map_memory(scene: Scene) -> bool:
    taken = []
    for _ in range(0, 2 * scene.memory, _CHUNK):
        taken.append(mmap.mmap(-1, _CHUNK << 20, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS))
        _fill(taken[-1])
    return True


@ATTACKS.add("fill the memory with shared mappings")
def share_memory(scene: Scene) -> bool:
    taken = []
    for _ in range(0, 2 * scene.memory, _CHUNK):
        taken.append(mmap.mmap(-1, _CHUNK << 20, flags=mmap.MAP_SHARED | mmap.MAP_ANONYMOUS))
        _fill(taken[-1])
    return True


@ATTACKS.add("fill the memory with a file in memory")
def fill_file_in_memory(scene: Scene) -> bool:
    descriptor = call("memfd_create", b"fill", 0)
    for _ in range(0, 2 * scene.memory, _CHUNK):
        os.write(descriptor, bytes(_CHUNK << 20))
    return True


@ATTACKS.add("keep pages in memory")
def lock_memory(scene: Scene) -> bool:
    return answers("mlockall", 1)


@ATTACKS.add("raise its own limits")
def raise_limits(scene: Scene) -> bool:
    for limit in (resource.RLIMIT_DATA, resource.RLIMIT_FSIZE, resource.RLIMIT_NOFILE):
        now, _ = resource.getrlimit(limit)
        if now == resource.RLIM_INFINITY:
            return True
        resource.setrlimit(limit, (now + 1, now + 1))
    return True


@ATTACKS.add("lower its own limits")
def lower_limits(scene: Scene) -> bool:
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    return True


@ATTACKS.add("fill the disk with a file")
def fill_disk(scene: Scene) -> bool:
    with (scene.scratch / "big").open("wb") as file:
        for _ in range(0, 2 * scene.room, _CHUNK):
            file.write(bytes(_CHUNK << 20))
    return True


@ATTACKS.add("fill the disk with several files")
def fill_disk_by_parts(scene: Scene) -> bool:
    for number in range(0, 2 * scene.room, _CHUNK):
        (scene.scratch / f"part-{number}").write_bytes(bytes(_CHUNK << 20))
    return _waits()


@ATTACKS.add("fill the disk with small files")
def fill_disk_with_files(scene: Scene) -> bool:
    for number in range(_MOST_FILES):
        os.close(os.open(scene.scratch / f"file-{number}", os.O_CREAT | os.O_WRONLY))
    return _waits()


@ATTACKS.add(f"hold more than {_MOST_UNSEEN >> 10} GB of the disk in files without a name")
def fill_disk_unseen(scene: Scene) -> bool:
    """Nobody sees them but the process, so what bounds them is how many it may open, and how large they may be."""
    path, taken = scene.scratch / "unseen", 0
    while taken <= _MOST_UNSEEN:
        descriptor = os.open(path, os.O_CREAT | os.O_RDWR)
        path.unlink()
        os.posix_fallocate(descriptor, 0, _LARGE << 20)
        taken += _LARGE
    return True


@ATTACKS.add("reserve the disk")
def reserve_disk(scene: Scene) -> bool:
    descriptor = os.open(scene.scratch / "reserved", os.O_CREAT | os.O_RDWR)
    os.posix_fallocate(descriptor, 0, 2 * scene.room << 20)
    return _waits()


@ATTACKS.add("make a file of a gigabyte with nothing in it")
def make_sparse(scene: Scene) -> bool:
    with (scene.scratch / "sparse").open("wb") as file:
        file.truncate(1 << 30)
    return True


@ATTACKS.add(f"open {_MOST_OPEN} files")
def open_many(scene: Scene) -> bool:
    taken = [os.open("/dev/null", os.O_RDONLY) for _ in range(_MOST_OPEN)]
    return len(taken) == _MOST_OPEN


@ATTACKS.add("dump its memory into a file")
def dump_memory(scene: Scene) -> bool:
    resource.setrlimit(resource.RLIMIT_CORE, (1, resource.getrlimit(resource.RLIMIT_CORE)[1]))
    return True


def _waits() -> bool:
    """Give the arena time to see what is there."""
    import time

    time.sleep(0.4)
    return True
