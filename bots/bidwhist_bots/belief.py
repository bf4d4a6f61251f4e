"""The house bot `belief`: `mc` in worlds that are as frequent as the calls and cards of the others make them likely.

A chain of worlds (Metropolis et al. 1953, "Equation of state calculations by fast computing machines"; Hastings 1970):
a change is proposed, and taken if that makes the world likelier, else with the ratio of likelihoods as its probability.
Most changes swap two hidden cards of two holders, which keeps near what is likely; for each world that is used one
proposal is a new world, uniform, so that the chain gets everywhere. To weigh uniform worlds instead would leave a few
that count, and one late in a hand.
"""

from math import exp
from typing import Any, Final

from bidwhist._jit import int64, jit, shared
from bidwhist.bits import count, nth
from bidwhist.cards import SEATS, Mask, Seat
from bidwhist.deal import deck
from bidwhist.observation import Private
from bidwhist.streams import below, real
from bidwhist.worlds.whole import is_taken_up, played_by
from bidwhist_bots.likelihood import log_likelihood, recall
from bidwhist_bots.search import imagine

_FIRST_STEPS: Final = 10  # times the usual number of swaps, before the first world is used


@jit
def begin(ws: Any, private: Private, public: Any) -> None:
    """Make ready to imagine worlds that fit what the others did; `bidwhist.worlds` is prepared for it."""
    recall(ws, private, public)
    ws["hidden"] = deck(public["rules"]) & ~(public["gone"] | private.hand | private.buried)
    for seat in range(SEATS):
        ws["barred"][seat] = public["void"][seat]
        if seat != public["declarer"]:
            ws["barred"][seat] |= public["sported"]
    ws["barred"][private.seat] = 0  # in its place stand the dead cards
    ws["declared"] = played_by(public, public["declarer"] & 3)
    ws["kitty_guessed"] = 0 if public["sported"] != 0 or private.kitty != 0 else 1
    ws["goes_on"] = 0


@jit
def imagine_likely(ws: Any, private: Private, public: Any) -> None:
    """Draw a world into `ws["world"]`: uniformly, if nothing is weighed; else the next one of the chain."""
    if ws["events"] == 0:
        imagine(ws, private, public)
        return
    steps = ws["steps"]
    ws["likely"] = ws["world"]
    imagine(ws, private, public)
    _settle(ws, private.seat, ws["goes_on"] == 0)
    if ws["goes_on"] == 0:
        ws["goes_on"] = 1
        steps *= _FIRST_STEPS
    for _ in range(steps):
        _swap(ws, private.seat, is_taken_up(public), public["declarer"] & 3)


@shared
def _settle(ws: Any, own: Seat, always: bool) -> None:
    """Take the world proposed, or go back to `ws["likely"]`."""
    gain = 0.0
    for seat in range(SEATS):
        if seat != own:
            ws["new_logs"][seat] = log_likelihood(ws, seat)
            gain += ws["new_logs"][seat] - ws["logs"][seat]
    if always or gain >= 0.0 or real(ws["stream"]) < exp(gain):
        for seat in range(SEATS):
            ws["logs"][seat] = ws["new_logs"][seat]
    else:
        ws["world"] = ws["likely"]


@shared
def _swap(ws: Any, own: Seat, is_taken: bool, declarer: Seat) -> None:
    """Propose to swap a card of one holder with a card of another one: a seat, or the dead pile in the place of `own`."""
    stream = ws["stream"]
    first = below(stream, SEATS)
    second = (first + 1 + below(stream, SEATS - 1)) & 3
    theirs = _cards(ws, first, own, is_taken, declarer) & ws["hidden"] & ~ws["barred"][second]
    others = _cards(ws, second, own, is_taken, declarer) & ws["hidden"] & ~ws["barred"][first]
    if theirs == 0 or others == 0:
        return
    # Both have as many cards to choose from after the swap: it is as likely to be proposed as its reverse.
    pair = 1 << nth(theirs, below(stream, count(theirs))) | 1 << nth(others, below(stream, count(others)))
    world = ws["world"]
    ws["likely"] = world
    _exchange(world, pair, first, own, is_taken, declarer)
    _exchange(world, pair, second, own, is_taken, declarer)
    if is_taken:
        _mend_kitty(ws, pair, declarer)
    gain = 0.0
    for seat in range(SEATS):
        if seat != own and (seat == first or seat == second or (is_taken and seat == declarer)):
            ws["new_logs"][seat] = log_likelihood(ws, seat)
            gain += ws["new_logs"][seat] - ws["logs"][seat]
        else:
            ws["new_logs"][seat] = ws["logs"][seat]
    if gain >= 0.0 or real(stream) < exp(gain):
        for seat in range(SEATS):
            ws["logs"][seat] = ws["new_logs"][seat]
    else:
        ws["world"] = ws["likely"]


@shared
def _cards(ws: Any, holder: Seat, own: Seat, is_taken: bool, declarer: Seat) -> Mask:
    world = ws["world"]
    if holder != own:
        return int64(world["hands"][holder])
    return int64(world["buried"][declarer]) if is_taken else int64(world["kitty"])


@shared
def _exchange(world: Any, pair: Mask, holder: Seat, own: Seat, is_taken: bool, declarer: Seat) -> None:
    """Give a holder of one of the two cards the other one."""
    if holder != own:
        world["hands"][holder] ^= pair
    elif is_taken:
        world["buried"][declarer] ^= pair
    else:
        world["kitty"] ^= pair


@shared
def _mend_kitty(ws: Any, pair: Mask, declarer: Seat) -> None:
    """See that the kitty is of cards that the declarer has had; now and then guess another one, if it is not known."""
    world, stream = ws["world"], ws["stream"]
    kitty = int64(world["taken"][declarer])
    has = int64(world["hands"][declarer] | world["buried"][declarer])
    if kitty & pair & ~has != 0:
        kitty ^= pair
    if ws["kitty_guessed"] != 0 and below(stream, 2) == 0:
        dealt = (has | ws["declared"]) & ~kitty
        kitty ^= 1 << nth(kitty, below(stream, count(kitty))) | 1 << nth(dealt, below(stream, count(dealt)))
    world["taken"][declarer], world["kitty"] = kitty, kitty
