"""What a hand is worth and when a game ends (C16-C18 and the fields of other presets)."""

from typing import Any, Final

from bidwhist._jit import shared
from bidwhist.rules import BOSTON_FACTOR, BOSTON_FIXED, DEFENDERS_BOOKS, LEVEL_ONLY

ALL_BOOKS: Final = 13
UNDECIDED: Final = -1
DRAW: Final = 2


@shared
def declarer_score(rules: Any, level: int, is_no_trump: bool, books: int) -> int:
    """Change of the declaring side's score: `books` of 13 won, `level` promised (C16)."""
    factor = int(rules["nt_factor"]) if is_no_trump else 1
    if books == ALL_BOOKS:
        if rules["boston"] == BOSTON_FIXED:
            return 2 * ALL_BOOKS if is_no_trump else ALL_BOOKS
        if rules["boston"] == BOSTON_FACTOR:
            factor *= 4
    if books - 6 < level:
        return -level * factor
    return (level if rules["made"] == LEVEL_ONLY else books - 6) * factor


@shared
def defender_score(rules: Any, books: int) -> int:
    """Change of the defenders' score for their `books`."""
    return max(0, books - 6) if rules["defenders"] == DEFENDERS_BOOKS else 0


@shared
def _has_won(rules: Any, score: int, other_score: int, other_sets: int) -> bool:
    target = int(rules["target"])
    if score >= target or (rules["negative_end"] != 0 and other_score <= -target):
        return True
    return rules["two_sets"] != 0 and other_sets >= 2


@shared
def game_winner(rules: Any, scores: Any, sets: Any, hands: int, declaring_side: int) -> int:
    """Side 0 or 1 that has won, DRAW, or UNDECIDED, after `hands` hands of a game.

    `scores` and `sets` (times each side was set) are of sides 0 and 1. The declaring side of the last hand is counted
    first (chosen). At the cap the higher score wins (C18).
    """
    first, second = declaring_side, 1 - declaring_side
    if _has_won(rules, scores[first], scores[second], sets[second]):
        return first
    if _has_won(rules, scores[second], scores[first], sets[first]):
        return second
    if hands < rules["cap"]:
        return UNDECIDED
    if scores[0] == scores[1]:
        return DRAW
    return 0 if scores[0] > scores[1] else 1
