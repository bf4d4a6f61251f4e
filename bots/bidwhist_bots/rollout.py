"""Playing a hand to its end as the heuristic plays it in all four seats, each seeing only its own cards."""

from typing import Any

from bidwhist._jit import int64, jit, shared
from bidwhist.actions import PASS
from bidwhist.bits import lowest
from bidwhist.cards import SEATS
from bidwhist.observation import Private, private_of_seat
from bidwhist.public import NAMING, PLAYING
from bidwhist.state import legal, play_card, step
from bidwhist.trick import legal_plays
from bidwhist_bots import bidding, cardplay, preparing


@shared
def _seen(state: Any, options: int) -> Private:
    """What the seat to act sees; no key, since the heuristic draws nothing."""
    return private_of_seat(state, state["public"]["turn"] & 3, options, 0)


@jit
def call_on(state: Any) -> None:
    """The call of the seat to speak."""
    options = legal(state)
    if options & (options - 1) == 0:
        step(state, PASS + lowest(options))
    else:
        step(state, bidding.call(_seen(state, options), state["public"]))


@jit
def naming_of(state: Any) -> int:
    """What the declarer names who has to name now."""
    return preparing.name(_seen(state, legal(state)), state["public"])


@jit
def prepare_on(state: Any) -> None:
    """Naming and discards, as far as they are left, up to the first lead."""
    if state["public"]["phase"] == NAMING:
        step(state, naming_of(state))
    while state["public"]["phase"] != PLAYING:
        step(state, preparing.discard(_seen(state, legal(state)), state["public"]))


@jit
def play_on(ws: Any, lanes: int) -> None:
    """Play the first `lanes` of `ws["lanes"]` to the end: hands in play, each with the same number of cards played.

    They are played in turn, card by card: what happens in one does not wait for what has just happened in another.
    """
    public = ws["lanes"][0]["public"]
    for _ in range(public["played"], SEATS * int64(public["rules"]["hand_size"])):
        for lane in range(lanes):
            _play_card(ws["lanes"][lane])


@shared
def _play_card(state: Any) -> None:
    public = state["public"]
    options = legal_plays(state["hands"][public["turn"] & 3], public["led"])
    play_card(state, cardplay.play(_seen(state, options), public))
