"""What follows from the rows of a part by the rules: dealer, declarer, contract, books, points, scores of a game.

Of boards at which a bot forfeits what it has failed in, the points are the penalty, wherever points are looked at.
"""

from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from bidwhist._jit import int64, jit, shared
from bidwhist.actions import PASS, direction_of, is_bid, level_of
from bidwhist.cards import SEATS
from bidwhist.deal import first_dealers
from bidwhist.engine.moment import MOMENTS
from bidwhist.public import NOBODY
from bidwhist.results.manifest import Manifest, seed_of
from bidwhist.score import UNDECIDED, books_of, game_winner, hand_scores, is_enough, most_points
from bidwhist.state import is_no_trump
from bidwhist.streams import use_key

# What follows from a ROW. strain: index into schema.STRAINS; books: of the declaring side; forfeit: the side that
# forfeits the table, NOBODY if none does; change: of the scores of NS and EW by the hand, or that of a forfeit; scores
# and sets: of the sides before the hand; winner: of the game after it, UNDECIDED before
# its last hand and throughout in the format `boards`.
DERIVED: Final = np.dtype(
    [
        ("dealer", "i1"),
        ("declarer", "i1"),
        ("level", "i1"),
        ("strain", "i1"),
        ("books", "i1"),
        ("made", "?"),
        ("forfeit", "i1"),
        ("change", "i2", (2,)),
        ("scores", "i2", (2,)),
        ("sets", "i2", (2,)),
        ("winner", "i1"),
    ],
    align=True,
)


def derive(rows: NDArray[np.void], manifest: Manifest, run: Path) -> NDArray[np.void]:
    """The DERIVED records of ROW records: of both tables of boards, or in the format `games` of whole games, in order.

    Raises RunError while the seed is secret and not at hand: the dealer and so the declarer follow from it.
    """
    derived = np.zeros(len(rows), DERIVED)
    rules = manifest.rule_set().record()
    key = use_key(seed_of(run, manifest), "deals")
    _derive_hands(rules, first_dealers(key, rows["board"] - rows["hand"], manifest.is_games), rows, derived)
    if manifest.is_games:
        _derive_games(rules, rows, derived)
    derived["forfeit"] = NOBODY
    forfeiting = np.array([bot.on_fault == "forfeit" for bot in manifest.bots])
    if forfeiting.any():
        _derive_forfeits(most_points(rules), forfeiting, rows, derived)
    return derived


def _derive_forfeits(penalty: int, forfeiting: NDArray[np.bool_], rows: NDArray[np.void], derived: Any) -> None:
    """Score the boards at which a bot that is `forfeiting` has failed: both tables at the penalty.

    The side that failed first forfeits a table; where nobody failed, the bot does that forfeits the board's other one.
    """
    has_failed = (rows["faults"] != 0) & forfeiting[rows["lineup"]]
    first = np.where(has_failed, rows["faults_at"], MOMENTS).argmin(axis=1)
    own = np.where(has_failed.any(axis=1), first & 1, NOBODY)
    elsewhere = own[np.arange(len(rows)) ^ 1]  # at the board's other table, where the bots sit the other way round
    side = np.where(own == NOBODY, np.where(elsewhere == NOBODY, NOBODY, 1 - elsewhere), own)
    derived["forfeit"] = side
    is_forfeit = side != NOBODY
    derived["change"][is_forfeit] = np.where(np.arange(2) == side[is_forfeit, None], -penalty, 0)


@jit
def _derive_hands(rules: Any, dealers: Any, rows: Any, derived: Any) -> None:
    for i in range(len(rows)):
        _derive_hand(rules, (dealers[i] + rows[i]["hand"]) % SEATS, rows[i], derived[i])


@shared
def _derive_hand(rules: Any, dealer: int, row: Any, derived: Any) -> None:
    derived["dealer"] = dealer
    derived["winner"] = UNDECIDED
    declarer, bid = NOBODY, PASS
    for place in range(SEATS):
        if is_bid(row["calls"][place]):  # each bid beats or repeats the one before
            declarer, bid = (dealer + 1 + place) % SEATS, int64(row["calls"][place])
    derived["declarer"] = declarer
    side, naming, kitty_side = declarer & 1, int64(row["naming"]), int64(row["kitty_side"])
    is_nt = is_no_trump(naming)
    books = books_of(int64(row["tricks"]), side, kitty_side)
    others = books_of(rules["hand_size"] - int64(row["tricks"]), 1 - side, kitty_side)
    derived["level"] = level_of(bid)
    derived["strain"] = 2 if is_nt else min(direction_of(naming), 1)
    derived["books"] = books
    derived["made"] = is_enough(level_of(bid), books)
    derived["change"][side], derived["change"][1 - side] = hand_scores(rules, level_of(bid), is_nt, books, others)


@jit
def _derive_games(rules: Any, rows: Any, derived: Any) -> None:
    scores, sets = np.zeros(2, np.int64), np.zeros(2, np.int64)
    for i in range(len(rows)):
        now = derived[i]
        if rows[i]["hand"] == 0:
            scores[:] = 0
            sets[:] = 0
        declaring = int64(now["declarer"] & 1)
        for side in range(2):
            now["scores"][side] = scores[side]
            now["sets"][side] = sets[side]
            scores[side] += now["change"][side]
        if not now["made"]:
            sets[declaring] += 1
        now["winner"] = game_winner(rules, scores, sets, int64(rows[i]["hand"]) + 1, declaring)
