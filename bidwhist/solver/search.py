"""The search: can side 0 take so many of the remaining tricks?"""

from typing import Any

from bidwhist._jit import int64, jit, shared
from bidwhist.bits import count, gather, highest, scatter
from bidwhist.solver.order import sort_moves
from bidwhist.solver.quick import quick
from bidwhist.solver.strength import FIELDS, field_of
from bidwhist.solver.techniques import ALIKE, TABLE
from bidwhist.solver.transposition import find_head, forget, store
from bidwhist.solver.workspace import ENTRIES, HEADS

_OPEN = -1


@shared
def unit(seat: int, place: int) -> int:
    """One card in the word of lengths."""
    return 1 << (16 * seat + ((place & 48) >> 2))


@shared
def beats(state: Any, place: int, best: int) -> bool:
    """True if the card wins from the best one so far."""
    bit, top = 1 << place, 1 << best
    if (bit | top) & int64(state["loose"]) != 0:
        return bit & int64(state["loose"]) == 0
    return place > best and ((place ^ best) < 16 or bit & int64(state["trumps"]) != 0)


@shared
def play(state: Any, frame: Any, after: Any, position: int, place: int) -> None:
    """Play a card at `frame`; `after` becomes the node behind it."""
    seat = int64(frame["seat"])
    bit = 1 << place
    state["hands"][seat] ^= bit
    state["lengths"] -= unit(seat, place)
    best, winner = int64(frame["best"]), int64(frame["winner"])
    if position == 0 or beats(state, place, best):
        best, winner = place, seat
    table = bit if position == 0 else int64(frame["table"]) | bit
    if position == 3:
        after["seat"] = winner
        after["need"] = int64(frame["need"]) - (1 - (winner & 1))
        after["led"] = 0
        after["best"] = best  # for the relevance of its rank
        after["table"] = table
        return
    led = int64(frame["led"])
    if led == 0 and bit & int64(state["loose"]) == 0:
        led = field_of(place)
    after["led"] = led
    after["best"], after["winner"], after["table"] = best, winner, table
    after["seat"] = (seat + 1) & 3
    after["need"] = frame["need"]


@shared
def take_back(state: Any, frame: Any, place: int) -> None:
    seat = int64(frame["seat"])
    state["hands"][seat] ^= 1 << place
    state["lengths"] += unit(seat, place)


@shared
def rank_that_won(after: Any) -> int:
    """The winner of a trick that is over, if it won by its rank."""
    best = int64(after["best"])
    mine = int64(after["table"]) & field_of(best)
    return 1 << best if mine & (mine - 1) != 0 else 0


@shared
def last_trick(state: Any, frame: Any) -> int:
    """The winner's side of the last trick; its rank, if it mattered, is left in the state."""
    hands = state["hands"]
    seat = int64(frame["seat"])
    winner, best = seat, highest(int64(hands[seat]))
    table = int64(hands[seat])
    for step in range(1, 4):
        player = (seat + step) & 3
        card = int64(hands[player])
        place = highest(card)
        table |= card
        if beats(state, place, best):
            winner, best = player, place
    mine = table & field_of(best)
    state["relevant"] = 1 << best if mine & (mine - 1) != 0 else 0
    return winner & 1


