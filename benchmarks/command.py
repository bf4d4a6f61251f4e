"""Questions a second to a bot that is a program of its own: `python benchmarks/command.py`.

The examples in examples/cmd are asked the decisions of some boards of `classic`, in turn, one question at a time. A
line for each: questions a second of wall time, and the microseconds of CPU that a question costs the arena and the bot;
medians of the repeats. An example whose interpreter is not there is left out.
"""

import os
import shutil
import statistics
import time
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from bidwhist.bot.sources.find import find_bot
from bidwhist.engine.decider import Decider
from bidwhist.observation import OBSERVATION
from bidwhist.rules import CLASSIC
from bidwhist.table import Table

BOARDS = 40
REPEATS = 7
EXAMPLES = Path(__file__).resolve().parent.parent / "examples" / "cmd"
COMMANDS = {"python3": "python3 pass_and_follow.py", "node": "node pass_and_follow.js"}


def decisions() -> NDArray[np.void]:
    """What a seat sees at each of its decisions, on boards that are played with the first legal answer."""
    rows = []
    for board in range(BOARDS):
        table = Table.deal(1, board, CLASSIC)
        while not table.is_done:
            obs = table.observe()
            if obs.seat == 0:
                rows.append(obs.row)
            table.act(obs.legal[0])
    return np.array(rows, OBSERVATION)


def sample(bot: Decider, rows: NDArray[np.void]) -> tuple[float, float]:
    """Seconds of wall time and of the arena's CPU time for all rows."""
    wall, cpu = time.perf_counter(), time.process_time()
    bot.decide(rows, np.zeros(len(rows), np.int64))
    return time.perf_counter() - wall, time.process_time() - cpu


def main() -> None:
    """Print the lines."""
    rows = decisions()
    bots = {
        command: find_bot(f"cmd:{command}", command, [EXAMPLES]).load(CLASSIC)
        for program, command in COMMANDS.items()
        if shutil.which(program)
    }
    samples: dict[str, list[tuple[float, float]]] = {command: [] for command in bots}
    for _ in range(REPEATS + 1):
        for command, bot in bots.items():
            samples[command].append(sample(bot, rows))
    for command, bot in bots.items():
        wall, cpu = (statistics.median(column) / len(rows) for column in zip(*samples[command][1:], strict=True))
        before = os.times()
        bot.close()
        after = os.times()
        children = after.children_user + after.children_system - before.children_user - before.children_system
        theirs = children / len(rows) / (REPEATS + 1)
        print(f"{command}: {1 / wall:,.0f} questions/s, CPU {cpu * 1e6:.0f} us arena, {theirs * 1e6:.0f} us bot")


if __name__ == "__main__":
    main()
