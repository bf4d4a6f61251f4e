"""Solve."""
from typing import Any
import numpy as np
from bidwhist._jit import int64, jit, shared
from bidwhist.solver.search import search, unit
from bidwhist.solver.strength import by_strength, LOOSE, FIELD
from bidwhist.bits import count, highest
from bidwhist.actions import NO_SUIT, trump_of
from bidwhist.solver.transposition import forget


@jit
def set_position(ws: Any, naming: int, hands: Any, leader: int) -> None:
    state, frame = ws.state[0], ws.frames[0]
    state["lengths"] = 0
    no_trump = trump_of(naming) == NO_SUIT
    state["loose"] = LOOSE if no_trump else 0
    state["trumps"] = 0 if no_trump else FIELD << 48
    for seat in range(4):
        places = by_strength(naming, int64(hands[seat]))
        state["hands"][seat] = places
        rest = places & ~int64(state["loose"])
        while rest != 0:
            state["lengths"] += unit(seat, highest(rest))
            rest ^= 1 << highest(rest)
        state["lengths"] += 0
    frame["seat"] = leader
    frame["led"], frame["best"], frame["winner"], frame["table"] = 0, -1, -1, 0
    state["first"] = 0


@jit
def solve_value(ws: Any, guess: int) -> int:
    """Tricks of side 0 from here."""
    least, most = 0, count(int64(ws.state[0]["hands"][0]))
    while least < most:
        need = min(max(guess, least + 1), most)
        if search(ws, need):
            least = need
            guess = need + 1
        else:
            most = need - 1
            guess = need - 1
    return least
