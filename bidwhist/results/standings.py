"""The standings of a run: how many points each bot makes, how surely, and what becomes of its bids.

Standings that a run has written are read without any compiled code, so that they are on the screen at once.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import pyarrow as pa

from bidwhist.activity import busy
from bidwhist.faults import Fault
from bidwhist.files import write_atomically
from bidwhist.results.faults import FAULTS_COLUMNS, FaultCount, is_disqualified
from bidwhist.results.identity import identity_of_files
from bidwhist.results.manifest import Manifest, Outcome, read_manifest, write_manifest
from bidwhist.results.parts import present_parts, read_seals
from bidwhist.results.schema import SCHEMA_VERSION, STRAINS, Part
from bidwhist.results.sealed import BrokenSeal, SealedFile, encode_sealed, seal_of
from bidwhist.results.statistics import (
    DIFFERENCES_COLUMNS,
    LEVELS,
    OF_PAIRINGS,
    OF_PARTNERS,
    OF_STANDINGS,
    PAIRINGS_COLUMNS,
    PARTNERS_COLUMNS,
    RANKS_COLUMNS,
    STANDINGS_COLUMNS,
    Bids,
    Statistic,
    TableColumn,
    group_columns,
)

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from bidwhist.results.tally import Tally
    from bidwhist.stats.ranks import Difference, Place

STANDINGS: Final = "standings.parquet"
PAIRINGS: Final = "pairings.parquet"
FAULTS: Final = "faults.parquet"
RANKS: Final = "ranks.parquet"
DIFFERENCES: Final = "differences.parquet"

_DERIVED: Final = {
    STANDINGS: STANDINGS_COLUMNS,
    PAIRINGS: PAIRINGS_COLUMNS,
    FAULTS: FAULTS_COLUMNS,
    RANKS: RANKS_COLUMNS,
    DIFFERENCES: DIFFERENCES_COLUMNS,
}
DERIVED: Final = tuple(_DERIVED)
"""Names of the derived tables' files."""
_DIGITS: Final = 9  # mathematical libraries differ in the last bits; what is written must not
_MOST_MORE: Final = 10**12  # boards; what needs more is as good as equal
_DIGITS_DRAWN: Final = 3  # of probabilities that are drawn

# Metadata of a derived table: how many rows of parts it was made from, and the version of its columns.
_ROWS: Final = b"bidwhist.rows"
_VERSION: Final = b"bidwhist.schema_version"


@dataclass(frozen=True)
class Score:
    """The statistics of a bot, over complete duplicates only: against one opponent, or against all, each weighing the
    same. Opponents that see all hands do not count among all, unless the bot met no others.

    `values`: by the names of `bidwhist.results.statistics`; each is an attribute, too, as in `score.points_per_board`.
    An interval is (low, high). What there is not, is None.
    """

    values: Mapping[str, Any]

    def __getattr__(self, name: str) -> Any:
        try:
            return self.__dict__["values"][name]
        except KeyError:
            raise AttributeError(f"there is no statistic {name!r}") from None


@dataclass(frozen=True)
class Standing:
    """A bot in the standings, and its bids over the tables that count by level ('1' .. '7') and by strain.

    `rank`: from 1, equal for bots that are not told apart; None for a bot that sees all hands, which has no place.
    `rank_range`: the best and the worst rank that the results leave possible. `probabilities`: how likely each rank is,
    from 1 on. `runoff`: the place by instant runoff, None in "mixed", and in "swiss", where those who are left need not
    have met. `disqualified`: it has failed at too many tables.
    """

    rank: int | None
    rank_range: tuple[int, int] | None
    probabilities: tuple[float, ...]
    runoff: int | None
    bot: str
    disqualified: bool
    score: Score
    by_level: dict[str, Bids]
    by_strain: dict[str, Bids]

    @property
    def cheats(self) -> bool:
        """True for a bot that sees all hands."""
        return self.rank is None

    @property
    def bids(self) -> Bids:
        """All its bids."""
        return Bids(self.score.contracts, self.score.contracts - self.score.sets)


@dataclass(frozen=True)
class Pairing:
    """A bot against one opponent, or in "mixed" with one partner against all others; each stands there twice, seen by
    either bot."""

    bot: str
    opponent: str | None
    score: Score
    partner: str | None = None

    @property
    def other(self) -> dict[str, str]:
        """The opponent or the partner, by what it is."""
        return {"opponent": self.opponent} if self.opponent is not None else {"partner": str(self.partner)}


