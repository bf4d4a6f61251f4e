"""Tricks that are certain without a search: the leader's side's at once, the other side's sooner or later."""

from typing import Any, Final

from bidwhist._jit import int64, shared
from bidwhist.bits import count, highest
from bidwhist.solver.strength import FIELD, TRUMP, WIDTH

_MANY: Final = 15
OPEN: Final = -1  # no answer yet


@shared
def above(hand: int, others: int) -> int:
    """Cards of `hand` that are higher than all `others`, all of one suit."""
    return hand & ~((2 << highest(others)) - 1) if others != 0 else hand


@shared
def last_of(cards: int, size: int) -> int:
    """The lowest of the `size` highest cards, as a mask; 0 for none."""
    if size <= 0:
        return 0
    rest = cards
    for _ in range(count(cards) - size):
        rest &= rest - 1
    return rest & -rest


@shared
def sure_trumps(one: int, two: int, theirs: int) -> int:
    """Tricks that two partners' trumps take whoever leads: the highest trumps, as far as they need not fall together."""
    return min(count(above(one | two, theirs)), max(count(one), count(two)))


@shared
def quick(ws: Any, frame: Any, left: int) -> int:
    """1 or 0 if certain tricks decide whether side 0 takes what it needs, else -1; what mattered is left in the state.

    The leader cashes its highest cards, then crosses to its partner, who cashes its own. In a trump contract a suit
    is led only as often as those follow who could ruff, unless their trumps are drawn before.
    """
    hands = ws["hands"]
    seat, need = int64(frame["seat"]), int64(frame["need"])
    yes = 1 - (seat & 1)
    leader, partner = int64(hands[seat]), int64(hands[(seat + 2) & 3])
    after, before = int64(hands[(seat + 1) & 3]), int64(hands[(seat + 3) & 3])
    goal = need if yes == 1 else left - need + 1
    trumps = int64(ws["trumps"])
    after_ruffs, before_ruffs = after & trumps != 0, before & trumps != 0
    partner_trumps = count(partner & trumps)
    own = behind = 0  # tricks of the leader, and those behind a crossing
    own_rank = behind_rank = 0
    crossing = ruff = False
    for step in range(4):
        base = WIDTH * (TRUMP - step)
        field = FIELD << base
        mine, his, one, two = leader & field, partner & field, after & field, before & field
        if mine | his == 0:
            continue
        is_trump = step == 0 and trumps != 0
        theirs = one | two
        safe = _MANY
        if not is_trump:
            if after_ruffs:
                safe = count(one)
            if before_ruffs:
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
            if own + cashed >= goal:
                ws["relevant"] = own_rank | last_of(tops, min(ranked, goal - own))
                return yes
            own += cashed
            own_rank |= last_of(tops, min(ranked, cashed))
        if is_trump:
            partner_trumps -= cashed
            if cashed >= longest:
                after_ruffs = before_ruffs = False
            sure = sure_trumps(mine, his, theirs) - cashed
            if sure > 0:
                side = above(mine | his, theirs)
                if own + sure >= goal:
                    ws["relevant"] = own_rank | last_of(side, goal)
                    return yes
                own += sure
                own_rank |= last_of(side, cashed + sure)
                crossing = crossing or (length > cashed and his > mine & ~tops)
                partner_trumps -= sure
                continue
        if cashed < many:
            continue
        if other_length == 0:
            ruff = ruff or (not is_trump and length > cashed and cashed < safe and partner & trumps != 0)
            continue
        his_tops = above(his, (mine & ~tops) | theirs)
        his_many = min(count(his_tops), other_length - cashed)
        his_ranked = his_many
        if cashed + his_many >= max(longest, length):
            his_many = other_length - cashed
        his_many = min(his_many, safe - cashed)
        if his_many > 0:
            behind += his_many
            if is_trump:
                partner_trumps -= his_many
            behind_rank |= last_of(his_tops, min(his_ranked, his_many))
            crossing = crossing or length > cashed
    if ruff and partner_trumps > 0:
        behind += 1
        crossing = True
    if crossing and own + behind >= goal:
        ws["relevant"] = own_rank | behind_rank
        return yes
    if trumps & (leader | partner) != 0:
        return later_trumps(ws, seat, left - goal + 1, trumps)
    return later_tops(ws, seat, left - goal + 1, left)


@shared
def later_trumps(ws: Any, seat: int, goal: int, trumps: int) -> int:
    """As `quick`, by trumps of the side that is not on lead; it needs `goal` tricks."""
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
    """As `quick`, by high cards of the side that is not on lead where the other side has no trumps.

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
