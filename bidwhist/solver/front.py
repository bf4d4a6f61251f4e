"""Solving from Python: the tricks of a position, and what each card of the player to move is worth."""

import threading
from collections.abc import Callable
from typing import Any, Final, Literal, NamedTuple, TypeAlias, TypeVar

import numpy as np

from bidwhist.cards import CARDS, Card, cards_of, is_number
from bidwhist.errors import LimitReached, PositionError
from bidwhist.interruptible import interruptible, is_main_thread
from bidwhist.solver.position import Position, set_position, trick_array
from bidwhist.solver.values import BEST, EXACT, NO_LIMIT, THRESHOLD, UNKNOWN, score_moves, tricks_of
from bidwhist.solver.workspace import new_workspace

Result = TypeVar("Result")
Mode: TypeAlias = Literal["exact", "best", "threshold"]

MODES: Final = {"exact": EXACT, "best": BEST, "threshold": THRESHOLD}
_OWN: Final = threading.local()

_FEW_NODES: Final = 1_000_000  # less than a tenth of a second


class Solution(NamedTuple):
    """Tricks still to be won, by NS and EW with best play by all, and nodes searched."""

    tricks: tuple[int, int]
    nodes: int


class CardScore(NamedTuple):
    """A card, those equal to it (itself left out), and bounds of the tricks that its player's side takes with it.

    The bounds meet where the tricks are known: all cards in mode `exact`, the best ones in mode `best`.
    """

    card: Card
    alike: tuple[Card, ...]
    least: int
    most: int


def workspace() -> Any:
    """The workspace of this thread, made when it is first asked for."""
    if not hasattr(_OWN, "workspace"):
        _OWN.workspace = new_workspace()
    return _OWN.workspace


def enter(position: Position, ws: Any, *, keep: bool = False, max_nodes: int | None = None) -> None:
    """Put a position into a workspace; `keep` what was proved of others, which holds if the rules of rank are alike."""
    hands = np.array(position.hands, np.int64)
    set_position(ws, position.naming, hands, position.leader, trick_array(position.trick), keep)
    set_limit(ws, max_nodes)


def set_limit(ws: Any, max_nodes: int | None) -> None:
    """Let the searches to come take so many nodes together; None for any number. Raises PositionError."""
    if max_nodes is not None and not is_number(max_nodes, NO_LIMIT):
        raise PositionError(f"max_nodes: {max_nodes!r} is no number of nodes")
    ws["nodes"], ws["limit"] = 0, NO_LIMIT if max_nodes is None else max_nodes


def check_limit(is_reached: bool, max_nodes: int | None) -> None:
    """Raise LimitReached if a search has stopped at its limit of nodes."""
    if is_reached:
        told = "stopped by another thread" if max_nodes is None else f"not solved within {max_nodes:,} nodes"
        raise LimitReached(told)


def search_by(begin: Callable[[], None], search: Callable[[], Result], ws: Any) -> Result:
    """The result of `search`, compiled code that works in a workspace; an exception that a signal raises ends it.

    `begin` puts what is searched into the workspace, and its limit of nodes. Most searches take less time than a thread
    costs; one that takes more than some nodes is begun again, by a thread.
    """
    begin()
    limit = int(ws["limit"])
    if limit <= _FEW_NODES or not is_main_thread():
        return search()
    ws["limit"] = _FEW_NODES
    result = search()
    if int(ws["nodes"]) < _FEW_NODES:
        return result
    begin()
    return search_apart(search, ws)


def search_apart(search: Callable[[], Result], ws: Any) -> Result:
    """The result of `search`, done by a thread: an exception that a signal raises ends it by the limit of nodes."""

    def stop() -> None:
        ws["limit"] = 0

    return interruptible(search, stop)


def solve(position: Position, ws: Any = None, *, guess: int | None = None, max_nodes: int | None = None) -> Solution:
    """How many of the tricks that are left each side takes.

    `guess`, tricks of NS, saves work if it is near. The workspace is this thread's own unless one is given. Raises
    LimitReached if that takes more than `max_nodes` nodes.
    """
    own = workspace() if ws is None else ws
    first = UNKNOWN if guess is None else guess
    tricks = int(search_by(lambda: enter(position, own, max_nodes=max_nodes), lambda: tricks_of(own, -1, first), own))
    check_limit(tricks == UNKNOWN, max_nodes)
    return Solution((tricks, position.size - tricks), int(own["nodes"]))


def check_mode(mode: str, target: int | None) -> tuple[int, int]:
    """The number of a mode and its target. Raises PositionError."""
    if mode not in MODES:
        raise PositionError(f"mode: {mode!r} is none of {', '.join(MODES)}")
    if (target is None) != (mode != "threshold"):
        raise PositionError("target: a number of tricks goes with mode 'threshold', and only with it")
    return MODES[mode], target or 0


def score_cards(
    position: Position,
    mode: Mode = "exact",
    target: int | None = None,
    ws: Any = None,
    *,
    max_nodes: int | None = None,
) -> list[CardScore]:
    """What each legal card is worth to the side that plays it, the most tricks first.

    Mode `exact` tells the tricks of every card; `best` those of the best ones; `threshold` whether a card takes
    `target` of the tricks that are left. Raises PositionError for a mode or target that is none, and LimitReached if
    all cards together take more than `max_nodes` nodes.
    """
    number, goal = check_mode(mode, target)
    own = workspace() if ws is None else ws
    values = np.empty((CARDS, 3), np.int64)

    def begin() -> None:
        enter(position, own, max_nodes=max_nodes)
        values.fill(-1)

    found = search_by(begin, lambda: score_moves(own, position.naming, number, goal, UNKNOWN, values), own)
    check_limit(found == UNKNOWN, max_nodes)
    cards = [card for card in cards_of(position.legal) if values[card, 2] == card]
    scores = [CardScore(card, _alike(values, card), int(values[card, 0]), int(values[card, 1])) for card in cards]
    return sorted(scores, key=lambda score: (-score.least, -score.most))


def _alike(values: Any, card: Card) -> tuple[Card, ...]:
    return tuple(int(other) for other in np.flatnonzero(values[:, 2] == card) if other != card)
