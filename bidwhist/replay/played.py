"""The cards played in runs as a pandas frame, a row for each card: as recorded, or by playing the hands again."""

from functools import cached_property
from pathlib import Path
from typing import Any, Final, Unpack

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from bidwhist._jit import int64, jit
from bidwhist.cards import CARDS, SEATS
from bidwhist.errors import RunError
from bidwhist.notation import SEAT_LETTERS, format_card
from bidwhist.replay.hand import replay_columns
from bidwhist.results.columns import CARDS as CARD_COLUMNS
from bidwhist.results.columns import RESULT
from bidwhist.results.hands import board_title
from bidwhist.results.manifest import Manifest
from bidwhist.results.reader import PLACE, Choice, FrameColumn, FrameKind, Reader, Rows, seated
from bidwhist.results.runs import Source
from bidwhist.results.schema import MOST_PLAYS, Part, cards_table, plays_of
from bidwhist.state import first_leader
from bidwhist.trick import leads_trick, trumps_of

_CARDS: Final = [format_card(card) for card in range(CARDS)]
_NUMBERS: Final = np.arange(MOST_PLAYS)

# What follows from the cards of a hand, for each card played.
_PLAY: Final = np.dtype([("seat", "i1"), ("won", "?"), ("trump", "?")])


class _Plays(Rows):
    """Rows of a part with what follows from their cards."""

    @cached_property
    def plays(self) -> NDArray[np.int8]:
        """The cards played (int8[n, 52]), -1 after the last."""
        return plays_of(self.cards)

    @cached_property
    def followed(self) -> Any:
        """A _PLAY record for each card (n, 52)."""
        found = np.zeros(self.plays.shape, _PLAY)
        derived: Any = self.derived  # the rule takes arrays as it takes numbers
        leaders = first_leader(self.rules.record(), derived["dealer"], derived["declarer"])
        _follow(self.rows["naming"], leaders, self.plays, found)
        return found


@jit
def _follow(namings: Any, leaders: Any, plays: Any, found: Any) -> None:
    for i in range(len(plays)):
        leader, naming = int64(leaders[i]), int64(namings[i])
        trumps = trumps_of(naming)
        for first in range(0, len(plays[i]), SEATS):
            if plays[i, first + SEATS - 1] < 0:
                break
            winning, winner = -1, -1
            for place in range(SEATS):
                card, seat = int64(plays[i, first + place]), (leader + place) % SEATS
                winning, winner = leads_trick(naming, winning, winner, card, seat)
                found[i, first + place]["seat"] = seat
                found[i, first + place]["trump"] = (trumps >> card) & 1 != 0
            found[i, first + (winner - leader) % SEATS]["won"] = True
            leader = winner


TRICKS: Final = (
    *PLACE,
    FrameColumn("trick", "1 to 13", lambda part: (_NUMBERS // SEATS + 1)[None]),
    FrameColumn("place", "1 to 4: place of the card in its trick", lambda part: (_NUMBERS % SEATS + 1)[None]),
    FrameColumn("seat", "who played it: N, E, S or W", lambda part: part.followed["seat"], SEAT_LETTERS),
    *seated("name of the bot that played it", lambda part: part.followed["seat"]),
    FrameColumn("card", "as `SA` or `JR`", lambda part: part.plays, _CARDS),
    FrameColumn("led", "whether it was led", lambda part: (_NUMBERS % SEATS == 0)[None]),
    FrameColumn("won", "whether it took the trick", lambda part: part.followed["won"]),
    FrameColumn(
        "trump", "whether it is a trump, as jokers are in a trump contract", lambda part: part.followed["trump"]
    ),
)
"""The columns of the frame that `tricks` makes, in order."""


def tricks(path: Source, **chosen: Unpack[Choice]) -> pd.DataFrame:
    """The cards played in a run, or in several, one a row, hand by hand in the order played; `TRICKS` has the columns.

    Where cards were not recorded, the bots play the hands again. `path` and `chosen` are as in `bidwhist.results.load`.
    Raises RunError, also where the bots are not there any more or play otherwise now; a run with `record = "plays"`
    does not need them.
    """
    kind = FrameKind(TRICKS, each=MOST_PLAYS, where=lambda part: part.plays >= 0, plays=True, prepared=_prepared)
    return Reader(kind, path, chosen, _play_again).load()


def _prepared(part: Rows) -> _Plays:
    return _Plays(part.rows, part.derived, part.cards, part.rules, part.is_mixed)


def _play_again(run: Path, manifest: Manifest, part: Part, rows: NDArray[np.void]) -> Any:
    """The cards of rows of a part, by playing again the boards or games from the first of them to the last."""
    first, last = int(rows["unit"].min()), int(rows["unit"].max())
    try:
        columns = replay_columns(run, first, (part.a, part.b), last - first + 1)
    except RunError as error:
        raise RunError(f'{error}; its plays were not recorded, as they are with record = "plays"') from None
    cap = manifest.hands_a_unit
    played = _numbers(columns["board"], ~np.isin(columns["north"], manifest.side(part.a)), cap)
    wanted = _numbers(rows["board"], rows["orientation"], cap)
    places = np.minimum(np.searchsorted(played, wanted), len(played) - 1)
    same = played[places] == wanted
    for column in RESULT:
        same &= columns[column.name][places] == column.of(rows)
    if not same.all():
        board = rows["board"][np.flatnonzero(~same)[0]]
        raise RunError(
            f"{run}: the bots do not play {board_title(manifest, int(board))} again as they did in the run; its plays "
            f'were not recorded, as they are with record = "plays"'
        )
    return cards_table({column.name: columns[column.name][places] for column in CARD_COLUMNS})


def _numbers(boards: NDArray[np.int64], orientations: NDArray[Any], cap: int) -> NDArray[np.int64]:
    """A number for each hand of a pairing, rising in the order of the rows of a part."""
    units, hands = np.divmod(boards, cap)
    numbers: NDArray[np.int64] = (2 * units + orientations) * cap + hands
    return numbers
