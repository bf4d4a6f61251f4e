"""Every Numba option of the project, once."""

import platform
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeVar, cast

import llvmlite.binding
import numba
import numba.extending
import numpy as np

from bidwhist._cache import FOLDER

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

if FOLDER is not None:
    numba.config.CACHE_DIR = str(FOLDER)  # type: ignore[attr-defined]  # set by Numba at run time

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


def jit_apart(function: F, identity: str) -> F:
    """`jit` for a function that is not ours: what is compiled is kept apart, by `identity`.

    Numba would not notice an edit to another file of the function's package; `identity` has to.
    """
    own = numba.config.CACHE_DIR  # type: ignore[attr-defined]  # set by Numba at run time
    try:
        if FOLDER is not None:
            numba.config.CACHE_DIR = f"{FOLDER}-{identity}"  # type: ignore[attr-defined]  # set by Numba at run time
        return jit(function)
    finally:
        numba.config.CACHE_DIR = own  # type: ignore[attr-defined]  # set by Numba at run time


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
