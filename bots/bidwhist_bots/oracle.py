"""The house bot `oracle`, which sees all hands: cards are weighed by the double-dummy solver, all else by rollouts.

It is a reference: nobody who has to guess can do much better than one who knows. What it imagines is the truth, which
the engine shows it (`ws["truth"]`), so a single world is enough. Calls, naming and discards are those of
`oracle-rollout`, which is `mc` in the true world. Of cards that the solver holds for equal, the one that does best
against opponents who play as the heuristic is taken.
"""

from typing import Any, Final

from bidwhist._jit import jit
from bidwhist.observation import Private
from bidwhist.public import PLAYING
from bidwhist_bots import mc, pimc

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
