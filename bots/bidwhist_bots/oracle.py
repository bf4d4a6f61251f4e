"""The house bot `oracle`, which sees all hands: cards are weighed by the double-dummy solver, all else by rollouts.

It is a reference: nobody who has to guess can do much better than one who knows. What it imagines is the truth, which
the engine shows it (`ws["truth"]`), so a single world is enough. Calls, naming and discards are those of
`oracle-rollout`, which is `mc` in the true world. Of cards that the solver holds for equal, the one that does best
against opponents who play as the heuristic is taken.
"""

from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from bidwhist._jit import jit, prepare
from bidwhist.observation import Private, private_of
from bidwhist.public import PLAYING
from bidwhist.solver.values import NO_LIMIT
from bidwhist_bots import mc, pimc
from bidwhist_bots.parameters import Parameter, Values
from bidwhist_bots.search import SHARES, Search

ABOUT: Final = "as oracle-rollout, but a solver tells what each card is worth"
PARAMETERS: Final[dict[str, Parameter]] = SHARES

# What the solver says counts so many times as much as what a rollout says: a book (0.05) more than a whole game.
_FIRST: Final = 1e5


@jit
def extend(ws: Any, solver: Any, private: Private, public: Any) -> None:
    """Weigh a decision in the true world."""
    if public["phase"] == PLAYING:
        pimc.extend(ws, solver, private, public, 1)
        for place in range(ws["candidates"]):
            ws["sums"][place] *= _FIRST
    mc.extend(ws, private, public, 1)


@jit
def _extend(search: Any, solver: Any, rows: Any, place: int) -> None:
    solver[0]["nodes"], solver[0]["limit"] = 0, NO_LIMIT
    extend(search[0], solver[0], private_of(rows[place]), rows[place]["public"])


class Truth(pimc.Solved):
    """Weighs in one world, the true one."""

    def extend(self, rows: NDArray[np.void], place: int, worlds: int) -> None:
        """Weigh in the true world."""
        prepare(_extend, self.record, self._solver, rows, place)
        if worlds > 0:
            _extend(self.record, self._solver, rows, place)


def search(values: Values) -> Search:
    """The bot's search."""
    return Truth(values)
