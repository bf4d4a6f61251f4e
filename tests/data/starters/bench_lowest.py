"""A batch bot: the legal action with the lowest id."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from bidwhist.rows import actions, lowest


def act_batch(rows: NDArray[Any]) -> NDArray[np.int64]:
    """An action for each OBSERVATION row."""
    return actions(rows, lowest(rows["legal"]))
