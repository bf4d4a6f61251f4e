"""Pictures of a run: each asks a question in its title and answers it below, in a sentence made from the data.

Every function takes the folder of a run and returns a `Picture`, which is a matplotlib Figure. The same colours,
markers and lines stand for the same bots in all pictures; they can be told apart without colours. Hollow points rest on
few cases. matplotlib comes with the extra `notebook`.
"""

try:
    import matplotlib as _  # noqa: F401 - looked for here, so that whoever lacks it is told what to install
except ModuleNotFoundError as missing:
    if missing.name != "matplotlib":
        raise
    message = 'bidwhist.plots draws with matplotlib, which is not installed: pip install "bidwhist[notebook]"'
    raise ModuleNotFoundError(message, name="matplotlib") from None

from bidwhist.plots.bidding import bids_made, calibration
from bidwhist.plots.boards import boards_needed, convergence
from bidwhist.plots.duel import sources, swings
from bidwhist.plots.picture import Picture
from bidwhist.plots.ranking import cross_table, standings
from bidwhist.plots.seating import roles, seats
from bidwhist.plots.times import times

__all__ = [
    "Picture",
    "bids_made",
    "boards_needed",
    "calibration",
    "convergence",
    "cross_table",
    "roles",
    "seats",
    "sources",
    "standings",
    "swings",
    "times",
]