@dataclass(frozen=True)
class BotDifference:
    """Points a board that a bot makes against another one behind it, judged by all results of the run.

    `ci95`: the 95% interval of this difference alone; `joint_ci95`: one that holds together with those of all others:
    the bots are told apart if it leaves out 0. `superiority`: how likely it is that the first is truly better.
    `boards_to_settle`: about how many more boards (in `games` games) would tell them apart, if they differ as it seems;
    None if they are told apart, if the difference is 0, and in "swiss".
    """

    bot: str
    other: str
    points_per_board: float
    ci95: tuple[float, float] | None
    joint_ci95: tuple[float, float] | None
    superiority: float
    boards_to_settle: int | None

    @property
    def is_sure(self) -> bool:
        """Whether the two are told apart."""
        return self.joint_ci95 is not None and not self.joint_ci95[0] <= 0 <= self.joint_ci95[1]


@dataclass(frozen=True)
class Standings:
    """Standings and pairings in the order of points, bots without a rank at the end; the faults of the bots in that
    order, too; the differences between bots with a rank; `rows`: tables that were read, whether they count or not;
    `outcome`: of a run that may stop early."""

    standings: list[Standing]
    pairings: list[Pairing]
    faults: list[FaultCount]
    differences: list[BotDifference]
    rows: int
    outcome: Outcome | None = None

    @property
    def counted(self) -> int:
        """Tables that count: those of complete duplicates."""
        # A table of two bots stands there twice; at one of four each bot has a partner.
        often = 4 if any(pairing.partner is not None for pairing in self.pairings) else 2
        return sum(int(pairing.score.tables) for pairing in self.pairings) // often


def standings_of(run: Path) -> Standings:
    """The standings of a run as far as it has come: those written if they are up to date, else counted now.

    Writes nothing. Raises RunError.
    """
    manifest = read_manifest(run)
    parts = present_parts(run, manifest)
    written = _read_derived(run, manifest, read_seals(run, manifest, parts))
    return _count(run, manifest, parts) if written is None else written


def derived_columns(manifest: Manifest) -> dict[str, tuple[TableColumn, ...]]:
    """The columns of the derived tables of a run, by the names of their files."""
    return {**_DERIVED, PAIRINGS: PARTNERS_COLUMNS} if manifest.is_mixed else _DERIVED


def write_derived(run: Path) -> Standings:
    """Count the standings of a run, write the derived tables, and note in the manifest what they were made from.

    Raises RunError, Stopped.
    """
    manifest = read_manifest(run)
    parts = present_parts(run, manifest)
    seals = read_seals(run, manifest, parts)
    result = _count(run, manifest, parts)
    metadata = {_VERSION: str(SCHEMA_VERSION).encode(), _ROWS: str(result.rows).encode()}
    for name, rows in derived_rows(result).items():
        columns = derived_columns(manifest)[name]
        schema = pa.schema([(column.name, getattr(pa, column.type)()) for column in columns], metadata)
        data = encode_sealed(pa.Table.from_pylist(rows, schema), compression="zstd", compression_level=1)
        write_atomically(run / name, data)
        seals.append(seal_of(data))
    manifest.derived = identity_of_files(manifest, seals)
    write_manifest(run, manifest)
    return result


def _read_derived(run: Path, manifest: Manifest, seals: list[bytes]) -> Standings | None:
    """The standings that a run has written; None if they are not there, damaged, or made from other parts than those
    with these seals."""
    try:
        files = [SealedFile(run / name) for name in _DERIVED]
        if manifest.derived != identity_of_files(manifest, [*seals, *(file.seal for file in files)]):
            return None
        tables = [file.read() for file in files]
    except (OSError, BrokenSeal):
        return None
    for table, columns in zip(tables, derived_columns(manifest).values(), strict=True):
        if table.column_names != [column.name for column in columns]:
            return None
    standings, pairings, faults, ranks, differences = (table.to_pylist() for table in tables)
    probabilities: dict[str, list[float]] = {}
    for row in ranks:
        probabilities.setdefault(row["bot"], []).append(row["probability"])
    return Standings(
        [_as_standing(row, probabilities.get(row["bot"], [])) for row in standings],
        [_as_pairing(row) for row in pairings],
        [FaultCount(**row) for row in faults],
        [_as_difference(row) for row in differences],
        int(files[0].metadata[_ROWS]),
        manifest.outcome,
    )


# --- counting ---


