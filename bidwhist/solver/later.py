"""Later tricks: what the side that is not on lead will get, without a search."""

from typing import Any

from bidwhist._jit import int64, shared
from bidwhist.bits import count, highest
from bidwhist.solver.quick import OPEN, above, last_of, sure_trumps
from bidwhist.solver.strength import FIELD, WIDTH


@shared
def later(ws: Any, frame: Any, left: int) -> int:
    """1 or 0 if the tricks that the other side will get decide whether side 0 takes what it needs, else OPEN.

    What mattered is left in `ws`.
    """
    seat, need = int64(frame["seat"]), int64(frame["need"])
    goal = left - need + 1 if seat & 1 == 0 else need
    trumps = int64(ws["trumps"])
    if trumps & (int64(ws["hands"][seat]) | int64(ws["hands"][(seat + 2) & 3])) != 0:
        return later_trumps(ws, seat, goal, trumps)
    return later_tops(ws, seat, goal, left)


@shared
def later_trumps(ws: Any, seat: int, goal: int, trumps: int) -> int:
    """As `later`, by trumps of the side that is not on lead; it needs `goal` tricks."""
    hands = ws["hands"]
    leader, partner = int64(hands[seat]) & trumps, int64(hands[(seat + 2) & 3]) & trumps
    one, two = int64(hands[(seat + 1) & 3]) & trumps, int64(hands[(seat + 3) & 3]) & trumps
    ours, theirs = leader | partner, one | two
    sure = sure_trumps(one, two, ours)
    if sure >= goal:
        ws["relevant"] = last_of(theirs, goal)
        return seat & 1
    if goal > 1 or theirs == 0:
        return OPEN
    ace = 1 << highest(ours)
    kings = above(theirs, ours ^ ace)
    holder = one if kings & one > kings & two else two
    if kings == 0 or holder & (holder - 1) == 0:
        return OPEN
    king = 1 << highest(kings)
    # The ace has to be played before the king, whoever leads; or the queen is there, too.
    if ace & (leader if holder == one else partner) != 0:
        ws["relevant"] = king
        return seat & 1
    queens = kings & holder & ~king
    if queens != 0:
        ws["relevant"] = 1 << highest(queens)
        return seat & 1
    return OPEN


@shared
def later_tops(ws: Any, seat: int, goal: int, left: int) -> int:
    """As `later`, by high cards of the side that is not on lead where the other side has no trumps.

    The leader's side wins at most the rounds of the suits whose highest card it holds. Then it has to give the lead to
    a hand that has kept its highest cards.
    """
    hands = ws["hands"]
    leader, partner = int64(hands[seat]), int64(hands[(seat + 2) & 3])
    one, two = int64(hands[(seat + 1) & 3]), int64(hands[(seat + 3) & 3])
    rounds = count((leader | partner) & int64(ws["loose"]))
    one_many = two_many = 0
    one_rank = two_rank = ours_rank = 0
    need_one = need_two = False
    for step in range(4):
        field = FIELD << (WIDTH * step)
        mine, his, first, second = leader & field, partner & field, one & field, two & field
        ours, theirs = mine | his, first | second
        if ours > theirs:
            rounds += max(count(mine), count(his))
            if rounds > left - goal:
                return OPEN
            ours_rank |= 1 << highest(ours)
            continue
        first_tops, second_tops = above(first, second | ours), above(second, first | ours)
        if first_tops != 0:
            need_one = need_one or ours != 0
            one_many += count(first_tops)
            one_rank |= first_tops & -first_tops
        elif second_tops != 0:
            need_two = need_two or ours != 0
            two_many += count(second_tops)
            two_rank |= second_tops & -second_tops
    if (need_one and one_many < goal) or (need_two and two_many < goal) or not (need_one or need_two):
        return OPEN
    ws["relevant"] = (one_rank if need_one else 0) | (two_rank if need_two else 0) | ours_rank
    return seat & 1
