"""Bots in jails beside the same bots in process: `python benchmarks/jails.py`.

Trivial bots and the starters of `bw-arena new`. Times are CPU time of all processes unless said otherwise, medians of
the repeats, in which the bots in jails and those in process take turns. With `--repeats N` other than 5.
"""

import argparse
import statistics
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Final

import numpy as np
from numpy.typing import NDArray

import bidwhist.bench.bots
import bidwhist.starter
from bidwhist.bot.jailed.decider import JailedBot
from bidwhist.bot.jailed.isolation import contained, level
from bidwhist.bot.sources.find import find_bot
from bidwhist.engine.batch import Batch
from bidwhist.engine.decider import Decider, DecisionFailed
from bidwhist.engine.referee import Referee
from bidwhist.engine.sequence import SEQUENCE
from bidwhist.jail.clock import processor_seconds
from bidwhist.observation import OBSERVATION
from bidwhist.rules import CLASSIC
from bidwhist.table import Table

TRIVIAL: Final = Path(bidwhist.bench.bots.__path__[0])
STARTERS: Final = Path(bidwhist.starter.__path__[0])
LOOPS: Final = {
    "in Python": "def act(obs):\n    while True:\n        pass\n",
    "in C": "def act(obs):\n    return sum(range(10**15))\n",
}
ROUNDS: Final = {1: 4000, 32: 1000, 128: 500, 512: 200}
BOARDS: Final = 60


def questions() -> NDArray[np.void]:
    """Observations of seat N at its decisions on some boards."""
    rows = []
    for board in range(BOARDS):
        table = Table.deal(1, board, CLASSIC)
        while not table.is_done:
            obs = table.observe()
            if obs.seat == 0:
                rows.append(obs.row)
            table.act(obs.legal[0])
    return np.array(rows, OBSERVATION)


def jailed(spec: str) -> JailedBot:
    """A bot in a jail."""
    bot = contained(find_bot(spec)).load(CLASSIC)
    assert isinstance(bot, JailedBot)
    return bot


def seconds_of(bots: Sequence[Decider]) -> float:
    """CPU seconds that this process and those of bots have used."""
    pids = [player.child.pid for bot in bots if isinstance(bot, JailedBot) for player in bot._players.values()]
    return time.process_time() + sum(map(processor_seconds, pids))


def starting(repeats: int, rows: NDArray[np.void]) -> None:
    """Time from nothing to the first answer, of a process whose server is there."""
    taken = []
    with jailed(str(TRIVIAL / "first.py")) as bot:
        for _ in range(10 * repeats):
            bot.reset()
            began = time.perf_counter()
            bot.decide(rows[:1], np.zeros(1, np.int64))
            taken.append(time.perf_counter() - began)
    print(f"start of a jailed bot, wall time: {1e3 * statistics.median(taken):.1f} ms")


def deciding(repeats: int, rows: NDArray[np.void]) -> None:
    """Decisions a second by how many are asked for at once."""
    for kind in ("first.py", "lowest.py"):
        with jailed(str(TRIVIAL / kind)) as bot:
            for size, times in ROUNDS.items():
                batch = np.resize(rows, size)
                sequences = np.zeros(size, np.int64)
                bot.decide(batch, sequences)
                rates = []
                for _ in range(repeats):
                    began = time.perf_counter()
                    for _ in range(times):
                        bot.decide(batch, sequences)
                    rates.append(size * times / (time.perf_counter() - began))
                print(f"{kind}, {size} at once: {statistics.median(rates):,.0f} decisions/s of wall time")


def playing(repeats: int) -> None:
    """Deals a second of four bots in jails, with a referee as in a run, over those in process."""
    for spec, deals in (
        (TRIVIAL / "first.py", 16_000),
        (STARTERS / "bot_function.py", 8_000),
        (TRIVIAL / "lowest.py", 80_000),
        (STARTERS / "bot_batch.py", 80_000),
    ):
        sequences = np.zeros(deals, SEQUENCE)
        sequences["first_board"], sequences["hands"], sequences["lineup"] = np.arange(deals), 1, range(4)
        plain = [find_bot(str(spec)).load(CLASSIC) for _ in range(4)]
        apart = [jailed(str(spec)) for _ in range(4)]
        for tables in (128, None):
            rates: dict[str, list[float]] = {}
            walls: dict[str, list[float]] = {}
            for repeat in range(repeats + 1):
                for name, bots in (("in process", plain), ("jailed", apart)):
                    asked = [Referee(bot, deals) for bot in bots] if name == "jailed" else bots
                    before, began = seconds_of(bots), time.perf_counter()
                    Batch(CLASSIC, 1, tables).play(sequences, asked)
                    if repeat:  # the first time compiles and starts
                        rates.setdefault(name, []).append(deals / (seconds_of(bots) - before))
                        walls.setdefault(name, []).append(deals / (time.perf_counter() - began))
            ratio = statistics.median(a / b for a, b in zip(rates["jailed"], rates["in process"], strict=True))
            wall = statistics.median(a / b for a, b in zip(walls["jailed"], walls["in process"], strict=True))
            rate = statistics.median(rates["jailed"])
            print(
                f"{spec.name}, {tables or 'usual'} tables at once: {rate:,.0f} deals/s jailed; "
                f"jailed / in process {ratio:.2f} (wall time {wall:.2f})"
            )
        for each in apart:
            each.close()


def ending(repeats: int, rows: NDArray[np.void]) -> None:
    """Time from the limit of an endless loop to its end."""
    for name, code in LOOPS.items():
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder) / "loop.py"
            file.write_text(code)
            late = []
            with jailed(str(file)) as bot:
                for _ in range(repeats):
                    bot._start(0)
                    player = bot._players[0]
                    player.greet()
                    before = processor_seconds(player.child.pid)
                    end = 0.0
                    drop = bot._drop

                    def note(seat: int, pid: int = player.child.pid, drop: object = drop) -> None:
                        nonlocal end
                        end = processor_seconds(pid)
                        assert callable(drop)
                        drop(seat)

                    bot._drop = note  # type: ignore[method-assign]  # what is measured ends here
                    try:
                        bot.decide(rows[:1], np.zeros(1, np.int64))
                    except DecisionFailed:
                        late.append(end - before - bot._limits.answer)
                    bot._drop = drop  # type: ignore[method-assign]  # as it was
            print(f"an endless loop {name} ends {1e3 * statistics.median(late):.1f} ms after its limit")


def main() -> None:
    """Print all figures."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--repeats", type=int, default=5)
    repeats = parser.parse_args().repeats
    print(f"level of isolation: {level()}")
    rows = questions()
    starting(repeats, rows)
    deciding(repeats, rows)
    playing(repeats)
    ending(repeats, rows)


if __name__ == "__main__":
    main()
