"""Second hand: after a lead, the tricks that the other side is sure to take, without a search.

One of its hands is sure to win the trick and then cashes its highest cards. The idea is that of DDS (B. Haglund,
"Search algorithms for a bridge double dummy solver"), derived anew.
"""

from typing import Any

from bidwhist._jit import int64, shared
from bidwhist.bits import count, highest, lowest
from bidwhist.solver.quick import OPEN, last_of
from bidwhist.solver.strength import FIELDS, field_of, up_to_highest


@shared
def reach(hand: int, led: int, trumps: int) -> int:
    """The highest place with which a hand still to play could win, -1 for none."""
    following = hand & led
    return highest(following if following != 0 else hand & trumps)


@shared
def forced(hand: int, led: int, trumps: int) -> int:
    """The lowest place that a hand may come to win with against its will, -1 if it can throw a card away."""
    following = hand & led
    if following != 0:
        return lowest(following)
    return lowest(hand) if hand & ~trumps == 0 else -1


@shared
def answer(ws: Any, frame: Any) -> int:
    """1 or 0 if what second or fourth hand takes at once decides whether side 0 takes what it needs, else OPEN.

    What mattered is left in `ws`.
    """
    led, seat = int64(frame["led"]), int64(frame["seat"])
    if led == 0:
        return OPEN
    hands, trumps = ws["hands"], int64(ws["trumps"])
    second, fourth = int64(hands[seat]), int64(hands[(seat + 2) & 3])
    third = int64(hands[(seat + 1) & 3])
    bar = max(int64(frame["best"]), reach(third, led, trumps))
    # The winner must not be overtaken by its partner either: it goes on to lead.
    holder, clear = seat, max(bar, forced(fourth, led, trumps))
    if reach(second, led, trumps) <= clear:
        holder, clear = (seat + 2) & 3, max(bar, forced(second, led, trumps))
        if reach(fourth, led, trumps) <= clear:
            return OPEN
    return cash(ws, frame, holder, clear)


@shared
def cash(ws: Any, frame: Any, winner: int, bar: int) -> int:
    """As `answer`, by what the hand takes that wins the trick from all up to `bar`, and then leads."""
    hands, trumps, led, seat = ws["hands"], int64(ws["trumps"]), int64(frame["led"]), int64(frame["seat"])
    hand, partner = int64(hands[winner]), int64(hands[(winner + 2) & 3])
    third, leader = int64(hands[(seat + 1) & 3]), int64(hands[(seat + 3) & 3])
    need = int64(frame["need"])
    goal = need if seat & 1 == 0 else count(int64(hands[seat])) - need + 1
    suit = led if hand & led != 0 else trumps
    winning = hand & suit & ~((2 << bar) - 1)
    card = winning & -winning
    relevant = card if suit & (1 << bar) != 0 else 0
    taken = 1
    hand ^= card
    tops = hand & FIELDS & ~up_to_highest((partner | third | leader) & FIELDS) if goal > 1 else 0
    third_ruffs, leader_ruffs = third & trumps != 0, leader & trumps != 0
    while tops != 0 and taken < goal:
        field = field_of(highest(tops))
        high = tops & field
        tops ^= high
        ranked = many = count(high)
        one, two = count(third & field), count(leader & field)
        longest = max(max(one, two), count(partner & field))
        if many >= longest:
            ranked, many = longest, count(hand & field)
        if field == trumps:
            if many >= max(one, two):
                third_ruffs = leader_ruffs = False
        else:
            if third_ruffs:
                many = min(many, one - (1 if field == led or third & led == 0 else 0))
            if leader_ruffs:
                many = min(many, two)
        if many > 0:
            relevant |= last_of(high, min(ranked, min(many, goal - taken)))
            taken += many
    if taken < goal:
        return OPEN
    ws["relevant"] = relevant
    return 1 - (seat & 1)
