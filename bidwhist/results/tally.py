"""One pass over the parts of a run, keeping all that its standings need: some 30 bytes a duplicate.

Only complete duplicates count: a board with both of its tables, a game that has ended in both orientations. A duplicate
has a value for each of the QUANTITIES, whose means and intervals are statistics of the standings
(`bidwhist.results.statistics`). Faults are counted wherever they are.
"""

from collections.abc import Iterable
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from bidwhist._jit import int64, jit, shared
from bidwhist.engine.moment import decision_name
from bidwhist.faults import Fault
from bidwhist.notation import SEAT_LETTERS
from bidwhist.results.derive import derive
from bidwhist.results.faults import FaultCount
from bidwhist.results.manifest import Manifest
from bidwhist.results.parts import read_parts
from bidwhist.results.schedule import by_stretch
from bidwhist.results.schema import STRAINS, Part
from bidwhist.score import DRAW, UNDECIDED, most_points
from bidwhist.stats.intervals import Estimate
from bidwhist.stats.ratings import ELO, share_ratings
from bidwhist.stats.sample import Estimates, Meeting, Sample

# By name, what the values of both bots of a duplicate add up to: 0 if one is the negative of the other, 1 for shares.
# points: mean of the tables (in `games` of the hands); won: share of the board (in `games` of the two games) won, a
# half for a tie.
QUANTITIES: Final = {"points": 0.0, "won": 1.0}

# What both bots have alike. squares: mean of the squares of the points of the tables.
SHARED: Final = ("squares",)

# A duplicate, seen by the bot with the lower index; `boards`, `tables`: how many it has.
# `bids`: of both bots the contracts declared and made.
_DUPLICATE: Final = np.dtype(
    [
        ("unit", "i8"),
        *((name, "f8") for name in (*QUANTITIES, *SHARED)),
        ("boards", "i2"),
        ("tables", "i2"),
        ("bids", "i2", (2, 2)),
    ],
    align=True,
)
_LEVELS: Final = 8  # level 0 stays empty


class Tally:
    """What has been counted. Arrays are indexed by bots as in the manifest."""

    def __init__(self, manifest: Manifest) -> None:
        bots = len(manifest.bots)
        aside = [place for place, bot in enumerate(manifest.bots) if bot.cheats]
        most = {"points": float(most_points(manifest.rule_set().record())), "won": 1.0}
        self.sample: Sample = Sample(bots, QUANTITIES, aside, most, by_table=("points",))
        # bot, opponent, level, strain: declared, made
        self.contracts = np.zeros((bots, bots, _LEVELS, len(STRAINS), 2), np.int64)
        self.tables = np.zeros((bots, bots), np.int64)  # rows counted of bot against opponent
        self.rows = 0  # read, whether they count or not
        self.played = np.zeros(bots, np.int64)  # rows of each bot, whether they count or not
        self.faulty = np.zeros(bots, np.int64)  # of them those at which it has failed
        self.faults: dict[tuple[int, Fault], FaultCount] = {}
        self._of_bots: dict[str, Estimates] = {}

    def estimate(self, quantity: str, bot: int, opponent: int | None) -> Estimate | None:
        """Mean of a quantity of a bot against one opponent, or over those that count; None without any."""
        if opponent is not None:
            return self.sample.estimate(quantity, bot, opponent)
        if quantity not in self._of_bots:
            self._of_bots[quantity] = self.sample.of_bots(quantity)
        return self._of_bots[quantity].estimate(bot)

    @cached_property
    def ranked(self) -> list[int]:
        """The bots that have a rank: all that do not see all hands."""
        return [bot for bot in range(self.sample.bots) if bot not in self.sample.aside]

    @cached_property
    def elo(self) -> Estimates:
        """By bot its rating by shares won, on an Elo scale."""
        return share_ratings(self.sample, self.ranked).estimates * ELO

    def contracts_of(self, bot: int) -> NDArray[np.int64]:
        """Contracts of a bot against all opponents that count: (level, strain, declared and made)."""
        found: NDArray[np.int64] = self.contracts[bot, self.sample.counting(bot)].sum(axis=0)
        return found


def tally_run(run: Path, manifest: Manifest, parts: Iterable[Part]) -> Tally:
    """Count these parts of a run. Raises RunError."""
    tally = Tally(manifest)
    for part, rows, _ in read_parts(run, manifest, by_stretch(parts)):
        _count_part(tally, run, manifest, part, rows)
    return tally


