"""Worlds that fit the calls heard: each is as likely as the heuristic, holding those hands, is to call so.

Softly: a player may call otherwise than the heuristic does, so no call makes a world impossible.
"""

from typing import Any, Final

from bidwhist._jit import int64, jit, shared
from bidwhist.actions import NONE, PASS, Action, level_of, strain_of
from bidwhist.auction import legal_calls
from bidwhist.cards import SEATS, Seat
from bidwhist.observation import Private
from bidwhist.streams import real
from bidwhist_bots import bidding
from bidwhist_bots.search import imagine

_TRIES: Final = 100  # for one world: enough for three calls heard; a limit for callers unlike the heuristic

# Likelihood of a call where the heuristic makes another one: one of them a pass, or bids two levels apart or more; bids
# one level apart; a factor for another strain.
_UNLIKE: Final = 0.02
_NEAR: Final = 0.1
_OTHER_STRAIN: Final = 0.3


@jit
def listen(ws: Any, public: Any) -> None:
    """Note what everybody saw before each of the calls made so far."""
    ws["heard"] = 0
    past = ws["past"]
    for place in range(SEATS):
        past[place] = public
        past[place]["bid"], past[place]["declarer"] = NONE, -1
        for seat in range(SEATS):
            past[place]["calls"][seat] = NONE
    for turn in range(1, SEATS + 1):
        seat = (public["dealer"] + turn) & 3
        call = int64(public["calls"][seat])
        if call == NONE:
            break
        heard = ws["heard"]
        for later in range(heard + 1, SEATS):
            past[later]["calls"][seat] = call
            if call != PASS:
                past[later]["bid"], past[later]["declarer"] = call, seat
        past[heard]["turn"] = seat
        ws["heard"] = heard + 1


@jit
def imagine_heard(ws: Any, private: Private, public: Any) -> None:
    """Draw a world into `ws["world"]`, as `imagine` does, that fits the calls; after many trials whatever it is."""
    for _ in range(_TRIES):
        imagine(ws, private, public)
        if real(ws["stream"]) < _likelihood(ws, private.seat, public):
            break


@shared
def _likelihood(ws: Any, own: Seat, public: Any) -> float:
    product = 1.0
    for place in range(ws["heard"]):
        past = ws["past"][place]
        seat = past["turn"] & 3
        if seat != own:
            hand = ws["world"]["hands"][seat]
            options = legal_calls(past["rules"], int64(past["bid"]), seat == past["dealer"])
            if options & (options - 1) != 0:
                model = bidding.call(Private(seat, hand, options, 0, 0, 0), past)
                product *= _likeness(int64(public["calls"][seat]), model)
    return product


@shared
def _likeness(call: Action, model: Action) -> float:
    """How likely a call is where the heuristic makes the call `model`."""
    if call == model:
        return 1.0
    if call == PASS or model == PASS:
        return _UNLIKE
    apart = abs(level_of(call) - level_of(model))
    likeness = (1.0 if apart == 0 else _NEAR) if apart <= 1 else _UNLIKE
    return likeness if strain_of(call) == strain_of(model) else likeness * _OTHER_STRAIN
