"""Asking for memory before it is needed.

A kernel that passes over more records than the cache holds waits for each; asked for some records ahead, they come
while it works. To a Python caller this does nothing.
"""

from typing import Any, Final

from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic, overload

_LINE: Final = 64  # bytes that are fetched at once
_TO_WRITE: Final = ir.Constant(ir.IntType(32), 1)
_NEAR: Final = ir.Constant(ir.IntType(32), 3)  # into the first cache
_DATA: Final = ir.Constant(ir.IntType(32), 1)


def prefetch(records: Any, place: int) -> None:
    """Have `records[place]` fetched for writing; `place` may lie beyond the end of the array, which does no harm."""


def _typed_prefetch(context: Any, records: Any, place: Any) -> Any:
    def emit(context: Any, builder: Any, _signature: Any, values: Any) -> Any:
        array = context.make_array(records)(context, builder, values[0])
        first = builder.bitcast(array.data, cgutils.voidptr_t)
        kind = ir.FunctionType(ir.VoidType(), [first.type, _NEAR.type, _NEAR.type, _NEAR.type])
        insert: Any = cgutils.get_or_insert_function
        fetch = insert(builder.module, kind, "llvm.prefetch.p0")
        at = builder.mul(values[1], values[1].type(records.dtype.size))
        for line in range(0, records.dtype.size, _LINE):
            address = builder.gep(first, [builder.add(at, at.type(line))])
            builder.call(fetch, [address, _TO_WRITE, _NEAR, _DATA])
        return context.get_dummy_value()

    return types.void(records, types.int64), emit


_native_prefetch: Any = intrinsic(_typed_prefetch)
overload(prefetch)(lambda records, place: lambda records, place: _native_prefetch(records, place))
