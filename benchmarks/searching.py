"""Boards a minute of the house bots that search, against the heuristic.

    python benchmarks/searching.py [BOT ...]

A board is two tables. CPU time of one process with everything compiled, medians of several repeats of other boards; in
each repeat, in the same minute, the heuristic plays itself, as a measure of the machine. Boards share nothing, so two
cores play twice as many.
"""

import sys
import time
from statistics import median
from typing import Final

import numpy as np
from numpy.typing import NDArray

from bidwhist.bot.deciders.kernel import play_compiled
from bidwhist.bot.sources.find import find_bot
from bidwhist.engine.batch import Batch
from bidwhist.engine.sequence import SEQUENCE
from bidwhist.rules import CLASSIC

BOTS: Final = ("mc?worlds=200", "pimc?worlds=40", "belief", "belief?worlds=1000", "oracle")
REPEATS: Final = 5
SECONDS: Final = 6.0  # of a repeat, about
YARD_BOARDS: Final = 20_000
SEED: Final = 20261130


def tables(first: int, boards: int) -> NDArray[np.void]:
    """Both tables of each board, between bots 0 and 1."""
    sequences = np.zeros((boards, 2), SEQUENCE)
    sequences["first_board"] = np.arange(first, first + boards)[:, None]
    sequences["hands"], sequences["dealer"] = 1, np.arange(boards)[:, None] % 4
    sequences["lineup"] = (0, 1, 0, 1), (1, 0, 1, 0)
    return sequences.reshape(-1)


def seconds(bot: str, first: int, boards: int) -> float:
    """CPU seconds of so many boards against the heuristic."""
    deciders = [find_bot(spec, spec, []).load(CLASSIC) for spec in (bot, "heuristic")]
    began = time.process_time()
    Batch(CLASSIC, SEED).play(tables(first, boards), deciders)
    return time.process_time() - began


def yardstick() -> float:
    """Hands of the heuristic with itself, a second."""
    heuristic = find_bot("heuristic", "heuristic", []).load(CLASSIC)
    sequences = tables(0, YARD_BOARDS)
    began = time.process_time()
    play_compiled(CLASSIC, SEED, sequences, [heuristic, heuristic])
    return len(sequences) / (time.process_time() - began)


def main(bots: tuple[str, ...]) -> None:
    """A row for each bot."""
    yardstick()
    print("| bot | boards a CPU minute | heuristic, hands/s |")
    print("|---|---|---|")
    for bot in bots:
        seconds(bot, 0, 2)
        boards = max(2, int(SECONDS * 8 / seconds(bot, 2, 8)))
        rates, yards = [], []
        for repeat in range(REPEATS):
            yards.append(yardstick())
            rates.append(60 * boards / seconds(bot, 10 + repeat * boards, boards))
        print(f"| {bot} | {median(rates):,.0f} | {median(yards):,.0f} |", flush=True)


if __name__ == "__main__":
    main(tuple(sys.argv[1:]) or BOTS)
