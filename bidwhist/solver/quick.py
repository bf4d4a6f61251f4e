"""Tricks that are certain without a search: the leader's side's at once, the other side's sooner or later."""

from typing import Any

from bidwhist._jit import int64, shared
from bidwhist.bits import count, highest
from bidwhist.solver.strength import FIELD, TRUMP, WIDTH

_MANY = 15


@shared
def above(hand: int, others: int) -> int:
    """Cards of `hand` that are higher than all `others`, all of one suit."""
    return hand & ~((2 << highest(others)) - 1) if others != 0 else hand


@shared
def keep_top(cards: int, size: int) -> int:
    """The lowest of the `size` highest cards, as a mask; 0 for none."""
    rest = cards
    for _ in range(count(cards) - size):
        rest &= rest - 1
    return rest & -rest if size > 0 else 0


@shared
def quick(state: Any, frame: Any, cards: int, left: int) -> int:
    """1 or 0 if certain tricks decide, else -1; what mattered is left in the state."""
    hands = state["hands"]
    seat, need = int64(frame["seat"]), int64(frame["need"])
    leader, partner = int64(hands[seat]), int64(hands[(seat + 2) & 3])
    after, before = int64(hands[(seat + 1) & 3]), int64(hands[(seat + 3) & 3])
    goal = need if seat & 1 == 0 else left - need + 1
    trumps = int64(state["trumps"])
    own = behind = 0
    crossing = False
    own_rank = behind_rank = 0
    drawn = trumps == 0
    after_trumps, before_trumps = after & trumps, before & trumps
    partner_trumps = partner & trumps
    spare = count(partner_trumps)
    ruff = False
    his_trumps = 0
    for step in range(4):
        base = WIDTH * (TRUMP - step)
        field = FIELD << base
        mine, his, one, two = leader & field, partner & field, after & field, before & field
        if mine | his == 0:
            continue
        theirs = one | two
        safe = _MANY
        if not (drawn or step == 0):
            if after_trumps != 0:
                safe = count(one)
            if before_trumps != 0:
                safe = min(safe, count(two))
        length, other_length = count(mine), count(his)
        longest = max(count(one), count(two))
        tops = above(mine, his | theirs)
        many = count(tops)
        ranked = many
        if many >= max(longest, other_length):
            ranked, many = max(longest, other_length), length
        cashed = min(many, safe)
        if cashed > 0:
            own += cashed
            own_rank |= keep_top(tops, min(ranked, cashed))
            if step == 0:
                spare -= cashed
                drawn = drawn or cashed >= longest
        if step == 0 and longest == 0:
            drawn = True
        if cashed < many or other_length == 0:
            if step != 0 and other_length == 0 and length > cashed and cashed < safe and partner_trumps != 0:
                ruff = True
            continue
        rest = mine & ~tops
        his_tops = above(his, rest | theirs)
        his_many = min(count(his_tops), other_length - cashed)
        if his_many <= 0:
            continue
        his_ranked = his_many
        if cashed + his_many >= max(longest, length):
            his_many = other_length - cashed
        his_many = min(his_many, safe - cashed)
        if his_many > 0:
            behind += his_many
            behind_rank |= keep_top(his_tops, min(his_ranked, his_many))
            if step == 0:
                spare -= his_many
                his_trumps = his_many
            if length > cashed:
                crossing = True
    if own >= goal:
        state["relevant"] = own_rank
        return 1 - (seat & 1)
    if crossing and own + behind >= goal and left >= goal:
        state["relevant"] = own_rank | behind_rank
        return 1 - (seat & 1)
    if ruff and max(spare, 0) + his_trumps > 0 and own + behind + (1 if spare > 0 else 0) >= goal:
        state["relevant"] = own_rank | behind_rank
        return 1 - (seat & 1)
    return later(state, seat, left - goal + 1, leader, partner, after, before, trumps)


@shared
def later(state: Any, seat: int, goal: int, leader: int, partner: int, after: int, before: int, trumps: int) -> int:
    """As `quick`, by the certain tricks of the side that is not on lead; it needs `goal`."""
    ours = leader | partner
    if trumps != 0 and ours & trumps != 0:
        one, two = after & trumps, before & trumps
        if one | two == 0:
            return -1
        tops = above(one | two, ours & trumps)
        sure = min(count(tops), max(count(one), count(two)))
        if sure >= goal:
            state["relevant"] = keep_top(tops, goal)
            return seat & 1
        if sure == 0 and goal == 1:
            ace = highest(ours & trumps)
            rest = (ours & trumps) ^ (1 << ace)
            king = above(one | two, rest)
            if king == 0:
                return -1
            holder = one if king & one > king & two else two
            if count(holder) < 2:
                return -1
            high = 1 << highest(king)
            # the ace is to play before the king whoever leads
            if (holder == one and leader >> ace & 1 != 0) or (holder == two and partner >> ace & 1 != 0):
                state["relevant"] = high
                return seat & 1
            second = king & holder
            if second & (second - 1) != 0:
                state["relevant"] = keep_top(king, count(king & ~((1 << highest(second ^ high)) - 1)))
                return seat & 1
        return -1
    if leader & int64(state["loose"]) != 0:
        return -1
    one_many = two_many = 0
    one_rank = two_rank = 0
    need_one = need_two = False
    for step in range(4):
        field = FIELD << (WIDTH * step)
        one, two = after & field, before & field
        mine = ours & field
        one_tops, two_tops = above(one, two | mine), above(two, one | mine)
        if leader & field != 0:
            if one_tops != 0:
                need_one = True
            elif two_tops != 0:
                need_two = True
            else:
                return -1
        if one_tops != 0:
            one_many += count(one_tops)
            one_rank |= one_tops & -one_tops
        if two_tops != 0:
            two_many += count(two_tops)
            two_rank |= two_tops & -two_tops
    if (need_one and one_many < goal) or (need_two and two_many < goal):
        return -1
    state["relevant"] = (one_rank if need_one else 0) | (two_rank if need_two else 0)
    return seat & 1
