"""A hand that has been played, trick by trick, from what is recorded of it."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from bidwhist.actions import Action
from bidwhist.cards import SEATS, Card, Mask, Seat, cards_of
from bidwhist.errors import IllegalAction
from bidwhist.table import Table


@dataclass(frozen=True)
class Trick:
    """The cards of a trick by seat, who led it and who won it."""

    leader: Seat
    cards: tuple[Card, ...]
    winner: Seat


@dataclass(frozen=True)
class Played:
    """A hand played to its end: the calls as (seat, call), its tricks, and the Table as it stands then."""

    calls: tuple[tuple[Seat, Action], ...]
    tricks: tuple[Trick, ...]
    table: Table


def play_out(table: Table, calls: Sequence[Action], naming: Action, discards: Mask, plays: Sequence[Card]) -> Played:
    """Play a hand as recorded on a `table` where it is about to begin.

    `calls` and `plays` are in the order made, `discards` is the declarer's. Raises IllegalAction if they are no hand
    by the rules.
    """
    sources: dict[str, Iterator[Action]] = {
        "call": iter(calls),
        "name": iter([naming]),
        "discard": iter(cards_of(discards)),
        "play": iter(plays),
    }
    spoken: list[tuple[Seat, Action]] = []
    while not table.is_done:
        action = next(sources[table.phase], None)
        if action is None:
            raise IllegalAction(f"the record has nothing to {table.phase} although the hand goes on")
        if table.phase == "call":
            spoken.append((table.turn, action))
        table.act(action)
    return Played(tuple(spoken), tuple(_tricks(table)), table)


def _tricks(table: Table) -> Iterator[Trick]:
    public = table.public
    tricks = int(public["played"]) // SEATS
    # The winner of a trick leads to the next; after the last it is still the winner's turn.
    leaders = [int(leader) for leader in public["leaders"][:tricks]] + [int(public["turn"])]
    for trick in range(tricks):
        cards = public["plays"][SEATS * trick : SEATS * (trick + 1)]
        by_seat = [int(cards[(seat - leaders[trick]) % SEATS]) for seat in range(SEATS)]
        yield Trick(leaders[trick], tuple(by_seat), leaders[trick + 1])
