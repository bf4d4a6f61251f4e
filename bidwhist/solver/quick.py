"""Quick tricks: what the side on lead can cash at once, without a search."""

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
    """Tricks that two partners' trumps take whoever leads: the highest ones, as far as they need not fall together."""
    return min(count(above(one | two, theirs)), max(count(one), count(two)))


@shared
def behind_in(
    mine: int, tops: int, his: int, theirs: int, longest: int, cashed: int, safe: int
) -> tuple[int, int, int, int, bool]:
    """What a suit is worth once the leader has crossed to its partner, after `cashed` tricks of its own `tops`.

    Tricks that the partner cashes and the lowest card whose rank that takes, as a mask; the same of what the leader has
    then, and whether the partner can lead back to it. `longest` is the other side's length, `safe` the rounds that
    nobody ruffs.
    """
    rest = mine & ~tops
    high = above(his, rest | theirs)
    kept = count(his) - cashed
    many = ranked = min(count(high), kept)
    more = more_rank = 0
    if cashed + many >= max(longest, count(mine)):
        many = kept
    elif many > 0:
        second = above(rest, theirs | (his & ~high))
        more = max(min(count(second), min(count(rest), safe - cashed) - many), 0)
        more_rank = last_of(second, more)
    returns = more > 0 and kept > many
    many = max(min(many, safe - cashed), 0)
    return many, last_of(high, min(ranked, many)), more, more_rank, returns


@shared
def quick(ws: Any, frame: Any, left: int) -> int:
    """1 or 0 if the tricks that the leader's side can cash decide whether side 0 takes what it needs, else OPEN.

    The leader cashes its highest cards, then crosses to its partner, who cashes its own and perhaps leads back to what
    is high by then. In a trump contract a suit is led only as often as those follow who could ruff, unless their trumps
    are drawn before. The trumps that are highest come to their tricks whoever leads. What mattered is left in `ws`.
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
    own = behind = back = 0  # tricks of the leader, those behind a crossing, and those once the partner leads back
    own_rank = behind_rank = back_rank = 0
    crossing = ruff = returns = held = False
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
                held = True
                continue
        if cashed < many:
            continue
        if other_length == 0:
            ruff = ruff or (not is_trump and length > cashed and cashed < safe and partner & trumps != 0)
            continue
        many, rank, more, more_rank, can_return = behind_in(mine, tops, his, theirs, longest, cashed, safe)
        back += more
        back_rank |= more_rank
        returns = returns or can_return
        if many > 0:
            behind += many
            if is_trump:
                partner_trumps -= many
            behind_rank |= rank
            crossing = crossing or length > cashed
    if held:  # the leader may have nothing but these trumps to play to what its partner cashes
        return OPEN
    if ruff and partner_trumps > 0:
        behind += 1
        crossing = True
    if crossing and own + behind >= goal:
        ws["relevant"] = own_rank | behind_rank
        return yes
    if crossing and returns and own + behind + back >= goal:
        ws["relevant"] = own_rank | behind_rank | back_rank
        return yes
    return OPEN
