"""Putting rich tables on whatever standard output is: a terminal, a pipe or a file, in any encoding and width."""

import io
import shutil
import sys
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Final

import click
from rich.box import Box
from rich.cells import cell_len, set_cell_size
from rich.console import Console
from rich.table import Table
from rich.text import Text

from bidwhist.text import can_show

_NARROWEST: Final = 76  # below that a terminal may wrap lines, rather than that numbers are cut
_PIPE: Final = 120  # a pipe has no width
_LONGEST_NAME: Final = 28
_GAP: Final = 2  # between columns
_LETTERS: Final = str.maketrans({"±": "+", "…": "~", "–": "-", "─": "-", "♠": "S", "♥": "H", "♦": "D", "♣": "C"})
# A line below the head, and nothing else.
_HEAD_ONLY: Final = Box("    \n    \n ── \n    \n    \n    \n    \n    \n")


def screen_width() -> int:
    """Columns to fill."""
    return max(_NARROWEST, shutil.get_terminal_size().columns) if sys.stdout.isatty() else _PIPE


def show(parts: Iterable[Any], *, wrap: bool = True) -> None:
    """Print texts and rich renderables, one below the other; colours on a terminal only. Without `wrap`, long lines
    stay whole."""
    file = io.StringIO()
    console = Console(
        file=file, width=screen_width(), force_terminal=sys.stdout.isatty(), highlight=False, emoji=False, markup=False
    )
    for part in parts:
        console.print(part, soft_wrap=not wrap)
    for line in file.getvalue().rstrip("\n").split("\n"):
        click.echo(_encodable(line.rstrip()))


def _encodable(line: str) -> str:
    if can_show(line):
        return line
    encoding = sys.stdout.encoding
    return line.translate(_LETTERS).encode(encoding, "replace").decode(encoding)


@dataclass(frozen=True)
class Column:
    """A column of numbers: its head, which may have several lines, and a text for each row."""

    head: str
    cells: Sequence[str | Text]

    @property
    def width(self) -> int:
        """Columns of the screen that it takes, with the gap before it."""
        texts = [*self.head.split("\n"), *map(str, self.cells)]
        return _GAP + max(map(cell_len, texts))


def sheets(title: str, names: Sequence[str | Text], columns: Sequence[Column]) -> Iterator[Any]:
    """A title, and below it rows of a name and numbers, in as many tables as it takes for none to be too wide."""
    yield Text(title, style="bold")
    shown = [name if isinstance(name, Text) else Text(shortened(name, _LONGEST_NAME)) for name in names]
    room = screen_width() - max((name.cell_len for name in shown), default=0)
    start = 0
    while start < len(columns):
        end, used = start + 1, columns[start].width
        while end < len(columns) and used + columns[end].width <= room:
            used += columns[end].width
            end += 1
        yield _table(shown, columns[start:end])
        start = end


def _table(names: Sequence[Text], columns: Sequence[Column]) -> Table:
    table = Table(box=_HEAD_ONLY, pad_edge=False, padding=(0, 0, 0, _GAP - 1))
    table.add_column(no_wrap=True)
    for column in columns:
        table.add_column(Text(column.head), justify="right", vertical="bottom", no_wrap=True)
    for place, name in enumerate(names):
        table.add_row(name, *(column.cells[place] for column in columns))
    return table


def shortened(text: str, width: int) -> str:
    """A text cut to `width` columns, with an ellipsis in place of what is missing."""
    return text if cell_len(text) <= width else set_cell_size(text, width - 1) + "…"


def dim(text: str) -> Text:
    """Text of lesser weight."""
    return Text(text, style="dim")
