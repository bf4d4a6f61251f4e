"""The search: does side 0 take so many of the tricks that are left?

A depth-first search of the zero window on tricks, with its stack in an array: no recursion, a frame a card. What comes
back from below is the answer and the *relevant* places, those whose rank the proof depends on (partition search; the
same idea prunes plays: a card below all that mattered need not be tried again in another guise).
"""

from typing import Any, Final

from bidwhist._jit import int64, jit, shared
from bidwhist.bits import count, highest
from bidwhist.solver.later import later
from bidwhist.solver.moves import next_move
from bidwhist.solver.order import list_moves
from bidwhist.solver.quick import OPEN, quick
from bidwhist.solver.second import answer
from bidwhist.solver.strength import beats, field_of, unit
from bidwhist.solver.techniques import ALIKE, LATER, QUICK, SECOND
from bidwhist.solver.transposition import look_up, store

STOPPED: Final = 2  # the limit of nodes is reached: no answer


@shared
def play(ws: Any, frame: Any, after: Any, position: int, place: int) -> None:
    """Play a card at `frame`, the `position`-th of its trick; `after` becomes the node behind it."""
    seat = int64(frame["seat"])
    bit = 1 << place
    ws["hands"][seat] ^= bit
    ws["lengths"] -= unit(seat, place)
    best, winner = int64(frame["best"]), int64(frame["winner"])
    if position == 0 or beats(place, best, int64(ws["trumps"]), int64(ws["loose"])):
        best, winner = place, seat
    after["best"], after["table"] = best, bit if position == 0 else int64(frame["table"]) | bit
    if position == 3:
        after["seat"] = winner
        after["need"] = int64(frame["need"]) - (1 - (winner & 1))
        after["led"] = 0
        return
    led = 0 if position == 0 else int64(frame["led"])
    after["led"] = field_of(place) if led == 0 and bit & int64(ws["loose"]) == 0 else led
    after["winner"] = winner
    after["seat"] = (seat + 1) & 3
    after["need"] = frame["need"]


@shared
def take_back(ws: Any, frame: Any, place: int) -> None:
    """Undo `play`."""
    seat = int64(frame["seat"])
    ws["hands"][seat] ^= 1 << place
    ws["lengths"] += unit(seat, place)


@shared
def winner_by_rank(best: int, table: int) -> int:
    """The card that won a trick, as a mask, if another of its suit lay on the table; else 0: its rank was no matter."""
    suit = table & field_of(best)
    return 1 << best if suit & (suit - 1) != 0 else 0


@shared
def last_trick(ws: Any, leader: int) -> int:
    """1 if side 0 wins the last trick, which nobody can play otherwise, else 0."""
    hands = ws["hands"]
    winner, best, table = leader, highest(int64(hands[leader])), int64(hands[leader])
    for step in range(1, 4):
        seat = (leader + step) & 3
        table |= int64(hands[seat])
        place = highest(int64(hands[seat]))
        if beats(place, best, int64(ws["trumps"]), int64(ws["loose"])):
            winner, best = seat, place
    ws["relevant"] = winner_by_rank(best, table)
    return 1 - (winner & 1)


@shared
def settle(ws: Any, frame: Any) -> int:
    """1 or 0 if the answer at a lead is known without playing on, else OPEN. What mattered is left in the state."""
    need, seat = int64(frame["need"]), int64(frame["seat"])
    ws["relevant"] = 0
    if need <= 0:
        return 1
    left = count(int64(ws["hands"][seat]))
    if need > left:
        return 0
    if left == 1:
        return last_trick(ws, seat)
    result = look_up(ws, frame)
    if QUICK and result == OPEN:
        result = quick(ws, frame, left)
    if LATER and result == OPEN:
        result = later(ws, frame, left)
    return result


@shared
def end_of_run(ws: Any, frame: Any, position: int, place: int) -> int:
    """The lowest card of the run that `place` was tried for: the rank of each of them has mattered."""
    hands = ws["hands"]
    hand = int64(hands[int64(frame["seat"])])
    others = (int64(hands[0]) | int64(hands[1]) | int64(hands[2]) | int64(hands[3])) & ~hand
    if position != 0:
        others |= 1 << int64(frame["best"])
    field = field_of(place)
    between = others & field & ((1 << place) - 1)
    run = hand & field & ~((2 << highest(between)) - 1) if between != 0 else hand & field
    return run & -run


@shared
def as_good(place: int, relevant: int) -> int:
    """Cards of the suit that are as good as one that was tried: all below what mattered, if it is one of them."""
    field = field_of(place)
    floor = relevant & field
    below = field & ((floor & -floor) - 1) if floor != 0 else field
    return below if (below >> place) & 1 != 0 else 0


@shared
def note_failure(ws: Any, frame: Any, position: int, place: int, relevant: int) -> None:
    """Keep what mattered when a card failed, and which cards are no better."""
    if (relevant >> place) & 1 != 0:
        relevant |= end_of_run(ws, frame, position, place)
    frame["relevant"] |= relevant
    frame["dead"] |= 1 << place | (as_good(place, relevant) if ALIKE else 0)


@jit
def search(ws: Any, base: int) -> int:
    """1 if side 0 takes what frame `base` says it needs, 0 if not, STOPPED if the limit of nodes is reached before.

    Once stopped, the position in the workspace is lost. Another thread may lower the limit meanwhile.
    """
    first, limit = int64(ws["first"]), int64(ws["limit"])
    depth, nodes = base, int64(ws["nodes"])
    while True:
        frame = ws["frames"][depth]
        position = (first + depth) & 3
        nodes += 1
        if nodes > limit:
            ws["nodes"] = nodes - 1
            return STOPPED
        if position == 0:
            limit = int64(ws["limit"])
            result = settle(ws, frame)
        elif SECOND and position == 1:
            result = answer(ws, frame)
        else:
            result = OPEN
        if result == OPEN:
            list_moves(ws, frame, position)
            next_move(frame)
            frame["relevant"] = 0
            play(ws, frame, ws["frames"][depth + 1], position, int64(frame["move"]))
            depth += 1
            continue
        relevant = int64(ws["relevant"])
        while True:
            if depth == base:
                ws["nodes"] = nodes
                return result
            depth -= 1
            frame = ws["frames"][depth]
            position = (first + depth) & 3
            place = int64(frame["move"])
            take_back(ws, frame, place)
            if position == 3:
                relevant |= winner_by_rank(
                    int64(ws["frames"][depth + 1]["best"]), int64(ws["frames"][depth + 1]["table"])
                )
            if result == int64(frame["seat"]) & 1:  # not what this player wants
                note_failure(ws, frame, position, place, relevant)
                if next_move(frame):
                    play(ws, frame, ws["frames"][depth + 1], position, int64(frame["move"]))
                    depth += 1
                    break
                relevant, place = int64(frame["relevant"]), -1
            elif position == 0:
                ws["killers"][4 * count(int64(ws["hands"][int64(frame["seat"])])) + int64(frame["seat"])] = place
            if position == 0:
                store(ws, frame, relevant, result == 1, place)
