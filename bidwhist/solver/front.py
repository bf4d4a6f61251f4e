"""Solving from Python: the tricks of a position, and what each card of the player to move is worth."""

import threading
from typing import Any, Final, Literal, NamedTuple, TypeAlias

import numpy as np

from bidwhist.cards import CARDS, Card, cards_of
from bidwhist.errors import PositionError
from bidwhist.solver.position import Position, set_position, trick_array
from bidwhist.solver.values import BEST, EXACT, NO_LIMIT, THRESHOLD, UNKNOWN, score_moves, tricks_of
from bidwhist.solver.workspace import new_workspace

Mode: TypeAlias = Literal["exact", "best", "threshold"]

MODES: Final = {"exact": EXACT, "best": BEST, "threshold": THRESHOLD}
_OWN: Final = threading.local()


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


def enter(position: Position, ws: Any, *, keep: bool = False) -> None:
    """Put a position into a workspace; `keep` what was proved of others, which holds if the rules of rank are alike."""
    hands = np.array(position.hands, np.int64)
    set_position(ws, position.naming, hands, position.leader, trick_array(position.trick), keep)
    ws["nodes"], ws["limit"] = 0, NO_LIMIT


def solve(position: Position, ws: Any = None, *, guess: int | None = None) -> Solution:
    """How many of the tricks that are left each side takes.

    `guess`, tricks of NS, saves work if it is near. The workspace is this thread's own unless one is given.
    """
    own = workspace() if ws is None else ws
    enter(position, own)
    tricks = int(tricks_of(own, -1, UNKNOWN if guess is None else guess))
    return Solution((tricks, position.size - tricks), int(own["nodes"]))


def check_mode(mode: str, target: int | None) -> tuple[int, int]:
    """The number of a mode and its target. Raises PositionError."""
    if mode not in MODES:
        raise PositionError(f"mode: {mode!r} is none of {', '.join(MODES)}")
    if (target is None) != (mode != "threshold"):
        raise PositionError("target: a number of tricks goes with mode 'threshold', and only with it")
    return MODES[mode], target or 0


def score_cards(position: Position, mode: Mode = "exact", target: int | None = None, ws: Any = None) -> list[CardScore]:
    """What each legal card is worth to the side that plays it, the most tricks first.

    Mode `exact` tells the tricks of every card; `best` those of the best ones; `threshold` whether a card takes
    `target` of the tricks that are left. Raises PositionError for a mode or target that is none.
    """
    number, goal = check_mode(mode, target)
    own = workspace() if ws is None else ws
    enter(position, own)
    values = np.full((CARDS, 3), -1, np.int64)
    score_moves(own, position.naming, number, goal, UNKNOWN, values)
    cards = [card for card in cards_of(position.legal) if values[card, 2] == card]
    scores = [CardScore(card, _alike(values, card), int(values[card, 0]), int(values[card, 1])) for card in cards]
    return sorted(scores, key=lambda score: (-score.least, -score.most))


def _alike(values: Any, card: Card) -> tuple[Card, ...]:
    return tuple(int(other) for other in np.flatnonzero(values[:, 2] == card) if other != card)
