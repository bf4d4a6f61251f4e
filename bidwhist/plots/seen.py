"""A run as pictures show it: its standings, and its tables as seen by either bot."""

from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from bidwhist.errors import RunError
from bidwhist.plots.words import labels_of
from bidwhist.results.auction import contracts
from bidwhist.results.frame import load
from bidwhist.results.manifest import Manifest, read_manifest
from bidwhist.results.parts import present_parts
from bidwhist.results.schedule import MIXED
from bidwhist.results.standings import Pairing, Standings, standings_of
from bidwhist.results.tally import Tally, tally_run
from bidwhist.rules import known_or_nearest
from bidwhist.score import most_points
from bidwhist.stats.intervals import ENOUGH, Estimate, mean_of_rows
from bidwhist.text import echo

_BOOKS = 13.0


@dataclass(frozen=True)
class Seen:
    """A run, read once for a picture."""

    run: Path
    manifest: Manifest
    standings: Standings

    @cached_property
    def bots(self) -> list[str]:
        """Names of the bots in the order of the standings."""
        return [each.bot for each in self.standings.standings]

    @cached_property
    def labels(self) -> dict[str, str]:
        """By name the text that stands for a bot in pictures."""
        return labels_of(self.bots)

    @cached_property
    def aside(self) -> list[str]:
        """The bots that see all hands."""
        return [each.bot for each in self.standings.standings if each.cheats]

    @property
    def unit(self) -> str:
        """The unit that is drawn at random: a board or a game."""
        return "game" if self.manifest.is_games else "board"

    @property
    def per(self) -> str:
        """The unit of which points are the mean."""
        return "hand" if self.manifest.is_games else "board"

    @cached_property
    def most_points(self) -> float:
        """The most points that a table can bring."""
        return float(most_points(self.manifest.rule_set().record()))

    def units(self, bot: str, other: str) -> int:
        """Boards, or games, of two bots."""
        score = self.pairing(bot, other).score
        return int(score.games if self.manifest.is_games else score.boards)

    def pairing(self, bot: str, other: str) -> Pairing:
        """Two bots that have met."""
        return next(each for each in self.standings.pairings if (each.bot, each.opponent) == (bot, other))

    def pair(self, one: str | None, other: str | None) -> tuple[str, str]:
        """Two bots that have met: those wanted, or else the first of the standings. Raises RunError."""
        for name in (one, other):
            if name is not None and name not in self.bots:
                raise RunError(f"{self.run}: has no bot {echo(name)}; {known_or_nearest(name, self.bots)}")
        met = [
            (each.bot, each.opponent)
            for each in self.standings.pairings
            if each.opponent is not None and each.score.points_per_board is not None
        ]
        for pair in met:
            if one in (None, pair[0]) and other in (None, pair[1]):
                return pair
        named = " and ".join(echo(name) for name in (one, other) if name is not None)
        raise RunError(f"{self.run}: {named or 'no two bots'} have not met")

    def tally(self, one: str, other: str) -> tuple[Tally, int, int]:
        """All that counts of two bots, and their places in it."""
        names = [bot.name for bot in self.manifest.bots]
        first, second = names.index(one), names.index(other)
        parts = [part for part in present_parts(self.run, self.manifest) if {part.a, part.b} == {first, second}]
        return tally_run(self.run, self.manifest, parts), first, second

    def values(self, one: str, other: str) -> NDArray[np.float64]:
        """The points of the first of two bots on each of their boards, or games."""
        tally, first, second = self.tally(one, other)
        meeting = tally.sample.meeting(first, second)
        return np.asarray(meeting.values["points"] * (1 if first == meeting.a else -1))

    @cached_property
    def tables(self) -> pd.DataFrame:
        """A row for every table and bot that counts in the standings, as the bot sees it.

        `bot`, `opponent`, `side` (0 NS, 1 EW), `unit` (board or game), `points` of the bot, `declares` (whether the bot
        does), and of the table `board`, `dealer`, `declarer`, `contract`, `made`.
        """
        columns = ["bot_ns", "bot_ew", "declaring_bot", "dealer", "declarer", "contract", "made", "points"]
        frame = self._with_units(load(self.run, columns=[*self._place, *columns]))
        sides = [
            frame.assign(
                bot=frame[own],
                opponent=frame[other],
                side=side,
                points=sign * frame["points"],
                declares=frame["declaring_bot"] == frame[own],
            )
            for side, (own, other, sign) in enumerate((("bot_ns", "bot_ew", 1), ("bot_ew", "bot_ns", -1)))
        ]
        return self._counting(pd.concat(sides, ignore_index=True))

    @cached_property
    def contracts(self) -> pd.DataFrame:
        """The contracts that count in the standings, as `bidwhist.results.contracts` has them, with their `unit`."""
        columns = ["bot", "opponent", "place", "level", "strain", "books", "margin", "made"]
        return self._counting(self._with_units(contracts(self.run, columns=[*self._place, *columns])))

    @property
    def _place(self) -> list[str]:
        return ["board", "game"] if self.manifest.is_games else ["board"]

    def _with_units(self, frame: pd.DataFrame) -> pd.DataFrame:
        return frame.assign(unit=frame[self._place[-1]])

    def _counting(self, rows: pd.DataFrame) -> pd.DataFrame:
        """Without what is played against bots that see all hands, as in the standings, unless a bot met no others."""
        if not self.aside:
            return rows
        met = {each.bot for each in self.standings.pairings if each.opponent not in self.aside}
        return rows[~(rows["opponent"].isin(self.aside) & rows["bot"].isin(met))]

    def of(self, bot: str) -> pd.DataFrame:
        """The tables of a bot."""
        return self.tables[self.tables["bot"] == bot]

    def declared_by(self, bot: str) -> pd.DataFrame:
        """The contracts of a bot."""
        return self.contracts[self.contracts["bot"] == bot]

    def hollow(self, is_any: bool, points: str = "Hollow points") -> str:
        """Words for points that rest on few boards, if there are any."""
        return f"{points} rest on fewer than {ENOUGH} {self.unit}s." if is_any else ""


