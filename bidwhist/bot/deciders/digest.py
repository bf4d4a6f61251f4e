"""A digest of the code that a compiled function is made of: its own, that of functions it calls, and values it reads.

The compiler takes all of it for constant, so its work is cached under this digest.
"""

import hashlib
import types
from collections.abc import Iterable
from typing import Any, Final

import numpy as np

from bidwhist import _sources

# Ours are known by their sources; what the others hold, by the versions that name the cache.
_OURS: Final = ("bidwhist", "bidwhist_bots")
_VERSIONED: Final = ("numba", "numpy", "math", "builtins")


def digest_of(functions: Iterable[Any]) -> str:
    """Hex digest of all that some functions can reach through names that they read."""
    digest = hashlib.sha256()
    seen: set[int] = set()
    for function in functions:
        _add(digest, seen, function)
    return digest.hexdigest()


def _add(digest: Any, seen: set[int], value: Any) -> None:
    value = getattr(value, "py_func", value)  # of what Numba has compiled already
    if id(value) in seen:
        return
    package = _package_of(value)
    if package in _OURS:
        seen.add(id(value))
        name = str(getattr(value, "__qualname__", value.__name__)).partition(".")[0]
        digest.update(str(_sources.digest_of(value.__module__, name)).encode())
    elif isinstance(value, types.FunctionType):
        seen.add(id(value))
        if package not in _VERSIONED:
            _add_function(digest, seen, value)
    elif isinstance(value, np.ndarray):
        digest.update(repr((value.dtype, value.shape)).encode() + value.tobytes())
    elif isinstance(value, tuple | list):
        for each in value:
            _add(digest, seen, each)
    elif isinstance(value, bool | int | float | complex | str | bytes | None | np.generic):
        digest.update(repr(value).encode() + b"\0")


def _package_of(value: Any) -> str:
    """The package that a function or a class is defined in; '' for other values."""
    is_named = isinstance(getattr(value, "__module__", None), str) and hasattr(value, "__name__")
    return value.__module__.partition(".")[0] if is_named else ""


def _add_function(digest: Any, seen: set[int], function: types.FunctionType) -> None:
    cells = [cell.cell_contents for cell in function.__closure__ or ()]
    for code in _codes(function.__code__):
        digest.update(code.co_code + repr(code.co_names).encode())
        _add(digest, seen, [each for each in code.co_consts if not isinstance(each, types.CodeType)])
        for name in code.co_names:
            value = function.__globals__.get(name)
            if isinstance(value, types.ModuleType):
                if value.__name__.partition(".")[0] not in _VERSIONED:
                    cells += [getattr(value, each, None) for each in code.co_names]
            else:
                digest.update(name.encode() + b"\0")
                _add(digest, seen, value)
    _add(digest, seen, [*cells, *(function.__defaults__ or ())])


def _codes(code: types.CodeType) -> list[types.CodeType]:
    """A function's code, and that of the functions inside it."""
    inner = [each for each in code.co_consts if isinstance(each, types.CodeType)]
    return [code, *(deeper for each in inner for deeper in _codes(each))]
