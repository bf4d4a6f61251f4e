"""The rates: the engine with every kind of bot, and a whole run, in `classic`."""

import shutil
import time
from collections.abc import Callable
from pathlib import Path
from typing import Final

import numpy as np

from bidwhist.arena.config import make_config
from bidwhist.arena.part import Setting, play_part
from bidwhist.arena.run import run
from bidwhist.arena.tournament import Tournament, prepare
from bidwhist.bench import bots
from bidwhist.bench.figures import Rate
from bidwhist.bench.yardstick import yardstick
from bidwhist.bot.deciders.kernel import play_compiled
from bidwhist.bot.sources.find import find_bot
from bidwhist.engine.batch import Batch
from bidwhist.engine.decider import Decider
from bidwhist.engine.sequence import Played
from bidwhist.results.schedule import MOST_TABLES
from bidwhist.results.schema import Part, encode_part
from bidwhist.rules import CLASSIC

SEED: Final = 1
C: Final = "random deals in C"
RANDOM: Final = "random playouts"
HEURISTIC: Final = "heuristic self-play"
KERNEL: Final = "heuristic self-play, boards of the run"
RUN: Final = "run of heuristic bots, Parquet included"

OWN: Final = Path(bots.__file__).with_name("compiled.py")

_RUNS: Final = 3  # of either length for one sample, in turns
_SETTING: Final = Setting(CLASSIC, SEED, games=False)


def bot(spec: str) -> Decider:
    """The bot of a spec, loaded."""
    return find_bot(spec, spec, [Path()]).load(CLASSIC)


def rates(folder: Path, *, boards: int) -> list[Rate]:
    """All rates; `folder` is for temporary files, `boards` how many the run has."""
    return [
        Rate(C, "deals", lambda: yardstick(folder)),
        Rate(RANDOM, "deals", lambda: kernel("random", 20_000), C),
        Rate(HEURISTIC, "deals", lambda: kernel("heuristic", 10_000), C),
        Rate("a user's compiled bot, uniform", "deals", lambda: kernel(str(OWN), 20_000), RANDOM),
        Rate("NumPy bot, lowest action, 4,096 tables", "deals", lambda: lockstep("lowest:act_batch", 4096), C),
        Rate("NumPy bot, uniform, 16,384 tables", "deals", lambda: lockstep("uniform:act_batch", 16_384), C),
        Rate("Python bot, obs.legal[0]", "deals", lambda: lockstep("first:act", 512), C),
        Rate(KERNEL, "deals", lambda: kernel("heuristic", boards, part=boards // 16), C),
        Rate(RUN, "tables", lambda: whole_run(folder / "run", boards), KERNEL),
    ]


def kernel(spec: str, boards: int, part: int | None = None) -> Callable[[], float]:
    """Deals a second of a compiled bot against itself in the kernel of a run; `part`: boards a call."""
    decider, size = bot(spec), part or boards
    stretches = [_SETTING.sequences(Part(0, 0, 1, first, size)) for first in range(0, boards, size)]

    def sample() -> float:
        began = time.process_time()
        played = [play_compiled(CLASSIC, SEED, sequences, [decider, decider]) for sequences in stretches]
        return _rate(played, began)

    return sample


def lockstep(name: str, tables: int) -> Callable[[], float]:
    """Deals a second of a bot of bidwhist.bench.bots against itself in the batch engine, at that many tables."""
    decider = bot(f"bidwhist.bench.bots.{name}")
    sequences = _SETTING.sequences(Part(0, 0, 1, 0, 2 * tables))  # each table is taken four times
    batch = Batch(CLASSIC, SEED, tables)

    def sample() -> float:
        began = time.process_time()
        return _rate([batch.play(sequences, [decider, decider])], began)

    return sample


def _rate(played: list[Played | None], began: float) -> float:
    return sum(len(each.sequence) for each in played if each) / (time.process_time() - began)


def whole_run(out: Path, boards: int) -> Callable[[], float]:
    """Tables a second of a run of the heuristic against itself, standings included, once it is under way.

    That is what runs of `boards` take more than runs of a quarter. They are played in this process: a worker's start
    would be most of what is seen, and what a worker sends, finished files, is small.
    """
    tournaments = [_heuristic(boards // 4), _heuristic(boards)]

    def sample() -> float:
        short, long = np.sum([[_seconds(each, out) for each in tournaments] for _ in range(_RUNS)], axis=0)
        return float(_RUNS * 2 * (boards - boards // 4) / (long - short))

    return sample


def _heuristic(boards: int) -> Tournament:
    bots = ["heuristic", {"spec": "heuristic", "name": "twin"}]
    fields = {"name": "bench", "seed": SEED, "boards": boards, "bots": bots}
    return prepare(make_config(fields, "bench"), [Path()])


def _seconds(tournament: Tournament, out: Path) -> float:
    shutil.rmtree(out, ignore_errors=True)
    began = time.process_time()
    run(tournament, out, executor="inline")
    return time.process_time() - began


def bytes_a_table(a: str, b: str) -> float:
    """Bytes of a full part of two house bots against each other, for each of its tables."""
    part = Part(0, 0, 1, 0, MOST_TABLES // 2)
    columns = play_part(_SETTING, part, {0: bot(a), 1: bot(b)})
    return len(encode_part(part, b"0" * 64, columns, games=False, plays=False)) / len(columns["board"])
