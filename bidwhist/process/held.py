"""Memory that other processes hold."""

import os
from contextlib import suppress
from pathlib import Path

import psutil


def memory_of(pid: int) -> int:
    """Bytes of memory that a process has for itself or shares with its parent; 0 if that is not known."""
    with suppress(OSError, ValueError, IndexError):
        fields = Path(f"/proc/{pid}/statm").read_bytes().split()
        return (int(fields[1]) - int(fields[2])) * os.sysconf("SC_PAGE_SIZE")
    return 0


def memory_below(pid: int) -> int:
    """The most that a process, or one of those that it has started, holds; see `memory_of`."""
    started: list[psutil.Process] = []
    with suppress(psutil.Error):
        started = psutil.Process(pid).children(recursive=True)
    return max(memory_of(each) for each in (pid, *(child.pid for child in started)))
