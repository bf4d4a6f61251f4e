"""`bw-arena close`."""

from pathlib import Path

import click


@click.command()
@click.argument("run", type=click.Path(path_type=Path))
def command(run: Path) -> None:
    """Publish the secret seed of the finished run in folder RUN. It can no longer be extended then."""
    from bidwhist.arena.run import close

    click.echo(f"{run}: closed; its seed was {close(run).seed}")
