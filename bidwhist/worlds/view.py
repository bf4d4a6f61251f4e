"""What a seat does not see: the hidden cards in classes, the holders they may be with, and the room that each has.

There are four holders of hidden cards: the other three seats, and the *dead pile* (the kitty that nobody has taken up,
or what its declarer has buried). The dead pile stands in the place of the seat that looks on, whose own hand is known.
Cards with the same permitted holders make one class. All works on one WORLDS record, made once and used again.

`private` is what `bidwhist.observation.Private` has, of any seat, whoever is to act.
"""

from typing import Any, Final

import numpy as np

from bidwhist._jit import int64, shared
from bidwhist.bits import count
from bidwhist.cards import FULL, SEATS, Mask, Seat
from bidwhist.deal import deck
from bidwhist.layout import dense

CLASSES: Final = 8  # the dead pile takes any card: at most 7 sets of two holders or more with it, 4 where it is full
STATES: Final = 7 * 14 * 14  # rooms left over: of three holders, as the fourth has the rest
OPTIONS: Final = 7 * 14  # ways to spread a class in numbers; that of the most holders needs no list
GUIDE: Final = 256
MOST_DEAD: Final = 6
MOST_HELD: Final = 18  # by a declarer with a kitty

# By holder: its place, `room` and the cards that it has for certain. By class: its cards, its size, the set of its
# holders (bit h). What stands below `classes` belongs to bidwhist.worlds.count.
WORLDS: Final = dense(
    [
        ("seat", "i8"),
        ("hand", "i8"),
        ("known", "i8", (SEATS,)),
        ("room", "i8", (SEATS,)),
        ("cards", "i8", (CLASSES,)),
        ("holders", "i8", (CLASSES,)),
        ("classes", "i8"),
        ("unit", "i8", (SEATS,)),
        ("start", "i8"),
        ("options", "i8", (CLASSES,)),
        ("spread", "i8", (CLASSES, OPTIONS)),
        ("spread_ways", "f8", (CLASSES, OPTIONS)),
        ("states", "i8", (CLASSES,)),
        ("state", "i8", (CLASSES, STATES)),
        ("ways", "f8", (CLASSES, STATES)),
        ("lasts", "i8"),
        ("last", "i8", (STATES,)),
        ("up_to", "f8", (STATES,)),
        ("guide", "i8", (GUIDE,)),
        ("total", "f8"),
    ]
)

# Sets of holders, those of few first: the last class, which is counted without a table, is that of the most.
_HOLDER_SETS: Final = np.array(sorted(range(1, 1 << SEATS), key=lambda holders: holders.bit_count()))


def new_worlds() -> Any:
    """A WORLDS record to work on."""
    return np.zeros(1, WORLDS)[0]


@shared
def look(ws: Any, private: Any, public: Any) -> bool:
    """Enter the hidden cards as a seat sees them; False if the numbers of cards are those of no hand."""
    seat = int64(private.seat) & 3
    hidden = deck(public["rules"]) & ~(public["gone"] | private.hand | private.buried)
    ws["seat"], ws["hand"] = seat, private.hand
    dead = count(hidden)
    for holder in range(SEATS):
        ws["known"][holder] = 0
        ws["room"][holder] = public["left"][holder]
        dead -= 0 if holder == seat else int64(public["left"][holder])
    ws["known"][seat], ws["room"][seat] = private.buried, dead
    if not _is_possible(ws):
        return False
    _classify(ws, public, hidden)
    return True


@shared
def _is_possible(ws: Any) -> bool:
    """True if the rooms are within the bounds that the tables are made for."""
    large = 0
    for holder in range(SEATS):
        room = ws["room"][holder]
        if room < 0 or room > (MOST_DEAD if holder == ws["seat"] else MOST_HELD):
            return False
        large += 1 if room > 13 else 0
    return large <= 1


@shared
def _barred(ws: Any, public: Any, holder: int) -> Mask:
    """The hidden cards that `holder` cannot have.

    A void tells of a hand, never of what its player has buried. A kitty that was shown is its declarer's, held or
    buried.
    """
    if ws["room"][holder] == 0:
        return FULL
    if holder == ws["seat"]:
        return 0
    void = int64(public["void"][holder])
    return void if holder == public["declarer"] else void | int64(public["sported"])


@shared
def _classify(ws: Any, public: Any, hidden: Mask) -> None:
    """Put the hidden cards into classes by their holders; those of one holder only are known."""
    a, b = _barred(ws, public, 0), _barred(ws, public, 1)
    c, d = _barred(ws, public, 2), _barred(ws, public, 3)
    ws["classes"] = 0
    for holders in _HOLDER_SETS:
        cards = hidden & _within(a, holders, 0) & _within(b, holders, 1) & _within(c, holders, 2)
        cards &= _within(d, holders, 3)
        if cards == 0:
            continue
        if holders & (holders - 1) == 0:
            _settle(ws, holders, cards)
        else:
            place = ws["classes"]
            ws["cards"][place], ws["holders"][place] = cards, holders
            ws["classes"] = place + 1


@shared
def _within(barred: Mask, holders: int, holder: int) -> Mask:
    """The cards that agree with `holder` being, or not being, in the set `holders`."""
    return FULL & ~barred if (holders >> holder) & 1 != 0 else barred


@shared
def _settle(ws: Any, holders: int, cards: Mask) -> None:
    """Give `cards` to the only holder in the set."""
    for holder in range(SEATS):
        if holders == 1 << holder:
            ws["known"][holder] |= cards
            ws["room"][holder] -= count(cards)


@shared
def of_holder(numbers: int, holder: Seat) -> int:
    """The number of a holder in a packed list of numbers, a byte each."""
    return (numbers >> (8 * holder)) & 0x7F
