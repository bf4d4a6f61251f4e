"""A layout as a whole STATE, to play on from, to play out or to replay: with kitty, taken and buried as they may be."""

from typing import Any

from bidwhist._jit import int64, shared
from bidwhist.cards import SEATS, Mask, Seat
from bidwhist.deal import random_cards
from bidwhist.public import DISCARDING, NAMING
from bidwhist.rules import AFTER
from bidwhist.score import is_kitty_taken_up


@shared
def is_taken_up(public: Any) -> bool:
    """True if the declarer has taken up the kitty."""
    if not is_kitty_taken_up(public["rules"]):
        return False
    phase = public["phase"]
    return bool(phase >= DISCARDING or (phase == NAMING and public["rules"]["naming"] == AFTER))


@shared
def played_by(public: Any, seat: Seat) -> Mask:
    """The cards that a seat has played in this hand."""
    cards = 0
    for place in range(public["played"]):
        if (public["leaders"][place >> 2] + place) & 3 == seat:
            cards |= 1 << int64(public["plays"][place])
    return cards


@shared
def write_world(private: Any, public: Any, hands: Any, dead: Mask, stream: Any, state: Any) -> None:
    """Write into `state` (a STATE record) the hand as it stands if these are the `hands` (int64[4]) and `dead` cards.

    A kitty that its declarer has taken up and the seat has not seen is any of the cards that he has had: drawn from
    `stream`, uniformly. Every field is written.
    """
    state["public"] = public
    state["kitty"] = dead
    for seat in range(SEATS):
        state["hands"][seat] = hands[seat]
        state["taken"][seat] = 0
        state["buried"][seat] = 0
    if is_taken_up(public):
        declarer = public["declarer"] & 3
        had = hands[declarer] | dead | played_by(public, declarer)
        kitty = private.kitty | int64(public["sported"])
        if kitty == 0:
            kitty = random_cards(had, int64(public["rules"]["kitty_size"]), stream)
        state["kitty"] = kitty
        state["taken"][declarer] = kitty
        state["buried"][declarer] = dead