def _count(run: Path, manifest: Manifest, parts: Sequence[Part]) -> Standings:
    from bidwhist.results.stopping import outcome_of
    from bidwhist.results.tally import tally_run

    with busy("counting the tables"):
        tally = tally_run(run, manifest, parts)
    names = [bot.name for bot in manifest.bots]
    scores = [_score(OF_STANDINGS, tally, bot, None, manifest.is_games) for bot in range(len(names))]
    has_runoff = manifest.rounds is None and not manifest.is_mixed
    ranking = _ranking(tally, names, has_runoff=has_runoff)
    aside = [bot for bot in range(len(names)) if bot not in ranking.places]
    order = [*ranking.places, *sorted(aside, key=lambda bot: (-_or_last(scores[bot].points_per_board), names[bot]))]
    pairings = []
    for bot in order:
        others = {*tally.sample.others(bot)}
        for other in (each for each in order if each in others):
            if manifest.is_mixed:
                score = _score(OF_PARTNERS, tally, bot, other, manifest.is_games)
                pairings.append(Pairing(names[bot], None, score, names[other]))
            else:
                score = _score(OF_PAIRINGS, tally, bot, other, manifest.is_games)
                pairings.append(Pairing(names[bot], names[other], score))
    standings = [
        Standing(
            *_place(ranking, bot),
            names[bot],
            is_disqualified(int(tally.faulty[bot]), int(tally.played[bot]), manifest.most_faults),
            scores[bot],
            *_by_group(tally.contracts_of(bot)),
        )
        for bot in order
    ]
    faults = [tally.faults[bot, fault] for bot in order for fault in Fault if (bot, fault) in tally.faults]
    differences = [
        _difference(each, names, tally, everyone_met=manifest.rounds is None) for each in ranking.differences
    ]
    return Standings(standings, pairings, faults, differences, tally.rows, outcome_of(run, manifest, parts))


@dataclass(frozen=True)
class _Ranking:
    """The places of bots by index, the best first; their probabilities of each rank, and places by runoff."""

    places: "dict[int, Place]"
    probabilities: dict[int, tuple[float, ...]]
    runoff: dict[int, int]
    differences: "list[Difference]"


def _ranking(tally: "Tally", names: Sequence[str], *, has_runoff: bool) -> _Ranking:
    from bidwhist.stats.ranks import differences, places, rank_probabilities, runoff

    by_name = sorted(tally.ranked, key=lambda bot: names[bot])
    estimates = tally.by_points
    order = sorted(by_name, key=lambda bot: (estimates.df[bot] < 0, -round(float(estimates.values[bot]), _DIGITS)))
    found = differences(estimates, order)
    probable = rank_probabilities(estimates, order).round(_DIGITS_DRAWN).tolist() if found else [[] for _ in order]
    return _Ranking(
        {place.bot: place for place in places(order, found)},
        {bot: tuple(row) for bot, row in zip(order, probable, strict=True)},
        {bot: place for place, bot in enumerate(runoff(tally.sample, order) if has_runoff else (), 1)},
        found,
    )


def _place(ranking: _Ranking, bot: int) -> tuple[int | None, tuple[int, int] | None, tuple[float, ...], int | None]:
    place = ranking.places.get(bot)
    if place is None:
        return None, None, (), None
    return place.rank, (place.low, place.high), ranking.probabilities[bot], ranking.runoff.get(bot)


def _difference(found: "Difference", names: Sequence[str], tally: "Tally", *, everyone_met: bool) -> BotDifference:
    units = min(tally.sample.units(found.one), tally.sample.units(found.other))
    # Of bots that have not met, more boards are not what is wanted most.
    more = (
        None
        if found.is_sure or found.times is None or not everyone_met
        else max(1, math.ceil(units * (found.times - 1)))
    )
    return BotDifference(
        names[found.one],
        names[found.other],
        round(found.value, _DIGITS),
        _rounded(found.interval),
        _rounded(found.joint),
        round(found.superiority, _DIGITS),
        more if more is None or more <= _MOST_MORE else None,
    )


def _rounded(interval: tuple[float, float] | None) -> tuple[float, float] | None:
    return None if interval is None else (round(interval[0], _DIGITS), round(interval[1], _DIGITS))


def _or_last(points: float | None) -> float:
    return float("-inf") if points is None else points


