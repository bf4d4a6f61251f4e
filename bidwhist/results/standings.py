"""The standings of a run: how many points each bot makes, how surely, and what becomes of its bids.

Standings that a run has written are read without any compiled code, so that they are on the screen at once.
"""

from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import pyarrow as pa

from bidwhist.results.manifest import Manifest, read_manifest
from bidwhist.results.schema import SCHEMA_VERSION, STRAINS, part_files, read_table, row_count, write_table

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from bidwhist.results.tally import Tally

STANDINGS: Final = "standings.parquet"
PAIRINGS: Final = "pairings.parquet"
LEVELS: Final = ("1", "2", "3", "4", "5", "6", "7")

_DIGITS: Final = 9  # mathematical libraries differ in the last bits; what is written must not

# Metadata of a derived table: how many rows of parts it was made from, so that one can tell whether it is up to date.
_ROWS: Final = b"bidwhist.rows"
_VERSION: Final = b"bidwhist.schema_version"


@dataclass(frozen=True)
class Bids:
    """Contracts declared and made."""

    declared: int
    made: int

    @property
    def rate(self) -> float | None:
        """Share of the contracts that were made; None without contracts."""
        return self.made / self.declared if self.declared else None


@dataclass(frozen=True)
class Score:
    """What one bot made, over complete duplicates only: against one opponent, or against all, each weighing the same.

    Opponents that see all hands do not count among all, unless the bot met no others.

    `points_per_board`: mean over boards of the mean of a board's two tables; in the format `games` mean over games of
    the points a hand; None before the first duplicate. `ci95`: its 95% interval (see bidwhist.stats.intervals); None
    with fewer than two boards against some opponent. `boards`: different boards; `games`: different games of the
    schedule, each of them played in both orientations, None for `boards`. `tables`: tables, in `games` hands.
    `boards_won`: share of boards with a positive net over both tables, None for `games`; `games_won`: share of games
    won, None for `boards`; a tie is half a win.
    """

    points_per_board: float | None
    ci95: tuple[float, float] | None
    boards: int
    games: int | None
    tables: int
    boards_won: float | None
    games_won: float | None


@dataclass(frozen=True)
class Standing:
    """A bot in the standings; `bids` by itself, over the tables that count, and the same by level ('1' .. '7') and
    strain. `rank`: from 1; None for a bot that sees all hands, which has no place."""

    rank: int | None
    bot: str
    score: Score
    bids: Bids
    by_level: dict[str, Bids]
    by_strain: dict[str, Bids]

    @property
    def cheats(self) -> bool:
        """True for a bot that sees all hands."""
        return self.rank is None


@dataclass(frozen=True)
class Pairing:
    """A bot against one opponent; each pairing stands there twice, seen by either bot."""

    bot: str
    opponent: str
    score: Score


@dataclass(frozen=True)
class Standings:
    """Standings and pairings in the order of rank, bots without one at the end; `rows`: tables that were read, whether
    they count or not."""

    standings: list[Standing]
    pairings: list[Pairing]
    rows: int

    @property
    def counted(self) -> int:
        """Tables that count: those of complete duplicates."""
        return sum(pairing.score.tables for pairing in self.pairings) // 2


def standings_of(run: Path) -> Standings:
    """The standings of a run as far as it has come: those written if they are up to date, else counted now.

    Writes nothing. Raises RunError.
    """
    manifest = read_manifest(run)
    rows = sum(map(row_count, part_files(run)))
    standings, pairings = (_read_derived(run / name, rows) for name in (STANDINGS, PAIRINGS))
    if standings is None or pairings is None:
        return _count(run, manifest)
    return Standings([_as_standing(row) for row in standings], [_as_pairing(row) for row in pairings], rows)


def write_derived(run: Path) -> Standings:
    """Count the standings of a run and write `standings.parquet` and `pairings.parquet`. Raises RunError, Stopped."""
    result = _count(run, read_manifest(run))
    metadata = {_VERSION: str(SCHEMA_VERSION).encode(), _ROWS: str(result.rows).encode()}
    for name, rows, columns in (
        (STANDINGS, [_standing_row(each) for each in result.standings], _STANDING_COLUMNS),
        (PAIRINGS, [_pairing_row(each) for each in result.pairings], _PAIRING_COLUMNS),
    ):
        write_table(pa.Table.from_pylist(rows, pa.schema(columns, metadata)), run / name)
    return result


def _read_derived(path: Path, rows: int) -> list[dict[str, Any]] | None:
    """The rows of a derived table; None if it is not there, damaged, or made from other than `rows` rows."""
    try:
        table = read_table(path)
    except (OSError, pa.ArrowException):
        return None
    columns = _STANDING_COLUMNS if path.name == STANDINGS else _PAIRING_COLUMNS
    if table.column_names != [name for name, _ in columns]:
        return None
    metadata = table.schema.metadata or {}
    current = metadata.get(_ROWS) == str(rows).encode() and metadata.get(_VERSION) == str(SCHEMA_VERSION).encode()
    return table.to_pylist() if current else None


# --- counting ---


