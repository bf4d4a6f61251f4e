"""Every Numba option of the project, once, and where compiled code is kept.

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
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar, cast

import llvmlite.binding
import numba
import numba.extending
import numpy as np

if platform.machine() in ("x86_64", "AMD64"):
    # LLVM would turn some of the choices that bidwhist.bits.choose asks for back into jumps; to play takes half as long
    # again then.
    llvmlite.binding.set_option("bidwhist", "-x86-cmov-converter=false")

F = TypeVar("F", bound=Callable[..., Any])

if TYPE_CHECKING:

    def int64(value: Any) -> int:
        """The one integer type of kernels; to the type checker it is an int."""

else:
    int64 = np.int64

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
    """Hex digest of our sources and of the Python, Numba and processor that shape compiled code."""
    digest = hashlib.blake2b(digest_size=10)
    digest.update(repr((sys.version, numba.__version__, platform.machine())).encode())
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


def _use_cache_folder() -> Path | None:
    """Point Numba at our folder of this code. None if no folder can be written; Numba then makes its own choice."""
    home = _cache_home()
    if not _is_writable(home):
        home = Path(tempfile.gettempdir()) / f"bidwhist-{os.getuid() if hasattr(os, 'getuid') else 'cache'}"
        if not _is_writable(home):
            return None
    folder = home / f"code-{source_digest()}"
    if not folder.is_dir():
        folder.mkdir(exist_ok=True)
        _drop_old_caches(home, folder)
    numba.config.CACHE_DIR = str(folder)  # type: ignore[attr-defined]  # set by Numba at run time
    return folder


_FOLDER = _use_cache_folder()
_WHOLE = "compiled"  # a file that stands in the folder once all that a run needs is compiled


def is_compiled() -> bool:
    """True if what a run needs has been compiled before and is kept."""
    return _FOLDER is not None and (_FOLDER / _WHOLE).exists()


def note_compiled() -> None:
    """Remember that what a run needs is compiled."""
    if _FOLDER is not None:
        (_FOLDER / _WHOLE).touch()


OPTIONS: dict[str, Any] = {
    "cache": True,  # a worker starts in a second instead of compiling for half a minute
    "nogil": True,  # kernels touch no Python object, so threads may run beside them
    "error_model": "numpy",  # no divide in a kernel can meet zero; saves the check
}
_SHARED_OPTIONS: dict[str, Any] = {
    "nogil": True,
    "error_model": "numpy",
    "no_cpython_wrapper": True,
    "no_cfunc_wrapper": True,
    # A call costs more than most of these functions do: records and arrays are passed in pieces, references counted.
    "forceinline": True,
}


def jit(function: F) -> F:
    """Compile `function` in nopython mode with the project's options; its types stay as written."""
    return cast(F, numba.njit(**OPTIONS)(function))


def jit_wrapping(function: F) -> F:
    """`jit` for arithmetic that wraps around: with Numba switched off, NumPy is kept from warning of it."""
    if numba.config.DISABLE_JIT:  # type: ignore[attr-defined]  # set by Numba at run time
        return np.errstate(over="ignore")(function)
    return jit(function)


def shared(function: F) -> F:
    """For what kernels are made of: compiled into each kernel that calls it, plain Python to a Python caller.

    Without an entry of its own from Python and on disk, a function compiles in half the time; and who only formats a
    card does not pay for a first compiled call, which is most of a second.
    """
    return numba.extending.register_jitable(**_SHARED_OPTIONS)(function)


def elementwise(signature: str) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Make a function of numbers one of whole arrays: a NumPy ufunc, compiled for this signature (Numba's notation).

    With Numba switched off it is called for each element in turn.
    """

    def decorate(function: Callable[..., Any]) -> Callable[..., Any]:
        if numba.config.DISABLE_JIT:  # type: ignore[attr-defined]  # set by Numba at run time
            return np.vectorize(function, otypes=[signature.partition("(")[0]])
        compiled: Any = numba.vectorize
        return cast(Callable[..., Any], compiled([signature], cache=OPTIONS["cache"])(function))

    return decorate
