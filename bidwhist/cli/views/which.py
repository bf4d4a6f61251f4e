"""Which hand of a run is meant: the options of the commands that show hands."""

from pathlib import Path

from bidwhist.errors import RunError
from bidwhist.results.hands import Hand, hands_of
from bidwhist.results.manifest import Manifest


def board_number(manifest: Manifest, board: int | None, game: int | None, hand: int | None) -> int:
    """The board of `--board`, or of `--game` and `--hand` in the format `games`. Raises RunError."""
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


def board_title(manifest: Manifest, board: int) -> str:
    """The name of a board in a run, such as `board 3`."""
    if not manifest.is_games:
        return f"board {board}"
    game, hand = divmod(board, manifest.rule_set().cap)
    return f"game {game}, hand {hand} (board {board})"


def hands_played(run: Path, manifest: Manifest, board: int) -> dict[tuple[int, int], list[Hand]]:
    """The hands that were played of a board, by pairing, at least one. Raises RunError."""
    found = hands_of(run, manifest, board)
    if not found:
        raise RunError(f"{run}: no table of {board_title(manifest, board)} has been played")
    return found


def table_title(hand: Hand, names: list[str]) -> str:
    """Who sat where at the table of a hand; `names`: of the run's bots."""
    return f"{names[hand.row['lineup'][0]]} North-South, {names[hand.row['lineup'][1]]} East-West"
