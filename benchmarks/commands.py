"""Questions a second to bots that are programs of their own: `python benchmarks/commands.py`.

Trivial programs (benchmarks/programs) and the examples of examples/cmd are asked the decisions of all seats on some
boards of `classic`, in turn, as the batch engine asks them: many tables at once. A line for each: questions a second of
wall time, and the microseconds of CPU that a question costs the arena and the bot; medians of the repeats, between
which the programs take turns. A program whose interpreter or compiler is not there is left out.
"""

import os
import shutil
import statistics
import subprocess
import tempfile
import time
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from bidwhist.bot.sources.find import find_bot
from bidwhist.engine.decider import Decider
from bidwhist.observation import OBSERVATION
from bidwhist.rules import CLASSIC
from bidwhist.table import Table

BOARDS = 200
TABLES = 4096  # questions that wait at once
REPEATS = 7
SLOWER = 20  # programs of version 1 are asked one question of so many
PROGRAMS = Path(__file__).resolve().parent / "programs"
EXAMPLES = PROGRAMS.parent.parent / "examples" / "cmd"
FIRST = ("1", "2", "2 legal", "2 phase legal partner trick winner random")


class Sample(NamedTuple):
    """Seconds for one question."""

    wall: float
    arena: float
    bot: float


def decisions() -> NDArray[np.void]:
    """TABLES observations of all seats at their decisions, on boards played with the first legal answer."""
    rows = []
    for board in range(BOARDS):
        table = Table.deal(1, board, CLASSIC)
        while not table.is_done:
            obs = table.observe()
            rows.append(obs.row)
            table.act(obs.legal[0])
    order = np.random.default_rng(1).permutation(len(rows))  # a round has all phases
    return np.array(rows, OBSERVATION)[order[:TABLES]]


def children_seconds(pids: list[int]) -> float:
    """Seconds of CPU time that living processes have used."""
    ticks = 0
    for pid in pids:
        fields = Path(f"/proc/{pid}/stat").read_text(encoding="ascii").rpartition(")")[2].split()
        ticks += int(fields[11]) + int(fields[12])
    return ticks / os.sysconf("SC_CLK_TCK")


def sample(bot: Decider, rows: NDArray[np.void], pids: list[int], rounds: int) -> Sample:
    """The times of a question, of `rounds` times all rows."""
    sequences = np.arange(len(rows))
    bots, wall, cpu = children_seconds(pids), time.perf_counter(), time.process_time()
    for _ in range(rounds):
        bot.decide(rows, sequences)
    wall, cpu, bots = time.perf_counter() - wall, time.process_time() - cpu, children_seconds(pids) - bots
    questions = rounds * len(rows)
    return Sample(wall / questions, cpu / questions, bots / questions)


def commands(folder: Path) -> dict[str, Path]:
    """Commands, and the folders where they are."""
    found = {}
    for program, file in (("python3", "first.py"), ("node", "first.js")):
        if shutil.which(program):
            found |= {f"{program} {file} {words}": PROGRAMS for words in FIRST}
    compiler = shutil.which("cc")
    if compiler:
        subprocess.run([compiler, "-O2", str(PROGRAMS / "first.c"), "-o", str(folder / "first-c")], check=True)
        found |= {f"./first-c {words}": folder for words in FIRST}
    for program, file in (("python3", "pass_and_follow.py"), ("node", "pass_and_follow.js")):
        if shutil.which(program):
            found[f"{program} {file}"] = EXAMPLES
    return found


def processes_of(bot: Decider) -> list[int]:
    """The processes of a bot that has been asked at all seats: the children of this one that have come since."""
    pid = os.getpid()
    return [int(each) for each in Path(f"/proc/{pid}/task/{pid}/children").read_text(encoding="ascii").split()]


def main() -> None:
    """Print the lines."""
    rows = decisions()
    with tempfile.TemporaryDirectory() as folder:
        bots, pids, samples = {}, {}, {}
        before: set[int] = set()
        for command, where in commands(Path(folder)).items():
            bot = bots[command] = find_bot(f"cmd:{command}", command, [where]).load(CLASSIC)
            bot.decide(rows[:64], np.arange(64))
            now = set(processes_of(bot))
            pids[command], before = sorted(now - before), now
            samples[command] = list[Sample]()
        for _ in range(REPEATS + 1):
            for command, bot in bots.items():
                is_single = " 1" in command
                asked = rows[::SLOWER] if is_single else rows
                samples[command].append(sample(bot, asked, pids[command], 2 if is_single else 8))
        for command, bot in bots.items():
            wall, arena, theirs = (statistics.median(column) for column in zip(*samples[command][1:], strict=True))
            figures = f"CPU {arena * 1e6:.1f} us arena, {theirs * 1e6:.1f} us bot"
            print(f"{command}: {1 / wall:,.0f} questions/s, {figures}", flush=True)
            bot.close()


if __name__ == "__main__":
    main()
