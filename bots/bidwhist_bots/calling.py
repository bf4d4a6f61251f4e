"""Weighing calls: in the same worlds, kitty included, the others call on, somebody names, and the contract is played.

A contract is played once in a world, whatever calls led to it: the books do not depend on the level. What the own bid
would be named is settled over all worlds, never in each: nobody knows the world he is in.
"""

from math import sqrt
from typing import Any, Final

from bidwhist._jit import int64, jit, shared
from bidwhist.actions import BARE, FIRST_NAMING, NAMINGS, NO_SUIT, NO_TRUMP, PASS, UP, WORDS, bid, level_of, strain_of
from bidwhist.auction import legal_namings
from bidwhist.bits import count, lowest
from bidwhist.cards import RANKS, SEATS, SUIT, SUITS, Mask
from bidwhist.observation import Private
from bidwhist.public import CALLING
from bidwhist.rules import AFTER, CHOICE
from bidwhist.state import books, step
from bidwhist.worlds.sample import prepare
from bidwhist_bots import bidding, valuation
from bidwhist_bots.hearing import imagine_heard, listen
from bidwhist_bots.options import begin_list, list_words
from bidwhist_bots.rollout import call_on, naming_of, play_on, prepare_on
from bidwhist_bots.standing import value_results

_LEVELS: Final = 7
_HOPE: Final = 2  # levels above what the hand expects that are weighed
_AHEAD: Final = 60.0  # points by which the heuristic's call is ahead before a world is seen, unless the hands are known

# After so many worlds, and each time that their number has doubled, what is hopeless is dropped: calls and own namings
# that are behind the best one by so many points times the root of that number. (What two calls are worth in a world
# differs by some three to five points, up or down.)
_FIRST_LOOK: Final = 32
_BEHIND: Final = 8.0

_SHORT: Final = 3  # cards of a suit to think of it as trumps, if there is no longer one


@jit
def begin(ws: Any, private: Private, public: Any) -> None:
    """List the candidates, the heuristic's choice first, and make ready to imagine worlds."""
    begin_list(ws, bidding.call(private, public))
    lowest_level = level_of(WORDS + lowest(private.legal & ~1))
    most = max(lowest_level, int(_books_hoped_for(private, public)) - 6 + _HOPE)
    words = private.legal
    if most < _LEVELS:
        words &= (1 << (bid(most + 1, UP) - WORDS)) - 1
    list_words(ws, words, WORDS)
    ws["tried"] = _namings_to_try(private.hand, 7 if public["rules"]["downtown_ace"] == CHOICE else 3)
    ws["look"] = _FIRST_LOOK
    for place in range(ws["candidates"]):
        for naming in range(NAMINGS):
            ws["stands"][place, naming] = 0.0
    for side in range(2):
        for level in range(1, _LEVELS + 1):
            value_results(ws, public, private.seat & 1, level, side)
    listen(ws, public)
    prepare(ws["view"], private, public)


@shared
def _books_hoped_for(private: Private, public: Any) -> float:
    most = 0.0
    for direction in range(3 if public["rules"]["downtown_ace"] == CHOICE else 2):
        with_trump, _, no_trump = valuation.books(public["rules"], private.hand, direction)
        most = max(most, with_trump, no_trump)
    return most


@shared
def _namings_to_try(hand: Mask, directions: int) -> Mask:
    """Words (from FIRST_NAMING) that an own bid may be named: no trump, and suits that are long enough."""
    longest = 0
    for suit in range(SUITS):
        longest = max(longest, count(hand & (SUIT << RANKS * suit)))
    words = directions << 3 * NO_SUIT
    for suit in range(SUITS):
        if count(hand & (SUIT << RANKS * suit)) >= min(_SHORT, longest):
            words |= directions << 3 * suit
    return words


@jit
def extend(ws: Any, private: Private, public: Any, worlds: int) -> None:
    """Weigh the candidates in so many worlds more, while there are several."""
    for _ in range(worlds):
        if ws["candidates"] == 1:
            return
        imagine_heard(ws, private, public)
        for seat in range(SEATS):
            for naming in range(NAMINGS):
                ws["lane_of"][seat, naming] = -1
        lanes = 0
        for place in range(ws["candidates"]):
            lanes = _call_on(ws, private.seat, place, lanes)
        play_on(ws, lanes)
        for place in range(ws["candidates"]):
            _tally(ws, private.seat, place)
        ws["drawn"] += 1
        if ws["drawn"] >= ws["look"]:
            ws["look"] = 2 * ws["drawn"]
            _drop_calls(ws)
            _drop_namings(ws)


