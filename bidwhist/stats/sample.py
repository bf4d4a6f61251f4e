"""The duplicates of a run, by pairing, and what follows from them for each bot and for all together.

A duplicate has a value for each *quantity*. It is that of the pairing's first bot; the values of both bots add up to
the quantity's *whole*: with a whole of 0 the second bot's is the negative (points), with 1 the rest of a share.
A *unit* is a board, or in games a game: all that is played on it belongs together, since the cards are the same.
"""

import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bidwhist.stats.intervals import CONFIDENCE, Estimate, influence_of_mean, mean_interval, share_interval, superiority


@dataclass(frozen=True)
class Meeting:
    """The duplicates of bots `a` < `b`: their units (int64[n], ascending), the values of `a` (float64[n]) by quantity,
    how many boards and how many tables (int16[n]) each has, and of both bots the contracts declared and made (int16[n,
    2, 2])."""

    a: int
    b: int
    units: NDArray[np.int64]
    values: Mapping[str, NDArray[np.float64]]
    boards: NDArray[np.int16]
    tables: NDArray[np.int16]
    bids: NDArray[np.int16]

    def __len__(self) -> int:
        return len(self.units)

    def at(self, chosen: NDArray[Any]) -> "Meeting":
        """Some of the duplicates, by a mask or by places."""
        return replace(
            self,
            units=self.units[chosen],
            values={name: each[chosen] for name, each in self.values.items()},
            boards=self.boards[chosen],
            tables=self.tables[chosen],
            bids=self.bids[chosen],
        )

    def swapped(self, wholes: Mapping[str, float]) -> "Meeting":
        """The same with the bots exchanged, and seen by the other one; `wholes`: by quantity, of others nothing
        changes."""
        values = {name: wholes[name] - each if name in wholes else each for name, each in self.values.items()}
        return replace(self, a=self.b, b=self.a, values=values, bids=self.bids[:, ::-1])

    def other(self, bot: int) -> int:
        """The opponent of one of both."""
        return self.b if bot == self.a else self.a

    def first(self, number: int) -> "Meeting":
        """The first duplicates, so many."""
        return replace(
            self,
            units=self.units[:number],
            values={name: each[:number] for name, each in self.values.items()},
            boards=self.boards[:number],
            tables=self.tables[:number],
            bids=self.bids[:number],
        )


@dataclass(frozen=True)
class Estimates:
    """Several values (float64[n]) and the influence (float64[units, n]) of every unit on each; `df` (int64[n]): degrees
    of freedom, -1 where there is no value. `shares`: whether the values are shares."""

    values: NDArray[np.float64]
    influence: NDArray[np.float64]
    counts: NDArray[np.bool_]
    df: NDArray[np.int64]
    unseen: NDArray[np.float64]
    shares: bool = False

    @cached_property
    def covariance(self) -> NDArray[np.float64]:
        """Covariances (float64[n, n]) of the values."""
        found: NDArray[np.float64] = self.influence.T @ self.influence
        return found

    def estimate(self, place: int, confidence: float = CONFIDENCE) -> Estimate | None:
        """One of them, None if it has no value."""
        if self.df[place] < 0:
            return None
        interval = share_interval if self.shares else mean_interval
        value, own = float(self.values[place]), self.influence[self.counts[:, place], place]
        return Estimate(value, interval(value, own, int(self.df[place]), float(self.unseen[place]), confidence))

    def __mul__(self, factor: float) -> "Estimates":
        """The same on another scale."""
        return replace(
            self, values=self.values * factor, influence=self.influence * factor, unseen=self.unseen * factor
        )

    def superiority(self, place: int) -> float:
        """How likely it is that one of them is truly above 0."""
        own = self.influence[self.counts[:, place], place]
        return superiority(float(self.values[place]), own, int(self.df[place]), float(self.unseen[place]))

    def differences(self, pairs: Sequence[tuple[int, int]]) -> "Estimates":
        """The first value of each pair less the second, unit by unit: what shared units do to both goes out."""
        one, other = np.array(pairs, np.int64).reshape(-1, 2).T
        return Estimates(
            self.values[one] - self.values[other],
            self.influence[:, one] - self.influence[:, other],
            self.counts[:, one] | self.counts[:, other],
            np.minimum(self.df[one], self.df[other]),
            self.unseen[one] + self.unseen[other],
        )


