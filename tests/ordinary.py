"""Runs a command as an ordinary user, from root: `python ordinary.py FOLDER COMMAND ...`.

The interpreter and this repository may lie in folders that only root can enter. So the process gets a view of the file
system of its own, in which each such folder is empty but for what is needed. Exit code 77 if the machine refuses.
"""

import ctypes
import os
import sys
from pathlib import Path

USER = 54321
REFUSED = 77
_NEW_MOUNTS = 0x00020000
_BIND, _RECURSIVE, _PRIVATE = 4096, 16384, 1 << 18


def mount(source: str, target: str, kind: str, flags: int, options: str) -> None:
    """Raises OSError."""
    libc = ctypes.CDLL(None, use_errno=True)
    texts = [each.encode() for each in (source, target, kind)]
    if libc.mount(*texts, ctypes.c_ulong(flags), options.encode()) != 0:
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()), target)


def closed_folder(path: Path) -> Path | None:
    """The first folder on the way to a path that an ordinary user cannot enter."""
    for folder in [*reversed(path.parents), path]:
        if not folder.stat().st_mode & 1:
            return folder
    return None


def open_up(path: Path, aside: Path) -> None:
    """Let everybody enter what leads to a path."""
    while folder := closed_folder(path):
        inner = folder / path.relative_to(folder).parts[0] if path != folder else folder
        held = aside / str(len(list(aside.iterdir())))
        held.mkdir()
        mount(str(inner), str(held), "", _BIND | _RECURSIVE, "")
        mount("none", str(folder), "tmpfs", 0, "mode=755")
        inner.mkdir(exist_ok=True)
        mount(str(held), str(inner), "", _BIND | _RECURSIVE, "")


def main() -> None:
    """Become the user and run the command; the folder is the user's home and the only one to write in."""
    folder, *command = sys.argv[1:]
    needed = [Path(sys.executable).absolute(), Path(os.path.realpath(sys.executable)), Path(__file__).absolute()]
    try:
        libc = ctypes.CDLL(None, use_errno=True)
        if libc.unshare(_NEW_MOUNTS) != 0:
            raise OSError(ctypes.get_errno(), "no view of its own")
        mount("none", "/", "", _PRIVATE | _RECURSIVE, "")
        aside = Path(folder) / "aside"
        aside.mkdir()
        os.chown(folder, USER, USER)
        for each in [*needed, Path(folder)]:
            open_up(each.parent, aside)
        os.setgroups([])
        os.setresgid(USER, USER, USER)
        os.setresuid(USER, USER, USER)
    except OSError as error:
        print(error)
        sys.exit(REFUSED)
    kept = {name: os.environ[name] for name in ("PATH", "LANG", "PYTHONPATH") if name in os.environ}
    variables = {**kept, "HOME": folder, "TMPDIR": folder, "XDG_CACHE_HOME": f"{folder}/cache"}
    os.execve(command[0], command, variables)


if __name__ == "__main__":
    main()