@shared
def _call_on(ws: Any, seat: int, place: int, lanes: int) -> int:
    """Follow a call to the contract that it leads to in this world, and see that it will be played.

    Returns how many lanes are used.
    """
    state = ws["lanes"][lanes]
    ws["lanes"][lanes] = ws["world"]
    step(state, ws["actions"][place])
    public = state["public"]
    while public["phase"] == CALLING:
        call_on(state)
    ws["declarers"][place], ws["bids"][place] = public["declarer"], public["bid"]
    ws["namings"][place] = -1
    if public["declarer"] != seat or public["rules"]["naming"] == AFTER:
        naming = naming_of(state)
        ws["namings"][place] = naming - FIRST_NAMING
        return _enter(ws, naming - FIRST_NAMING, lanes)
    rest = _own_namings(ws, public)
    while rest != 0:
        lanes = _enter(ws, lowest(rest), lanes)
        rest &= rest - 1
    return lanes


@shared
def _own_namings(ws: Any, public: Any) -> Mask:
    """What the own bid may be named, in words from FIRST_NAMING."""
    return legal_namings(public["rules"], int64(public["bid"])) >> (FIRST_NAMING - WORDS) & int64(ws["tried"])


@shared
def _enter(ws: Any, row: int, lanes: int) -> int:
    """Name the contract in lane number `lanes`, unless it is played in another one already."""
    declarer = ws["lanes"][lanes]["public"]["declarer"] & 3
    if ws["lane_of"][declarer, row] >= 0:
        return lanes
    ws["lane_of"][declarer, row] = lanes
    ws["lanes"][lanes + 1] = ws["lanes"][lanes]
    step(ws["lanes"][lanes], FIRST_NAMING + row)
    prepare_on(ws["lanes"][lanes])
    return lanes + 1


@shared
def _tally(ws: Any, seat: int, place: int) -> None:
    declarer, contract, row = ws["declarers"][place], ws["bids"][place], ws["namings"][place]
    if row >= 0:
        ws["sums"][place] += _worth(ws, declarer, contract, row)
        return
    for naming in range(NAMINGS):
        if ws["lane_of"][declarer, naming] >= 0 and _is_of(strain_of(contract), naming):
            ws["stands"][place, naming] += _worth(ws, declarer, contract, naming)


@shared
def _worth(ws: Any, declarer: int, contract: int, row: int) -> float:
    public = ws["lanes"][ws["lane_of"][declarer, row]]["public"]
    won = books(public, declarer & 1)
    return float(ws["value"][declarer & 1, level_of(contract), int64(row >= 3 * NO_SUIT), won])


@shared
def _is_of(strain: int, row: int) -> bool:
    """True if a bid in a strain may be named so."""
    if strain == BARE:
        return True
    if strain == NO_TRUMP:
        return row >= 3 * NO_SUIT
    return row < 3 * NO_SUIT and (row % 3 == 0) == (strain == UP)


@jit
def best(ws: Any) -> int:
    """The call of the highest mean, the own bid named as is best over all worlds; of equals the first."""
    _add_up(ws)
    chosen, most = 0, ws["totals"][0] + (0.0 if ws["knows"] != 0 else _AHEAD)
    for place in range(1, ws["candidates"]):
        if ws["totals"][place] > most:
            chosen, most = place, ws["totals"][place]
    return int64(ws["actions"][chosen])


@shared
def _add_up(ws: Any) -> None:
    for place in range(ws["candidates"]):
        ws["totals"][place] = ws["sums"][place] + _best_naming(ws, place)


@shared
def _best_naming(ws: Any, place: int) -> float:
    """Sum over the worlds in which a bid stands, named in the one way that is best there."""
    most, found = 0.0, False
    for naming in range(NAMINGS):
        worth = ws["stands"][place, naming]
        if _may_be_named(ws, place, naming) and (not found or worth > most):
            most, found = worth, True
    return most


@shared
def _may_be_named(ws: Any, place: int, naming: int) -> bool:
    """True if the candidate is a bid that would be tried so."""
    call = ws["actions"][place]
    return call != PASS and (ws["tried"] >> naming) & 1 != 0 and _is_of(strain_of(call), naming)


@shared
def _margin(ws: Any) -> float:
    """How far a sum may be behind the best one without being hopeless."""
    return float(_BEHIND * sqrt(float(ws["drawn"])))


@shared
def _drop_calls(ws: Any) -> None:
    """Consider hopeless calls no longer; the heuristic's one always."""
    _add_up(ws)
    least = ws["totals"][0]
    for place in range(1, ws["candidates"]):
        least = max(least, ws["totals"][place])
    least -= _margin(ws)
    kept = 1
    for place in range(1, ws["candidates"]):
        if ws["totals"][place] >= least:
            ws["actions"][kept], ws["sums"][kept] = ws["actions"][place], ws["sums"][place]
            for naming in range(NAMINGS):  # to copy a row takes the compiler a second
                ws["stands"][kept, naming] = ws["stands"][place, naming]
            kept += 1
    ws["candidates"] = kept


@shared
def _drop_namings(ws: Any) -> None:
    """Try no longer what is hopeless for every candidate."""
    tried = 0
    for place in range(ws["candidates"]):
        least = _best_naming(ws, place) - _margin(ws)
        for naming in range(NAMINGS):
            if _may_be_named(ws, place, naming) and ws["stands"][place, naming] >= least:
                tried |= 1 << naming
    ws["tried"] = tried
