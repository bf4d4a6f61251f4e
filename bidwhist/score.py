"""What a hand is worth and when a game ends (C7, C16-C18 and the fields of other presets).

Engine, derived results, solver and house bots all call these functions, so a rule of the score is written here alone.
`score_if_set` and `score_if_made` take floats as well: a bot that estimates books scores its estimate by them.
"""

from typing import Any, Final

from bidwhist._jit import shared
from bidwhist.public import NOBODY
from bidwhist.rules import (
    BOSTON_FACTOR,
    BOSTON_FIXED,
    DEFENDERS_BOOKS,
    EXCHANGES,
    KITTY_BOOK,
    KITTY_EXCHANGE,
    KITTY_FIRST_TRICK,
    LEVEL_ONLY,
)

ALL_BOOKS: Final = 13
BASE: Final = 6  # books that count for nothing: a bid promises its level above them
UNDECIDED: Final = -1
DRAW: Final = 2


@shared
def side_with_kitty(rules: Any, declarer: int, first_winner: int) -> int:
    """Side that has the kitty's book, NOBODY if none has it (yet).

    `first_winner`: seat that won the first trick, NOBODY before it is complete.
    """
    kitty = rules["kitty"]
    if kitty == KITTY_BOOK or kitty == KITTY_EXCHANGE:
        return declarer & 1
    return first_winner & 1 if kitty == KITTY_FIRST_TRICK and first_winner != NOBODY else NOBODY


@shared
def is_kitty_taken_up(rules: Any) -> bool:
    """True where the declarer takes up the kitty, before or after the naming."""
    return rules["kitty"] in EXCHANGES


@shared
def books_of(tricks: int, side: int, kitty_side: int) -> int:
    """Books of a side with `tricks` tricks, when `kitty_side` has the kitty's book."""
    return tricks + (1 if kitty_side == side else 0)


@shared
def total_books(rules: Any) -> int:
    """Books of both sides together: the tricks, and the kitty where it is a book."""
    return int(rules["hand_size"]) + (0 if side_with_kitty(rules, 0, 0) == NOBODY else 1)


@shared
def is_enough(level: int, books: int) -> bool:
    """True if the declaring side makes a contract at `level` with `books` books."""
    return books - BASE >= level


@shared
def strain_factor(rules: Any, is_no_trump: bool) -> int:
    """Factor of the declaring side's score."""
    return int(rules["nt_factor"]) if is_no_trump else 1


@shared
def score_if_set(rules: Any, level: Any, factor: Any) -> Any:
    """Change of the declaring side's score by a contract that is set (C16); `factor`: see `strain_factor`."""
    return -level * factor


@shared
def score_if_made(rules: Any, level: Any, over: Any, factor: Any) -> Any:
    """Change of the declaring side's score by a contract made with `over` books more than promised (C16)."""
    return (level if rules["made"] == LEVEL_ONLY else level + over) * factor


@shared
def declarer_score(rules: Any, level: int, is_no_trump: bool, books: int) -> int:
    """Change of the declaring side's score: `books` of 13 won, `level` promised (C16)."""
    factor = strain_factor(rules, is_no_trump)
    if books == ALL_BOOKS:
        if rules["boston"] == BOSTON_FIXED:
            return 2 * ALL_BOOKS if is_no_trump else ALL_BOOKS
        if rules["boston"] == BOSTON_FACTOR:
            factor *= 4
    if is_enough(level, books):
        return int(score_if_made(rules, level, books - BASE - level, factor))
    return int(score_if_set(rules, level, factor))


@shared
def defender_score(rules: Any, books: int) -> int:
    """Change of the defenders' score for their `books`."""
    return max(0, books - BASE) if rules["defenders"] == DEFENDERS_BOOKS else 0


@shared
def hand_scores(rules: Any, level: int, is_no_trump: bool, books: int, others: int) -> tuple[int, int]:
    """Changes of the scores of the declaring side and of the defenders, with `books` and `others` books (C16)."""
    return declarer_score(rules, level, is_no_trump, books), defender_score(rules, others)


def most_points(rules: Any) -> int:
    """The most points that a hand can cost a side by the rules of a RULES record, whatever is bid, named and won.

    Points are the change of a side's own score less the change of the opponents'.
    """
    return max(
        abs(own - others)
        for level in range(1, ALL_BOOKS - BASE + 1)
        for is_no_trump in (False, True)
        for books in range(ALL_BOOKS + 1)
        for own, others in [hand_scores(rules, level, is_no_trump, books, ALL_BOOKS - books)]
    )


@shared
def has_reached_target(rules: Any, score: Any) -> bool:
    """True if a side wins the game by its own score (C17)."""
    return bool(score >= int(rules["target"]))


@shared
def has_lost(rules: Any, score: Any, sets: int) -> bool:
    """True if a side loses the game by its own score, or by how often it was set (C17)."""
    if rules["negative_end"] != 0 and score <= -int(rules["target"]):
        return True
    return rules["two_sets"] != 0 and sets >= 2


@shared
def game_winner(rules: Any, scores: Any, sets: Any, hands: int, declaring_side: int) -> int:
    """Side 0 or 1 that has won, DRAW, or UNDECIDED, after `hands` hands of a game.

    `scores` and `sets` (times each side was set) are of sides 0 and 1. The declaring side of the last hand is counted
    first (chosen). At the cap the higher score wins (C18).
    """
    first, second = declaring_side, 1 - declaring_side
    if has_reached_target(rules, scores[first]) or has_lost(rules, scores[second], sets[second]):
        return first
    if has_reached_target(rules, scores[second]) or has_lost(rules, scores[first], sets[first]):
        return second
    if hands < rules["cap"]:
        return UNDECIDED
    if scores[0] == scores[1]:
        return DRAW
    return 0 if scores[0] > scores[1] else 1
