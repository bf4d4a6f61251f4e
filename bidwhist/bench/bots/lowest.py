"""A batch bot: the legal action with the lowest id."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from bidwhist.actions import WORDS
from bidwhist.public import NAMING


def act_batch(rows: NDArray[Any]) -> NDArray[np.int64]:
    """An action for each OBSERVATION row."""
    legal = rows["legal"]
    lowest = np.frexp((legal & -legal).astype(np.float64))[1] - 1
    first = np.where(rows["public"]["phase"] <= NAMING, WORDS, 0)
    actions: NDArray[np.int64] = lowest + first
    return actions
