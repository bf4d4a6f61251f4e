"""The same hands, step by step, when Numba is switched off: no width or sign of an integer is an accident."""

import os
import subprocess
import sys
from pathlib import Path

import numpy as np

from bidwhist.deal import board_cards
from bidwhist.observation import OBSERVATION, write_observation
from bidwhist.rules import PRESETS
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
    return "\n".join(lines)


def test_the_trace_is_the_same_without_the_compiler() -> None:
    done = subprocess.run(
        [sys.executable, "-W", "error", __file__],
        env={**os.environ, "NUMBA_DISABLE_JIT": "1", "PYTHONPATH": str(Path(__file__).parent)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines() == trace().splitlines()


if __name__ == "__main__":
    print(trace())
