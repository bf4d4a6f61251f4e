"""A batch bot: any legal action, all as likely, drawn as the house bot `random` draws."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from bidwhist.rows import actions, below, count, nth


def act_batch(rows: NDArray[Any]) -> NDArray[np.int64]:
    """An action for each OBSERVATION row."""
    legal = rows["legal"]
    return actions(rows, nth(legal, below(rows, count(legal))))
