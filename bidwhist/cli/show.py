"""`bw-arena show`."""

from pathlib import Path
from typing import Any

import click

from bidwhist.cli.apart import Say, apart
from bidwhist.cli.views.screen import show
from bidwhist.results.manifest import read_manifest


@click.command()
@click.argument("run", type=click.Path(path_type=Path))
@click.option("--board", type=click.IntRange(min=0), help="Number of the board.")
@click.option("--game", type=click.IntRange(min=0), help="In the format games: number of the game.")
@click.option("--hand", type=click.IntRange(min=0), help="With --game: which hand of it, from 0 (the default).")
@click.option("--pairing", metavar="A,B", help="The two bots (or sides, as a + b) that played it.")
def command(run: Path, board: int | None, game: int | None, hand: int | None, pairing: str | None) -> None:
    """Show a hand of the run in folder RUN at both tables, trick by trick."""

    def screen(say: Say) -> list[Any]:
        # Where the cards were not recorded, the bots play the hand again.
        from bidwhist.cli.views.hand import board_screen
        from bidwhist.results.hands import board_number

        manifest = read_manifest(run)
        return list(board_screen(run, manifest, board_number(manifest, board, game, hand, mark="--"), pairing))

    show(apart(screen, title=f"{run}: the hand cannot be shown"))
