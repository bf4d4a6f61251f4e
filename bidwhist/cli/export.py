"""`bw-arena export`."""

import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO, TYPE_CHECKING

import click

from bidwhist.errors import RunError
from bidwhist.files import refused

if TYPE_CHECKING:
    import pandas as pd

_STANDARD_OUTPUT = Path("-")


def _boards(ctx: click.Context, option: click.Parameter, text: str | None) -> tuple[int, int] | None:
    """The stretch of boards that is written FIRST:END."""
    if text is None:
        return None
    first, _, end = text.partition(":")
    if not (first.isdecimal() and end.isdecimal() and int(first) < int(end)):
        raise click.BadParameter(f"{text!r} is no stretch of boards such as 0:100")
    return int(first), int(end)


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
    if target != _STANDARD_OUTPUT and target.exists() and not force:
        raise RunError(f"{target}: is there already; --force writes over it")
    from bidwhist.results.frame import chunks

    pieces = chunks(
        run,
        columns=columns.split(",") if columns else None,
        bots=bots or None,
        pairing=pairing or None,
        level=level or None,
        strain=strain or None,
        boards=boards,
    )
    if csv == _STANDARD_OUTPUT:
        _write_csv(pieces, sys.stdout)
        return
    with _whole(target) as unfinished:
        if csv:
            with unfinished.open("w", encoding="utf-8", newline="") as file:
                _write_csv(pieces, file)
        else:
            _write_parquet(pieces, unfinished)


@contextmanager
def _whole(target: Path) -> Iterator[Path]:
    """Another name to write to, which is renamed to `target` when all is there. Raises RunError, or Stopped."""
    unfinished = target.with_name(f"{target.name}.tmp")
    try:
        yield unfinished
        unfinished.replace(target)
    except OSError as error:
        raise refused(target, "written", error) from error
    finally:
        with suppress(OSError):
            unfinished.unlink(missing_ok=True)


def _write_csv(pieces: "Iterable[pd.DataFrame]", file: IO[str]) -> None:
    for number, piece in enumerate(pieces):
        piece.to_csv(file, index=False, header=number == 0, lineterminator="\n")


def _write_parquet(pieces: "Iterable[pd.DataFrame]", path: Path) -> None:
    import pyarrow as pa
    import pyarrow.parquet as pq

    writer = None
    try:
        for piece in pieces:
            table = pa.Table.from_pandas(piece, preserve_index=False)
            if writer is None:
                writer = pq.ParquetWriter(path, table.schema, compression="zstd")
            writer.write_table(table)
    finally:
        if writer is not None:
            writer.close()
