"""A bot that cannot be asked: its process dies, or it does not load."""

import numpy as np
from numpy.typing import NDArray

from bidwhist.engine.decider import Decider, DecisionFailed
from bidwhist.faults import Fault


class LostBot(Decider):
    """Fails at every question, for the same reason."""

    def __init__(self, name: str, reason: str, fault: Fault = Fault.CRASH) -> None:
        """`reason`: why the bot cannot be asked; `fault`: of what kind that is."""
        super().__init__(name)
        self._reason = reason
        self._fault = fault

    def decide(self, rows: NDArray[np.void], sequences: NDArray[np.int64]) -> NDArray[np.int64]:
        """Raises DecisionFailed."""
        raise DecisionFailed(0, self._reason, self._fault)
