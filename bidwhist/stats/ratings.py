"""Ratings: one number for each bot, such that differences say what one makes against another.

Two models, both from the means of all pairings, which weigh the same, however many duplicates they have: so ratings do
not depend on who met whom more often.

- *Points* (least squares): bot a is expected to make r_a - r_b points a board against b.
- *Shares won* (Bradley and Terry): a is expected to win the share 1 / (1 + exp(r_b - r_a)) of its duplicates against b,
  a tie counting one half.

Where partners are two bots, a side has the mean of their ratings: so r_a - r_b is what two of a would make against two
of b, if all that partners make were the sum of what each of them makes.

A small ridge, half of it times the sum of squares, keeps the rating of a bot without a win finite in the second model.
The mean of all ratings by points is 0. By shares, 0 is a bot that would win half against all the others together, which
does not move when one of them wins or loses everything.

Errors are those of the clusters ("sandwich"): what is played on a board belongs together, whoever plays. Where bots are
compared that have neither met nor had the same opponents, the model decides between them; so what it misses by, pairing
by pairing, is an error, too. Where partners are two bots and all sides have met, every bot had the same partners and
opponents: it does not matter then whether the model fits. A bot that has won or lost next to nothing could be rated
much higher or lower, so its rating by shares has no interval.
The sources stand in docs/statistics.md.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import combinations, product
from typing import Final

import numpy as np
from numpy.typing import NDArray

from bidwhist.stats.intervals import not_seen
from bidwhist.stats.sample import Estimates, Sample

ELO: Final = 400 / math.log(10)
"""Points of an Elo scale in a unit of the model of shares: who has 400 more wins ten times as often as it loses."""
RIDGE: Final = 0.04
FEWEST: Final = 10
"""Duplicates that a bot must have won, and lost, for its rating by shares to have an interval."""
_STEPS: Final = 200
_FITS: Final = 1e-9
_DIGITS: Final = 12


@dataclass(frozen=True)
class Ratings:
    """Ratings of bots. `groups`: bots that have met, directly or by way of others; ratings of different groups say
    nothing of each other."""

    estimates: Estimates
    groups: list[list[int]]

    def share(self, one: int, other: int) -> float:
        """The share that a bot is expected to win of another, in the model of shares."""
        return expected_share(float(self.estimates.values[one] - self.estimates.values[other]))


def expected_share(difference: float) -> float:
    """The share that a bot with a rating higher by `difference` is expected to win."""
    return 0.5 + 0.5 * math.tanh(difference / 2)


def share_ratings(sample: Sample, bots: Sequence[int], quantity: str = "won", ridge: float = RIDGE) -> Ratings:
    """The ratings of some bots by the shares that they won among themselves. Of a bot that met none of them nothing is
    known: its rating is 0, without an interval."""
    design = _Design(sample, bots, quantity)
    rated = design.most_likely(ridge)
    weights = design.shares_weights(rated)
    found = design.ratings(rated, design.shares(rated), weights, _inverse(design.curvature(weights, ridge)))
    estimates = _even(found.estimates, sorted(bots))
    df = np.where(design.fewest() < FEWEST, np.minimum(estimates.df, 0), estimates.df)
    return replace(found, estimates=replace(estimates, df=df))


def point_ratings(sample: Sample, bots: Sequence[int], quantity: str = "points") -> Ratings:
    """The ratings of some bots by the points that they made among themselves; see `share_ratings`."""
    design = _Design(sample, bots, quantity)
    rated = design.least_squares()
    return design.ratings(rated, design.differences(rated), design.number, design.inverse())


def points_expected(sample: Sample, bots: Sequence[int], quantity: str = "points") -> NDArray[np.float64]:
    """Only the values of `point_ratings`, by bot."""
    return _Design(sample, bots, quantity).least_squares()


class _Design:
    """Who of some bots met whom, how often, and with what mean. Arrays are indexed by pairing, or by bot."""

    def __init__(self, sample: Sample, bots: Sequence[int], quantity: str) -> None:
        chosen = set(bots)
        self._sample = sample
        self._bots = sorted(chosen)
        self._quantity = quantity
        self._pairs = [pair for pair in sample.meetings if chosen.issuperset(sample.seated(pair))]
        self._seated = [sample.seated(pair) for pair in self._pairs]
        # What the rating of each bot of a pairing adds to the difference of its sides.
        self._signs = (1.0, -1.0) if sample.sides is None else (0.5, 0.5, -0.5, -0.5)
        self._at = np.array(self._seated, np.int64).reshape(len(self._pairs), len(self._signs)).T
        found = [sample.mean(quantity, pair) for pair in self._pairs]
        self.number = np.full(len(found), np.mean([len(psi) for _, psi in found]) if found else 0.0)
        self.means = np.array([mean for mean, _ in found], np.float64)
        self._influence = [psi for _, psi in found]

    def fewest(self) -> NDArray[np.float64]:
        """By bot the duplicates that it has won, or those that it has lost if these are fewer; ties are halves."""
        played = np.array([len(psi) for psi in self._influence], np.float64)
        won, all_played = np.zeros(self._sample.bots), np.zeros(self._sample.bots)
        for bots, sign in zip(self._at, self._signs, strict=True):
            won += self._sums(bots, played * (self.means if sign > 0 else 1 - self.means))
            all_played += self._sums(bots, played)
        return np.minimum(won, all_played - won)

    def spread(self, values: NDArray[np.float64]) -> NDArray[np.float64]:
        """By bot the sum of what its pairings have: taken off where it is of the second side."""
        found = np.zeros(self._sample.bots)
        for bots, sign in zip(self._at, self._signs, strict=True):
            found += sign * self._sums(bots, values)
        return found

    def curvature(self, weights: NDArray[np.float64], ridge: float) -> NDArray[np.float64]:
        """The matrix of the model's equations (float64[bots, bots])."""
        found = ridge * np.eye(self._sample.bots)
        for (one, sign), (other, other_sign) in product(zip(self._at, self._signs, strict=True), repeat=2):
            np.add.at(found, (one, other), sign * other_sign * weights)
        return found

    def differences(self, rated: NDArray[np.float64]) -> NDArray[np.float64]:
        """The means that the model of points expects."""
        found = np.zeros(len(self._pairs))
        for bots, sign in zip(self._at, self._signs, strict=True):
            found += sign * rated[bots]
        return found

    def shares(self, rated: NDArray[np.float64]) -> NDArray[np.float64]:
        """The shares that the model of shares expects."""
        found: NDArray[np.float64] = 0.5 + 0.5 * np.tanh(self.differences(rated) / 2)
        return found

    def shares_weights(self, rated: NDArray[np.float64]) -> NDArray[np.float64]:
        """The weights of the equations of the model of shares."""
        shares = self.shares(rated)
        return self.number * shares * (1 - shares)

    def _likelihood(self, rated: NDArray[np.float64], ridge: float) -> float:
        difference = self.differences(rated)
        lost = np.logaddexp(0, -difference) * self.means + np.logaddexp(0, difference) * (1 - self.means)
        return float(-(self.number * lost).sum() - ridge / 2 * (rated**2).sum())

    def least_squares(self) -> NDArray[np.float64]:
        """The ratings whose differences are closest to the means."""
        found: NDArray[np.float64] = self.inverse() @ self.spread(self.number * self.means)
        return found

    def inverse(self) -> NDArray[np.float64]:
        """The inverse of the equations of least squares: of all ratings that fit alike those with the mean 0."""
        return np.asarray(np.linalg.pinv(self.curvature(self.number, 0.0), rcond=1e-10, hermitian=True), np.float64)

    def most_likely(self, ridge: float) -> NDArray[np.float64]:
        """The ratings of the greatest likelihood, less the ridge: Newton's method, steps that would lower it halved."""
        rated: NDArray[np.float64] = np.zeros(self._sample.bots)
        best = self._likelihood(rated, ridge)
        for _ in range(_STEPS):
            slope = self.spread(self.number * (self.means - self.shares(rated))) - ridge * rated
            step: NDArray[np.float64] = _inverse(self.curvature(self.shares_weights(rated), ridge)) @ slope
            while (reached := self._likelihood(rated + step, ridge)) < best - 1e-12 * abs(best):
                step /= 2
            rated, best = rated + step, reached
            if np.abs(step).max(initial=0.0) < 1e-12:
                break
        return rated

    def ratings(
        self,
        rated: NDArray[np.float64],
        expected: NDArray[np.float64],
        weights: NDArray[np.float64],
        inverse: NDArray[np.float64],
    ) -> Ratings:
        """Ratings and how they follow every unit, and by which the model misses: to first order by the `inverse` of
        its equations.

        `expected`: by pairing the mean that the model expects; `weights`: of the pairings in the equations.
        """
        sample = self._sample
        influence = np.zeros((len(sample.units_played), sample.bots))
        counts = np.zeros(influence.shape, np.bool_)
        unseen, df = np.zeros(sample.bots), np.full(sample.bots, -1, np.int64)
        group_of = {bot: group for group in self.groups for bot in group}
        for place, pair in enumerate(self._pairs):
            weight = self._difference(inverse, place)  # of one duplicate; the equations have `number` of them
            places = sample.places[pair]
            influence[places] += np.outer(self._influence[place], weight * self.number[place])
            for bot in group_of[self._seated[place][0]]:
                counts[places, bot] = True
            unseen += np.abs(weight) * sample.most.get(self._quantity, 0.0)
        for group in self.groups:
            if len(group) > 1:
                df[group] = int(counts[:, group[0]].sum()) - 1
        rare = self._rare(inverse)
        missed, by_whom = np.zeros((len(self._pairs), sample.bots)), np.zeros((len(self._pairs), sample.bots), np.bool_)
        for group in filter(self._rests_on_the_model, self.groups):
            own = [place for place, bots in enumerate(self._seated) if bots[0] in group]
            for place in own:
                weight = self._difference(inverse, place)
                # Of a mean that fits whatever it is, none is.
                free = 1 - weights[place] * float(self._difference(weight, place))
                if free > _FITS:
                    missed[place] = (
                        weight * self.number[place] * (self.means[place] - expected[place]) / math.sqrt(free)
                    )
                by_whom[place, group] = True
            df[group] = np.minimum(df[group], max(1, len(own) - len(group) + 1))
        influence = np.concatenate([influence, rare, missed])
        counts = np.concatenate([counts, rare != 0, by_whom])
        return Ratings(Estimates(rated, influence, counts, df, unseen), self.groups)

    def _difference(self, values: NDArray[np.float64], place: int) -> NDArray[np.float64]:
        """Of values by bot (the last axis) the difference between the sides of a pairing."""
        found: NDArray[np.float64] = np.zeros(values.shape[:-1])
        for bot, sign in zip(self._seated[place], self._signs, strict=True):
            found = found + sign * values[..., bot]
        return found

    def _rare(self, inverse: NDArray[np.float64]) -> NDArray[np.float64]:
        """What was not seen of pairings in which nearly all went alike, as of a unit more for each (float64[n, bots]).

        Beside others that vary more it would be lost, though a rating may hang on it.
        """
        most = self._sample.most.get(self._quantity, 0.0)
        rows = [
            self._difference(inverse, place) * self.number[place] * math.sqrt(not_seen(psi, most / len(psi)))
            for place, psi in enumerate(self._influence)
            if 2 * np.unique(np.round(psi, _DIGITS), return_counts=True)[1].max() >= len(psi)
        ]
        return np.array(rows, np.float64).reshape(-1, self._sample.bots)

    def _rests_on_the_model(self, group: Sequence[int]) -> bool:
        """Whether some of these bots have neither met nor had the same opponents; where partners are two bots, whether
        some of their sides have not met."""
        if self._sample.sides is not None:
            return len(self._pairs) < 3 * math.comb(len(group), 4)
        opponents: dict[int, set[int]] = {bot: set() for bot in group}
        for a, b in self._seated:
            if a in opponents:
                opponents[a].add(b)
                opponents[b].add(a)
        return any(
            other not in opponents[bot] and opponents[bot] != opponents[other] for bot, other in combinations(group, 2)
        )

    @cached_property
    def groups(self) -> list[list[int]]:
        """Bots that are linked by pairings; where partners are two bots, by so many that their ratings follow."""
        if self._sample.sides is not None:
            played = sorted({bot for bots in self._seated for bot in bots})
            rank = np.linalg.matrix_rank(self.curvature(self.number, 0.0), hermitian=True)
            linked = [played] if played and rank == len(played) - 1 else []
            return sorted([*linked, *([bot] for bot in self._bots if not linked or bot not in played)])
        group = {bot: {bot} for bot in self._bots}
        for a, b in self._seated:
            if group[a] is not group[b]:
                group[a] |= group[b]
                for each in group[b]:
                    group[each] = group[a]
        return sorted({id(each): sorted(each) for each in group.values()}.values())

    def _sums(self, bots: NDArray[np.int64], values: NDArray[np.float64]) -> NDArray[np.float64]:
        """By bot the sum of values of pairings; `bots`: one of each pairing."""
        found = np.zeros(self._sample.bots)
        np.add.at(found, bots, values)
        return found


def _inverse(matrix: NDArray[np.float64]) -> NDArray[np.float64]:
    return np.asarray(np.linalg.inv(matrix), np.float64)


def _even(rated: Estimates, bots: Sequence[int]) -> Estimates:
    """Ratings shifted so that a bot at 0 is expected to win half of its duplicates against these bots together."""
    values, zero = rated.values[list(bots)], 0.0
    for _ in range(_STEPS):
        shares = 0.5 + 0.5 * np.tanh((values - zero) / 2)
        step = float((shares - 0.5).sum() / (shares * (1 - shares)).sum())
        zero += max(-1.0, min(1.0, step))
        if abs(step) < 1e-12:
            break
    weights = np.zeros(len(rated.values))
    weights[list(bots)] = shares * (1 - shares) / (shares * (1 - shares)).sum()
    own = rated.df >= 0  # who met nobody stays where nothing is known of it
    moved = rated.influence @ weights
    return replace(
        rated,
        values=np.where(own, rated.values - zero, rated.values),
        influence=np.where(own, rated.influence - moved[:, None], rated.influence),
        counts=rated.counts | (own & rated.counts.any(axis=1, keepdims=True)),
    )