def look_at(run: str | Path) -> Seen:
    """Read a run for a picture. Raises RunError if there is nothing to show yet, and for mixed partnerships."""
    if not isinstance(run, str | Path):
        raise RunError(f"{echo(run)}: a picture is of one run, by the path of its folder")
    path = Path(run)
    manifest = read_manifest(path)
    if manifest.is_mixed:
        raise RunError(f'{path}: has pairing = "{MIXED}"; pictures are of runs in which every bot is its own partner')
    standings = standings_of(path)
    if not standings.counted:
        raise RunError(f"{path}: has no complete board or game yet, so there is nothing to show")
    return Seen(path, manifest, standings)


def mean_points(seen: Seen, rows: pd.DataFrame, values: pd.Series | None = None) -> Estimate:
    """The mean of points over some tables, with its interval."""
    points = rows["points"] if values is None else values
    return mean_of_rows(rows["unit"].to_numpy(), points.to_numpy(np.float64), seen.most_points)


def mean_books(rows: pd.DataFrame, values: pd.Series) -> Estimate:
    """The mean of books over some tables, with its interval."""
    return mean_of_rows(rows["unit"].to_numpy(), values.to_numpy(np.float64), _BOOKS)


def share_made(rows: pd.DataFrame) -> Estimate:
    """The share of some contracts that was made, with its interval."""
    return mean_of_rows(rows["unit"].to_numpy(), rows["made"].to_numpy(np.float64), 1.0, is_share=True)


def units_of(rows: pd.DataFrame) -> int:
    """The different boards, or games, of some rows."""
    return int(rows["unit"].nunique())


def is_few(units: int) -> bool:
    """Whether a number of boards, or games, is so small that its point is hollow."""
    return units < ENOUGH
