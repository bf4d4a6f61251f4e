"""Ending processes together with all that descend from them."""

import ctypes
import os
import signal
from collections.abc import Collection
from contextlib import suppress
from typing import Final

# Operations of Linux's prctl.
_PARENT_DEATH_SIGNAL: Final = 1
_SUBREAPER: Final = 36


def kill_tree(pid: int) -> None:
    """Kill a process and all its descendants, in whatever sessions they are."""
    import psutil  # here: a command that starts no process needs none of it

    with suppress(psutil.NoSuchProcess):
        process = psutil.Process(pid)
        for each in [*process.children(recursive=True), process]:
            with suppress(psutil.NoSuchProcess):
                each.kill()


def adopt_orphans() -> None:
    """Become the parent of descendants whose own parent ends, so that `end_children` finds them (Linux only)."""
    with suppress(OSError, AttributeError):
        ctypes.CDLL(None).prctl(_SUBREAPER, 1, 0, 0, 0)


def end_with_parent() -> None:
    """Have the system end this process when its parent has ended (Linux only)."""
    with suppress(OSError, AttributeError):
        ctypes.CDLL(None).prctl(_PARENT_DEATH_SIGNAL, signal.SIGKILL, 0, 0, 0)


def end_children(but: Collection[int] = ()) -> None:
    """Kill all children of this process except those with the given ids, until none is left."""
    while _has_children():
        import psutil

        found = [child.pid for child in psutil.Process().children() if child.pid not in but]
        for pid in found:
            kill_tree(pid)
            with suppress(ChildProcessError):
                os.waitpid(pid, 0)
        if not found:
            return


def _has_children() -> bool:
    if not hasattr(os, "waitid"):
        return True
    try:
        os.waitid(os.P_ALL, 0, os.WEXITED | os.WNOHANG | os.WNOWAIT)
    except ChildProcessError:
        return False
    return True
