"""The one reporter of the command line, on standard error."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager

import click

from bidwhist.reporting import Reporter

_open: list[Reporter] = []


@contextmanager
def reporting() -> Iterator[None]:
    """Tell what the program waits for while the context is open."""
    is_live = sys.stderr.isatty()
    with Reporter(lambda text: click.echo(text, nl=not is_live, err=True), is_live=is_live) as reporter:
        _open.append(reporter)
        try:
            yield
        finally:
            _open.pop()


def reporter() -> Reporter:
    """The reporter that is open."""
    return _open[-1]
