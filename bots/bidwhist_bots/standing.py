"""What the result of a hand is worth to a side: how the scores stand after it, and whether the game is over."""

from typing import Any, Final

from bidwhist._jit import shared
from bidwhist.score import ALL_BOOKS, DRAW, UNDECIDED, game_winner, hand_scores, is_enough, total_books

# A book beside the points: with few worlds it tells apart what the points do not. A power of two, as points are whole:
# sums over worlds are exact then, in any order, and what is worth the same is found equal.
BOOK: Final = 1 / 16


@shared
def value_results(ws: Any, public: Any, side: int, level: int, declaring: int) -> None:
    """Enter into `ws["value"]` what a contract of side `declaring` at `level` is worth to `side`, by books won."""
    for is_no_trump in range(2):
        for books in range(ALL_BOOKS + 1):
            _enter_scores(ws, public, declaring, level, is_no_trump, books)
            kept = books if declaring == side else ALL_BOOKS - books
            value = _lead_after(ws, public, side, declaring) + BOOK * kept
            ws["value"][declaring, level, is_no_trump, books] = value


@shared
def _enter_scores(ws: Any, public: Any, declaring: int, level: int, is_no_trump: int, books: int) -> None:
    """The scores and sets after the hand."""
    for side in range(2):
        ws["scores"][side] = public["scores"][side]
        ws["sets"][side] = public["sets"][side]
    others = total_books(public["rules"]) - books
    declarers, defenders = hand_scores(public["rules"], level, is_no_trump != 0, books, others)
    ws["scores"][declaring] += declarers
    ws["scores"][1 - declaring] += defenders
    if not is_enough(level, books):
        ws["sets"][declaring] += 1


@shared
def _lead_after(ws: Any, public: Any, side: int, declaring: int) -> float:
    """The lead in points; a game won or lost counts as the greatest lead there can be, twice the target (C17)."""
    winner = game_winner(public["rules"], ws["scores"], ws["sets"], public["hand_number"] + 1, declaring)
    if winner == UNDECIDED or winner == DRAW:
        return float(ws["scores"][side] - ws["scores"][1 - side])
    most = 2.0 * float(public["rules"]["target"])
    return most if winner == side else -most
