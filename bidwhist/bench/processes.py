"""`bw-arena` from outside: CPU time and memory of the process and of those that it starts, as Linux counts them."""

import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Final

_TICK: Final = 0.01  # seconds between two looks
_PROC: Final = Path("/proc")
_BW_ARENA: Final = [sys.executable, "-m", "bidwhist"]


def can_look() -> bool:
    """True where the system tells of its processes as Linux does."""
    return (_PROC / "self" / "smaps_rollup").exists()


def write_tournament(folder: Path, boards: int) -> Path:
    """A tournament of the heuristic against itself, as a file in `folder`."""
    path = folder / f"heuristic-{boards}.toml"
    bots = '["heuristic", { spec = "heuristic", name = "twin" }]'
    path.write_text(f"seed = 1\nboards = {boards}\nbots = {bots}\n", encoding="utf-8")
    return path


def cpu_of_help() -> float:
    """CPU seconds of `bw-arena --help`."""
    before = os.times()
    subprocess.run([*_BW_ARENA, "--help"], stdout=subprocess.DEVNULL, check=True)
    after = os.times()
    return after.children_user + after.children_system - before.children_user - before.children_system


def cpu_to_first_board(tournament: Path, out: Path, cache: Path) -> float:
    """CPU seconds of `bw-arena run` with one worker until its first part is there; `cache`: of compiled code."""
    seconds = 0.0
    with _running(tournament, out, cache) as process:
        while not any((out / "boards").glob("part-*.parquet")) and process.poll() is None:
            time.sleep(_TICK)
            seconds = max(seconds, sum(map(_cpu_seconds, _family(process.pid))))
    return seconds


def memory_of_run(tournament: Path, out: Path, note: Callable[[float], None] = lambda megabytes: None) -> float:
    """Megabytes resident at most in `bw-arena run` with one worker, all its processes added; `note` gets each look.

    What processes share is counted in each of them.
    """
    peak = 0.0
    with _running(tournament, out) as process:
        while process.poll() is None:
            time.sleep(10 * _TICK)
            now = sum(map(_resident, _family(process.pid)))
            note(now)
            peak = max(peak, now)
    return peak


@contextmanager
def _running(tournament: Path, out: Path, cache: Path | None = None) -> Iterator[subprocess.Popen[bytes]]:
    command = [*_BW_ARENA, "run", str(tournament), "--jobs", "1", "--out", str(out), "--resume"]
    environment = {**os.environ, **({"NUMBA_CACHE_DIR": str(cache)} if cache else {})}
    with subprocess.Popen(
        command, env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    ) as process:
        try:
            yield process
        finally:
            process.terminate()


def _family(pid: int) -> list[int]:
    """A process and those that it has started, and they."""
    found = [pid]
    for member in found:
        with suppress(OSError):
            found += map(int, (_PROC / f"{member}/task/{member}/children").read_text().split())
    return found


def _cpu_seconds(pid: int) -> float:
    with suppress(OSError):
        fields = (_PROC / f"{pid}/stat").read_text().rpartition(")")[2].split()
        return sum(map(int, fields[11:15])) / os.sysconf("SC_CLK_TCK")  # its own, and of children that have ended
    return 0.0


def _resident(pid: int) -> float:
    with suppress(OSError):
        pages = int((_PROC / f"{pid}/statm").read_text().split()[1])
        return pages * os.sysconf("SC_PAGE_SIZE") / 1e6
    return 0.0
