"""Which card to try first: by far the largest factor in the speed of the search.

A card's weight is a sum of numbers looked up by what can be seen in a glance: who has the highest cards of its suit,
how long it is in each hand, whether somebody can ruff. The numbers (`bidwhist.solver.weights`) were fitted to what
each card of many positions cost the search, so that the expected cost of the first card tried is small.
"""

from typing import Any

from bidwhist._jit import shared
from bidwhist.solver.answers import list_answers
from bidwhist.solver.leads import list_leads


@shared
def list_moves(ws: Any, frame: Any, position: int) -> None:
    """Fill the frame's moves, one card of each run of equal ones, with what they promise; `next_move` takes them."""
    frame["count"] = list_leads(ws, frame) if position == 0 else list_answers(ws, frame, position)
    frame["dead"] = 0
