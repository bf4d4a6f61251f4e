"""How the heuristic plays its cards, from what it holds, what has been played and which voids were shown.

Nothing here knows uptown from downtown: the tables of `bidwhist.trick` and `bidwhist_bots.order` do.
"""

from typing import Any, Final

from bidwhist._jit import shared
from bidwhist.actions import FIRST_NAMING, UPTOWN
from bidwhist.bits import choose, count, highest, index, lowest
from bidwhist.cards import JOKERS, RANKS, SUIT, SUITS, Card, Mask, Seat
from bidwhist.observation import Private
from bidwhist.trick import BEATERS
from bidwhist_bots.order import DECKS, DIRECTIONS, ON_TOP, SUIT_CARDS, TRUMPS, strongest, weakest

_COLUMN: Final = 1 | 1 << RANKS | 1 << 2 * RANKS | 1 << 3 * RANKS  # the four cards of rank 0

# With this many trumps the declarer leads them although a higher one is out.
_MANY_TRUMPS: Final = 4

# Any sure card is better to lead than a suit of any length: the bit above all lengths.
_SURE: Final = 4


@shared
def play(private: Private, public: Any) -> Card:
    """A card to lead or to follow with. `public["phase"]` is PLAYING."""
    row = int(public["naming"]) - FIRST_NAMING
    unseen = DECKS[index(public["rules"]["jokers"])] & ~(public["gone"] | private.hand | private.buried)
    # A joker led in no trump sets no suit (C13): to play after it is to lead.
    if public["led"] == 0:
        return _lead(private, public, row, unseen)
    return _follow(private, public, row, unseen)


@shared
def _follow(private: Private, public: Any, row: int, unseen: Mask) -> Card:
    """The cheapest card that wins for sure; third, the one that leaves least to beat it; else the least useful card."""
    hand, led, direction = private.hand, public["led"], DIRECTIONS[index(row)]
    beaters = BEATERS[index(row), index(public["winning"])]
    winners, following = private.legal & beaters, hand & led
    is_partners = (public["winner"] ^ private.seat) == 2
    gives_up = (winners == 0) | is_partners
    if public["played"] & 3 != 3:
        # Of the opponents only the next player is still to come.
        after = unseen & ~public["void"][(private.seat + 1) & 3]
        after = choose(after & led != 0, after & led, after)
        best = strongest(direction, choose(winners != 0, winners, hand))
        threats, above = after & beaters, after & BEATERS[index(row), index(best)]
        in_vain = (above != 0) & (((public["played"] & 3) == 1) | (is_partners & (above == threats)))
        gives_up = (winners == 0) | (is_partners & (threats == 0)) | in_vain
        below = after & ~above & choose(following != 0, led, TRUMPS[index(row)])
        over = winners & BEATERS[index(row), index(strongest(direction, choose(below != 0, below, hand)))]
        winners = choose(below != 0, over, winners)
    if following != 0 or not gives_up:
        return weakest(direction, choose(gives_up, following, winners))
    return _throw_off(row, direction, hand)


@shared
def _throw_off(row: int, direction: int, hand: Mask) -> Card:
    """The least useful card of a hand that can neither follow suit nor wants to ruff."""
    trumps = TRUMPS[index(row)]
    if trumps == 0 and hand & JOKERS != 0:
        return lowest(hand & JOKERS)
    side = hand & ~trumps
    return _lowest_rank(direction, side) if side != 0 else weakest(direction, hand)


@shared
def _lowest_rank(direction: int, cards: Mask) -> Card:
    """A card of the weakest rank among `cards` of several suits, none of them a joker."""
    turned = cards & ~ON_TOP[index(direction)]
    if turned == 0:
        return lowest(cards)
    ranks = (turned | turned >> RANKS | turned >> 2 * RANKS | turned >> 3 * RANKS) & SUIT
    rank = lowest(ranks) if direction == UPTOWN else highest(ranks)
    return lowest(turned & (_COLUMN << rank))


@shared
def _lead(private: Private, public: Any, row: int, unseen: Mask) -> Card:
    hand, trumps, direction = private.hand, TRUMPS[index(row)], DIRECTIONS[index(row)]
    theirs = unseen & ~(public["void"][(private.seat + 1) & 3] & public["void"][(private.seat + 3) & 3])
    mine = hand & trumps
    if mine != 0 and theirs & trumps != 0 and (public["declarer"] ^ private.seat) & 1 == 0:
        best = strongest(direction, mine)
        if theirs & trumps & BEATERS[index(row), index(best)] == 0:
            return best
        if _keeps_drawing(private.seat, public, trumps, count(mine)):
            return weakest(direction, mine)
    return _lead_suit(row, direction, hand & ~trumps, theirs) if hand & ~trumps != 0 else weakest(direction, hand)


@shared
def _keeps_drawing(seat: Seat, public: Any, trumps: Mask, length: int) -> bool:
    """True if the declaring side should lead a low trump: declarer from length, the partner to the declarer's."""
    if public["declarer"] == seat:
        return length >= _MANY_TRUMPS
    return bool(public["void"][seat ^ 2] & trumps != trumps)


@shared
def _lead_suit(row: int, direction: int, side: Mask, theirs: Mask) -> Card:
    """A card that no opponent can beat in its suit, from the longest such suit; else a low one of the longest suit.

    `side`: the cards held that are not trumps. A hand of jokers in no trump has no suit and gets the lowest.
    """
    best_cards, best_top, most = side, 0, 0
    for suit in range(SUITS):
        cards = side & SUIT_CARDS[index(row), index(suit)]
        top = strongest(direction, cards | (theirs & SUIT_CARDS[index(row), index(suit)]))
        is_sure = (cards >> (top & 63)) & 1  # of a suit that nobody has, `top` is no card
        merit = (is_sure << _SURE) + count(cards)
        best_cards, best_top = choose(merit > most, cards, best_cards), choose(merit > most, top, best_top)
        most = max(merit, most)
    return choose(most >> _SURE != 0, best_top, weakest(direction, best_cards))
