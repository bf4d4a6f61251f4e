"""The statistics of standings and pairings, each declared once.

The derived tables, `bw-arena table` and `bw-arena ladder` with their machine output, and the tables of the
documentation follow from STATISTICS, in its order. Nothing here loads compiled code: a tally is handed in.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, Literal, NamedTuple, TypeAlias

from bidwhist.results.schema import STRAINS

if TYPE_CHECKING:
    from bidwhist.results.tally import Tally

LEVELS: Final = ("1", "2", "3", "4", "5", "6", "7")
GROUPS: Final = {  # of contracts; each with what is told of its two columns
    **dict.fromkeys(LEVELS, "contracts declared and made at levels 1 to 7: `declared_1` … `made_7`"),
    **dict.fromkeys(STRAINS, "the same in `uptown`, `downtown` and `no_trump`"),
}
_DIGITS: Final = 9  # mathematical libraries differ in the last bits; what is written must not

Type: TypeAlias = Literal["int32", "int64", "float64", "string", "bool_"]
# A bot's value against one opponent, or with None over all opponents that count for it, each weighing the same.
Value: TypeAlias = Callable[["Tally", int, int | None], int | float | None]


@dataclass(frozen=True)
class Bids:
    """Contracts declared and made."""

    declared: int
    made: int

    @property
    def rate(self) -> float | None:
        """Share of the contracts that were made; None without contracts."""
        return self.made / self.declared if self.declared else None


def group_columns(group: str) -> tuple[str, str]:
    """Names of the columns of contracts declared and made in a level or strain."""
    name = group.replace(" ", "_")
    return f"declared_{name}", f"made_{name}"


@dataclass(frozen=True)
class Statistic:
    """A statistic of a bot.

    Either `value` computes it, or it is the mean of `quantity`, one of those that the tally sums, and has a 95%
    interval, named `ci95`. `type`: as Arrow names it. `meaning`: for the documentation.

    `in_boards`, `in_games`: the formats that have it; elsewhere it is None. `heads`: of its column on the screen, of
    up to two lines, by format (boards, games); None where it has no column. `show`: a value as text. `in_pairings`:
    whether a pairing has it, too; `on_ladder`: whether it is shown on a ladder.
    """

    name: str
    type: Type
    meaning: str
    value: Value | None = None
    quantity: str = ""
    in_boards: bool = True
    in_games: bool = True
    heads: tuple[str | None, str | None] = (None, None)
    show: Callable[[Any], str] = str
    in_pairings: bool = True
    on_ladder: bool = False

    @property
    def ci95(self) -> str | None:
        """Name of its interval, (low, high); None without one."""
        if not self.quantity:
            return None
        return "ci95" if self.name == "points_per_board" else f"{self.name}_ci95"

    @property
    def ends(self) -> tuple[str, ...]:
        """Names of the columns that its interval has in derived tables: low and high; none without one."""
        return (f"{self.ci95}_low", f"{self.ci95}_high") if self.ci95 else ()

    @property
    def names(self) -> tuple[str, ...]:
        """Its name and that of its interval, if it has one."""
        return (self.name, self.ci95) if self.ci95 else (self.name,)

    def of(self, tally: "Tally", bot: int, opponent: int | None, *, games: bool) -> dict[str, Any]:
        """Its values by `names`, None where there is none."""
        found: dict[str, Any] = dict.fromkeys(self.names)
        if not (self.in_games if games else self.in_boards):
            return found
        if self.value is not None:
            found[self.name] = self.value(tally, bot, opponent)
            return found
        estimate = tally.sums.estimate(self.quantity, bot, opponent)
        if estimate is not None:
            found[self.name] = round(estimate.mean, _DIGITS)
        if estimate is not None and estimate.interval is not None and self.ci95:
            found[self.ci95] = round(estimate.interval[0], _DIGITS), round(estimate.interval[1], _DIGITS)
        return found


def _signed(value: float) -> str:
    return f"{value:+.2f}"


def _count(value: int) -> str:
    return f"{value:,}"


def _percent(value: float) -> str:
    return f"{value:.1%}"


def _tables(tally: "Tally", bot: int, opponent: int | None) -> int:
    return int(tally.tables[bot, tally.sums.counting(bot) if opponent is None else opponent].sum())


def _share_won(tally: "Tally", bot: int, opponent: int | None) -> float | None:
    estimate = tally.sums.estimate("won", bot, opponent)
    return None if estimate is None else estimate.mean


def _bids(tally: "Tally", bot: int) -> Bids:
    """All bids of a bot against the opponents that count for it."""
    declared, made = tally.contracts_of(bot).sum(axis=(0, 1)).tolist()
    return Bids(declared, made)


POINTS: Final = Statistic(
    "points_per_board",
    "float64",
    "as above; null before the first duplicate",
    quantity="points",
    heads=("points\na board", "points\na hand"),
    show=_signed,
    on_ladder=True,
)
STATISTICS: Final = (
    POINTS,
    Statistic(
        "boards",
        "int64",
        "different boards that count; in `games` the deals of the games that count",
        lambda tally, bot, opponent: tally.sums.boards(bot, opponent),
        heads=("boards", None),
        show=_count,
        on_ladder=True,
    ),
    Statistic(
        "games",
        "int64",
        "different games that count; null for `boards`",
        lambda tally, bot, opponent: tally.sums.units(bot, opponent),
        in_boards=False,
        heads=(None, "games"),
        show=_count,
        on_ladder=True,
    ),
    Statistic("tables", "int64", "tables that count, in `games` hands", _tables),
    Statistic(
        "boards_won",
        "float64",
        "share of boards won; null for `games`",
        _share_won,
        in_games=False,
        heads=("boards\nwon", None),
        show=_percent,
    ),
    Statistic(
        "games_won",
        "float64",
        "share of games won; null for `boards`",
        _share_won,
        in_boards=False,
        heads=(None, "games\nwon"),
        show=_percent,
    ),
    Statistic(
        "contracts",
        "int64",
        "contracts declared",
        lambda tally, bot, opponent: _bids(tally, bot).declared,
        heads=("contracts", "contracts"),
        show=_count,
        in_pairings=False,
    ),
    Statistic(
        "bids_made",
        "float64",
        "share of them that was made; null without contracts",
        lambda tally, bot, opponent: _bids(tally, bot).rate,
        heads=("bids\nmade", "bids\nmade"),
        show=_percent,
        in_pairings=False,
    ),
    Statistic(
        "sets",
        "int64",
        "contracts that were set",
        lambda tally, bot, opponent: _bids(tally, bot).declared - _bids(tally, bot).made,
        in_pairings=False,
    ),
)
OF_PAIRINGS: Final = tuple(statistic for statistic in STATISTICS if statistic.in_pairings)


class TableColumn(NamedTuple):
    """A column of a derived table: its name, its type as Arrow names it, and its meaning, for the documentation."""

    name: str
    type: Type
    meaning: str


def _columns(statistics: tuple[Statistic, ...]) -> Iterator[TableColumn]:
    for statistic in statistics:
        yield TableColumn(statistic.name, statistic.type, statistic.meaning)
        meaning = f"the 95% interval of `{statistic.name}`; null where there is none"
        yield from (TableColumn(end, "float64", meaning) for end in statistic.ends)


_BOT: Final = TableColumn("bot", "string", "name of the bot")
STANDINGS_COLUMNS: Final = (
    TableColumn("rank", "int32", "from 1; null for a bot that sees all hands"),
    _BOT,
    TableColumn("disqualified", "bool_", "whether it has failed at too many of its tables"),
    *_columns(STATISTICS),
    *(TableColumn(name, "int64", meaning) for group, meaning in GROUPS.items() for name in group_columns(group)),
)
PAIRINGS_COLUMNS: Final = (_BOT, TableColumn("opponent", "string", "name of the other bot"), *_columns(OF_PAIRINGS))
