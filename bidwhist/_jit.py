"""Every Numba option of the project, once."""

import platform
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, TypeVar, cast

import llvmlite.binding
import numba
import numba.extending
import numpy as np
from numba.core import caching, sigutils
from numba.core.compiler_lock import global_compiler_lock

from bidwhist import _inlined
from bidwhist._cache import folder_of, held, is_kept
from bidwhist.activity import busy
from bidwhist.collector import uncollected

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

OPTIONS: dict[str, Any] = {
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
    **_inlined.OPTIONS,
}


class Locator(caching._CacheLocator):
    """Tells Numba's cache our folders, whose names say what they hold: a source stamp has nothing to add."""

    folders: Final[dict[Any, Path]] = {}  # by function

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def get_cache_path(self) -> str:
        """The folder."""
        return str(self._folder)

    def get_source_stamp(self) -> str:
        """What the folder is known by."""
        return self._folder.name

    def get_disambiguator(self) -> str:
        """What tells apart functions of one folder: there is one."""
        return "0"

    @classmethod
    def from_function(cls, py_func: Any, py_file: str) -> "Locator | None":
        """The locator of a function; None for one that is not ours."""
        folder = cls.folders.get(py_func)
        return cls(folder) if folder else None


_caches: Any = caching.CacheImpl
_caches._locator_classes.insert(0, Locator)
_config: Any = numba.config
if getattr(_config, "CACHE_LOCATOR_CLASSES", ""):  # a user's choice, instead of the list
    _config.CACHE_LOCATOR_CLASSES = f"{__name__}.{Locator.__name__},{_config.CACHE_LOCATOR_CLASSES}"


def _keep(function: Any, identity: str | None = None) -> Path | None:
    """Have what is compiled of a function kept on disk; its folder, or None if it cannot be kept."""
    folder = folder_of(function.__module__, function.__qualname__, identity)
    if folder is not None:
        Locator.folders[function] = folder
    return folder


def _turn(folder: Path | None) -> AbstractContextManager[bool]:
    return held(folder) if folder else nullcontext(False)


_not_kept: Final[list[str]] = []  # why compiled code cannot be written to disk, once it could not


def _announced(function: Any, folder: Path | None) -> AbstractContextManager[None]:
    """Tell who listens that a function is compiled, if it is not kept."""
    if folder is not None and is_kept(folder):
        return nullcontext()
    reason = f" (it cannot be kept in {_not_kept[0]})" if _not_kept else ""
    return busy(f"compiling {function.__module__}.{function.__qualname__}{reason}")


def _load_or_compile(folder: Path | None, is_usable: bool, compile_now: Callable[[bool], Any]) -> Any:
    """Load a function's compiled code if it is kept and usable, else compile it and keep it.

    `compile_now(cached)` compiles; with `cached` it loads and saves. A full disk only means that nothing is kept.
    """
    if is_usable:
        try:
            return compile_now(True)
        except OSError as error:
            _not_kept.append(f"{folder}: {error.strerror}")
    return compile_now(False)


def _compiled(function: F, identity: str | None = None) -> F:
    if _config.DISABLE_JIT:
        return function
    dispatcher: Any = numba.njit(**OPTIONS, **_inlined.KERNEL_OPTIONS)(function)
    compile_now = dispatcher.compile
    folders: list[Path | None] = []  # one, when it is first compiled: most functions never are by themselves

    def compile_in_turn(signature: Any) -> Any:
        """Load or compile, while other processes that need the same wait."""
        with global_compiler_lock:
            if not folders:
                folders.append(_keep(function, identity))

            def compile_signature(keeps: bool) -> Any:
                cache: Any = caching.FunctionCache
                dispatcher._cache = cache(function) if keeps else caching.NullCache()
                return compile_now(signature)  # what has been compiled, and could not be kept, is not compiled again

            # Within the compiler's lock: a thread that holds that one may come to need this one.
            with _turn(folders[0]) as is_usable, uncollected(), _announced(function, folders[0]):
                entry_point = _load_or_compile(folders[0], is_usable, compile_signature)
                arguments: Any = sigutils.normalize_signature(signature)[0]  # type: ignore[no-untyped-call]
                _inlined.set_environments(dispatcher.overloads[tuple(arguments)])
                return entry_point

    dispatcher.compile = compile_in_turn
    _inlined.compile_into_callers(dispatcher, OPTIONS)
    return cast(F, dispatcher)


def prepare(kernel: Any, *arguments: Any) -> None:
    """Load or compile a function of `jit` for arguments of these types, unless it has been called before."""
    if getattr(kernel, "overloads", True) or _config.DISABLE_JIT:
        return
    type_of: Any = numba.typeof
    kernel.compile(tuple(type_of(argument) for argument in arguments))


def jit(function: F) -> F:
    """Compile `function` in nopython mode with the project's options; its types stay as written.

    What is compiled is kept on disk: a worker starts in a second then.
    """
    return _compiled(function)


def jit_apart(function: F, identity: str) -> F:
    """`jit` for a function that is not ours, kept by `identity`: a digest of all that it reaches."""
    return _compiled(function, identity)


def jit_wrapping(function: F) -> F:
    """`jit` for arithmetic that wraps around: with Numba switched off, NumPy is kept from warning of it."""
    if _config.DISABLE_JIT:
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
        if _config.DISABLE_JIT:
            return np.vectorize(function, otypes=[signature.partition("(")[0]])
        folder = _keep(function)
        vectorize: Any = numba.vectorize
        with global_compiler_lock, _turn(folder) as is_usable:
            made = _load_or_compile(folder, is_usable, lambda keeps: vectorize([signature], cache=keeps)(function))
            return cast(Callable[..., Any], made)

    return decorate
