"""`bw-arena export`."""

import sys
from collections.abc import Iterable
from pathlib import Path
from typing import IO, TYPE_CHECKING, Final

import click

from bidwhist.files import new_file
from bidwhist.text import echo

if TYPE_CHECKING:
    import pandas as pd

_STANDARD_OUTPUT: Final = Path("-")
_MOST_DIGITS: Final = 18


def _boards(ctx: click.Context, option: click.Parameter, text: str | None) -> tuple[int, int] | None:
    """The stretch of boards that is written FIRST:END."""
    if text is None:
        return None
    first, _, end = text.partition(":")
    if all(each.isdecimal() and len(each) <= _MOST_DIGITS for each in (first, end)) and int(first) < int(end):
        return int(first), int(end)
    raise click.BadParameter(f"{echo(text)} is no stretch of boards such as 0:100")


@click.command()
@click.argument("run", type=click.Path(path_type=Path))
@click.option("--csv", type=click.Path(path_type=Path), help="The file to write, as CSV; - for standard output.")
@click.option("--parquet", type=click.Path(path_type=Path), help="The file to write, as Parquet.")
@click.option("--force", is_flag=True, help="Write over a file that is there.")
@click.option("--columns", help="Only these columns, with commas between.")
@click.option("--bot", "bots", multiple=True, help="Only tables of this bot; may be given again.")
@click.option("--pairing", nargs=2, help="Only tables of these two bots.")
@click.option("--level", type=int, multiple=True, help="Only contracts of this level; may be given again.")
@click.option("--strain", multiple=True, help="Only contracts of this strain; may be given again.")
@click.option(
    "--boards", callback=_boards, metavar="FIRST:END", help="Only boards from FIRST up to END, which is left out."
)
def command(
    run: Path,
    csv: Path | None,
    parquet: Path | None,
    force: bool,
    columns: str | None,
    bots: tuple[str, ...],
    pairing: tuple[str, str] | None,
    level: tuple[int, ...],
    strain: tuple[str, ...],
    boards: tuple[int, int] | None,
) -> None:
    """Write the tables of the run in folder RUN, with all that follows from them, into one file.

    A row is a table, in games a hand, as in the frames of bidwhist.results.load.
    """
    target = csv or parquet
    if target is None or (csv and parquet):
        raise click.UsageError("say --csv FILE or --parquet FILE")
    if parquet == _STANDARD_OUTPUT:
        raise click.UsageError("Parquet is written to a file; --csv - writes CSV to standard output")
    from bidwhist.results import frame

    pieces = frame.chunks(
        run,
        columns=None if columns is None else [name.strip() for name in columns.split(",")],
        bots=bots or None,
        pairing=pairing or None,
        level=level or None,
        strain=strain or None,
        boards=boards,
    )
    if csv == _STANDARD_OUTPUT:
        _write_csv(pieces, sys.stdout.buffer)
        return
    with new_file(target, force=force) as file:
        if csv:
            _write_csv(pieces, file)
        else:
            _write_parquet(pieces, file)


def _write_csv(pieces: "Iterable[pd.DataFrame]", file: IO[bytes]) -> None:
    """Write CSV in UTF-8, whatever the encoding of the terminal."""
    for number, piece in enumerate(pieces):
        file.write(piece.to_csv(index=False, header=number == 0, lineterminator="\n").encode())


def _write_parquet(pieces: "Iterable[pd.DataFrame]", file: IO[bytes]) -> None:
    import pyarrow as pa
    import pyarrow.parquet as pq

    writer = None
    try:
        for piece in pieces:
            table = pa.Table.from_pandas(piece, preserve_index=False)
            if writer is None:
                writer = pq.ParquetWriter(file, table.schema, compression="zstd")
            writer.write_table(table)
    finally:
        if writer is not None:
            writer.close()
