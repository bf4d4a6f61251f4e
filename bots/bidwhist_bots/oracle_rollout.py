"""The house bot `oracle-rollout`: `mc` in the true world, which the engine shows it."""

from typing import Final

from bidwhist_bots import mc
from bidwhist_bots.parameters import Parameter, Values
from bidwhist_bots.search import SHARES, Search

ABOUT: Final = "sees all hands, and plays each of its actions out in them, as the heuristic plays"
PARAMETERS: Final[dict[str, Parameter]] = SHARES


def search(values: Values) -> Search:
    """The bot's search."""
    return mc.Rollouts(values)
