"""Where compiled code is kept, and whether something is compiled already. Known without loading the compiler.

Compiled code lies in `<home>/code-<platform>/<function>-<digest>`, that of bots in `<home>/bots-<platform>/`. The
platform is the processor, the versions of Python, Numba, llvmlite and NumPy, and Numba's switches; the digest is that
of all source that the function is made of (`_sources.digest_of`). After an edit or an upgrade another folder is used,
so nothing stale can be served; code that an edit does not reach stays compiled, and clones of the same commit share
what one of them has compiled.

What is kept is run as it is, so it is only kept where nobody else can write, and it is only read if it is as it was
written: a file of digests in each folder tells.
"""

import contextlib
import hashlib
import json
import os
import platform
import re
import shutil
import stat
import sys
import tempfile
import time
import uuid
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from importlib.metadata import version
from pathlib import Path
from typing import IO, Any, Final

from bidwhist._sources import digest_of
from bidwhist.activity import busy
from bidwhist.errors import Stopped
from bidwhist.files import write_atomically
from bidwhist.locks import takes

_MONTH: Final = 30 * 24 * 3600.0
_PATIENCE: Final = 900.0  # seconds to wait for another process that compiles the same
_GLANCE: Final = 0.05  # seconds between two looks whether it is done
_LOCK: Final = "lock"
_DIGESTS: Final = "digests.json"  # of the other files of a folder, by name
# Switches that say where code is kept, not what it is.
_NO_SHAPE: Final = ("NUMBA_CACHE_DIR", "NUMBA_NUM_THREADS")


def _processor() -> str:
    """The processor and what it can do, as the system tells it."""
    with suppress(OSError), Path("/proc/cpuinfo").open(encoding="utf-8", errors="replace") as file:
        lines = []
        for line in file:
            if not line.strip():
                break
            lines.append(line)
        return "".join(line for line in lines if re.match(r"model name|flags|Features|CPU (part|implementer)", line))
    return platform.processor()


def _platform_digest() -> str:
    """Hex digest of all that shapes compiled code beside its source."""
    switches = sorted(
        (name, value) for name, value in os.environ.items() if name.startswith("NUMBA_") and name not in _NO_SHAPE
    )
    versions = [version(package) for package in ("numba", "llvmlite", "numpy")]
    switch_file = b""
    with suppress(OSError):
        switch_file = Path(".numba_config.yaml").read_bytes()
    shape = (sys.version, sys.platform, versions, platform.machine(), _processor(), switches, switch_file)
    return hashlib.blake2b(repr(shape).encode(), digest_size=8).hexdigest()


def _home() -> Path | None:
    """The folder of all compiled code; None if none can be written."""
    named = os.environ.get("NUMBA_CACHE_DIR")
    base = os.environ.get("XDG_CACHE_HOME")
    candidates = [Path(named)] if named else [Path(base) / "bidwhist"] if base else []
    if not candidates:
        with suppress(RuntimeError):  # a user without a home
            candidates.append(Path.home() / ".cache" / "bidwhist")
    if hasattr(os, "getuid"):  # elsewhere the system tells nothing of a folder that all may write into
        candidates.append(Path(tempfile.gettempdir()) / f"bidwhist-{os.getuid()}")
    return next(filter(_is_usable, candidates), None)


def _is_usable(folder: Path) -> bool:
    """True for a folder that can be written, by this user alone; it is made if it is missing."""
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        if not _is_private(folder):
            return False
        with tempfile.TemporaryFile(dir=folder):
            return True
    except OSError:
        return False


def _is_private(folder: Path) -> bool:
    """True for a folder of this user's that nobody else can write into, or replace. Raises OSError."""
    if not hasattr(os, "getuid"):
        return True
    path = folder.absolute()
    links = [place.lstat() for place in (path, *path.parents) if place.is_symlink()]
    own, *above = [place.stat() for place in (path.resolve(), *path.resolve().parents)]
    return (
        own.st_uid == os.getuid()
        and not own.st_mode & (stat.S_IWGRP | stat.S_IWOTH)
        and all(link.st_uid in (os.getuid(), 0) for link in links)
        # Where all may write, as in /tmp, the sticky bit keeps them from renaming what is not theirs.
        and all(each.st_mode & stat.S_ISVTX or not each.st_mode & stat.S_IWOTH for each in above)
    )


HOME: Final = _home()
CODE: Final = HOME / f"code-{_platform_digest()}" if HOME else None
"""The folder of the compiled code of our functions; None if none is kept."""
_BOTS: Final = HOME / f"bots-{_platform_digest()}" if HOME else None


def folder_of(module: str, qualified_name: str, identity: str | None = None) -> Path | None:
    """The folder of a function's compiled code, which need not exist; None if it is not kept.

    `identity` stands in for the digest of the sources of a function that is not ours.
    """
    is_ours = identity is None
    identity = identity or digest_of(module, qualified_name.partition(".")[0])
    if identity is None:
        return None
    name = re.sub(r"[^\w.]", "", f"{module}.{qualified_name}")[-120:] + f"-{identity}"
    if _own is None:
        home = CODE if is_ours else _BOTS
        return home / name if home else None
    kept = CODE if is_ours else _ready
    return kept / name if kept and is_kept(kept / name) else _own / name


