"""How far a run is: a bar on a terminal, else a few plain lines."""

import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager

import click
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from bidwhist.arena.run import Progress as Step
from bidwhist.arena.run import Report

_LINES = 10


@contextmanager
def reporter() -> Iterator[Report]:
    """What `bidwhist.arena.run.run` reports to."""
    if sys.stderr.isatty():
        with _bar() as report:
            yield report
    else:
        yield _plain()


@contextmanager
def _bar() -> Iterator[Report]:
    columns = (
        TextColumn("playing"),
        BarColumn(),
        MofNCompleteColumn(),
        TextColumn("parts, {task.fields[tables]:,} tables"),
        TimeRemainingColumn(),
    )
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task("", total=None, tables=0)

        def report(step: Step) -> None:
            bar.update(task, completed=step.parts_done, total=step.parts, tables=step.tables)

        yield report


def _plain() -> Report:
    began = time.monotonic()
    shown = -1

    def report(step: Step) -> None:
        nonlocal shown
        tenth = _LINES * step.parts_done // step.parts if step.parts else _LINES
        if tenth > shown:
            shown = tenth
            seconds = time.monotonic() - began
            click.echo(f"{step.parts_done} of {step.parts} parts, {step.tables} tables, {seconds:.0f} s", err=True)

    return report
