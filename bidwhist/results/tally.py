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
from bidwhist.stats.partnerships import partnership_effects
from bidwhist.stats.ratings import ELO, point_ratings, share_ratings
from bidwhist.stats.sample import Estimates, Meeting, Sample

# By name, what the values of both bots of a duplicate add up to: 0 if one is the negative of the other, 1 for shares.
# points: mean of the tables (in `games` of the hands); won: share of the board (in `games` of the two games) won, a
# half for a tie.
QUANTITIES: Final = {"points": 0.0, "won": 1.0}

# What both bots have alike. squares: mean of the squares of the points of the tables.
SHARED: Final = ("squares",)

# A duplicate, seen by the side with the lower number; `boards`, `tables`: how many it has.
# `bids`: of the two bots of that side, and those of the other one, the contracts declared and made; of one bot twice
# all are the first's.
_DUPLICATE: Final = np.dtype(
    [
        ("unit", "i8"),
        *((name, "f8") for name in (*QUANTITIES, *SHARED)),
        ("boards", "i2"),
        ("tables", "i2"),
        ("bids", "i2", (4, 2)),
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
        sides = manifest.sides if manifest.is_mixed else None
        self.sample: Sample = Sample(bots, QUANTITIES, aside, most, by_table=("points",), sides=sides)
        # bot, whether another bot at the table is aside, level, strain: declared, made
        self.contracts = np.zeros((bots, 2, _LEVELS, len(STRAINS), 2), np.int64)
        self.rows = 0  # read, whether they count or not
        self.played = np.zeros(bots, np.int64)  # rows of each bot, whether they count or not
        self.faulty = np.zeros(bots, np.int64)  # of them those at which it has failed
        self.faults: dict[tuple[int, Fault], FaultCount] = {}
        self._of_bots: dict[str, Estimates] = {}

    def estimate(self, quantity: str, bot: int, other: int | None) -> Estimate | None:
        """Mean of a quantity of a bot against one opponent, or with one partner (see `Sample.others`), or over all that
        counts; None without any."""
        if other is not None:
            return self.sample.estimate(quantity, bot, other)
        if quantity not in self._of_bots:
            self._of_bots[quantity] = self.sample.of_bots(quantity)
        return self._of_bots[quantity].estimate(bot)

    @cached_property
    def ranked(self) -> list[int]:
        """The bots that have a rank: all that do not see all hands."""
        return [bot for bot in range(self.sample.bots) if bot not in self.sample.aside]

    @cached_property
    def by_points(self) -> Estimates:
        """By bot its rating by points."""
        return point_ratings(self.sample, self.ranked).estimates

    @cached_property
    def elo(self) -> Estimates:
        """By bot its rating by shares won, on an Elo scale."""
        return share_ratings(self.sample, self.ranked).estimates * ELO

    @cached_property
    def effects(self) -> dict[tuple[int, int], Estimates]:
        """By two partners, the lower bot first, the effect of their partnership."""
        return partnership_effects(self.sample, self.ranked)

    def contracts_of(self, bot: int) -> NDArray[np.int64]:
        """Contracts of a bot in all that counts: (level, strain, declared and made)."""
        played = self.sample.counting(bot)
        found: NDArray[np.int64] = self.contracts[bot, int(bool(played) and self.sample.is_apart(bot, played[0].pair))]
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
    seated = np.array([*manifest.side(part.a), *manifest.side(part.b)])
    found = _pair_up(manifest.is_games, seated, rows, derived, counted, duplicates)
    bots = manifest.bots_of(part)
    is_apart = np.zeros(len(manifest.bots), np.int64)
    is_apart[bots] = [tally.sample.is_apart(bot, (part.a, part.b)) for bot in bots]
    _count_contracts(rows, derived, counted, is_apart, tally.contracts)
    _count_faults(tally, manifest, part, rows)
    tally.rows += len(rows)
    tally.sample.add(_meeting(part, duplicates[:found], len(bots)))


def _meeting(part: Part, duplicates: NDArray[np.void], bots: int) -> Meeting:
    # Copies: the records are not kept.
    values = {name: duplicates[name].copy() for name in (*QUANTITIES, *SHARED)}
    units, boards, tables = (duplicates[name].copy() for name in ("unit", "boards", "tables"))
    bids = duplicates["bids"][:, :: 4 // bots].copy()
    return Meeting(part.a, part.b, units, values, boards, tables, bids)


def _count_faults(tally: Tally, manifest: Manifest, part: Part, rows: NDArray[np.void]) -> None:
    has_failed = rows["faults"] != 0
    for bot in manifest.bots_of(part):
        other = part.a if bot in manifest.side(part.b) else part.b
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
                opponent=manifest.side_name(other),
                seat=SEAT_LETTERS[seat],
                decision=decision_name(int(rows["faults_at"][row, seat])),
            )
            before = tally.faults.get((bot, Fault(fault)), first)
            total = first.incidents + (0 if before is first else before.incidents)
            tally.faults[bot, Fault(fault)] = replace(min(before, first, key=lambda each: each.board), incidents=total)


@jit
def _pair_up(is_games: bool, seated: Any, rows: Any, derived: Any, counted: Any, duplicates: Any) -> int:
    """Find the complete duplicates, mark their rows in `counted`; returns how many there are.

    `seated`: the two bots of the first side, and those of the second.
    """
    found, begin = 0, 0
    while begin < len(rows):
        end = begin + 1
        while end < len(rows) and rows[end]["unit"] == rows[begin]["unit"]:
            end += 1
        if _is_complete(is_games, rows, derived, begin, end):
            _note_duplicate(is_games, seated, rows, derived, begin, end, duplicates[found])
            for i in range(begin, end):
                counted[i] = True
            found += 1
        begin = end
    return found


@shared
def _is_complete(is_games: bool, rows: Any, derived: Any, begin: int, end: int) -> bool:
    straight, turned = 0, 0  # tables, in `games` ends of a game, in the two orientations
    for i in range(begin, end):
        if not is_games or derived[i]["winner"] != UNDECIDED:
            if rows[i]["orientation"] == 0:
                straight += 1
            else:
                turned += 1
    return straight == 1 and turned == 1


@shared
def _note_duplicate(is_games: bool, seated: Any, rows: Any, derived: Any, begin: int, end: int, duplicate: Any) -> None:
    points, squares, halves, most = 0, 0, 0, 0  # halves: twice the games won
    for i in range(begin, end):
        own = int64(rows[i]["orientation"])  # NS or EW: where the first side sits
        made = int64(derived[i]["change"][own]) - derived[i]["change"][1 - own]
        points += made
        squares += made * made
        most = max(most, int64(rows[i]["hand"]) + 1)
        declarer = int64(derived[i]["declarer"])
        first = 2 * ((declarer & 1) ^ own)  # of its side
        bids = duplicate["bids"][first if rows[i]["lineup"][declarer] == seated[first] else first + 1]
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
def _count_contracts(rows: Any, derived: Any, counted: Any, is_apart: Any, contracts: Any) -> None:
    for i in range(len(rows)):
        if counted[i]:
            declarer = derived[i]["declarer"]
            bot = rows[i]["lineup"][declarer]
            cell = contracts[bot, is_apart[bot], derived[i]["level"], derived[i]["strain"]]
            cell[0] += 1
            if derived[i]["made"]:
                cell[1] += 1