@shared
def settle(state: Any, heads: Any, entries: Any, frame: Any) -> int:
    """1 or 0 if the answer at a lead is known without playing on, else _OPEN. What mattered is left in the state."""
    hands = state["hands"]
    need = int64(frame["need"])
    state["relevant"] = 0
    if need <= 0:
        return 1
    seat = int64(frame["seat"])
    left = count(int64(hands[seat]))
    if need > left:
        return 0
    if left == 1:
        return 1 if last_trick(state, frame) == 0 else 0
    second, third, fourth = int64(hands[1]), int64(hands[2]), int64(hands[3])
    cards = int64(hands[0]) | second | third | fourth
    frame["all"] = cards
    low, high = gather(second | fourth, cards), gather(third | fourth, cards)
    frame["low"], frame["high"] = low, high
    place = find_head(state, heads, seat)
    frame["head"] = place
    frame["hint"] = -1
    entry_place = int64(heads[place]["first"])
    while TABLE and entry_place != 0:
        entry = entries[entry_place]
        mask = int64(entry["mask"])
        if ((low ^ int64(entry["low"])) | (high ^ int64(entry["high"]))) & mask == 0:
            if need <= int64(entry["least"]):
                state["relevant"] = scatter(mask, cards) & FIELDS
                return 1
            if need > int64(entry["most"]):
                state["relevant"] = scatter(mask, cards) & FIELDS
                return 0
            frame["hint"] = int64(entry["move"])
        entry_place = int64(entry["next"])
    return quick(state, frame, cards, left)


@shared
def end_of_run(state: Any, frame: Any, position: int, place: int) -> int:
    """The lowest card of the run that `place` was tried for: they all failed by their rank."""
    hands = state["hands"]
    hand = int64(hands[int64(frame["seat"])])
    others = int64(hands[0]) | int64(hands[1]) | int64(hands[2]) | int64(hands[3])
    others &= ~hand
    if position != 0:
        others |= 1 << int64(frame["best"])
    field = field_of(place)
    floor = highest(others & field & ((1 << place) - 1))
    run = hand & field & ~((2 << floor) - 1) if floor >= 0 else hand & field
    return run & -run


@shared
def as_good(place: int, relevant: int) -> int:
    """Cards of the suit that are as good as one that was tried: all below what mattered, if it is one of them."""
    field = field_of(place)
    floor = relevant & field
    below = field & ((floor & -floor) - 1) if floor != 0 else field
    return below if (below >> place) & 1 != 0 else 0


@jit
def search(ws: Any, need: int) -> bool:
    """True if side 0 takes `need` of the tricks that are left at depth 0, the one on the table included."""
    state, frames, heads, entries = ws.state[0], ws.frames, ws.heads, ws.entries
    first = int64(state["first"])
    frames[0]["need"] = need
    frames[0]["relevant"] = 0
    if int64(state["used"]) > ENTRIES * 3 // 4 or int64(state["keys"]) > HEADS * 3 // 4:
        forget(state)
    depth = 0
    while True:
        frame = frames[depth]
        position = (first + depth) & 3
        state["nodes"] += 1
        result = settle(state, heads, entries, frame) if position == 0 else _OPEN
        if result == _OPEN:
            sort_moves(state, frame, position, ws.weights)
            play(state, frame, frames[depth + 1], position, int64(frame["moves"][0]))
            frame["next"] = 0
            frame["dead"] = 0
            frame["relevant"] = 0
            depth += 1
            continue
        relevant = int64(state["relevant"])
        while True:
            if depth == 0:
                return result == 1
            depth -= 1
            frame = frames[depth]
            position = (first + depth) & 3
            place = int64(frame["moves"][int64(frame["next"])])
            take_back(state, frame, place)
            if position == 3:
                relevant |= rank_that_won(frames[depth + 1])
            if (result == 1) != (int64(frame["seat"]) & 1 == 0):
                frame["relevant"] |= relevant
                if (relevant >> place) & 1 != 0:
                    frame["relevant"] |= end_of_run(state, frame, position, place)
                if ALIKE:
                    frame["dead"] |= as_good(place, relevant)
                following = int64(frame["next"]) + 1
                dead, last = int64(frame["dead"]), int64(frame["count"])
                while following < last and (dead >> int64(frame["moves"][following])) & 1 != 0:
                    following += 1
                if following < last:
                    frame["next"] = following
                    play(state, frame, frames[depth + 1], position, int64(frame["moves"][following]))
                    depth += 1
                    break
                relevant = int64(frame["relevant"])
                place = -1
            if position == 0:
                store(state, heads, entries, frame, relevant, result == 1, place)
