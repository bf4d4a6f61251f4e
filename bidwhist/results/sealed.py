"""Parquet files that carry a digest of their own bytes, so that no changed one is taken for the one that was written.

The digest stands in the footer, as hexadecimal digits under the key `bidwhist.seal`. It is the BLAKE2b digest, of 256
bits, of all bytes before those digits and all after them. So it covers the data, the schema and the other metadata, and
is checked before anything is parsed.
"""

import hashlib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final

import pyarrow as pa
import pyarrow.parquet as pq

from bidwhist.files import read_file

_DIGITS: Final = 64
_KEY: Final = b"bidwhist.seal"
_MARK: Final = _KEY + b"\x18\x40"  # as the footer has it: the key, then the type and the length of its value
_EMPTY: Final = b"0" * _DIGITS


class BrokenSeal(Exception):
    """A file is not as it was written, or was not written with a seal; the text says which."""


def encode_sealed(table: Any, **options: Any) -> bytes:
    """A pyarrow table with its metadata as a sealed Parquet file; `options` go to `pyarrow.parquet.ParquetWriter`."""
    stream = pa.BufferOutputStream()
    with pq.ParquetWriter(stream, table.schema, store_schema=False, write_page_checksum=True, **options) as writer:
        writer.write_table(table)
        # Without an Arrow schema in the file, the metadata have to be written by hand.
        writer.add_key_value_metadata({**(table.schema.metadata or {}), _KEY: _EMPTY})
    data: bytes = stream.getvalue().to_pybytes()
    place = _place(data)
    return data[:place] + _digest(data, place) + data[place + _DIGITS :]


def seal_of(data: bytes) -> bytes:
    """The digest that a sealed file carries."""
    place = _place(data)
    return data[place : place + _DIGITS]


class SealedFile:
    """A sealed file that has been read, and is as it was written."""

    def __init__(self, path: Path) -> None:
        """Raises BrokenSeal, or OSError if it cannot be read."""
        data = read_file(path)
        place = _place(data)
        if place < 0:
            raise BrokenSeal("carries no digest: this version of the program has not written it")
        self.seal: Final[bytes] = seal_of(data)
        if self.seal != _digest(data, place):
            raise BrokenSeal("is damaged: its bytes do not have the digest that it carries")
        try:
            self._file = pq.ParquetFile(pa.BufferReader(data), page_checksum_verification=True)
            self.metadata: Final[Mapping[bytes, bytes]] = self._file.metadata.metadata or {}
            self.rows: Final[int] = self._file.metadata.num_rows
        except (pa.ArrowException, OSError) as error:
            raise BrokenSeal(f"is no Parquet file: {error}") from None

    def read(self, columns: Sequence[str] | None = None) -> Any:
        """The pyarrow table, with only those of the columns, if they are given, that it has. Raises BrokenSeal."""
        try:
            # For files of our size threads cost more than they save.
            return self._file.read(columns, use_threads=False)
        except (pa.ArrowException, OSError) as error:
            raise BrokenSeal(f"is no Parquet file: {error}") from None


def _place(data: bytes) -> int:
    """Where the digits begin; -1 where there are none."""
    mark = data.rfind(_MARK)
    return -1 if mark < 0 else mark + len(_MARK)


def _digest(data: bytes, place: int) -> bytes:
    digest = hashlib.blake2b(digest_size=_DIGITS // 2)
    digest.update(memoryview(data)[:place])
    digest.update(memoryview(data)[place + _DIGITS :])
    return digest.hexdigest().encode()
