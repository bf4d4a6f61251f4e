"""The same hands, step by step, when Numba is switched off (no width or sign of an integer is an accident), and when it
checks every index."""

import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from bidwhist.arena.part import Setting
from bidwhist.bench.rates import OWN
from bidwhist.bot.deciders.batch import BatchBot
from bidwhist.bot.deciders.kernel import play_compiled
from bidwhist.bot.deciders.scalar import ScalarBot
from bidwhist.bot.sources.find import find_bot
from bidwhist.deal import board_cards
from bidwhist.engine.batch import Batch
from bidwhist.observation import OBSERVATION, write_observation
from bidwhist.results.schema import Part
from bidwhist.rows import actions, below, count, highest, lowest, nth, real
from bidwhist.rules import PRESETS, Rules
from support import Record

HANDS = 3


def trace() -> str:
    """Digits of everything that the engine did in a few hands of every preset."""
    lines = []
    for name, rules in PRESETS.items():
        record = Record(rules, 7, HANDS)
        lines.append(f"{name} {board_cards(rules, 1, 2)} {record.winners.tolist()}")
        lines += [str(row) for row in record.all_rows()]
        row = np.zeros(1, OBSERVATION)
        for state in (*record.begun, *record.done):
            write_observation(state, np.uint64(2**64 - 1), row[0])
            lines.append(row.tobytes().hex())
        lines += played(rules)
    return "\n".join(lines)


def played(rules: Rules) -> list[str]:
    """Games of a batch bot that uses every helper and a scalar bot; of a house bot and a user's compiled one."""
    drawn = []

    def act_batch(rows: NDArray[np.void]) -> NDArray[np.int64]:
        legal = rows["legal"]
        drawn.append(str(real(rows, draw=1).sum() + lowest(legal).sum() + highest(legal).sum()))
        return actions(rows, nth(legal, below(rows, count(legal))))

    sequences = Setting(replace(rules, cap=3), 7, games=True).sequences(Part(0, 0, 1, 0, 1))
    bots = [BatchBot("batch", act_batch, ""), ScalarBot("scalar", lambda: lambda obs: obs.legal[-1], "")]
    hands = Batch(replace(rules, cap=3), 7, tables=2).play(sequences, bots)
    compiled = [find_bot(spec, spec, [Path()]).load(rules) for spec in ("heuristic", str(OWN))]
    in_kernel = play_compiled(replace(rules, cap=3), 7, sequences, compiled)
    assert in_kernel is not None
    return [*drawn, *(column.tobytes().hex() for column in map(np.ascontiguousarray, (*hands, *in_kernel)))]


@pytest.mark.parametrize("switch", ["NUMBA_DISABLE_JIT", "NUMBA_BOUNDSCHECK"])
def test_the_trace_is_the_same_without_the_compiler_and_with_every_index_checked(switch: str) -> None:
    done = subprocess.run(
        [sys.executable, "-W", "error", __file__],
        env={**os.environ, switch: "1", "PYTHONPATH": str(Path(__file__).parent)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines() == trace().splitlines()


if __name__ == "__main__":
    print(trace())
