"""Call a compiled bot's function by its address, from a kernel compiled earlier.

A kernel that took functions as arguments would be compiled anew for every bot. An address is a number, so the kernel
stays as it is; the price is a call where a house bot is inlined.
"""

from collections.abc import Callable
from typing import Any, Final

import numba
from llvmlite import ir
from numba import types
from numba.extending import intrinsic, overload

from bidwhist._jit import jit_apart
from bidwhist.observation import Private
from bidwhist.public import PUBLIC

Function = Callable[[Any, Any, Any], int]

RAISED: Final = -(1 << 62)
"""What `ask` answers for a function that raised an exception: no action."""

# (private, public, stream). The stream is a field of a record: references to an array would be counted at every call.
_types: Any = types  # Numba's are not annotated
_ARGUMENTS: Final = (
    _types.NamedTuple((*(types.int64,) * 5, types.uint64), Private),
    numba.from_dtype(PUBLIC),
    types.NestedArray(dtype=types.uint64, shape=(1,)),
)

_functions: Final[dict[int, Any]] = {}  # by address: what was compiled, which has to be kept alive


def entry_of(function: Function, identity: str) -> int:
    """Address of a function (private, public, stream) -> action, compiled.

    What is compiled is kept on disk under `identity`, which tells the function's sources and constants. Raises
    TypeError if it does not return an integer, and what Numba raises for what it cannot compile.
    """
    if numba.config.DISABLE_JIT:  # type: ignore[attr-defined]  # set by Numba at run time
        address = id(function)
        _functions[address] = function
        return address
    compiled: Any = jit_apart(function, identity)
    compiled.compile(_ARGUMENTS)
    answer = _types.unliteral(compiled.overloads[_ARGUMENTS].signature.return_type)
    if not isinstance(answer, types.Integer):
        raise TypeError(f"returns {answer}; an action is an integer")
    if answer != types.int64:
        compiled = jit_apart(function, f"{identity}-wide")
        compiled.compile(types.int64(*_ARGUMENTS))
    result = compiled.overloads[_ARGUMENTS]
    address = int(result.library.get_pointer_to_function(result.fndesc.llvm_func_name))
    _functions[address] = compiled
    return address


def ask(address: int, private: Any, public: Any, stream: Any) -> int:
    """The answer of the function at an address of `entry_of`, or RAISED."""
    try:
        return int(_functions[address](private, public, stream))
    except Exception:  # whatever a stranger's function may raise
        return RAISED


def _typed_call(context: Any, address: Any, private: Any, public: Any, stream: Any) -> Any:
    arguments = (private, public, stream)
    if arguments != _ARGUMENTS:
        raise TypeError(f"a compiled bot is asked with {arguments}, and was compiled for {_ARGUMENTS}")

    def emit(context: Any, builder: Any, signature: Any, values: Any) -> Any:
        # The convention of Numba's own calls between compiled functions, which its CPython wrappers use, too.
        convention = context.call_conv
        kind = convention.get_function_type(types.int64, arguments)
        function = builder.inttoptr(values[0], kind.as_pointer())
        status, answer = convention.call_function(builder, function, types.int64, arguments, values[1:])
        return builder.select(status.is_error, ir.Constant(answer.type, RAISED), answer)

    return types.int64(types.int64, *arguments), emit


_call: Any = intrinsic(_typed_call)
overload(ask)(
    lambda address, private, public, stream: (
        lambda address, private, public, stream: _call(address, private, public, stream)
    )
)