def _score(statistics: Sequence[Statistic], tally: "Tally", bot: int, other: int | None, is_games: bool) -> Score:
    values: dict[str, Any] = {}
    for statistic in statistics:
        values |= statistic.of(tally, bot, other, games=is_games)
    return Score(values)


def _by_group(contracts: "NDArray[np.int64]") -> tuple[dict[str, Bids], dict[str, Bids]]:
    """Contracts by level and by strain."""
    by_level = {level: _bids(contracts[place]) for place, level in enumerate(LEVELS, 1)}
    return by_level, {strain: _bids(contracts[:, place]) for place, strain in enumerate(STRAINS)}


def _bids(contracts: "NDArray[np.int64]") -> Bids:
    declared, made = contracts.reshape(-1, 2).sum(axis=0).tolist()
    return Bids(declared, made)


# --- derived tables ---


def derived_rows(result: Standings) -> dict[str, list[dict[str, Any]]]:
    """The rows of the derived tables, by the names of their files."""
    return {
        STANDINGS: [_standing_row(each) for each in result.standings],
        PAIRINGS: [_pairing_row(each) for each in result.pairings],
        FAULTS: [asdict(each) for each in result.faults],
        RANKS: [row for each in result.standings for row in _rank_rows(each)],
        DIFFERENCES: [_difference_row(each) for each in result.differences],
    }


def _standing_row(standing: Standing) -> dict[str, Any]:
    row = {name: getattr(standing, name) for name in ("rank", "runoff", "bot", "disqualified")}
    row |= zip(("rank_low", "rank_high"), standing.rank_range or (None, None), strict=True)
    row |= _score_row(OF_STANDINGS, standing.score)
    for group, part in {**standing.by_level, **standing.by_strain}.items():
        row |= zip(group_columns(group), (part.declared, part.made), strict=True)
    return row


def _as_standing(row: dict[str, Any], probabilities: Sequence[float]) -> Standing:
    def bids(group: str) -> Bids:
        return Bids(*(row[name] for name in group_columns(group)))

    by_level, by_strain = ({group: bids(group) for group in groups} for groups in (LEVELS, STRAINS))
    return Standing(
        row["rank"],
        _as_interval(row, "rank"),
        tuple(probabilities),
        row["runoff"],
        row["bot"],
        row["disqualified"],
        _as_score(OF_STANDINGS, row),
        by_level,
        by_strain,
    )


def _rank_rows(standing: Standing) -> list[dict[str, Any]]:
    return [
        {"bot": standing.bot, "rank": rank, "probability": each} for rank, each in enumerate(standing.probabilities, 1)
    ]


def _difference_row(each: BotDifference) -> dict[str, Any]:
    row = asdict(each)
    for name in ("ci95", "joint_ci95"):
        row |= zip((f"{name}_low", f"{name}_high"), row.pop(name) or (None, None), strict=True)
    return row


def _as_difference(row: dict[str, Any]) -> BotDifference:
    return BotDifference(
        row["bot"],
        row["other"],
        row["points_per_board"],
        _as_interval(row, "ci95"),
        _as_interval(row, "joint_ci95"),
        row["superiority"],
        row["boards_to_settle"],
    )


def _as_interval(row: Mapping[str, Any], name: str) -> tuple[Any, Any] | None:
    low, high = row[f"{name}_low"], row[f"{name}_high"]
    return None if low is None else (low, high)


def _pairing_row(pairing: Pairing) -> dict[str, Any]:
    statistics = OF_PAIRINGS if pairing.partner is None else OF_PARTNERS
    return {"bot": pairing.bot, **pairing.other, **_score_row(statistics, pairing.score)}


def _as_pairing(row: dict[str, Any]) -> Pairing:
    if "partner" in row:
        return Pairing(row["bot"], None, _as_score(OF_PARTNERS, row), row["partner"])
    return Pairing(row["bot"], row["opponent"], _as_score(OF_PAIRINGS, row))


def _score_row(statistics: Sequence[Statistic], score: Score) -> dict[str, Any]:
    row = {}
    for statistic in statistics:
        row[statistic.name] = score.values[statistic.name]
        if statistic.ci95:
            row |= zip(statistic.ends, score.values[statistic.ci95] or (None, None), strict=True)
    return row


def _as_score(statistics: Sequence[Statistic], row: dict[str, Any]) -> Score:
    values = {}
    for statistic in statistics:
        values[statistic.name] = row[statistic.name]
        if statistic.ci95:
            values[statistic.ci95] = _as_interval(row, statistic.ci95)
    return Score(values)
