"""What engines play: sequences of hands at a table, the records that hold them, and counting hands towards a game.

A *sequence* is what one lineup plays in a row: a single hand in the format `boards`, the hands of a game in `games`.
"""

from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from bidwhist._jit import int64, shared
from bidwhist.cards import SEATS
from bidwhist.deal import deal_board
from bidwhist.outcome import OUTCOME, write_outcome
from bidwhist.score import UNDECIDED, game_winner
from bidwhist.state import STATE, is_made, score_change, set_game, start
from bidwhist.streams import philox

# first_board: board number of the first hand; dealer: its dealer; hands: the most hands to play; lineup: bot indices
# for N E S W.
SEQUENCE: Final = np.dtype([("first_board", "i8"), ("hands", "i4"), ("dealer", "i1"), ("lineup", "i2", (SEATS,))])

# One row holds all of a table: rows by table are much faster than one array for each field. `stream`: workspace of
# whoever draws at the table; in a kernel, references to an array of its own would be counted.
TABLE: Final = np.dtype(
    [
        ("state", STATE),
        ("seat_keys", "u8", (SEATS,)),
        ("stream", "u8", (1,)),
        ("sequence", "i8"),
        ("lineup", "i2", (SEATS,)),
        ("hand", "i4"),
        ("scores", "i4", (2,)),
        ("sets", "i4", (2,)),
    ],
    align=True,
)

# A hand that is done; `last`: it ended its sequence.
ENDED: Final = np.dtype([("sequence", "i8"), ("hand", "i4"), ("last", "?"), ("outcome", OUTCOME)], align=True)


class Played(NamedTuple):
    """Hands played, sorted by sequence and hand: three arrays of the same length."""

    sequence: NDArray[np.int64]
    hand: NDArray[np.int32]
    outcome: NDArray[np.void]


def in_order(ended: NDArray[np.void]) -> Played:
    """ENDED records as Played."""
    steps = np.diff(ended["sequence"])
    if np.any((steps < 0) | ((steps == 0) & (np.diff(ended["hand"]) < 0))):
        ended = ended[np.lexsort((ended["hand"], ended["sequence"]))]
    return Played(ended["sequence"], ended["hand"], ended["outcome"])


@shared
def take_up(table: Any, place: int, sequences: Any, numbers: Any) -> None:
    """Make `table` ready for the first hand of sequence number `place`; `numbers`: what to call the bots of lineups."""
    table["sequence"] = place
    for seat in range(SEATS):
        table["lineup"][seat] = numbers[sequences[place]["lineup"][seat]]
    table["hand"] = 0
    for side in range(2):
        table["scores"][side] = 0
        table["sets"][side] = 0


@shared
def begin_hand(table: Any, rules: Any, sequence: Any, deal_key: Any, bot_key: Any) -> None:
    """Deal the table's next hand."""
    board = sequence["first_board"] + table["hand"]
    state = table["state"]
    keys = philox(bot_key, board)  # first, so that a processor computes it beside the one that deals
    for seat in range(SEATS):
        table["seat_keys"][seat] = keys[seat]
    state["kitty"] = deal_board(rules, deal_key, board, table["stream"], state["hands"])
    start(state, rules, (sequence["dealer"] + table["hand"]) % SEATS)
    set_game(state, table["hand"], table["scores"], table["sets"])


@shared
def end_hand(table: Any, rules: Any, most_hands: int, ended: Any) -> bool:
    """Note the hand that is done in `ended` and count it; True if its sequence goes on."""
    ended["sequence"] = table["sequence"]
    ended["hand"] = table["hand"]
    write_outcome(table["state"], ended["outcome"])
    goes_on = _count_hand(table, rules, most_hands)
    ended["last"] = not goes_on
    return goes_on


@shared
def _count_hand(table: Any, rules: Any, most_hands: int) -> bool:
    public = table["state"]["public"]
    declaring = int64(public["declarer"] & 1)
    for side in range(2):
        table["scores"][side] += score_change(public, side)
    if not is_made(public):
        table["sets"][declaring] += 1
    table["hand"] += 1
    if table["hand"] >= most_hands:
        return False
    return game_winner(rules, table["scores"], table["sets"], int64(table["hand"]), declaring) == UNDECIDED
