"""Worlds that come as often as the others' calls, namings and cards make them likely.

They are a chain (Metropolis et al. 1953, "Equation of state calculations by fast computing machines"). A change
is proposed and taken if it makes the world likelier; if not, with the ratio of likelihoods as its probability. Most
changes swap two hidden cards between two holders, which stays near what is likely. For each world that is used, one
proposal is a new world, uniform, so that the chain gets from any world to any other. (Weighing uniform worlds instead
leaves few that count, and by the middle of a hand one or two.)
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

_FIRST_STEPS: Final = 10  # times as many swaps as usual before the first world is used
_NOTHING: Final = -1e300  # the logarithm of less than any likelihood


@jit
def begin(ws: Any, private: Private, public: Any) -> None:
    """Make ready to imagine worlds that fit what the others did; `bidwhist.worlds` is prepared for it."""
    recall(ws, private, public)
    ws["own"], ws["declarer"] = private.seat, public["declarer"] & 3
    ws["is_taken"] = is_taken_up(public)
    ws["guesses"] = public["sported"] == 0 and private.kitty == 0
    ws["declared"] = played_by(public, ws["declarer"])
    ws["hidden"] = deck(public["rules"]) & ~(public["gone"] | private.hand | private.buried)
    for seat in range(SEATS):
        ws["barred"][seat] = public["void"][seat]
        if seat != public["declarer"]:
            ws["barred"][seat] |= public["sported"]
    ws["barred"][private.seat] = 0  # the dead pile stands in its place
    ws["goes_on"] = 0


@jit
def imagine_likely(ws: Any, private: Private, public: Any) -> None:
    """Draw a world into `ws["world"]`: uniformly, if nothing is weighed; else the next one of the chain."""
    if ws["events"] == 0:
        imagine(ws, private, public)
        return
    steps = ws["steps"]
    if ws["goes_on"] == 0:
        ws["goes_on"] = 1
        for seat in range(SEATS):
            ws["logs"][seat] = _NOTHING
        steps *= _FIRST_STEPS
    ws["before"] = ws["world"]
    imagine(ws, private, public)
    _settle(ws, (1 << SEATS) - 1)
    for _ in range(steps):
        _swap(ws)


@shared
def _settle(ws: Any, changed: Mask) -> None:
    """Take the world proposed or go back to the one before; `changed` is a mask of the seats that it differs in."""
    gain = 0.0
    for seat in range(SEATS):
        ws["new_logs"][seat] = ws["logs"][seat]
        if seat != ws["own"] and (changed >> seat) & 1 != 0:
            ws["new_logs"][seat] = log_likelihood(ws, seat)
            gain += ws["new_logs"][seat] - ws["logs"][seat]
    if gain >= 0.0 or real(ws["stream"]) < exp(gain):
        for seat in range(SEATS):
            ws["logs"][seat] = ws["new_logs"][seat]
    else:
        ws["world"] = ws["before"]


@shared
def _swap(ws: Any) -> None:
    """Propose to swap a card of one holder with one of another. After it both have as many cards to choose from as
    before, so the way back is proposed as often."""
    stream = ws["stream"]
    first = below(stream, SEATS)
    second = (first + 1 + below(stream, SEATS - 1)) & 3
    mine, theirs = _movable(ws, first, second), _movable(ws, second, first)
    if mine == 0 or theirs == 0:
        return
    pair = 1 << nth(mine, below(stream, count(mine))) | 1 << nth(theirs, below(stream, count(theirs)))
    ws["before"] = ws["world"]
    _exchange(ws, first, pair)
    _exchange(ws, second, pair)
    changed = 1 << first | 1 << second
    if ws["is_taken"] != 0:
        _mend_kitty(ws, pair)
        changed |= 1 << ws["declarer"]
    _settle(ws, changed)


@shared
def _movable(ws: Any, holder: Seat, other: Seat) -> Mask:
    """The hidden cards of a holder that another one may have."""
    world = ws["world"]
    cards = int64(world["hands"][holder])
    if holder == ws["own"]:
        cards = int64(world["buried"][ws["declarer"]]) if ws["is_taken"] != 0 else int64(world["kitty"])
    return int64(cards & ws["hidden"] & ~ws["barred"][other])


@shared
def _exchange(ws: Any, holder: Seat, pair: Mask) -> None:
    """Give a holder of one of two cards the other one."""
    world = ws["world"]
    if holder != ws["own"]:
        world["hands"][holder] ^= pair
    elif ws["is_taken"] != 0:
        world["buried"][ws["declarer"]] ^= pair
    else:
        world["kitty"] ^= pair


@shared
def _mend_kitty(ws: Any, pair: Mask) -> None:
    """See that the kitty is of cards that the declarer has had; if nobody else saw it, every other time change one."""
    world, stream, declarer = ws["world"], ws["stream"], ws["declarer"]
    kitty = int64(world["taken"][declarer])
    had = int64(world["hands"][declarer] | world["buried"][declarer] | ws["declared"])
    if kitty & ~had != 0:
        kitty ^= pair
    if ws["guesses"] != 0 and below(stream, 2) == 0:
        dealt = had & ~kitty
        kitty ^= 1 << nth(kitty, below(stream, count(kitty))) | 1 << nth(dealt, below(stream, count(dealt)))
    world["taken"][declarer], world["kitty"] = kitty, kitty
