"""Record types without holes.

NumPy leaves bytes between fields, and at the end, for alignment, and copies records field by field: such bytes would
keep whatever the memory held before, another hand perhaps. Here every byte belongs to a field.
"""

from collections.abc import Iterable
from typing import Any, TypeAlias

import numpy as np

Field: TypeAlias = tuple[Any, ...]  # name, type and perhaps shape, as NumPy takes them


def dense(fields: Iterable[Field]) -> np.dtype[np.void]:
    """An aligned record type of the fields, widest first, filled up by a field `unused` where that is needed."""
    kinds = [(field, np.dtype((field[1], field[2])) if len(field) > 2 else np.dtype(field[1])) for field in fields]
    kinds.sort(key=lambda pair: -pair[1].alignment)
    size = sum(kind.itemsize for _, kind in kinds)
    widest = kinds[0][1].alignment
    layout: list[Field] = [field for field, _ in kinds]
    if size % widest:
        layout.append(("unused", "i1", (widest - size % widest,)))
    return np.dtype(layout, align=True)
