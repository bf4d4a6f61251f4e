"""Worlds a second, and what it costs to get ready for a decision, by trick.

    python benchmarks/worlds.py             the tables of docs/performance.md
    python benchmarks/worlds.py traditional another preset

Decisions are those of hands between random players (half of their calls are passes), each seen by the seat to act.
CPU time of one core, the least of several repeats.
"""

import sys
import time
from collections.abc import Callable
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from bidwhist._jit import jit
from bidwhist.bits import count, nth
from bidwhist.deal import deal
from bidwhist.observation import OBSERVATION, private_of, write_observation
from bidwhist.public import CALLING, DONE, PLAYING
from bidwhist.rules import PRESETS
from bidwhist.state import STATE, first_action, legal, start, step
from bidwhist.streams import below, new_stream
from bidwhist.worlds.sample import draw, prepare
from bidwhist.worlds.view import new_worlds

REPEATS: Final = 5
DECISIONS: Final = 400
WORLDS_EACH: Final = 200
TIMES: Final = 10


@jit
def play_to(state: Any, rules: Any, dealer: int, stream: Any, played: int) -> None:
    """Deal a hand and play it at random until so many cards are played; -1: to the last call."""
    state["kitty"] = deal(rules, stream, state["hands"])
    start(state, rules, dealer)
    public = state["public"]
    while public["phase"] != DONE and (public["phase"] != PLAYING or public["played"] < played):
        options = legal(state)
        if public["phase"] == CALLING:
            if played < 0 and public["turn"] == dealer:
                return
            if options & 1 != 0 and below(stream, 2) == 0:
                options = 1
        step(state, first_action(public["phase"]) + nth(options, below(stream, count(options))))


def decisions(rules: Any, trick: int) -> NDArray[np.void]:
    """OBSERVATION rows of decisions in a trick, at any place in it; trick -1 stands for the last call."""
    rng, stream = np.random.default_rng(1), new_stream(trick + 2)
    state, rows = np.zeros(1, STATE)[0], np.zeros(DECISIONS, OBSERVATION)
    for place, row in enumerate(rows):
        play_to(state, rules, place % 4, stream, -1 if trick < 0 else 4 * trick + int(rng.integers(4)))
        write_observation(state, np.uint64(0), row)
    return rows


@jit
def prepare_all(ws: Any, rows: Any, times: int) -> float:
    """Get ready for every decision, so many times."""
    total = 0.0
    for _ in range(times):
        for place in range(len(rows)):
            total += prepare(ws, private_of(rows[place]), rows[place]["public"])
    return total


@jit
def draw_all(ws: Any, rows: Any, each: int, stream: Any, hands: Any) -> int:
    """Get ready for every decision and draw worlds for it."""
    check = 0
    for place in range(len(rows)):
        prepare(ws, private_of(rows[place]), rows[place]["public"])
        for _ in range(each):
            check ^= draw(ws, stream, hands)
    return check


def least_seconds(work: Callable[[], object]) -> float:
    """CPU seconds of a piece of work, the least of the repeats."""
    found = []
    for _ in range(REPEATS):
        began = time.process_time()
        work()
        found.append(time.process_time() - began)
    return min(found)


def main(name: str) -> None:
    """A row for each trick, and one for the auction."""
    rules = PRESETS[name].record()
    ws, stream, hands = new_worlds(), new_stream(1), np.zeros(4, np.int64)
    print(f"{name}: {DECISIONS} decisions a row, {WORLDS_EACH} worlds each")
    print("| trick | with a void shown | worlds/s | ready, us | worst, us | worlds/s with that |")
    print("|---|---|---|---|---|---|")
    for trick in range(-1, PRESETS[name].hand_size - 1):
        rows = decisions(rules, trick)
        draw_all(ws, rows[:2], 2, stream, hands)
        ready = least_seconds(lambda rows=rows: prepare_all(ws, rows, TIMES)) / TIMES
        whole = least_seconds(lambda rows=rows: draw_all(ws, rows, WORLDS_EACH, stream, hands))
        each = [least_seconds(lambda one=rows[k : k + 1]: prepare_all(ws, one, 100)) / 100 for k in range(DECISIONS)]
        worlds = DECISIONS * WORLDS_EACH
        voids = np.mean([any(row["public"]["void"]) for row in rows])
        label = "call" if trick < 0 else f"{trick + 1}"
        print(
            f"| {label} | {voids:.0%} | {worlds / (whole - ready):,.0f} | {1e6 * ready / DECISIONS:.2f} "
            f"| {1e6 * max(each):.1f} | {worlds / whole:,.0f} |",
            flush=True,
        )


if __name__ == "__main__":
    main(sys.argv[1] if len(sys.argv) > 1 else "classic")
