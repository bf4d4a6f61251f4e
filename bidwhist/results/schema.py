"""Reading and writing a run's parts; their columns are declared in `bidwhist.results.columns`.

A row is a table: one board (in the format `games`, one hand) played by one lineup. It holds only what cannot be
derived from the run's seed and rules; `bidwhist.results.derive` and `bidwhist.results.frame` derive the rest.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from numpy.typing import NDArray

from bidwhist.errors import RunError
from bidwhist.files import write_atomically
from bidwhist.results.columns import COLUMNS, part_columns
from bidwhist.rules import RULES_VERSION

SCHEMA_VERSION: Final = 2
MAX_SEED: Final = (1 << 128) - 1
PARTS: Final = "boards"
STRAINS: Final = ("uptown", "downtown", "no trump")  # of contracts, in the order of their codes

_PART: Final = b"bidwhist.part"  # what a part holds, so that one that was copied or renamed is noticed

_VERSIONS: Final = {
    b"bidwhist.schema_version": str(SCHEMA_VERSION).encode(),
    b"bidwhist.rules_version": str(RULES_VERSION).encode(),
}


@dataclass(frozen=True)
class Part:
    """A stretch of the schedule: units `first` .. `first + units - 1` of the pairing of bots `a` and `b`."""

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
        """What stands in its file's metadata."""
        return f"{self.number}: bots {self.a} {self.b}, units {self.first} + {self.units}".encode()


def part_schema(*, games: bool, plays: bool) -> Any:
    """The pyarrow schema of a part."""
    columns = part_columns(games=games, plays=plays)
    return pa.schema([pa.field(each.name, getattr(pa, each.type)(), nullable=False) for each in columns], _VERSIONS)


def part_name(number: int) -> str:
    """File name of part `number`."""
    return f"part-{number:06d}.parquet"


# pa.array and to_numpy of pyarrow would import pandas, which takes as long as playing 100,000 tables, and 60 MB.
def _arrow(values: NDArray[Any], kind: Any) -> Any:
    """An array of numbers as pyarrow has it; for `plays`, a byte a card, -1 after the last."""
    if kind != pa.binary():
        values = np.ascontiguousarray(values, kind.to_pandas_dtype())
        return pa.Array.from_buffers(kind, len(values), [None, pa.py_buffer(values)])
    cards = values >= 0
    ends = np.zeros(len(values) + 1, np.int32)
    np.cumsum(cards.sum(axis=1), out=ends[1:])
    return pa.Array.from_buffers(kind, len(values), [None, pa.py_buffer(ends), pa.py_buffer(values[cards])])


def numbers(table: Any, name: str) -> NDArray[Any]:
    """A column of numbers of a pyarrow table. Raises KeyError if there is none, or if it holds other things."""
    try:
        return np.from_dlpack(table.column(name).combine_chunks())
    except pa.ArrowException as error:
        raise KeyError(f"{name}: {error}") from error


def encode_part(part: Part, columns: Mapping[str, Any], *, games: bool, plays: bool) -> bytes:
    """The file of a part.

    `columns`: an array for each column of the schema; `plays` as an int8 array (rows, 52) with -1 after the last card.
    """
    schema = part_schema(games=games, plays=plays)
    arrays = [_arrow(columns[field.name], field.type) for field in schema]
    schema = schema.with_metadata({**_VERSIONS, _PART: part.mark})
    return _encode(pa.Table.from_arrays(arrays, schema=schema))


def write_part(folder: Path, part: Part, data: bytes) -> None:
    """Put the file of a part into the folder of parts. Raises Stopped if the disk refuses."""
    write_atomically(folder / part.file_name, data)


def write_table(table: Any, path: Path) -> None:
    """Write a pyarrow table as a Parquet file. Raises Stopped if the disk refuses."""
    write_atomically(path, _encode(table))


def _encode(table: Any) -> bytes:
    stream = pa.BufferOutputStream()
    with pq.ParquetWriter(stream, table.schema, **_options(table.schema.names)) as writer:
        writer.write_table(table)
        # Without an Arrow schema in the file, the metadata have to be written by hand.
        writer.add_key_value_metadata(table.schema.metadata or {})
    data: bytes = stream.getvalue().to_pybytes()
    return data


def _options(names: list[str]) -> dict[str, Any]:
    return {
        "compression": "zstd",
        "compression_level": 1,  # higher ones take longer and gain nothing on columns like ours
        "column_encoding": {name: COLUMNS[name].encoding for name in names if name in COLUMNS},
        "use_dictionary": [name for name in names if name not in COLUMNS],
        "write_batch_size": 1 << 16,  # the usual 1024 rows cost a tenth of the time
        "write_statistics": [name for name in names if name in COLUMNS and COLUMNS[name].has_range],
        "write_page_checksum": True,
        "store_schema": False,
    }


def is_whole(folder: Path, part: Part) -> bool:
    """True if the part is there, undamaged to the last page."""
    try:
        table = read_table(folder / part.file_name)
    except (OSError, pa.ArrowException):
        return False
    return bool((table.schema.metadata or {}).get(_PART) == part.mark)


def foreign_parts(run: Path, planned: int) -> list[str]:
    """Names of files among a run's parts that are none of its `planned` parts."""
    names = {part_name(number) for number in range(planned)}
    return [path.name for path in part_files(run) if path.name not in names]


def part_files(run: Path) -> list[Path]:
    """The finished parts of a run's folder, in order."""
    return sorted((run / PARTS).glob("part-*.parquet"))


def _footer(path: Path) -> Any:
    try:
        return pq.read_metadata(path)
    except (OSError, pa.ArrowException) as error:
        raise RunError(f"{path}: is damaged: {error}; go on with --resume to have it played again") from error


def row_count(path: Path) -> int:
    """Rows of a part, from its footer. Raises RunError."""
    return int(_footer(path).num_rows)


def column_range(path: Path, name: str) -> tuple[int, int]:
    """Lowest and highest value of a part's column `board` or `game`, from its footer. Raises RunError."""
    footer = _footer(path)
    try:
        place = footer.schema.names.index(name)
        known = [footer.row_group(group).column(place).statistics for group in range(footer.num_row_groups)]
        return min(each.min for each in known), max(each.max for each in known)
    except (ValueError, AttributeError):
        raise RunError(f"{path}: is no part: it has no range of {name}") from None


def read_table(path: Path, columns: list[str] | None = None) -> Any:
    """A Parquet file as a pyarrow table, without the columns that it has not. Raises OSError or pa.ArrowException."""
    # pq.read_table would import pandas; and for files of our size threads cost more than they save.
    with pq.ParquetFile(path, page_checksum_verification=True) as file:
        return file.read(columns, use_threads=False)


def read_part(path: Path, columns: list[str] | None = None) -> Any:
    """A part as a pyarrow table. Raises RunError for a damaged file or another schema version."""
    try:
        table = read_table(path, columns)
    except (OSError, pa.ArrowException) as error:
        raise RunError(f"{path}: is damaged: {error}; go on with --resume to have it played again") from error
    version = (table.schema.metadata or {}).get(b"bidwhist.schema_version", b"none").decode()
    if version != str(SCHEMA_VERSION):
        raise RunError(f"{path}: has schema version {version}, and this program reads {SCHEMA_VERSION}")
    if part_name(_number_in(table.schema.metadata)) != path.name:
        raise RunError(f"{path}: holds another part; go on with --resume to have it played again")
    return table


def _number_in(metadata: Mapping[bytes, bytes]) -> int:
    number = metadata.get(_PART, b"").partition(b":")[0]
    return int(number) if number.isdigit() else -1
