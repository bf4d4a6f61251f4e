"""A digest of the code that a compiled function is made of: its own, that of functions it calls, and values it reads.

The compiler takes all of it for constant, so its work is cached under this digest.
"""

import hashlib
import types
from collections.abc import Iterable
from typing import Any, Final

import numpy as np

# What these hold is covered by the versions and sources that name the cache.
_OWN: Final = ("bidwhist", "bidwhist_bots", "numba", "numpy", "math", "builtins")


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
    if isinstance(value, types.FunctionType):
        seen.add(id(value))
        if (value.__module__ or "").partition(".")[0] not in _OWN:
            _add_function(digest, seen, value)
    elif isinstance(value, np.ndarray):
        digest.update(repr((value.dtype, value.shape)).encode() + value.tobytes())
    elif isinstance(value, tuple | list):
        for each in value:
            _add(digest, seen, each)
    elif isinstance(value, bool | int | float | complex | str | bytes | None | np.generic):
        digest.update(repr(value).encode() + b"\0")


def _add_function(digest: Any, seen: set[int], function: types.FunctionType) -> None:
    cells = [cell.cell_contents for cell in function.__closure__ or ()]
    for code in _codes(function.__code__):
        digest.update(code.co_code + repr(code.co_names).encode())
        _add(digest, seen, [each for each in code.co_consts if not isinstance(each, types.CodeType)])
        for name in code.co_names:
            value = function.__globals__.get(name)
            if isinstance(value, types.ModuleType):
                if value.__name__.partition(".")[0] not in _OWN:
                    cells += [getattr(value, each, None) for each in code.co_names]
            else:
                digest.update(name.encode() + b"\0")
                _add(digest, seen, value)
    _add(digest, seen, [*cells, *(function.__defaults__ or ())])


def _codes(code: types.CodeType) -> list[types.CodeType]:
    """A function's code, and that of the functions inside it."""
    inner = [each for each in code.co_consts if isinstance(each, types.CodeType)]
    return [code, *(deeper for each in inner for deeper in _codes(each))]
