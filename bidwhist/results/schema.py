"""The files of a run's parts; their columns are declared in `bidwhist.results.columns`.

A row is a table: one board (in the format `games`, one hand) played by one lineup. It holds only what cannot be
derived from the run's seed and rules; `bidwhist.results.derive` and `bidwhist.results.frame` derive the rest. All parts
of a format have the same columns; those of the cards are null where the cards were not recorded.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from bidwhist.files import write_atomically
from bidwhist.results.columns import BINARY, CARDS, Column, part_columns
from bidwhist.results.sealed import encode_sealed
from bidwhist.rules import RULES_VERSION

SCHEMA_VERSION: Final = 4
MAX_SEED: Final = (1 << 128) - 1
PARTS: Final = "boards"
MOST_PLAYS: Final = 52  # cards played in a hand, at most
STRAINS: Final = ("uptown", "downtown", "no trump")  # of contracts, in the order of their codes

PART: Final = b"bidwhist.part"
"""Key of the metadata that say which part of a schedule a file holds."""

RUN: Final = b"bidwhist.run"
"""Key of the metadata that say which run a part belongs to (`bidwhist.results.identity`)."""

_VERSIONS: Final = {
    b"bidwhist.schema_version": str(SCHEMA_VERSION).encode(),
    b"bidwhist.rules_version": str(RULES_VERSION).encode(),
}


@dataclass(frozen=True)
class Part:
    """A stretch of the schedule: units `first` .. `first + units - 1` of the pairing of sides `a` and `b`, by number.

    The side of a number is the bot with that index; in "mixed" two bots (`bidwhist.results.schedule`).
    """

    number: int
    a: int
    b: int
    first: int
    units: int

    @property
    def file_name(self) -> str:
        """The name of its file."""
        return part_name(self.number)

    @property
    def mark(self) -> bytes:
        """The value of `PART` in its file."""
        return f"{self.number}: bots {self.a} {self.b}, units {self.first} + {self.units}".encode()


def part_schema(*, games: bool) -> Any:
    """The pyarrow schema of a part."""
    columns = part_columns(games=games)
    return pa.schema([pa.field(each.name, getattr(pa, each.type)(), nullable=each.optional) for each in columns])


def part_name(number: int) -> str:
    """File name of part `number`."""
    return f"part-{number:06d}.parquet"


# pa.array and to_numpy of pyarrow would import pandas, which takes as long as playing 100,000 tables, and 60 MB.
def _arrow(column: Column, values: NDArray[Any]) -> Any:
    """An array of numbers as pyarrow has it; for `plays`, a byte a card, -1 after the last."""
    kind = getattr(pa, column.type)()
    if column.type != BINARY:
        values = np.ascontiguousarray(values, column.type)
        return pa.Array.from_buffers(kind, len(values), [None, pa.py_buffer(values)])
    cards = values >= 0
    ends = np.zeros(len(values) + 1, np.int32)
    np.cumsum(cards.sum(axis=1), out=ends[1:])
    return pa.Array.from_buffers(kind, len(values), [None, pa.py_buffer(ends), pa.py_buffer(values[cards])])


def cards_table(columns: Mapping[str, Any]) -> Any:
    """A pyarrow table of the columns of the cards, from arrays as `encode_part` takes them."""
    return pa.table({column.name: _arrow(column, columns[column.name]) for column in CARDS})


def plays_of(cards: Any) -> NDArray[np.int8]:
    """The cards played (int8[n, 52], -1 after the last) of a pyarrow table with the column `plays`."""
    column = cards.column("plays").combine_chunks()
    found = np.full((len(column), MOST_PLAYS), -1, np.int8)
    if len(column):
        _, ends, data = column.buffers()
        bounds = np.frombuffer(ends, np.int32)[column.offset : column.offset + len(column) + 1]
        played = np.arange(MOST_PLAYS) < np.diff(bounds)[:, None]
        found[played] = np.frombuffer(data, np.int8)[bounds[0] : bounds[-1]]
    return found


def encode_part(part: Part, identity: bytes, columns: Mapping[str, Any], *, games: bool, plays: bool) -> bytes:
    """The file of a part.

    `identity`: of the run that it belongs to; `columns`: an array for each column of the schema, `plays` as an int8
    array (rows, 52) with -1 after the last card. Without `plays` the columns of the cards are null.
    """
    declared = part_columns(games=games)
    rows = len(columns[declared[0].name])
    arrays = [
        pa.nulls(rows, getattr(pa, each.type)()) if each.optional and not plays else _arrow(each, columns[each.name])
        for each in declared
    ]
    schema = part_schema(games=games).with_metadata({**_VERSIONS, PART: part.mark, RUN: identity})
    return encode_sealed(
        pa.Table.from_arrays(arrays, schema=schema),
        compression="zstd",
        compression_level=1,  # higher ones take longer and gain nothing on columns like ours
        column_encoding={each.name: each.encoding for each in declared},
        use_dictionary=False,
        write_batch_size=1 << 16,  # the usual 1024 rows cost a tenth of the time
        write_statistics=[each.name for each in declared if each.has_range],
    )


def write_part(folder: Path, part: Part, data: bytes) -> None:
    """Put the file of a part into the folder of parts. Raises Stopped if the disk refuses."""
    write_atomically(folder / part.file_name, data)
