"""The house bot `pimc`: cards are weighed by the double-dummy solver, in worlds that are the same for all of them.

Perfect information Monte Carlo: in each world the solver tells what every card is worth if all hands lay open (Levy
1989; Ginsberg 2001). That takes for granted that the player will know the world later on, so it sees no use in finding
out or hiding anything (Long et al. 2010 tell when that matters). It tells results apart only where the points differ,
so it need not be asked by how much a contract is set that scores the same. Cards that are clearly behind are dropped;
of those that are worth the same the heuristic's is played, or else the first. Calls, naming and discards are those of
`mc`: a solver is too slow for them.
"""

import time
from functools import cache
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from bidwhist._jit import int64, jit, shared
from bidwhist.actions import level_of
from bidwhist.bits import count
from bidwhist.cards import CARDS
from bidwhist.observation import Private, private_of
from bidwhist.public import PLAYING
from bidwhist.score import ALL_BOOKS, books_of, side_with_kitty
from bidwhist.solver.position import set_position
from bidwhist.solver.strength import place_of
from bidwhist.solver.transposition import forget
from bidwhist.solver.values import NO_LIMIT, UNKNOWN, left_of, tricks_within
from bidwhist.solver.workspace import WORKSPACE
from bidwhist.state import is_no_trump
from bidwhist_bots import mc
from bidwhist_bots.chain import imagine_likely
from bidwhist_bots.parameters import Parameter, Values
from bidwhist_bots.racing import begin_race, drop_those_behind, note_world
from bidwhist_bots.search import SHARES, Search, effort
from bidwhist_bots.standing import BOOK

ABOUT: Final = "as mc, but a solver tells what each card is worth in the worlds, as if all hands lay open"
PARAMETERS: Final[dict[str, Parameter]] = {**effort(40), **SHARES}

# When a card is dropped: a world takes the solver long, so that is soon.
_PATIENCE: Final = 4
_ERRORS: Final = 1.5

_MANY_CARDS: Final = 9  # of a hand: what is solved then may take long

_FIRST_SPEED: Final = 1e6  # of a solver: nodes a second
_LEAST_NODES: Final = 2_000  # to take a speed from
_LEAST_SECONDS: Final = 0.0002  # worth a slice of a solver, which takes a while to begin


@jit
def begin(ws: Any, solver: Any, private: Private, public: Any) -> None:
    """Make ready to weigh a decision that `mc` has begun. If no card can change the points, one candidate stays."""
    ws["is_solved"] = public["phase"] == PLAYING and count(private.hand) <= ws["most_cards"]
    if ws["is_solved"] != 0:
        forget(solver)
        begin_race(ws, _PATIENCE, _ERRORS)
        _find_bounds(ws, private, public)
        if ws["least"] == ws["most"]:
            ws["candidates"] = 1


@jit
def extend(ws: Any, solver: Any, private: Private, public: Any, worlds: int) -> None:
    """Weigh it in so many worlds more; cards in those that are solved within the limit of nodes, until one is left."""
    if ws["is_solved"] == 0:
        mc.extend(ws, private, public, worlds)
        return
    for _ in range(worlds):
        if ws["candidates"] == 1:
            return
        imagine_likely(ws, private, public)
        if not _solve(ws, solver, public):
            return
        note_world(ws)
        drop_those_behind(ws)


@shared
def _find_bounds(ws: Any, private: Private, public: Any) -> None:
    """Find the books of the declaring side that are worth telling apart: below and above them no points change."""
    declaring = public["declarer"] & 1
    value = ws["value"][declaring, level_of(int64(public["bid"])), int64(is_no_trump(int64(public["naming"])))]
    for won in range(ALL_BOOKS + 1):
        ws["worth"][won] = value[won]
    book = BOOK if private.seat & 1 == declaring else -BOOK
    least = _books(public)
    most = least + int64(public["rules"]["hand_size"]) - int64(public["played"] >> 2)
    while least < most and value[least + 1] - value[least] == book:
        least += 1
    while most > least and value[most] - value[most - 1] == book:
        most -= 1
    ws["least"], ws["most"] = least, most


