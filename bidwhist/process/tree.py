"""Ending processes together with all that descend from them."""

import ctypes
import os
from collections.abc import Collection
from contextlib import suppress
from typing import Final

import psutil

_SUBREAPER: Final = 36  # PR_SET_CHILD_SUBREAPER of Linux


def kill_tree(pid: int) -> None:
    """Kill a process and all its descendants, in whatever sessions they are."""
    with suppress(psutil.NoSuchProcess):
        process = psutil.Process(pid)
        for each in [*process.children(recursive=True), process]:
            with suppress(psutil.NoSuchProcess):
                each.kill()


def adopt_orphans() -> None:
    """Become the parent of descendants whose own parent ends, so that `end_children` finds them (Linux only)."""
    with suppress(OSError, AttributeError):
        ctypes.CDLL(None).prctl(_SUBREAPER, 1, 0, 0, 0)


def end_children(but: Collection[int] = ()) -> None:
    """Kill all children of this process except those with the given ids."""
    for child in psutil.Process().children():
        if child.pid not in but:
            kill_tree(child.pid)
            with suppress(ChildProcessError):
                os.waitpid(child.pid, 0)
