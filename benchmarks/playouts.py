"""Random hands of classic through `bidwhist.state`, in a loop of its own: PACKAGE FOLDER, HANDS.

For every line on standard input it plays the same hands once and answers with CPU seconds and the sum of points.
"""

import sys
import time
from typing import Any

sys.path.insert(0, sys.argv[1])

import numba
import numpy as np

from bidwhist.bits import count, nth
from bidwhist.deal import deal_board, dealer_of
from bidwhist.rules import CLASSIC
from bidwhist.state import STATE, advance, first_action, legal, score_change, start, step
from bidwhist.streams import below, new_stream, use_key


@numba.njit(error_model="numpy")
def playouts(states: Any, rules: Any, key: Any, hands: int, stream: Any) -> int:
    """Points of NS less those of EW over all hands."""
    total, state = 0, states[0]
    for board in range(hands):
        state["kitty"] = deal_board(rules, key, board, stream, state["hands"])
        start(state, rules, dealer_of(key, board))
        while advance(state):
            options = legal(state)
            step(state, first_action(state["public"]["phase"]) + nth(options, below(stream, count(options))))
        total += score_change(state["public"], 0) - score_change(state["public"], 1)
    return total


if __name__ == "__main__":
    arguments = np.zeros(1, STATE), CLASSIC.record(), use_key(1, "deals")
    playouts(*arguments, 10, new_stream(0))
    for _ in sys.stdin:
        began = time.process_time()
        points = playouts(*arguments, int(sys.argv[2]), new_stream(0))
        print(time.process_time() - began, points, flush=True)
