"""All figures of `bw-arena bench`, in their order."""

import statistics
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final

from bidwhist.bench.figures import Figure, Say, measure_rates
from bidwhist.bench.processes import can_look, cpu_of_help, cpu_to_first_board, memory_of_run, write_tournament
from bidwhist.bench.rates import bytes_a_table, rates
from bidwhist.errors import ConfigError
from bidwhist.process.folder import TemporaryFolder
from bidwhist.text import echo

_BYTES: Final = {
    "bytes a table, heuristic self-play": ("heuristic", "heuristic"),
    "bytes a table, heuristic against random": ("heuristic", "random"),
}
_MEMORY: Final = {f"resident memory, run of {boards:,} boards": boards for boards in (50_000, 1_000_000)}
_NEW: Final = "CPU to the first board, new environment"
_LATER: Final = "CPU to the first board, later"
_HELP: Final = "CPU of --help"
_SLOW: Final = (*_MEMORY, _NEW)
_FIRST_BOARD: Final = 32  # boards of the run whose first part is waited for
_STARTS: Final = 3  # starts whose median is taken


def measure(only: Sequence[str], repeats: int, quick: bool, say: Say) -> list[Figure]:
    """The figures whose names hold one of the texts in `only`, or all; `quick`: smaller, and without what takes long.

    Raises ConfigError for a text that no name holds.
    """
    with TemporaryFolder("bench") as place:
        known = {rate.name: rate for rate in rates(place, boards=20_000 if quick else 50_000)}
        names = [*known, *_BYTES, *_MEMORY, _NEW, _LATER, _HELP]
        wanted = _chosen([name for name in names if not (quick and name in _SLOW)], only)
        found = measure_rates(known, [name for name in wanted if name in known], repeats, say)
        return found + [figure for name in wanted if name not in known for figure in _single(name, place, say)]


def _chosen(names: Sequence[str], only: Sequence[str]) -> list[str]:
    for text in only:
        if not any(text in name for name in names):
            raise ConfigError(f"--only: no figure has {echo(text)} in its name; there are: {'; '.join(names)}")
    return [name for name in names if not only or any(text in name for text in only)]


def _single(name: str, folder: Path, say: Say) -> Iterator[Figure]:
    """The figure of that name; none where it cannot be measured."""
    say(name)
    if name in _BYTES:
        yield Figure(name, bytes_a_table(*_BYTES[name]), "bytes")
    elif name == _HELP:
        yield Figure(name, statistics.median(cpu_of_help() for _ in range(_STARTS)), "s")
    elif can_look() and name in _MEMORY:
        boards = _MEMORY[name]
        yield Figure(name, memory_of_run(write_tournament(folder, boards), folder / f"memory-{boards}"), "MB")
    elif can_look():
        yield Figure(name, _start(folder, new=name == _NEW), "s")


def _start(folder: Path, new: bool) -> float:
    """CPU seconds to the first board: with an empty folder for compiled code, or the median of later starts."""
    tournament = write_tournament(folder, _FIRST_BOARD)
    code = folder / ("new-code" if new else "code")  # a later start finds what the first of its starts has left
    starts = range(1 if new else _STARTS + 1)
    seconds = [cpu_to_first_board(tournament, folder / f"{code.name}-{start}", code) for start in starts]
    return seconds[0] if new else statistics.median(seconds[1:])
