"""A position to solve, checked; and its way into a workspace."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from bidwhist._jit import int64, jit
from bidwhist.actions import FIRST_NAMING, NAMINGS, NO_SUIT, Action, is_action, trump_of
from bidwhist.bits import count, highest
from bidwhist.cards import CARDS, FULL, RANKS, SEATS, Card, Mask, Seat, is_number
from bidwhist.errors import PositionError
from bidwhist.notation import format_card, format_seat
from bidwhist.solver.strength import FIELD, LOOSE, TRUMP, WIDTH, beats, by_strength, field_of, place_of, unit
from bidwhist.solver.transposition import forget
from bidwhist.trick import legal_plays, suit_to_follow


@dataclass(frozen=True)
class Position:
    """Four hands, what is named, who led or leads, and the cards on the table, the leader's first.

    `hands` are masks of the cards still held by N E S W. Raises PositionError if that is no position of a game.
    """

    hands: tuple[Mask, Mask, Mask, Mask]
    naming: Action
    leader: Seat
    trick: tuple[Card, ...] = ()

    def __post_init__(self) -> None:
        _check_words(self)
        _check_cards(self)
        _check_following(self)

    @property
    def turn(self) -> Seat:
        """Seat to play."""
        return (self.leader + len(self.trick)) % SEATS

    @property
    def size(self) -> int:
        """Tricks still to be won, the one on the table included."""
        return count(self.hands[self.turn])

    @property
    def legal(self) -> Mask:
        """Cards that may be played now."""
        led = 0
        for card in self.trick:
            led = suit_to_follow(self.naming, led, card)
        return legal_plays(self.hands[self.turn], int(led))


def _check_words(position: Position) -> None:
    if not is_action(position.naming) or position.naming < FIRST_NAMING:
        last = FIRST_NAMING + NAMINGS - 1
        raise PositionError(f"naming: {position.naming!r} is none of the actions {FIRST_NAMING}-{last}")
    if not is_number(position.leader, SEATS):
        raise PositionError(f"leader: {position.leader!r} is no seat 0-3")
    if len(position.hands) != SEATS:
        raise PositionError(f"hands: {len(position.hands)}, not four")
    if len(position.trick) >= SEATS:
        raise PositionError(f"trick: {len(position.trick)} cards on the table; a trick of four is over")


def _check_cards(position: Position) -> None:
    for card in position.trick:
        if not is_number(card, CARDS):
            raise PositionError(f"trick: {card!r} is no card 0-{CARDS - 1}")
    seen = 0
    for mask in (*position.hands, *(1 << card for card in position.trick)):
        if not is_number(mask, FULL + 1):
            raise PositionError(f"hands: {mask!r} is no mask of cards")
        if seen & mask:
            raise PositionError(f"{format_card(highest(seen & mask))} stands twice")
        seen |= mask
    sizes = [count(hand) for hand in position.hands]
    for place in range(len(position.trick)):
        sizes[(position.leader + place) % SEATS] += 1
    if len(set(sizes)) > 1:
        told = ", ".join(f"{format_seat(seat)} {size}" for seat, size in enumerate(sizes))
        raise PositionError(f"hands of different sizes: {told}")
    if not 1 <= sizes[0] <= RANKS:
        raise PositionError(f"hands of {sizes[0]} cards; the solver takes 1 to {RANKS}")


def _check_following(position: Position) -> None:
    led = 0
    for place, card in enumerate(position.trick):
        seat = (position.leader + place) % SEATS
        if not legal_plays(position.hands[seat] | 1 << card, int(led)) >> card & 1:
            raise PositionError(f"trick: {format_seat(seat)} has not followed suit with {format_card(card)}")
        led = suit_to_follow(position.naming, led, card)


@jit
def set_position(ws: Any, naming: Action, hands: Any, leader: Seat, trick: Any, keep: bool) -> None:
    """Put a position into a workspace. `hands` are four masks, `trick` the cards on the table; `keep` what is known.

    What was proved with trumps says nothing of no trump, so then it is forgotten all the same.
    """
    frame = ws["frames"][0]
    loose, trumps = LOOSE, 0
    if trump_of(naming) != NO_SUIT:
        loose, trumps = 0, FIELD << WIDTH * TRUMP
    if not keep or int64(ws["trumps"]) != trumps:
        forget(ws)
    ws["loose"], ws["trumps"] = loose, trumps
    ws["lengths"] = 0
    for seat in range(SEATS):
        places = by_strength(naming, int64(hands[seat]))
        ws["hands"][seat] = places
        rest = places
        while rest != 0:
            ws["lengths"] += unit(seat, highest(rest))
            rest &= (1 << highest(rest)) - 1
    led, best, winner, table = 0, -1, -1, 0
    for index in range(len(trick)):
        place, seat = place_of(naming, int64(trick[index])), (leader + index) & 3
        if best < 0 or beats(place, best, trumps, loose):
            best, winner = place, seat
        if led == 0 and (1 << place) & loose == 0:
            led = field_of(place)
        table |= 1 << place
    frame["led"], frame["best"], frame["winner"], frame["table"] = led, best, winner, table
    frame["seat"] = (leader + len(trick)) & 3
    frame["hint"] = -1
    ws["first"] = len(trick)


def trick_array(trick: tuple[Card, ...]) -> Any:
    """The cards on the table as the kernels take them."""
    return np.array(trick, np.int64)