@shared
def _solve(ws: Any, solver: Any, public: Any) -> bool:
    """Write into `ws["worths"]` what every candidate is worth in the world; False if the limit of nodes is reached."""
    first, on_table = public["played"] & ~3, public["played"] & 3
    for place in range(on_table):
        ws["trick"][place] = public["plays"][first + place]
    leader, naming = (public["turn"] - on_table) & 3, int64(public["naming"])
    set_position(solver, naming, ws["world"]["hands"], leader, ws["trick"][:on_table], True)
    declaring, guess = public["declarer"] & 1, UNKNOWN
    won = _books(public)
    least, most = ws["least"] - won, ws["most"] - won
    if declaring == 1:
        least, most = left_of(solver) - most, left_of(solver) - least
    for place in range(ws["candidates"]):
        guess = tricks_within(solver, place_of(naming, ws["actions"][place]), guess, least, most)
        if guess == UNKNOWN:
            return False
        ws["worths"][place] = ws["worth"][won + (guess if declaring == 0 else left_of(solver) - guess)]
    return True


@shared
def _books(public: Any) -> int:
    """Books of the declaring side so far; a kitty that goes with the first trick is counted for it until then."""
    declarer, kitty_side = public["declarer"], int64(public["kitty_side"])
    if kitty_side < 0:
        kitty_side = side_with_kitty(public["rules"], declarer, declarer)
    return books_of(int64(public["tricks"][declarer & 1]), declarer & 1, kitty_side)


@jit
def _begin(search: Any, solver: Any, rows: Any, place: int) -> None:
    begin(search[0], solver[0], private_of(rows[place]), rows[place]["public"])


@jit
def _extend(search: Any, solver: Any, rows: Any, place: int, worlds: int, nodes: int) -> None:
    solver[0]["nodes"], solver[0]["limit"] = 0, nodes
    extend(search[0], solver[0], private_of(rows[place]), rows[place]["public"], worlds)


@cache
def _workspace() -> NDArray[np.void]:
    """The workspace of all bots of this process that ask the solver: they take turns, and it forgets between decisions.

    It is written on at once: memory that comes page by page looks like that of a bot that never gives any back.
    """
    workspace = np.zeros(1, WORKSPACE)
    workspace.view(np.uint8).fill(0)
    return workspace


class Solved(mc.Rollouts):
    """Weighs cards by the solver.

    A world may take the solver long: it gets as many nodes as fit into a slice, by the speed seen so far, and leaves a
    world that takes more.
    """

    def __init__(self, values: Values, most_cards: int = CARDS) -> None:
        """`most_cards`: of a hand, up to which the solver is asked; above, hands are played out."""
        super().__init__(values)
        self.record["most_cards"] = most_cards
        self._solver = _workspace()
        self._speed = _FIRST_SPEED

    def begin(self, rows: NDArray[np.void], place: int) -> int:
        """Begin to weigh a decision."""
        action = super().begin(rows, place)
        if action < 0:
            _begin(self.record, self._solver, rows, place)
        return action

    def is_long(self, rows: NDArray[np.void], place: int, worlds: int) -> bool:
        """True if to weigh in so many worlds may take longer than a tenth of a second."""
        is_solved = bool(self.record["is_solved"][0] and rows["public"]["left"][place].max() >= _MANY_CARDS)
        return is_solved or super().is_long(rows, place, worlds)

    def stop(self) -> None:
        """Make `extend` end soon, within a world."""
        super().stop()
        self._solver["limit"][0] = 0

    def extend(self, rows: NDArray[np.void], place: int, worlds: int) -> None:
        """Weigh in more worlds."""
        _extend(self.record, self._solver, rows, place, worlds, NO_LIMIT)

    def extend_for(self, rows: NDArray[np.void], place: int, worlds: int, seconds: float) -> float:
        """Weigh in more worlds, as far as nodes for the time allow."""
        if not self.record["is_solved"][0]:
            return super().extend_for(rows, place, worlds, seconds)
        began = time.perf_counter()
        _extend(self.record, self._solver, rows, place, worlds, int(seconds * self._speed))
        nodes = int(self._solver["nodes"][0])
        if nodes >= _LEAST_NODES:
            self._speed = nodes / (time.perf_counter() - began)
        return _LEAST_SECONDS


def search(values: Values) -> Search:
    """The bot's search."""
    return Solved(values)
