"""How many hands of `classic` a second, in CPU time of one core, beside random deals in plain C in the same run.

Command: python benchmarks/speed.py [repeats]. The C program (benchmarks/playout.c) needs an x86-64 processor with BMI2
and clang or gcc; without them the ratios are left out. Every figure is a median.
"""

import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from bidwhist.arena.block import Setting
from bidwhist.arena.house import HouseDecider, play_house
from bidwhist.bot.scalar import ScalarBot
from bidwhist.bot.spec import parse_spec
from bidwhist.engine.batch import Batch, Decider
from bidwhist.observation import Obs
from bidwhist.results.schema import Part
from bidwhist.rules import CLASSIC

SETTING = Setting(CLASSIC, 1, games=False)


def house(spec: str) -> HouseDecider:
    """A house bot."""
    return HouseDecider(parse_spec(spec), spec)


def kernel(spec: str) -> Callable[[int], None]:
    """Plays hands of a house bot against itself in the kernel that a run uses."""
    bots = [house(spec), house(spec)]
    return lambda hands: _check(play_house(CLASSIC, 1, SETTING.sequences(Part(0, 0, 1, 0, hands // 2)), bots), hands)


def lockstep(bot: Decider) -> Callable[[int], None]:
    """Plays hands of a bot against itself in the batch engine."""
    return lambda hands: _check(
        Batch(CLASSIC, 1).play(SETTING.sequences(Part(0, 0, 1, 0, hands // 2)), [bot, bot]), hands
    )


def _check(played: object, hands: int) -> None:
    assert isinstance(played, tuple)
    assert len(played[0]) == hands


def c_program(folder: Path) -> Path | None:
    """The yardstick, compiled; None where that is not possible."""
    compiler = shutil.which("clang") or shutil.which("gcc")
    program = folder / "playout"
    source = Path(__file__).with_name("playout.c")
    command = [compiler or "cc", "-O3", "-march=native", str(source), "-o", str(program)]
    return program if compiler and subprocess.run(command, check=False).returncode == 0 else None


def c_rate(program: Path) -> float:
    """Deals a second of the yardstick."""
    output = subprocess.run([program, "200000", "3"], capture_output=True, text=True, check=True).stdout.split()
    return float(output[output.index("median") + 1])


def main(repeats: int) -> None:
    """Print the table."""
    rows: dict[str, tuple[Callable[[int], None], int]] = {
        "random against itself, kernel": (kernel("random"), 40_000),
        "heuristic against itself, kernel": (kernel("heuristic"), 20_000),
        "heuristic against itself, batch engine": (lockstep(house("heuristic")), 10_000),
        "a Python bot that answers obs.legal[0]": (lockstep(ScalarBot("first", lambda: _first, __file__)), 2_000),
    }
    for play, hands in rows.values():
        play(hands)
    rates: dict[str, list[float]] = {name: [] for name in rows}
    yardstick = []
    with tempfile.TemporaryDirectory() as folder:
        program = c_program(Path(folder))
        for _ in range(repeats):
            yardstick += [c_rate(program)] if program else []
            for name, (play, hands) in rows.items():
                began = time.process_time()
                play(hands)
                rates[name].append(hands / (time.process_time() - began))
    whole = statistics.median(yardstick) if yardstick else None
    if whole:
        print(f"{'random deals in C':42}{whole:12,.0f} hands/s")
    for name in rows:
        rate = statistics.median(rates[name])
        print(f"{name:42}{rate:12,.0f} hands/s" + (f"  {rate / whole:.3f} of C" if whole else ""))


def _first(obs: Obs) -> int:
    return obs.legal[0]


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 7)
