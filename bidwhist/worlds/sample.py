"""A layout drawn uniformly: how many cards of each class go where, by the counts; then which cards.

The numbers are drawn from the last class to the first, each with the weight of the layouts that have it; the cards of a
class are then a uniform subset for each holder. Nothing is tried and thrown away.
"""

from typing import Any, Final

from bidwhist._jit import int64, jit, jit_wrapping, shared
from bidwhist.bits import count
from bidwhist.cards import SEATS, Mask
from bidwhist.deal import draw_cards
from bidwhist.streams import draw as draw_word
from bidwhist.streams import fraction
from bidwhist.worlds.count import count_layouts, fits, place_of
from bidwhist.worlds.view import GUIDE, look, of_holder

# Cards drawn by one word: of 42 cards, 42 ** 4 choices out of 2 ** 64 favour none by more than 2 ** -42.
_DIGITS: Final = 4


@jit
def prepare(ws: Any, private: Any, public: Any) -> float:
    """Count the layouts that agree with what a seat sees and make ready to draw them.

    Exact below 2**53, else with a relative error below 2**-42. At least 1 in every position of a hand; 0 for what no
    hand can come to, and then nothing can be drawn.
    """
    return count_layouts(ws) if look(ws, private, public) else 0.0


@shared
def draw(ws: Any, stream: Any, hands: Any) -> Mask:
    """Draw a layout: the hands into `hands` (int64[4]); returns the dead cards."""
    for holder in range(SEATS):
        hands[holder] = ws["known"][holder]
    state = _draw_last(ws, stream)
    _deal(ws, ws["classes"] - 1, ws["start"] - state, stream, hands)
    for level in range(ws["classes"] - 2, -1, -1):
        spread = _draw_spread(ws, level, state, stream) if level > 0 else state
        _deal(ws, level, spread, stream, hands)
        state -= spread
    seat = ws["seat"] & 3
    dead = int64(hands[seat])
    hands[seat] = ws["hand"]
    return dead


@shared
def _draw_last(ws: Any, stream: Any) -> int:
    """How the classes before the last one fill the rooms."""
    part = fraction(draw_word(stream))
    entry, wanted = ws["guide"][int64(part * GUIDE)], part * ws["total"]
    while entry < ws["lasts"] - 1 and ws["up_to"][entry] <= wanted:
        entry += 1
    return int64(ws["last"][entry])


@shared
def _draw_spread(ws: Any, level: int, state: int, stream: Any) -> int:
    """Numbers of a class by holder, given how it and the classes before it fill the rooms."""
    wanted = fraction(draw_word(stream)) * ws["ways"][level + 1, place_of(state)]
    found = 0
    for option in range(ws["options"][level]):
        spread = ws["spread"][level, option]
        if fits(state, spread):
            ways = ws["ways"][level, place_of(state - spread)] * ws["spread_ways"][level, option]
            if ways > 0.0:
                found = spread
                wanted -= ways
                if wanted < 0.0:
                    break
    return found


@shared
def _deal(ws: Any, level: int, numbers: int, stream: Any, hands: Any) -> None:
    """Deal the cards of a class to its holders, so many to each."""
    if level < 0:
        return
    rest = int64(ws["cards"][level])
    for holder in range(SEATS):
        number = of_holder(numbers, holder)
        part = _subset(rest, number, stream)
        hands[holder] |= part
        rest ^= part


@jit_wrapping
def _subset(cards: Mask, size: int, stream: Any) -> Mask:
    """A uniform subset of `size` of the `cards`."""
    others = count(cards) - size
    if size <= others:
        return draw_cards(cards, size, stream, _DIGITS)
    return cards ^ draw_cards(cards, others, stream, _DIGITS)


@jit
def draw_many(ws: Any, stream: Any, hands: Any, dead: Any) -> None:
    """Draw as many layouts as there are rows: into `hands` (int64[n, 4]) and `dead` (int64[n])."""
    for world in range(len(dead)):
        dead[world] = draw(ws, stream, hands[world])