_own: Path | None = None
_ready: Path | None = None


def keep_apart(own: Path, ready: Path | None) -> None:
    """For a process that may write nowhere but in `own`: keep there what is compiled from now on.

    Our functions are still read from where they are kept, and those of its user's bots from `ready`.
    """
    global _own, _ready
    _own, _ready = own, ready


def is_compiled(entry_point: str) -> bool:
    """True if a function of ours, written `module:name`, is kept compiled: to call it takes no compiling."""
    module, _, name = entry_point.partition(":")
    folder = folder_of(module, name)
    return folder is not None and is_kept(folder)


def is_kept(folder: Path) -> bool:
    """True if the folder of a function holds its compiled code."""
    return any(folder.glob("*.nbc"))


_held: Final[set[Path]] = set()  # folders that this process holds


@contextmanager
def held(folder: Path) -> Iterator[bool]:
    """Hold a function's folder, made if it is missing: other processes that want it wait meanwhile.

    They find what this one has compiled. A process that dies lets go. What is damaged is removed first; the value is
    False if that cannot be done, and then nothing in the folder may be read. To be called under the compiler's lock, by
    one thread at a time; may be nested.
    """
    if folder in _held:
        yield True
        return
    is_new = not folder.is_dir()
    with contextlib.ExitStack() as stack:
        with suppress(OSError):  # what cannot be locked is compiled all the same
            stack.enter_context(_locked(folder))
            os.utime(folder)
        _held.add(folder)
        stack.callback(_held.remove, folder)
        with _intact(folder) as is_intact:
            yield is_intact
    if is_new and HOME is not None:
        remove_unused(HOME)


@contextmanager
def _intact(folder: Path) -> Iterator[bool]:
    """Remove compiled code that is not as it was written, and note how it is afterwards; False if it stays."""
    before: dict[str, str] = {}
    try:
        found = _digests(folder)
        if json.loads((folder / _DIGESTS).read_bytes()) == found:
            before = found
    except (OSError, ValueError):
        pass
    try:
        if not before:
            _empty(folder)
    except OSError:
        yield False
        return
    yield True
    with suppress(OSError, Stopped):  # code without its digest is compiled anew
        after = _digests(folder)
        if after != before:
            write_atomically(folder / _DIGESTS, json.dumps(after).encode())


def _digests(folder: Path) -> dict[str, str]:
    """By name of a file of compiled code: the digest of what is in it. Raises OSError."""
    paths = sorted(folder.glob("*.nb[ic]"))
    return {path.name: hashlib.blake2b(path.read_bytes(), digest_size=16).hexdigest() for path in paths}


def _empty(folder: Path) -> None:
    """Remove all but the lock. Raises OSError."""
    for path in folder.iterdir() if folder.is_dir() else ():
        if path.name == _LOCK:
            continue
        if path.is_dir() and not path.is_symlink():
            shutil.rmtree(path)
        else:
            path.unlink()


@contextmanager
def _locked(folder: Path) -> Iterator[None]:
    deadline = time.monotonic() + _PATIENCE
    while True:
        folder.mkdir(parents=True, exist_ok=True)
        with suppress(FileNotFoundError), (folder / _LOCK).open("a") as file:
            if not takes(file):
                with busy(f"waiting for another process that compiles {folder.name.rpartition('-')[0]}"):
                    while not takes(file) and time.monotonic() < deadline:
                        time.sleep(_GLANCE)
            if _is_at(file, folder):  # it was not removed while we waited
                yield
                return


def _is_at(file: IO[Any], folder: Path) -> bool:
    with suppress(FileNotFoundError):
        return os.path.samestat(os.fstat(file.fileno()), (folder / _LOCK).stat())
    return False


def remove_unused(home: Path) -> None:
    """Remove the folders of functions that no process has used for 30 days; one that is held stays."""
    for folder in (*home.glob("code-*/*"), *home.glob("bots-*/*")):
        with suppress(OSError):
            if _is_unused(folder):
                _remove(folder)
    for folder in (*home.glob("code-*"), *home.glob("bots-*")):
        with suppress(OSError):  # most are not empty
            folder.rmdir()


def _is_unused(folder: Path) -> bool:
    return folder.is_dir() and time.time() - folder.stat().st_mtime > _MONTH


def _remove(folder: Path) -> None:
    """Remove a folder unless a process holds it, or has used it since it was looked at."""
    with contextlib.ExitStack() as stack:
        with suppress(FileNotFoundError):  # no lock: an earlier version made it, or it was being removed
            file = stack.enter_context((folder / _LOCK).open("r+"))
            if not takes(file) or not _is_unused(folder):
                return
        trash = folder.with_name(f"removed-{uuid.uuid4().hex}")
        folder.rename(trash)
    shutil.rmtree(trash, ignore_errors=True)
