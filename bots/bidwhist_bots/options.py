"""Which actions are worth weighing: of cards that are as good as each other one, of discards the likely ones."""

from typing import Any

from bidwhist._jit import int64, shared
from bidwhist.actions import FIRST_NAMING
from bidwhist.bits import index, lowest
from bidwhist.cards import JOKERS, SUITS, Mask
from bidwhist.observation import Private
from bidwhist.trick import BEATERS, FOLLOWS
from bidwhist_bots.order import DECKS, DIRECTIONS, SUIT_CARDS, TRUMPS, weakest


@shared
def begin_list(ws: Any, first: int) -> None:
    """Make `first` the only candidate."""
    ws["candidates"], ws["drawn"] = 0, 0
    _append(ws, first)


@shared
def add(ws: Any, action: int) -> None:
    """Add a candidate, unless it is the first one."""
    if action != ws["actions"][0]:
        _append(ws, action)


@shared
def _append(ws: Any, action: int) -> None:
    place = ws["candidates"]
    ws["actions"][place], ws["sums"][place] = action, 0.0
    ws["candidates"] = place + 1


@shared
def list_plays(ws: Any, private: Private, public: Any) -> None:
    """Add the cards that may be played, one of each that are as good: no card that matters lies between them."""
    row = int64(public["naming"]) - FIRST_NAMING
    matters = DECKS[index(public["rules"]["jokers"])] & ~(public["gone"] | private.hand | private.buried)
    if public["winning"] >= 0:
        matters |= 1 << int64(public["winning"])
    rest = private.legal
    while rest != 0:
        card = lowest(rest)
        rest &= rest - 1
        if not _is_among(ws, row, card, matters):
            add(ws, card)


@shared
def _is_among(ws: Any, row: int, card: int, matters: Mask) -> bool:
    """True if a card as good as this one is a candidate already."""
    for place in range(ws["candidates"]):
        other = ws["actions"][place]
        same_suit = FOLLOWS[index(row), index(card)] == FOLLOWS[index(row), index(other)]
        if same_suit and (BEATERS[index(row), index(card)] ^ BEATERS[index(row), index(other)]) & matters == 0:
            return True
    return False


@shared
def list_discards(ws: Any, private: Private, public: Any) -> None:
    """Add the weakest card of each suit, and in no trump a joker."""
    row = int64(public["naming"]) - FIRST_NAMING
    for suit in range(SUITS):
        cards = private.legal & SUIT_CARDS[index(row), index(suit)]
        if cards != 0:
            add(ws, weakest(DIRECTIONS[index(row)], cards))
    if TRUMPS[index(row)] == 0 and private.legal & JOKERS != 0:
        add(ws, lowest(private.legal & JOKERS))


@shared
def list_words(ws: Any, words: Mask, first: int) -> None:
    """Add all calls or namings of a mask of words."""
    rest = words
    while rest != 0:
        add(ws, first + lowest(rest))
        rest &= rest - 1
