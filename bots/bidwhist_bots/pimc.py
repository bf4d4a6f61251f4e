"""The house bot `pimc`: cards are weighed by the double-dummy solver, in worlds that are the same for all of them.

Perfect information Monte Carlo: in each world the solver tells what every card is worth if all hands lay open (Levy
1989; Ginsberg 2001). That takes for granted that the player will know the world later on, so it sees no use in finding
out or hiding anything (Long et al. 2010 tell when that matters). Cards that are worth the same are told apart by the
heuristic. Calls, naming and discards are those of `mc`: a solver is too slow for them.
"""

from typing import Any

from bidwhist._jit import int64, jit, shared
from bidwhist.actions import level_of
from bidwhist.observation import Private
from bidwhist.public import PLAYING
from bidwhist.solver.position import set_position
from bidwhist.solver.transposition import forget
from bidwhist.solver.values import EXACT, UNKNOWN, score_moves
from bidwhist.state import books, is_no_trump
from bidwhist_bots import mc
from bidwhist_bots.search import imagine


@jit
def extend(ws: Any, solver: Any, private: Private, public: Any, worlds: int) -> None:
    """Weigh a decision in so many worlds more; of cards, in those that are solved within the limit of nodes."""
    if public["phase"] != PLAYING:
        mc.extend(ws, private, public, worlds)
        return
    if ws["drawn"] == 0:
        forget(solver)
        for card in range(len(ws["tricks"])):
            ws["tricks"][card, 0] = UNKNOWN
    solver["nodes"] = 0
    guess = UNKNOWN
    for _ in range(worlds):
        imagine(ws, private, public)
        guess = _solve(ws, solver, public, guess)
        if guess == UNKNOWN:
            break
        _tally(ws, private, public)
        ws["drawn"] += 1


@shared
def _solve(ws: Any, solver: Any, public: Any, guess: int) -> int:
    """Write into `ws["tricks"]` what every card is worth in the world; a guess for the next one, or UNKNOWN."""
    first, on_table = public["played"] & ~3, public["played"] & 3
    for place in range(on_table):
        ws["trick"][place] = public["plays"][first + place]
    leader, naming = (public["turn"] - on_table) & 3, int64(public["naming"])
    set_position(solver, naming, ws["world"]["hands"], leader, ws["trick"][:on_table], True)
    return score_moves(solver, naming, EXACT, 0, guess, ws["tricks"])


@shared
def _tally(ws: Any, private: Private, public: Any) -> None:
    side, declaring = private.seat & 1, public["declarer"] & 1
    left = int64(public["rules"]["hand_size"]) - int64(public["played"] >> 2)
    level, is_nt = level_of(int64(public["bid"])), int64(is_no_trump(int64(public["naming"])))
    for place in range(ws["candidates"]):
        mine = ws["tricks"][ws["actions"][place], 0]
        won = books(public, declaring) + (mine if side == declaring else left - mine)
        ws["sums"][place] += ws["value"][declaring, level, is_nt, won]
