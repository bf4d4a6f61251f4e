"""Solve."""
from typing import Any
import numpy as np
from bidwhist._jit import int64, jit
from bidwhist.solver.search import search, STOPPED
from bidwhist.bits import count


@jit
def solve_value(ws: Any, base: int, guess: int) -> int:
    """Tricks of side 0 from here; -1 if stopped."""
    frame = ws.frames[base]
    least, most = 0, count(int64(ws.state[0]["hands"][int64(frame["seat"])]))
    need = guess
    while least < most:
        need = min(max(need, least + 1), most)
        frame["need"] = need
        result = search(ws, base)
        if result == STOPPED:
            return -1
        if result == 1:
            least = need
            need += 1
        else:
            most = need - 1
            need -= 1
    return least
