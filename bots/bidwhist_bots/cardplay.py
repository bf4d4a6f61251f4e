"""How the heuristic plays its cards, from what it holds, what has been played and which voids were shown.

Nothing here knows uptown from downtown: the tables of `bidwhist.trick` and `bidwhist_bots.order` do.
"""

from typing import Any, Final

from bidwhist._jit import shared
from bidwhist.actions import FIRST_NAMING, UPTOWN
from bidwhist.bits import count, highest, lowest
from bidwhist.cards import JOKERS, RANKS, SUIT, SUITS, Card, Mask, Seat
from bidwhist.observation import Private
from bidwhist.trick import BEATERS
from bidwhist_bots.order import DECKS, ON_TOP, SUIT_CARDS, TRUMPS, strongest, weakest

_COLUMN: Final = 1 | 1 << RANKS | 1 << 2 * RANKS | 1 << 3 * RANKS  # the four cards of rank 0

# With this many trumps the declarer leads them although a higher one is out.
_MANY_TRUMPS: Final = 4


@shared
def play(private: Private, public: Any) -> Card:
    """A card to lead or to follow with. `public["phase"]` is PLAYING."""
    row = int(public["naming"]) - FIRST_NAMING
    unseen = DECKS[public["rules"]["jokers"]] & ~(public["gone"] | private.hand | private.buried)
    # A joker led in no trump sets no suit (C13): to play after it is to lead.
    if public["led"] == 0:
        return _lead(private, public, row, unseen)
    return _follow(private, public, row, unseen)


@shared
def _follow(private: Private, public: Any, row: int, unseen: Mask) -> Card:
    led, winning, place = public["led"], int(public["winning"]), public["played"] & 3
    winners = private.legal & BEATERS[row, winning]
    is_partners = (public["winner"] ^ private.seat) == 2
    if winners == 0 or (place == 3 and is_partners):
        return _give_up(row, private.hand, led)
    if place == 3:
        return weakest(row % 3, winners)
    # Of the opponents only the next player is still to come.
    after = unseen & ~public["void"][(private.seat + 1) & 3]
    if after & led != 0:
        after &= led
    if is_partners and after & BEATERS[row, winning] == 0:
        return _give_up(row, private.hand, led)
    return _compete(row, private.hand, led, winners, winning, after, place, is_partners)


@shared
def _compete(
    row: int, hand: Mask, led: Mask, winners: Mask, winning: Card, after: Mask, place: int, is_partners: bool
) -> Card:
    """The cheapest card that wins for sure; else, third to play, the card that leaves least to beat it."""
    direction = row % 3
    best = strongest(direction, winners)
    above = after & BEATERS[row, best]
    suit = led if hand & led != 0 else TRUMPS[row]
    if above != 0 and (place == 1 or (is_partners and above == after & BEATERS[row, winning])):
        return _give_up(row, hand, led)
    below = after & suit & ~above
    return weakest(direction, winners & BEATERS[row, strongest(direction, below)] if below != 0 else winners)


@shared
def _give_up(row: int, hand: Mask, led: Mask) -> Card:
    """The least useful card, for a trick that is lost or the partner's."""
    direction, trumps = row % 3, TRUMPS[row]
    if hand & led != 0:
        return weakest(direction, hand & led)
    if trumps == 0 and hand & JOKERS != 0:
        return lowest(hand & JOKERS)
    side = hand & ~trumps
    return _lowest_rank(direction, side) if side != 0 else weakest(direction, hand)


@shared
def _lowest_rank(direction: int, cards: Mask) -> Card:
    """A card of the weakest rank among `cards` of several suits, none of them a joker."""
    turned = cards & ~ON_TOP[direction]
    if turned == 0:
        return lowest(cards)
    ranks = (turned | turned >> RANKS | turned >> 2 * RANKS | turned >> 3 * RANKS) & SUIT
    rank = lowest(ranks) if direction == UPTOWN else highest(ranks)
    return lowest(turned & (_COLUMN << rank))


@shared
def _lead(private: Private, public: Any, row: int, unseen: Mask) -> Card:
    hand, trumps = private.hand, TRUMPS[row]
    theirs = unseen & ~(public["void"][(private.seat + 1) & 3] & public["void"][(private.seat + 3) & 3])
    mine = hand & trumps
    if mine != 0 and theirs & trumps != 0 and (public["declarer"] ^ private.seat) & 1 == 0:
        best = strongest(row % 3, mine)
        if theirs & trumps & BEATERS[row, best] == 0:
            return best
        if _keeps_drawing(private.seat, public, trumps, count(mine)):
            return weakest(row % 3, mine)
    return _lead_suit(row, hand, trumps, theirs)


@shared
def _keeps_drawing(seat: Seat, public: Any, trumps: Mask, length: int) -> bool:
    """True if the declaring side should lead a low trump: declarer from length, the partner to the declarer's."""
    if public["declarer"] == seat:
        return length >= _MANY_TRUMPS
    return bool(public["void"][seat ^ 2] & trumps != trumps)


@shared
def _lead_suit(row: int, hand: Mask, trumps: Mask, theirs: Mask) -> Card:
    """A card that no opponent can beat in its suit, from the longest such suit; else a low one of the longest suit."""
    direction, best, most = row % 3, -1, 0
    for suit in range(SUITS):
        cards = hand & SUIT_CARDS[row, suit] & ~trumps
        if cards == 0:
            continue
        top = strongest(direction, cards | (theirs & SUIT_CARDS[row, suit]))
        is_sure = (cards >> top) & 1
        merit = (is_sure << 4) + count(cards)
        if merit > most:
            best, most = top if is_sure != 0 else weakest(direction, cards), merit
    return best if best >= 0 else weakest(direction, hand)
