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
    from bidwhist.stats.intervals import Estimate

LEVELS: Final = ("1", "2", "3", "4", "5", "6", "7")
GROUPS: Final = {  # of contracts; each with what is told of its two columns
    **dict.fromkeys(LEVELS, "contracts declared and made at levels 1 to 7: `declared_1` … `made_7`"),
    **dict.fromkeys(STRAINS, "the same in `uptown`, `downtown` and `no_trump`"),
}
_DIGITS: Final = 9  # mathematical libraries differ in the last bits; what is written must not

Type: TypeAlias = Literal["int32", "int64", "float64", "string", "bool_"]
# A bot's value against one opponent, in "mixed" with one partner, or with None over all that counts for it.
Value: TypeAlias = Callable[["Tally", int, int | None], int | float | None]
Estimator: TypeAlias = Callable[["Tally", int, int | None], "Estimate | None"]


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

    Either `value` computes it, or `estimate`, with a 95% interval, named `ci95`. `type`: as Arrow names it. `meaning`:
    for the documentation.

    `in_boards`, `in_games`: the formats that have it; elsewhere it is None. `heads`: of its column on the screen, of
    up to two lines, by format (boards, games); None where it has no column. `show`: a value as text. `in_standings`,
    `in_pairings`: whether a bot has it over all opponents, and against each, or in "mixed" with each partner;
    `mixed_only`: whether only partners that are two bots have it; `on_ladder`: whether a ladder shows it.
    `shows_ci95`: whether its interval has a column, too.
    """

    name: str
    type: Type
    meaning: str
    value: Value | None = None
    estimate: Estimator | None = None
    in_boards: bool = True
    in_games: bool = True
    heads: tuple[str | None, str | None] = (None, None)
    show: Callable[[Any], str] = str
    in_standings: bool = True
    in_pairings: bool = True
    mixed_only: bool = False
    on_ladder: bool = False
    shows_ci95: bool = False

    @property
    def ci95(self) -> str | None:
        """Name of its interval, (low, high); None without one."""
        if self.estimate is None:
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

    def of(self, tally: "Tally", bot: int, other: int | None, *, games: bool) -> dict[str, Any]:
        """Its values by `names`, None where there is none."""
        found: dict[str, Any] = dict.fromkeys(self.names)
        if not (self.in_games if games else self.in_boards):
            return found
        if self.value is not None:
            found[self.name] = self.value(tally, bot, other)
            return found
        assert self.estimate is not None
        estimate = self.estimate(tally, bot, other)
        if estimate is not None:
            found[self.name] = round(estimate.value, _DIGITS)
        if estimate is not None and estimate.interval is not None and self.ci95:
            found[self.ci95] = round(estimate.interval[0], _DIGITS), round(estimate.interval[1], _DIGITS)
        return found


def _signed(value: float) -> str:
    return f"{value:+.2f}"


def _count(value: int) -> str:
    return f"{value:,}"


def _percent(value: float) -> str:
    return f"{value:.1%}"


def _tables(tally: "Tally", bot: int, other: int | None) -> int:
    return tally.sample.tables(bot, other)


def mean_of(quantity: str) -> Estimator:
    """The mean of a quantity that the tally has."""
    return lambda tally, bot, other: tally.estimate(quantity, bot, other)


def _duplicates(outcome: int) -> Value:
    """Number of duplicates that were won (1), tied (0) or lost (-1)."""

    def value(tally: "Tally", bot: int, other: int | None) -> int:
        found = 0
        for pair, side in tally.sample.counting(bot, other):
            lead = (2 * tally.sample.meetings[pair].values["won"] - 1) * (1 - 2 * side)
            found += int(((lead > 0) * 1 - (lead < 0) == outcome).sum())
        return found

    return value


def _superiority(tally: "Tally", bot: int, other: int | None) -> float | None:
    assert other is not None
    return round(tally.sample.against("points", bot, other).superiority(0), _DIGITS)


def _boards_worth(tally: "Tally", bot: int, other: int | None) -> float | None:
    assert other is not None
    worth = tally.sample.boards_worth(bot, other)
    return None if worth is None else round(worth, _DIGITS)


def _effect(tally: "Tally", bot: int, other: int | None) -> "Estimate | None":
    assert other is not None
    found = tally.effects.get((min(bot, other), max(bot, other)))
    return None if found is None else found.estimate(0)


def _bids(tally: "Tally", bot: int) -> Bids:
    """All bids of a bot against the opponents that count for it."""
    declared, made = tally.contracts_of(bot).sum(axis=(0, 1)).tolist()
    return Bids(declared, made)


POINTS: Final = Statistic(
    "points_per_board",
    "float64",
    "as above; null before the first duplicate",
    estimate=mean_of("points"),
    heads=("points\na board", "points\na hand"),
    show=_signed,
    on_ladder=True,
    shows_ci95=True,
)
RATING: Final = Statistic(
    "rating",
    "float64",
    "rating by the model of Bradley and Terry on an Elo scale; 0 would win half against all bots with a rank together",
    estimate=lambda tally, bot, other: tally.elo.estimate(bot),
    show=lambda value: f"{value:+.0f}",
    in_pairings=False,
    on_ladder=True,
)
POINTS_RATING: Final = Statistic(
    "points_rating",
    "float64",
    "rating by points: points a board against a bot at 0, judged by all results; standings are in its order",
    estimate=lambda tally, bot, other: tally.by_points.estimate(bot),
    show=_signed,
    in_pairings=False,
    on_ladder=True,
)
STATISTICS: Final = (
    POINTS,
    Statistic(
        "boards",
        "int64",
        "different boards that count; in `games` the deals of the games that count",
        lambda tally, bot, other: tally.sample.boards(bot, other),
        heads=("boards", None),
        show=_count,
        on_ladder=True,
    ),
    Statistic(
        "games",
        "int64",
        "different games that count; null for `boards`",
        lambda tally, bot, other: tally.sample.units(bot, other),
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
        estimate=mean_of("won"),
        in_games=False,
        heads=("boards\nwon", None),
        show=_percent,
    ),
    Statistic(
        "games_won",
        "float64",
        "share of games won; null for `boards`",
        estimate=mean_of("won"),
        in_boards=False,
        heads=(None, "games\nwon"),
        show=_percent,
    ),
    Statistic(
        "effect",
        "float64",
        "only in `mixed`: points a board beyond what the ratings of the two expect; null with fewer than five bots",
        estimate=_effect,
        heads=("effect on\na board", "effect on\na hand"),
        show=_signed,
        in_standings=False,
        mixed_only=True,
        shows_ci95=True,
    ),
    POINTS_RATING,
    RATING,
    *(
        Statistic(
            f"duplicates_{name}",
            "int64",
            f"duplicates that the bot has {name}: boards, in `games` games in both orientations",
            _duplicates(outcome),
            in_standings=False,
        )
        for name, outcome in (("won", 1), ("tied", 0), ("lost", -1))
    ),
    Statistic(
        "boards_worth",
        "float64",
        "how many boards with new cards at every table tell as much as a duplicate; null for `games`",
        _boards_worth,
        in_games=False,
        in_standings=False,
    ),
    Statistic(
        "superiority",
        "float64",
        "how likely it is that the bot truly makes more points, judged by this pairing alone",
        _superiority,
        in_standings=False,
    ),
    Statistic(
        "contracts",
        "int64",
        "contracts declared",
        lambda tally, bot, other: _bids(tally, bot).declared,
        heads=("contracts", "contracts"),
        show=_count,
        in_pairings=False,
    ),
    Statistic(
        "bids_made",
        "float64",
        "share of them that was made; null without contracts",
        estimate=lambda tally, bot, other: tally.sample.bids_made(bot),
        heads=("bids\nmade", "bids\nmade"),
        show=_percent,
        in_pairings=False,
    ),
    Statistic(
        "sets",
        "int64",
        "contracts that were set",
        lambda tally, bot, other: _bids(tally, bot).declared - _bids(tally, bot).made,
        in_pairings=False,
    ),
)
OF_STANDINGS: Final = tuple(statistic for statistic in STATISTICS if statistic.in_standings)
OF_PARTNERS: Final = tuple(statistic for statistic in STATISTICS if statistic.in_pairings)
OF_PAIRINGS: Final = tuple(statistic for statistic in OF_PARTNERS if not statistic.mixed_only)


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
    TableColumn("rank", "int32", "from 1, equal for bots that are not told apart; null for a bot that sees all hands"),
    TableColumn("rank_low", "int32", "the best rank that the results leave possible; null without a rank"),
    TableColumn("rank_high", "int32", "the worst one"),
    TableColumn("runoff", "int32", "place by instant runoff: the weakest bot is dropped, and the rest rated anew"),
    _BOT,
    TableColumn("disqualified", "bool_", "whether it has failed at too many of its tables"),
    *_columns(OF_STANDINGS),
    *(TableColumn(name, "int64", meaning) for group, meaning in GROUPS.items() for name in group_columns(group)),
)
RANKS_COLUMNS: Final = (
    _BOT,
    TableColumn("rank", "int32", "a rank"),
    TableColumn("probability", "float64", "how likely it is that this is its true rank, judged by these results alone"),
)
DIFFERENCES_COLUMNS: Final = (
    _BOT,
    TableColumn("other", "string", "name of a bot behind it"),
    TableColumn(
        "points_per_board", "float64", "points a board that the first makes against the second, by all results"
    ),
    TableColumn("ci95_low", "float64", "the 95% interval of this difference alone; null where there is none"),
    TableColumn("ci95_high", "float64", "the 95% interval of this difference alone; null where there is none"),
    TableColumn("joint_ci95_low", "float64", "one that holds together with those of all other differences"),
    TableColumn("joint_ci95_high", "float64", "one that holds together with those of all other differences"),
    TableColumn("superiority", "float64", "how likely it is that the first is truly better"),
    TableColumn("boards_to_settle", "int64", "more boards that would tell them apart; null if they are, or if it is 0"),
)
PAIRINGS_COLUMNS: Final = (_BOT, TableColumn("opponent", "string", "name of the other bot"), *_columns(OF_PAIRINGS))
PARTNERS_COLUMNS: Final = (
    _BOT,
    TableColumn("partner", "string", "only in `mixed`, in place of `opponent`: name of its partner"),
    *_columns(OF_PARTNERS),
)
"""The columns of the pairings where partners are two bots."""
