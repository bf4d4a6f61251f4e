"""The house bot `belief`: `mc` in worlds that come as often as the others' calls, namings and cards make them likely.

The worlds are those of `bidwhist_bots.chain`. What a card is worth in them is told by rollouts, by the solver, or by
the solver near the end of a hand only.
"""

from math import log
from typing import Final

from bidwhist.cards import CARDS
from bidwhist_bots import mc, pimc
from bidwhist_bots.parameters import Number, Parameter, Values
from bidwhist_bots.search import SHARES, Search, effort

ABOUT: Final = (
    "mc in worlds that come as often as the others' calls and cards make them likely; steps: between two; "
    "floors: likelihood in percent of a call or card as unlike the heuristic's as can be, 100: as good as any"
)
PARAMETERS: Final[dict[str, Parameter]] = {
    **effort(200),
    **SHARES,
    "calls_floor": Number(5, 1, 100),
    "plays_floor": Number(20, 1, 100),
    "steps": Number(30, 1, 1000),
    "leaf": ("rollout", "solver", "both"),
}

_FEW_CARDS: Final = 6  # in hand, up to which leaf=both asks the solver


def search(values: Values) -> Search:
    """The bot's search."""
    leaf = values["leaf"]
    most_cards = _FEW_CARDS if leaf == "both" else CARDS
    made = mc.Rollouts(values) if leaf == "rollout" else pimc.Solved(values, most_cards)
    made.record["calls_weight"] = -log(int(values["calls_floor"]) / 100)
    made.record["plays_weight"] = -log(int(values["plays_floor"]) / 100)
    made.record["steps"] = values["steps"]
    return made
