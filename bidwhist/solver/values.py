"""The tricks of a position and of the cards to be played to it: searches of the zero window until the bounds meet."""

from typing import Any, Final

from bidwhist._jit import int64, jit, shared
from bidwhist.actions import Action
from bidwhist.bits import count, highest
from bidwhist.solver.estimate import estimate
from bidwhist.solver.moves import below_run, next_move
from bidwhist.solver.order import list_moves
from bidwhist.solver.search import STOPPED, play, search, take_back
from bidwhist.solver.strength import card_of

EXACT, BEST, THRESHOLD = range(3)  # what is asked of the cards
NO_LIMIT: Final = 1 << 60
UNKNOWN: Final = -1
_ROOT: Final = -1  # in place of a card: none is played yet


@shared
def ask(ws: Any, place: int, need: int) -> int:
    """As `search`: does side 0 take `need` tricks once the player to move has played `place` (or _ROOT: best)?"""
    frame = ws["frames"][0]
    frame["need"] = need
    if place == _ROOT:
        return search(ws, 0)
    play(ws, frame, ws["frames"][1], int64(ws["first"]), place)
    result = search(ws, 1)
    if result != STOPPED:
        take_back(ws, frame, place)
    return result


@jit
def tricks_of(ws: Any, place: int, guess: int) -> int:
    """Tricks of side 0 in the position in the workspace, after the card `place` or, for -1, with any card.

    The trick on the table counts. Searches go from `guess` (UNKNOWN: an estimate) a trick up or down at a time. UNKNOWN
    if the limit of nodes in the workspace is reached; the position is lost then.
    """
    return tricks_within(ws, place, guess, 0, left_of(ws))


@jit
def tricks_within(ws: Any, place: int, guess: int, least: int, most: int) -> int:
    """As `tricks_of`, for who need not know more than that it is `least` or less, or `most` or more: those two then."""
    need = guess if guess != UNKNOWN else estimate(ws, left_of(ws))
    while least < most:
        need = min(max(need, least + 1), most)
        result = ask(ws, place, need)
        if result == STOPPED:
            return UNKNOWN
        if result == 1:
            least, need = need, need + 1
        else:
            most, need = need - 1, need - 1
    return least


@shared
def left_of(ws: Any) -> int:
    """Tricks that are still to be won."""
    return count(int64(ws["hands"][int64(ws["frames"][0]["seat"])]))


@shared
def own_tricks(ws: Any, tricks: int) -> int:
    """Tricks of the side to play, from those of side 0, and the other way round."""
    return left_of(ws) - tricks if int64(ws["frames"][0]["seat"]) & 1 != 0 else tricks


@shared
def reaches(ws: Any, place: int, goal: int) -> int:
    """1 if the side to play takes `goal` tricks with this card, 0 if not, or STOPPED."""
    if int64(ws["frames"][0]["seat"]) & 1 == 0:
        return ask(ws, place, goal)
    result = ask(ws, place, left_of(ws) - goal + 1)
    return STOPPED if result == STOPPED else 1 - result


@shared
def note(ws: Any, naming: Action, cards: int, values: Any, least: int, most: int, run: int) -> None:
    """Write the bounds of the equal cards `cards` into `values`, by card: bounds, and the card that stands for all."""
    rest = cards
    while rest != 0:
        card = card_of(naming, highest(rest))
        values[card, 0], values[card, 1], values[card, 2] = least, most, run
        rest &= (1 << highest(rest)) - 1


@jit
def score_moves(ws: Any, naming: Action, mode: int, target: int, guess: int, values: Any) -> int:
    """Write into `values[card]` the least and the most tricks that the side to play takes with each legal card.

    `values` is int64[54, 3]; the third number is the card that stands for its run. What it holds before is a guess: -1,
    or the least tricks with the card in a like position; `guess` are tricks of side 0 or UNKNOWN. Returns tricks of
    side 0 with the best card, or UNKNOWN if the limit of nodes is reached.
    """
    frame = ws["frames"][0]
    left, seat = left_of(ws), int64(frame["seat"])
    hand = int64(ws["hands"][seat])
    goal = target
    if mode == BEST:
        value = tricks_of(ws, _ROOT, guess)
        if value == UNKNOWN:
            return UNKNOWN
        guess, goal = value, own_tricks(ws, value)
    if guess == UNKNOWN:
        guess = estimate(ws, left)
    frame["need"] = guess
    list_moves(ws, frame, int64(ws["first"]))
    others = (int64(ws["hands"][0]) | int64(ws["hands"][1]) | int64(ws["hands"][2])) | int64(ws["hands"][3])
    others &= ~hand
    if int64(ws["first"]) != 0:
        others |= 1 << int64(frame["best"])
    best = 0
    while next_move(frame):
        place = int64(frame["move"])
        frame["dead"] |= 1 << place
        least, most = 0, left
        if mode == EXACT:
            known = int64(values[card_of(naming, place), 0])
            guess = tricks_of(ws, place, guess if known < 0 else own_tricks(ws, known))
            if guess == UNKNOWN:
                return UNKNOWN
            least = most = own_tricks(ws, guess)
        elif goal > 0:
            result = reaches(ws, place, goal) if goal <= left else 0
            if result == STOPPED:
                return UNKNOWN
            if result == 1:
                least = goal
            else:
                most = goal - 1
            if mode == BEST and result == 1:
                most = goal
        elif mode == BEST:
            most = 0
        best = max(best, least)
        loose = int64(ws["loose"])
        run = hand & loose
        if (run >> place) & 1 == 0:
            run = hand & ~below_run(others, place) & ((2 << place) - 1)
        note(ws, naming, run, values, least, most, card_of(naming, place))
    return own_tricks(ws, best)
