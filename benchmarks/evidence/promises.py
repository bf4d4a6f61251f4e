"""What a double-dummy search promises the declarer before the first lead, against the tricks that he took in play."""

from typing import Any

import pandas as pd

from bidwhist.errors import PositionError
from bidwhist.notation import parse_contract, parse_seat
from bidwhist.rules import Rules
from bidwhist.score import is_enough
from bidwhist.solver.front import solve
from bidwhist.solver.position import Position
from evidence.replaying import first_lead, hands_once


def promised(row: Any, rules: Rules, seed: int) -> int:
    """Tricks of the declaring side with best play by all, all cards seen. Raises PositionError under exchange rules."""
    if rules.exchanges:
        raise PositionError("promise: under exchange rules the hands depend on the discards")
    hands, leader = first_lead(row, rules, seed)
    # mypy does not know that these are four hands.
    solution = solve(Position(hands, parse_contract(row.contract)[1], leader))  # type: ignore[arg-type]  # hands: a tuple of four
    return solution.tricks[parse_seat(row.declarer) & 1]


def promises(frame: pd.DataFrame, rules: Rules, seed: int, most: int) -> pd.DataFrame:
    """Of the first `most` boards of a bot that plays itself: `board`, `level`, `promised` and `taken` tricks, whether
    the contract `holds` by the promise, and whether it was `made`."""
    found = []
    for row in hands_once(frame, most):
        tricks = promised(row, rules, seed)
        holds = is_enough(int(row.level), tricks + int(row.books) - int(row.tricks))
        found.append((row.board, int(row.level), tricks, int(row.tricks), holds, bool(row.made)))
    return pd.DataFrame(found, columns=["board", "level", "promised", "taken", "holds", "made"])
