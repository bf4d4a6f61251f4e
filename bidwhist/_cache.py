"""Where compiled code is kept. Known without the compiler, so that a process that only waits for others is spared it.

Numba's on-disk cache notices an edit to the file of the function it compiled, not to the files of what that function
calls. So the cache lives in a folder named by a digest of all our sources and of the versions that shape the code:
after an edit or an upgrade another folder is used, and stale code cannot be served.
"""

import hashlib
import importlib.util
import os
import platform
import shutil
import sys
import tempfile
import time
from collections.abc import Iterator
from importlib.metadata import version
from pathlib import Path
from typing import Final

# Packages whose compiled functions share the cache.
_PACKAGES = ("bidwhist", "bidwhist_bots")
_MONTH = 30 * 24 * 3600.0


def _sources() -> Iterator[tuple[str, Path]]:
    for package in _PACKAGES:
        spec = importlib.util.find_spec(package)
        for folder in (spec.submodule_search_locations or ()) if spec else ():
            for path in sorted(Path(folder).rglob("*.py")):
                yield f"{package}/{path.relative_to(folder).as_posix()}", path


def source_digest() -> str:
    """Hex digest of our sources and of the Python, Numba, its switches and the processor that shape compiled code."""
    switches = sorted((name, value) for name, value in os.environ.items() if name.startswith("NUMBA_"))
    shaping = [each for each in switches if each[0] not in ("NUMBA_CACHE_DIR", "NUMBA_NUM_THREADS")]
    digest = hashlib.blake2b(digest_size=10)
    digest.update(repr((sys.version, version("numba"), platform.machine(), shaping)).encode())
    for name, path in _sources():
        digest.update(name.encode() + b"\0" + path.read_bytes() + b"\0")
    return digest.hexdigest()


def _cache_home() -> Path:
    named = os.environ.get("NUMBA_CACHE_DIR")
    if named:
        return Path(named)
    base = os.environ.get("XDG_CACHE_HOME")
    try:
        return (Path(base) if base else Path.home() / ".cache") / "bidwhist"
    except RuntimeError:  # a user without a home
        return Path(tempfile.gettempdir()) / "bidwhist-cache"


def _is_writable(folder: Path) -> bool:
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder):
            return True
    except OSError:
        return False


def _drop_old_caches(home: Path, keep: Path) -> None:
    for folder in home.glob("code-*"):
        if folder != keep and time.time() - folder.stat().st_mtime > _MONTH:
            shutil.rmtree(folder, ignore_errors=True)


def _cache_folder() -> Path | None:
    """Our folder of this code. None if no folder can be written; Numba then makes its own choice."""
    home = _cache_home()
    if not _is_writable(home):
        home = Path(tempfile.gettempdir()) / f"bidwhist-{os.getuid() if hasattr(os, 'getuid') else 'cache'}"
        if not _is_writable(home):
            return None
    folder = home / f"code-{source_digest()}"
    if not folder.is_dir():
        folder.mkdir(exist_ok=True)
        _drop_old_caches(home, folder)
    return folder


FOLDER: Final = _cache_folder()
# What a file in the folder tells of, once all of it is compiled.
ENGINE: Final = "engine"
SOLVER: Final = "solver"
BOT: Final = "bot-"  # with the name of a house bot that searches


def is_compiled(what: str = ENGINE) -> bool:
    """True if all that a run needs, or else the solver or a bot does, has been compiled before and is kept."""
    return FOLDER is not None and (FOLDER / f"{what}.whole").exists()


def note_compiled(what: str = ENGINE) -> None:
    """Remember that it is compiled."""
    if FOLDER is not None:
        (FOLDER / f"{what}.whole").touch()