def _count(run: Path, manifest: Manifest) -> Standings:
    from bidwhist.results.tally import tally_run

    tally = tally_run(run, manifest)
    names = [bot.name for bot in manifest.bots]
    scores = [_score(tally, bot, None, manifest.is_games) for bot in range(len(names))]
    order = sorted(
        range(len(names)),
        key=lambda bot: (manifest.bots[bot].cheats, -_or_last(scores[bot].points_per_board), names[bot]),
    )
    pairings = [
        Pairing(names[bot], names[other], _score(tally, bot, other, manifest.is_games))
        for bot in order
        for other in order
        if other in tally.sums.met(bot)
    ]
    standings = [
        _standing(
            None if manifest.bots[bot].cheats else rank,
            names[bot],
            scores[bot],
            tally.contracts[bot, tally.sums.counting(bot)].sum(axis=0),
        )
        for rank, bot in enumerate(order, 1)
    ]
    return Standings(standings, pairings, tally.rows)


def _or_last(points: float | None) -> float:
    return float("-inf") if points is None else points


def _score(tally: "Tally", bot: int, opponent: int | None, is_games: bool) -> Score:
    estimate = tally.sums.estimate(bot, opponent)
    won = tally.share_won(bot, opponent)
    return Score(
        points_per_board=round(estimate.mean, _DIGITS) if estimate else None,
        ci95=_rounded(estimate.interval) if estimate and estimate.interval else None,
        boards=tally.sums.boards(bot, opponent),
        games=tally.sums.units(bot, opponent) if is_games else None,
        tables=int(tally.tables[bot, tally.sums.counting(bot) if opponent is None else opponent].sum()),
        boards_won=None if is_games else won,
        games_won=won if is_games else None,
    )


def _rounded(interval: tuple[float, float]) -> tuple[float, float]:
    return round(interval[0], _DIGITS), round(interval[1], _DIGITS)


def _standing(rank: int | None, name: str, score: Score, contracts: "NDArray[np.int64]") -> Standing:
    by_level = {level: _bids(contracts[place]) for place, level in enumerate(LEVELS, 1)}
    by_strain = {strain: _bids(contracts[:, place]) for place, strain in enumerate(STRAINS)}
    return Standing(rank, name, score, _bids(contracts), by_level, by_strain)


def _bids(contracts: "NDArray[np.int64]") -> Bids:
    declared, made = contracts.reshape(-1, 2).sum(axis=0).tolist()
    return Bids(declared, made)


# --- derived tables ---

_SCORE_COLUMNS: Final = [
    ("points_per_board", pa.float64()),
    ("ci95_low", pa.float64()),
    ("ci95_high", pa.float64()),
    ("boards", pa.int64()),
    ("games", pa.int64()),
    ("tables", pa.int64()),
    ("boards_won", pa.float64()),
    ("games_won", pa.float64()),
]
_GROUPS: Final = (*LEVELS, *STRAINS)
_STANDING_COLUMNS: Final = [
    ("rank", pa.int32()),
    ("bot", pa.string()),
    *_SCORE_COLUMNS,
    ("contracts", pa.int64()),
    ("bids_made", pa.float64()),
    ("sets", pa.int64()),
    *((f"{what}_{group.replace(' ', '_')}", pa.int64()) for group in _GROUPS for what in ("declared", "made")),
]
_PAIRING_COLUMNS: Final = [("bot", pa.string()), ("opponent", pa.string()), *_SCORE_COLUMNS]


def _standing_row(standing: Standing) -> dict[str, Any]:
    bids = standing.bids
    row = {"rank": standing.rank, "bot": standing.bot, **_score_row(standing.score)}
    row |= {"contracts": bids.declared, "bids_made": bids.rate, "sets": bids.declared - bids.made}
    for group, part in {**standing.by_level, **standing.by_strain}.items():
        name = group.replace(" ", "_")
        row |= {f"declared_{name}": part.declared, f"made_{name}": part.made}
    return row


def _as_standing(row: dict[str, Any]) -> Standing:
    def bids(group: str) -> Bids:
        name = group.replace(" ", "_")
        return Bids(row[f"declared_{name}"], row[f"made_{name}"])

    total = Bids(row["contracts"], row["contracts"] - row["sets"])
    by_level, by_strain = ({group: bids(group) for group in groups} for groups in (LEVELS, STRAINS))
    return Standing(row["rank"], row["bot"], _as_score(row), total, by_level, by_strain)


def _pairing_row(pairing: Pairing) -> dict[str, Any]:
    return {"bot": pairing.bot, "opponent": pairing.opponent, **_score_row(pairing.score)}


def _as_pairing(row: dict[str, Any]) -> Pairing:
    return Pairing(row["bot"], row["opponent"], _as_score(row))


def _score_row(score: Score) -> dict[str, Any]:
    row = asdict(score)
    low, high = row.pop("ci95") or (None, None)
    return {**row, "ci95_low": low, "ci95_high": high}


def _as_score(row: dict[str, Any]) -> Score:
    plain = {field.name: row[field.name] for field in fields(Score) if field.name != "ci95"}
    interval = None if row["ci95_low"] is None else (row["ci95_low"], row["ci95_high"])
    return Score(ci95=interval, **plain)