@dataclass
class Sample:
    """All duplicates of `bots` bots.

    `quantities`: by name the whole of each. What is played against the bots `aside` counts by itself, and among all
    opponents only for who met no others. `most`: by name the largest value that a quantity can have, or the largest
    distance from a usual one: it bounds what was not seen. `by_table`: quantities of which a duplicate with more tables
    has more weight.
    """

    bots: int
    quantities: Mapping[str, float]
    aside: Sequence[int] = ()
    most: Mapping[str, float] = field(default_factory=dict)
    by_table: Collection[str] = ()
    _pieces: dict[tuple[int, int], list[Meeting]] = field(default_factory=dict)
    _means: dict[tuple[str, tuple[int, int]], tuple[float, NDArray[np.float64]]] = field(default_factory=dict)

    def add(self, piece: Meeting) -> None:
        """Take up some duplicates, of whatever units. All have to be there before anything is asked."""
        if len(piece):
            self._pieces.setdefault((piece.a, piece.b), []).append(piece)

    @cached_property
    def meetings(self) -> dict[tuple[int, int], Meeting]:
        """By both bots, the lower one first, all their duplicates."""
        return {pair: _joined(self._pieces.pop(pair)) for pair in sorted(self._pieces)}

    @cached_property
    def units_played(self) -> NDArray[np.int64]:
        """All units (int64[n]) that somebody played, ascending."""
        return np.unique(np.concatenate([np.zeros(0, np.int64), *(each.units for each in self.meetings.values())]))

    @cached_property
    def places(self) -> dict[tuple[int, int], NDArray[np.int64]]:
        """By pairing the places of its units in `units_played`."""
        return {pair: np.searchsorted(self.units_played, each.units) for pair, each in self.meetings.items()}

    def met(self, bot: int) -> list[int]:
        """The opponents that a bot met."""
        return sorted(each.other(bot) for pair, each in self.meetings.items() if bot in pair)

    def counting(self, bot: int) -> list[int]:
        """The opponents that a bot met and that count for it."""
        met = self.met(bot)
        return [other for other in met if other not in self.aside] or met

    def meeting(self, bot: int, opponent: int) -> Meeting:
        """The duplicates of two bots. Raises KeyError if they have none."""
        return self.meetings[min(bot, opponent), max(bot, opponent)]

    def units(self, bot: int, opponent: int | None = None) -> int:
        """Different units that a bot played, against one opponent or any that counts."""
        return len(self._boards_by_unit(bot, opponent))

    def boards(self, bot: int, opponent: int | None = None) -> int:
        """Different boards that a bot played, against one opponent or any that counts."""
        return int(self._boards_by_unit(bot, opponent).sum())

    def _boards_by_unit(self, bot: int, opponent: int | None) -> NDArray[np.int64]:
        most = np.zeros(len(self.units_played), np.int64)
        for other in self.counting(bot) if opponent is None else [opponent]:
            pair = (min(bot, other), max(bot, other))
            places = self.places[pair]
            most[places] = np.maximum(most[places], self.meetings[pair].boards)
        return most[most > 0]

    def estimate(self, quantity: str, bot: int, opponent: int) -> Estimate:
        """Mean of a quantity of a bot against one opponent that it met."""
        found = self.against(quantity, bot, opponent).estimate(0)
        assert found is not None
        return found

    def estimate_after(self, quantity: str, bot: int, opponent: int, number: int) -> Estimate:
        """The same as it was after their first duplicates, so many."""
        early = replace(self, _pieces={}, _means={})
        early.add(self.meeting(bot, opponent).first(number))
        return early.estimate(quantity, bot, opponent)

    def against(self, quantity: str, bot: int, opponent: int) -> Estimates:
        """The same with the influence of every unit."""
        return self.estimates(quantity, [{opponent: 1.0}], [bot])

    def bids_made(self, bot: int) -> Estimate | None:
        """The share of the contracts of a bot that it made, against all opponents that count; None without contracts.

        A ratio of two sums over units (Cochran, "Sampling techniques", 6.3).
        """
        sums = np.zeros((len(self.units_played), 2))
        plays = np.zeros(len(sums), np.bool_)
        for other in self.counting(bot):
            pair = (min(bot, other), max(bot, other))
            sums[self.places[pair]] += self.meetings[pair].bids[:, pair.index(bot)]
            plays[self.places[pair]] = True
        declared, made = sums[plays].T
        total, units = declared.sum(), len(declared)
        if total == 0:
            return None
        share = float(made.sum() / total)
        bias = math.sqrt(units / (units - 1)) if units > 1 else 0.0
        influence = (made - share * declared) / total * bias
        interval = share_interval(share, influence[declared > 0], units - 1, 1 / float(total))
        return Estimate(share, interval)

    def boards_worth(self, bot: int, opponent: int) -> float | None:
        """How many boards with new cards at every table tell as much as a duplicate of these two: the variance of two
        independent tables by that of a duplicate. None if there is none."""
        values = self.meeting(bot, opponent).values
        mean, influence = self.mean("points", (min(bot, opponent), max(bot, opponent)))
        variance = float((influence**2).sum()) * len(influence)
        if variance == 0:
            return None
        return (float(values["squares"].mean()) - mean**2) / 2 / variance

    def of_bots(self, quantity: str) -> Estimates:
        """By bot the mean of a quantity over the opponents that count, all of them weighing the same."""
        met = [self.counting(bot) for bot in range(self.bots)]
        return self.estimates(quantity, [dict.fromkeys(others, 1 / len(others)) if others else {} for others in met])

    def estimates(
        self, quantity: str, weights: Sequence[Mapping[int, float]], bots: Sequence[int] | None = None
    ) -> Estimates:
        """Weighted means over opponents of the means against each. `weights`: by opponent, for each of `bots`."""
        bots = range(self.bots) if bots is None else bots
        whole = self.quantities[quantity]
        values, df = np.zeros(len(bots)), np.full(len(bots), -1, np.int64)
        unseen = np.zeros(len(bots))
        influence = np.zeros((len(self.units_played), len(bots)))
        counts = np.zeros(influence.shape, np.bool_)
        for column, (bot, own) in enumerate(zip(bots, weights, strict=True)):
            for other, weight in own.items():
                pair = (min(bot, other), max(bot, other))
                mean, psi = self.mean(quantity, pair)
                values[column] += weight * (mean if bot == pair[0] else whole - mean)
                influence[self.places[pair], column] += (weight if bot == pair[0] else -weight) * psi
                counts[self.places[pair], column] = True
                unseen[column] += abs(weight) * self.most.get(quantity, 0.0) / len(psi)
                df[column] = len(psi) - 1 if df[column] < 0 else min(int(df[column]), len(psi) - 1)
        return Estimates(values, influence, counts, df, unseen, whole == 1)

    def mean(self, quantity: str, pair: tuple[int, int]) -> tuple[float, NDArray[np.float64]]:
        """The mean of a quantity of a pairing, and the influence of each of its duplicates."""
        key = (quantity, pair)
        if key not in self._means:
            meeting = self.meetings[pair]
            weights = meeting.tables if quantity in self.by_table else None
            self._means[key] = influence_of_mean(meeting.values[quantity], weights)
        return self._means[key]


def _joined(pieces: Sequence[Meeting]) -> Meeting:
    """The duplicates of several pieces of a pairing, by unit."""
    units = np.concatenate([each.units for each in pieces])
    order = np.argsort(units, kind="stable")
    return Meeting(
        pieces[0].a,
        pieces[0].b,
        units[order],
        {name: np.concatenate([each.values[name] for each in pieces])[order] for name in pieces[0].values},
        np.concatenate([each.boards for each in pieces])[order],
        np.concatenate([each.tables for each in pieces])[order],
        np.concatenate([each.bids for each in pieces])[order],
    )
