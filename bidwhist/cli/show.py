"""`bw-arena show`."""

from pathlib import Path

import click

from bidwhist.cli.screen import show
from bidwhist.errors import RunError
from bidwhist.results.manifest import Manifest, read_manifest


@click.command()
@click.argument("run", type=click.Path(path_type=Path))
@click.option("--board", type=click.IntRange(min=0), help="Number of the board.")
@click.option("--game", type=click.IntRange(min=0), help="In the format games: number of the game.")
@click.option("--hand", type=click.IntRange(min=0), help="With --game: which hand of it, from 0 (the default).")
@click.option("--pairing", metavar="A,B", help="The two bots that played it, if the run has more.")
def command(run: Path, board: int | None, game: int | None, hand: int | None, pairing: str | None) -> None:
    """Show a hand of the run in folder RUN at both tables, trick by trick."""
    manifest = read_manifest(run)
    number = _board_number(manifest, board, game, hand)

    from bidwhist.cli.hand import board_screen

    show(board_screen(run, manifest, number, pairing))


def _board_number(manifest: Manifest, board: int | None, game: int | None, hand: int | None) -> int:
    if not manifest.is_games and (game is not None or hand is not None):
        raise RunError("--game and --hand: this run has the format boards: say --board")
    if board is not None and game is None and hand is None:
        return board
    if game is None or board is not None:
        choice = "either --board, or --game and --hand" if manifest.is_games else "--board"
        raise RunError(f"which hand? say {choice}")
    cap = manifest.rule_set().cap
    if (hand or 0) >= cap:
        raise RunError(f"--hand: a game has hands 0 to {cap - 1}")
    return game * cap + (hand or 0)
