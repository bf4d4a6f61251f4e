"""Counting, picking and moving bits of an int64 mask, the upper half of a product, a choice without a branch.

To a Python caller these are plain Python. In a kernel each is one machine instruction, written here with LLVM's
builder because Numba has no name for them; `nth`, `gather` and `scatter` need a processor with BMI2 for that and loop
on others.
"""

from typing import Any, Final

import llvmlite.binding
import numpy as np
from llvmlite import ir
from numba import types
from numba.extending import intrinsic, overload

_I64: Final = ir.IntType(64)
_I128: Final = ir.IntType(128)
_HAS_PDEP: Final = bool(llvmlite.binding.get_host_cpu_features().get("bmi2"))


def count(mask: int) -> int:
    """Number of set bits."""
    return int(mask).bit_count()


def lowest(mask: int) -> int:
    """Index of the lowest set bit; 64 for an empty mask."""
    m = int(mask)
    return (m & -m).bit_length() - 1 if m else 64


def highest(mask: int) -> int:
    """Index of the highest set bit; -1 for an empty mask."""
    return int(mask).bit_length() - 1


def nth(mask: int, n: int) -> int:
    """Index of the n-th set bit, counted from the lowest, n = 0 .. count(mask) - 1."""
    m = int(mask)
    for _ in range(n):
        m &= m - 1
    return lowest(m)


def gather(mask: int, places: int) -> int:
    """The bits of `mask` that stand at the set bits of `places`, moved together at the low end."""
    m, rest, moved, bit = int(mask), int(places), 0, 1
    while rest:
        moved |= bit if m & rest & -rest else 0
        rest, bit = rest & (rest - 1), bit << 1
    return moved


def scatter(mask: int, places: int) -> int:
    """The low bits of `mask`, moved to the set bits of `places`: `gather(scatter(m, p), p) == m`."""
    m, rest, moved = int(mask), int(places), 0
    while rest:
        moved |= rest & -rest if m & 1 else 0
        rest, m = rest & (rest - 1), m >> 1
    return moved


def high_product(a: Any, b: Any) -> Any:
    """Upper 64 bits of the 128-bit product of two uint64, as uint64."""
    return np.uint64((int(a) * int(b)) >> 64)


def choose(condition: bool, a: int, b: int) -> int:
    """`a` if the condition holds, else `b`. In a kernel both are there already and no jump can be predicted wrongly:
    for conditions that are as good as random, such as whether a hand can follow suit."""
    return a if condition else b


def index(value: int) -> Any:
    """`value`, known not to be negative, as an index: in a kernel the check for Python's negative indices is saved."""
    return value


def _emit_count(builder: Any, mask: Any) -> Any:
    return builder.ctpop(mask)


def _emit_lowest(builder: Any, mask: Any) -> Any:
    return builder.cttz(mask, ir.IntType(1)(0))


def _emit_highest(builder: Any, mask: Any) -> Any:
    return builder.sub(_I64(63), builder.ctlz(mask, ir.IntType(1)(0)))


def _emit_bmi(builder: Any, name: str, a: Any, b: Any) -> Any:
    kind = ir.FunctionType(_I64, [_I64, _I64])
    function = builder.module.globals.get(name) or ir.Function(builder.module, kind, name)
    return builder.call(function, [a, b])


def _emit_gather(builder: Any, mask: Any, places: Any) -> Any:
    return _emit_bmi(builder, "llvm.x86.bmi.pext.64", mask, places)


def _emit_scatter(builder: Any, mask: Any, places: Any) -> Any:
    return _emit_bmi(builder, "llvm.x86.bmi.pdep.64", mask, places)


def _emit_nth(builder: Any, mask: Any, n: Any) -> Any:
    return _emit_lowest(builder, _emit_scatter(builder, builder.shl(_I64(1), n), mask))


def _emit_high_product(builder: Any, a: Any, b: Any) -> Any:
    product = builder.mul(builder.zext(a, _I128), builder.zext(b, _I128))
    return builder.trunc(builder.lshr(product, _I128(64)), _I64)


def _one(emit: Any) -> Any:
    """An intrinsic int64 -> int64 whose code `emit` writes."""

    def typed(context: Any, mask: Any) -> Any:
        return types.int64(types.int64), lambda _c, builder, _s, values: emit(builder, *values)

    return intrinsic(typed)


def _two(emit: Any, kind: Any = types.int64) -> Any:
    """An intrinsic (kind, kind) -> kind whose code `emit` writes."""

    def typed(context: Any, mask: Any, n: Any) -> Any:
        return kind(kind, kind), lambda _c, builder, _s, values: emit(builder, *values)

    return intrinsic(typed)


_native_count, _native_lowest, _native_highest = _one(_emit_count), _one(_emit_lowest), _one(_emit_highest)
_native_nth, _native_high_product = _two(_emit_nth), _two(_emit_high_product, types.uint64)
_native_gather, _native_scatter = _two(_emit_gather), _two(_emit_scatter)


def _typed_choose(context: Any, condition: Any, a: Any, b: Any) -> Any:
    def emit(_c: Any, builder: Any, _s: Any, values: Any) -> Any:
        selected = builder.select(*values)
        selected.set_metadata("unpredictable", builder.module.add_metadata([]))
        return selected

    return types.int64(types.boolean, types.int64, types.int64), emit


_native_choose: Any = intrinsic(_typed_choose)


def _looped_nth(mask: int, n: int) -> int:
    rest = mask
    for _ in range(n):
        rest &= rest - 1
    return lowest(rest)


def _looped_gather(mask: int, places: int) -> int:
    moved, rest, bit = 0, places, 1
    while rest != 0:
        if mask & rest & -rest != 0:
            moved |= bit
        rest &= rest - 1
        bit <<= 1
    return moved


def _looped_scatter(mask: int, places: int) -> int:
    moved, rest, bits = 0, places, mask
    while rest != 0:
        if bits & 1 != 0:
            moved |= rest & -rest
        rest &= rest - 1
        bits >>= 1
    return moved


overload(count)(lambda mask: lambda mask: _native_count(mask))
overload(lowest)(lambda mask: lambda mask: _native_lowest(mask))
overload(highest)(lambda mask: lambda mask: _native_highest(mask))
overload(index)(lambda value: lambda value: np.uint64(value))
overload(choose)(lambda condition, a, b: lambda condition, a, b: _native_choose(condition, a, b))
overload(high_product)(lambda a, b: lambda a, b: _native_high_product(a, b))
overload(nth)((lambda mask, n: lambda mask, n: _native_nth(mask, n)) if _HAS_PDEP else lambda mask, n: _looped_nth)
overload(gather)(
    (lambda mask, places: lambda mask, places: _native_gather(mask, places))
    if _HAS_PDEP
    else lambda mask, places: _looped_gather
)
overload(scatter)(
    (lambda mask, places: lambda mask, places: _native_scatter(mask, places))
    if _HAS_PDEP
    else lambda mask, places: _looped_scatter
)
