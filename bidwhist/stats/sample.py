"""The duplicates of a run, by pairing, and what follows from them for each bot and for all together.

A duplicate has a value for each *quantity*. It is that of the pairing's first bot; the values of both bots add up to
the quantity's *whole*: with a whole of 0 the second bot's is the negative (points), with 1 the rest of a share.
A *unit* is a board, or in games a game: all that is played on it belongs together, since the cards are the same.

A pairing is one of *sides*, by number: a side is one bot, or two bots that are partners.
"""

import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from bidwhist.stats.intervals import CONFIDENCE, Estimate, influence_of_mean, mean_interval, share_interval, superiority

Pair: TypeAlias = tuple[int, int]


class Appearance(NamedTuple):
    """A pairing in which a bot plays, and its side there, 0 for the first."""

    pair: Pair
    side: int


@dataclass(frozen=True)
class Meeting:
    """The duplicates of sides `a` < `b`: their units (int64[n], ascending), the values of `a` (float64[n]) by quantity,
    how many boards and how many tables (int16[n]) each has, and of each bot, those of `a` first, the contracts declared
    and made (int16[n, 2, 2], or int16[n, 4, 2])."""

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
        """The same with the sides exchanged, and seen by the other one; `wholes`: by quantity, of others nothing
        changes."""
        values = {name: wholes[name] - each if name in wholes else each for name, each in self.values.items()}
        bids = np.roll(self.bids, self.bids.shape[1] // 2, axis=1)
        return replace(self, a=self.b, b=self.a, values=values, bids=bids)

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

    def combined(self, weights: NDArray[np.float64]) -> "Estimates":
        """Sums of the values with the `weights` (float64[n, m]); none where one that counts has no value."""
        counts = weights != 0
        df = np.where(counts, self.df[:, None], np.iinfo(np.int64).max).min(axis=0)
        return Estimates(
            self.values @ weights, self.influence @ weights, self.counts @ counts, df, self.unseen @ np.abs(weights)
        )

    def superiority(self, place: int) -> float:
        """How likely it is that one of them is truly above 0."""
        own = self.influence[self.counts[:, place], place]
        return superiority(float(self.values[place]), own, int(self.df[place]), float(self.unseen[place]))

    def differences(self, pairs: Sequence[Pair]) -> "Estimates":
        """The first value of each pair less the second, unit by unit: what shared units do to both goes out."""
        one, other = np.array(pairs, np.int64).reshape(-1, 2).T
        return self._at(one).less(self._at(other))

    def less(self, other: "Estimates") -> "Estimates":
        """These values less as many others, unit by unit."""
        return Estimates(
            self.values - other.values,
            self.influence - other.influence,
            self.counts | other.counts,
            np.minimum(self.df, other.df),
            self.unseen + other.unseen,
        )

    def padded(self, rows: int) -> "Estimates":
        """The same with so many rows of influences: of what is no unit, and has none on these values."""
        more = ((0, rows - len(self.influence)), (0, 0))
        return replace(self, influence=np.pad(self.influence, more), counts=np.pad(self.counts, more))

    def _at(self, places: NDArray[np.int64]) -> "Estimates":
        """Some of the values."""
        return Estimates(
            self.values[places],
            self.influence[:, places],
            self.counts[:, places],
            self.df[places],
            self.unseen[places],
        )


@dataclass
class Sample:
    """All duplicates of `bots` bots.

    `quantities`: by name the whole of each. What is played with or against the bots `aside` counts by itself, and among
    all only for who played nothing else. `most`: by name the largest value that a quantity can have, or the largest
    distance from a usual one: it bounds what was not seen. `by_table`: quantities of which a duplicate with more tables
    has more weight. `sides`: the two bots of each side, where partners are two bots; otherwise a side is the bot of its
    number.
    """

    bots: int
    quantities: Mapping[str, float]
    aside: Sequence[int] = ()
    most: Mapping[str, float] = field(default_factory=dict)
    by_table: Collection[str] = ()
    sides: Sequence[Pair] | None = None
    _pieces: dict[Pair, list[Meeting]] = field(default_factory=dict)
    _means: dict[tuple[str, Pair], tuple[float, NDArray[np.float64]]] = field(default_factory=dict)

    def add(self, piece: Meeting) -> None:
        """Take up some duplicates, of whatever units. All have to be there before anything is asked."""
        if len(piece):
            self._pieces.setdefault((piece.a, piece.b), []).append(piece)

    @cached_property
    def meetings(self) -> dict[Pair, Meeting]:
        """By both sides, the lower one first, all their duplicates."""
        return {pair: _joined(self._pieces.pop(pair)) for pair in sorted(self._pieces)}

    @cached_property
    def units_played(self) -> NDArray[np.int64]:
        """All units (int64[n]) that somebody played, ascending."""
        return np.unique(np.concatenate([np.zeros(0, np.int64), *(each.units for each in self.meetings.values())]))

    @cached_property
    def places(self) -> dict[Pair, NDArray[np.int64]]:
        """By pairing the places of its units in `units_played`."""
        return {pair: np.searchsorted(self.units_played, each.units) for pair, each in self.meetings.items()}

    def side(self, number: int) -> tuple[int, ...]:
        """The bots of a side, each once."""
        return (number,) if self.sides is None else self.sides[number]

    def seated(self, pair: Pair) -> tuple[int, ...]:
        """The bots of a pairing, each once, those of its first side first."""
        return self.side(pair[0]) + self.side(pair[1])

    @cached_property
    def _played(self) -> list[list[Appearance]]:
        """By bot the pairings in which it played."""
        found: list[list[Appearance]] = [[] for _ in range(self.bots)]
        for pair in self.meetings:
            for own in range(2):
                for bot in self.side(pair[own]):
                    found[bot].append(Appearance(pair, own))
        return found

    def met(self, bot: int) -> list[int]:
        """The opponents that a bot met."""
        return sorted({other for pair, own in self._played[bot] for other in self.side(pair[1 - own])})

    def others(self, bot: int) -> list[int]:
        """Whom a bot met, or where partners are two bots, with whom it played."""
        if self.sides is None:
            return self.met(bot)
        return sorted({other for pair, own in self._played[bot] for other in self.side(pair[own])} - {bot})

    def is_apart(self, bot: int, pair: Pair) -> bool:
        """Whether another bot of a pairing is aside."""
        return any(other in self.aside for other in self.seated(pair) if other != bot)

    def counting(self, bot: int, other: int | None = None) -> list[Appearance]:
        """The pairings of a bot against one opponent, or with one partner (see `others`), or without one all that
        count."""
        played = self._played[bot]
        if other is None:
            return [each for each in played if not self.is_apart(bot, each.pair)] or played
        if self.sides is None:
            pair = (min(bot, other), max(bot, other))
            return [Appearance(pair, pair.index(bot))] if pair in self.meetings else []
        return [each for each in played if other in self.side(each.pair[each.side])]

    def meeting(self, bot: int, opponent: int) -> Meeting:
        """The duplicates of two sides. Raises KeyError if they have none."""
        return self.meetings[min(bot, opponent), max(bot, opponent)]

    def units(self, bot: int, other: int | None = None) -> int:
        """Different units of what counts, see `counting`."""
        return len(self._boards_by_unit(bot, other))

    def boards(self, bot: int, other: int | None = None) -> int:
        """Different boards of what counts."""
        return int(self._boards_by_unit(bot, other).sum())

    def tables(self, bot: int, other: int | None = None) -> int:
        """Tables of what counts."""
        return sum(int(self.meetings[pair].tables.sum(dtype=np.int64)) for pair, _ in self.counting(bot, other))

    def _boards_by_unit(self, bot: int, other: int | None) -> NDArray[np.int64]:
        most = np.zeros(len(self.units_played), np.int64)
        for pair, _ in self.counting(bot, other):
            places = self.places[pair]
            most[places] = np.maximum(most[places], self.meetings[pair].boards)
        return most[most > 0]

    def estimate(self, quantity: str, bot: int, other: int) -> Estimate:
        """Mean of a quantity of a bot against one opponent that it met, or with one partner that it had."""
        found = self.against(quantity, bot, other).estimate(0)
        assert found is not None
        return found

    def estimate_after(self, quantity: str, bot: int, opponent: int, number: int) -> Estimate:
        """The same as it was after their first duplicates, so many."""
        early = replace(self, _pieces={}, _means={})
        early.add(self.meeting(bot, opponent).first(number))
        return early.estimate(quantity, bot, opponent)

    def against(self, quantity: str, bot: int, other: int) -> Estimates:
        """The same with the influence of every unit."""
        return self.estimates(quantity, [evenly(self.counting(bot, other))])

    def bids_made(self, bot: int) -> Estimate | None:
        """The share of the contracts of a bot that it made, in all that counts; None without contracts.

        A ratio of two sums over units (Cochran, "Sampling techniques", 6.3).
        """
        sums = np.zeros((len(self.units_played), 2))
        plays = np.zeros(len(sums), np.bool_)
        for pair, _ in self.counting(bot):
            sums[self.places[pair]] += self.meetings[pair].bids[:, self.seated(pair).index(bot)]
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

    def boards_worth(self, bot: int, other: int) -> float | None:
        """How many boards with new cards at every table tell as much as a duplicate: the variance of two independent
        tables by that of a duplicate, of all pairings together. None if there is none."""
        of_tables = of_duplicates = 0.0
        for pair, _ in self.counting(bot, other):
            mean, influence = self.mean("points", pair)
            of_tables += float(self.meetings[pair].values["squares"].mean()) - mean**2
            of_duplicates += float((influence**2).sum()) * len(influence)
        return None if of_duplicates == 0 else of_tables / 2 / of_duplicates

    def of_bots(self, quantity: str) -> Estimates:
        """By bot the mean of a quantity over all that counts: opponents, or where partners are two bots pairings, all
        weighing the same."""
        return self.estimates(quantity, [evenly(self.counting(bot)) for bot in range(self.bots)])

    def estimates(self, quantity: str, weights: Sequence[Mapping[Appearance, float]]) -> Estimates:
        """Weighted means of the means of pairings, each seen by one of its sides."""
        whole = self.quantities[quantity]
        values, df = np.zeros(len(weights)), np.full(len(weights), -1, np.int64)
        unseen = np.zeros(len(weights))
        influence = np.zeros((len(self.units_played), len(weights)))
        counts = np.zeros(influence.shape, np.bool_)
        for column, own in enumerate(weights):
            for (pair, side), weight in own.items():
                mean, psi = self.mean(quantity, pair)
                values[column] += weight * (mean if side == 0 else whole - mean)
                influence[self.places[pair], column] += (weight if side == 0 else -weight) * psi
                counts[self.places[pair], column] = True
                unseen[column] += abs(weight) * self.most.get(quantity, 0.0) / len(psi)
                df[column] = len(psi) - 1 if df[column] < 0 else min(int(df[column]), len(psi) - 1)
        return Estimates(values, influence, counts, df, unseen, whole == 1)

    def mean(self, quantity: str, pair: Pair) -> tuple[float, NDArray[np.float64]]:
        """The mean of a quantity of a pairing, and the influence of each of its duplicates."""
        key = (quantity, pair)
        if key not in self._means:
            meeting = self.meetings[pair]
            weights = meeting.tables if quantity in self.by_table else None
            self._means[key] = influence_of_mean(meeting.values[quantity], weights)
        return self._means[key]


def evenly(played: Sequence[Appearance]) -> dict[Appearance, float]:
    """The same weight for each, 1 together."""
    return dict.fromkeys(played, 1 / len(played)) if played else {}


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