def _count_part(tally: Tally, run: Path, manifest: Manifest, part: Part, rows: NDArray[np.void]) -> None:
    derived = derive(rows, manifest, run)
    counted = np.zeros(len(rows), np.bool_)
    duplicates = np.zeros(len(rows) // 2, _DUPLICATE)
    found = _pair_up(manifest.is_games, part.a, rows, derived, counted, duplicates)
    _count_contracts(rows, derived, counted, tally.contracts)
    _count_faults(tally, manifest, part, rows)
    tally.rows += len(rows)
    tables = int(counted.sum())
    tally.tables[part.a, part.b] += tables
    tally.tables[part.b, part.a] += tables
    tally.sample.add(_meeting(part, duplicates[:found]))


def _meeting(part: Part, duplicates: NDArray[np.void]) -> Meeting:
    # Copies: the records are not kept.
    values = {name: duplicates[name].copy() for name in (*QUANTITIES, *SHARED)}
    units, boards, tables, bids = (duplicates[name].copy() for name in ("unit", "boards", "tables", "bids"))
    return Meeting(part.a, part.b, units, values, boards, tables, bids)


def _count_faults(tally: Tally, manifest: Manifest, part: Part, rows: NDArray[np.void]) -> None:
    has_failed = rows["faults"] != 0
    for bot, other in ((part.a, part.b), (part.b, part.a)):
        own = has_failed & (rows["lineup"] == bot)
        tally.played[bot] += len(rows)
        tally.faulty[bot] += own.any(axis=1).sum()
        for fault, incidents in zip(*np.unique(rows["faults"][own], return_counts=True), strict=True):
            row, seat = np.argwhere(own & (rows["faults"] == fault))[0].tolist()
            first = FaultCount(
                bot=manifest.bots[bot].name,
                fault=Fault(fault).word,
                incidents=int(incidents),
                board=int(rows["board"][row]),
                opponent=manifest.bots[other].name,
                seat=SEAT_LETTERS[seat],
                decision=decision_name(int(rows["faults_at"][row, seat])),
            )
            before = tally.faults.get((bot, Fault(fault)), first)
            total = first.incidents + (0 if before is first else before.incidents)
            tally.faults[bot, Fault(fault)] = replace(min(before, first, key=lambda each: each.board), incidents=total)


@jit
def _pair_up(is_games: bool, a: int, rows: Any, derived: Any, counted: Any, duplicates: Any) -> int:
    """Find the complete duplicates, mark their rows in `counted`; returns how many there are."""
    found, begin = 0, 0
    while begin < len(rows):
        end = begin + 1
        while end < len(rows) and rows[end]["unit"] == rows[begin]["unit"]:
            end += 1
        if _is_complete(is_games, a, rows, derived, begin, end):
            _note_duplicate(is_games, a, rows, derived, begin, end, duplicates[found])
            for i in range(begin, end):
                counted[i] = True
            found += 1
        begin = end
    return found


@shared
def _is_complete(is_games: bool, a: int, rows: Any, derived: Any, begin: int, end: int) -> bool:
    straight, turned = 0, 0  # tables, in `games` ends of a game, in the two orientations
    for i in range(begin, end):
        if not is_games or derived[i]["winner"] != UNDECIDED:
            if rows[i]["lineup"][0] == a:
                straight += 1
            else:
                turned += 1
    return straight == 1 and turned == 1


@shared
def _note_duplicate(is_games: bool, a: int, rows: Any, derived: Any, begin: int, end: int, duplicate: Any) -> None:
    points, squares, halves, most = 0, 0, 0, 0  # halves: twice the games won
    for i in range(begin, end):
        own = 0 if rows[i]["lineup"][0] == a else 1
        made = int64(derived[i]["change"][own]) - derived[i]["change"][1 - own]
        points += made
        squares += made * made
        most = max(most, int64(rows[i]["hand"]) + 1)
        declarer = derived[i]["declarer"]
        bids = duplicate["bids"][0 if rows[i]["lineup"][declarer] == a else 1]
        bids[0] += 1
        bids[1] += derived[i]["made"]
        winner = int64(derived[i]["winner"])
        if winner == DRAW:
            halves += 1
        elif winner == own:
            halves += 2
    duplicate["unit"] = rows[begin]["unit"]
    duplicate["boards"] = most
    duplicate["tables"] = end - begin
    duplicate["points"] = points / (end - begin)
    duplicate["squares"] = squares / (end - begin)
    duplicate["won"] = halves / 4 if is_games else (1.0 if points > 0 else (0.5 if points == 0 else 0.0))


@jit
def _count_contracts(rows: Any, derived: Any, counted: Any, contracts: Any) -> None:
    for i in range(len(rows)):
        if counted[i]:
            declarer = derived[i]["declarer"]
            bot, opponent = rows[i]["lineup"][declarer], rows[i]["lineup"][declarer ^ 1]
            cell = contracts[bot, opponent, derived[i]["level"], derived[i]["strain"]]
            cell[0] += 1
            if derived[i]["made"]:
                cell[1] += 1
