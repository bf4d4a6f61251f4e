"""Memory of a long run over time: `python benchmarks/memory.py FOLDER [BOARDS]`, by default 10 million boards.

A run of the heuristic against itself with one worker, in a folder that stays: stopped, it goes on where it was. Every
ten seconds a line: seconds, parts written, and megabytes resident in all of its processes, each with what it shares
(Linux only).
"""

import sys
import time
from pathlib import Path

from bidwhist.bench.processes import can_look, memory_of_run, write_tournament

EVERY = 10.0


def main(folder: Path, boards: int) -> None:
    """Print the lines, and the peak."""
    folder.mkdir(parents=True, exist_ok=True)
    tournament, out = write_tournament(folder, boards), folder / f"run-{boards}"
    began = said = time.monotonic()

    def note(megabytes: float) -> None:
        nonlocal said
        if time.monotonic() - said >= EVERY:
            said = time.monotonic()
            parts = sum(1 for _ in (out / "boards").glob("part-*.parquet"))
            print(f"{said - began:8.0f} s {parts:6d} parts {megabytes:8.0f} MB", flush=True)

    peak = memory_of_run(tournament, out, note)
    print(f"peak {peak:.0f} MB")


if __name__ == "__main__":
    if len(sys.argv) not in (2, 3) or not can_look():
        sys.exit(__doc__)
    main(Path(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else 10_000_000)
