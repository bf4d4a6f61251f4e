"""Many layouts of one decision, scored in one call: what a bot asks that has imagined the other hands."""

import time
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from bidwhist._jit import jit
from bidwhist.actions import Action
from bidwhist.cards import CARDS, SEATS, Card, Seat, cards_of
from bidwhist.errors import PositionError
from bidwhist.solver.front import Mode, check_mode, search_apart, search_by, workspace
from bidwhist.solver.position import Position, set_position, trick_array
from bidwhist.solver.transposition import forget
from bidwhist.solver.values import NO_LIMIT, UNKNOWN, score_moves

# A clock is looked at between slices of a search: some milliseconds each, the first one short.
_FIRST_SLICE: Final = 20_000
_SLICE_SECONDS: Final = 0.02
_LONG_SLICE: Final = 1_000_000  # nodes, a tenth of a second or less


class WorldScores(NamedTuple):
    """Bounds of the tricks that the side to play takes, by world and card.

    `least` and `most` are int64[worlds, cards], the cards in the order of `cards`; `done` tells which worlds were
    finished, the rows of the others are -1. `nodes` were searched.
    """

    cards: list[Card]
    least: NDArray[np.int64]
    most: NDArray[np.int64]
    done: NDArray[np.bool_]
    nodes: int


@jit
def score_many(
    ws: Any,
    naming: Action,
    worlds: Any,
    leader: Seat,
    trick: Any,
    mode: int,
    target: int,
    start: int,
    values: Any,
    out: Any,
) -> int:
    """Score the worlds from `start` on, until all are done or the workspace's limit of nodes is reached.

    `worlds` is int64[n, 4], `trick` the cards on the table, `values` int64[54, 3] filled with -1 before the first call,
    `out` int8[n, 2, 54]: the least and the most tricks by card. Returns the number of the first world not done.
    Compiled bots call this. They set `ws["nodes"]` and `ws["limit"]`, and `forget` what belongs to another decision.
    """
    guess = UNKNOWN
    for world in range(start, len(worlds)):
        set_position(ws, naming, worlds[world], leader, trick, True)
        guess = score_moves(ws, naming, mode, target, guess, values)
        if guess == UNKNOWN:
            return world
        for card in range(CARDS):
            if values[card, 0] >= 0:
                out[world, 0, card], out[world, 1, card] = values[card, 0], values[card, 1]
    return len(worlds)


def score_worlds(
    worlds: Sequence[Sequence[int]] | NDArray[np.int64],
    naming: Action,
    leader: Seat,
    trick: tuple[Card, ...] = (),
    mode: Mode = "exact",
    target: int | None = None,
    *,
    max_nodes: int | None = None,
    max_seconds: float | None = None,
    ws: Any = None,
) -> WorldScores:
    """Score every card of the player to move in each of many worlds, until a budget of nodes or of time is spent.

    `worlds` are four masks each: the hands still held. The player to move holds the same cards in all of them. Modes
    and target as in `score_cards`. What one world proves is kept for the next ones, and the tricks of a card in one
    world are the first guess in the next. With `max_seconds` the worlds done depend on the machine; with `max_nodes`
    they do not. Raises PositionError for a world that is no position.
    """
    number, goal = check_mode(mode, target)
    hands = np.array(worlds, np.int64).reshape(-1, SEATS)
    cards = _check_worlds(hands, naming, leader, trick)
    own = workspace() if ws is None else ws
    out = np.empty((len(hands), 2, CARDS), np.int8)
    values = np.empty((CARDS, 3), np.int64)
    budget = NO_LIMIT if max_nodes is None else max_nodes

    def begin() -> None:
        forget(own)
        own["nodes"], own["limit"] = 0, budget
        out.fill(-1)
        values.fill(-1)

    def score(start: int) -> int:
        return int(score_many(own, naming, hands, leader, trick_array(trick), number, goal, start, values, out))

    if max_seconds is None:
        done = search_by(begin, lambda: score(0), own)
    else:
        begin()
        done = _score_for(max_seconds, budget, len(hands), score, own)
    scores = out[:, :, cards].astype(np.int64)
    finished = np.arange(len(hands)) < done
    scores[~finished] = -1
    return WorldScores(cards, scores[:, 0], scores[:, 1], finished, int(own["nodes"]))


def _check_worlds(hands: NDArray[np.int64], naming: Action, leader: Seat, trick: tuple[Card, ...]) -> list[Card]:
    """The cards that may be played. Raises PositionError."""
    if not len(hands):
        return []
    positions = [Position((int(a), int(b), int(c), int(d)), naming, leader, trick) for a, b, c, d in hands]
    if len({position.hands[position.turn] for position in positions}) > 1:
        raise PositionError("worlds: the player to move does not hold the same cards in all of them")
    return cards_of(positions[0].legal)


def _score_for(seconds: float, budget: int, worlds: int, score: Callable[[int], int], ws: Any) -> int:
    """Score worlds in slices until the time is over; the number of the first world not done.

    Slices last for a fixed time by the speed seen so far, or twice as long as the last one if no world fitted into it.
    """
    end, size, done = time.perf_counter() + seconds, _FIRST_SLICE, 0
    while done < worlds and ws["nodes"] < budget and time.perf_counter() < end:
        began, nodes, before = time.perf_counter(), int(ws["nodes"]), done
        ws["limit"] = min(budget, nodes + size)
        go_on = partial(score, done)
        done = search_apart(go_on, ws) if size > _LONG_SLICE else go_on()
        speed = (int(ws["nodes"]) - nodes) / max(time.perf_counter() - began, 1e-6)
        size = max(int(speed * _SLICE_SECONDS), _FIRST_SLICE if done > before else 2 * size)
    return done
