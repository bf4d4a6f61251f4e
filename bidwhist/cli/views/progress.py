"""How far a run is, told by the reporter of the command line."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

from bidwhist.arena.run import Progress, Report
from bidwhist.cli.reporter import reporter

_FEW: Final = 2  # parts after which the rest can be estimated


@contextmanager
def run_progress() -> Iterator[Report]:
    """A callback for `bidwhist.arena.run.run`."""
    steps: list[Progress] = []

    def words(seconds: float) -> str:
        if not steps:
            return "starting"
        first, last = steps[0], steps[-1]
        done = last.parts_done - first.parts_done
        left = (last.parts - last.parts_done) * seconds / done if done >= _FEW else None
        rest = "" if left is None else f", about {left:.0f} s left"
        return f"{last.parts_done} of {last.parts} parts, {last.tables:,} tables, {seconds:.0f} s{rest}"

    def report(step: Progress) -> None:
        steps[1:] = [step]

    with reporter().progress(words):
        yield report
