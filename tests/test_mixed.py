"""Mixed partnerships: two different bots on each side, everybody beside everybody, and what is made of it."""

import re
import shutil
import sys
from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import combinations
from math import comb
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow.parquet as pq
import pytest
from click.testing import CliRunner
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from scipy.optimize import minimize

from bidwhist import replay, results
from bidwhist.arena.config import make_config
from bidwhist.arena.part import Setting
from bidwhist.arena.run import Progress, run
from bidwhist.arena.tournament import prepare
from bidwhist.bot.deciders.kernel import play_compiled
from bidwhist.bot.sources.find import find_bot
from bidwhist.cli import group
from bidwhist.cli.table import standings_json
from bidwhist.deal import first_dealers
from bidwhist.engine.batch import Batch
from bidwhist.errors import ConfigError, RunError
from bidwhist.ladder.ladder import open_ladder
from bidwhist.play import run_tournament
from bidwhist.plots.seen import look_at
from bidwhist.results.identity import identity_of
from bidwhist.results.manifest import Stage, read_manifest
from bidwhist.results.parts import is_done, planned_parts, present_parts
from bidwhist.results.pilot import pilot_of
from bidwhist.results.pooled import pool
from bidwhist.results.reasons import read_reasons
from bidwhist.results.schedule import LINEUPS, Plan, lineup, side, sides
from bidwhist.results.schema import Part
from bidwhist.results.standings import DERIVED, standings_of
from bidwhist.results.statistics import OF_PARTNERS, PARTNERS_COLUMNS
from bidwhist.results.tally import tally_run
from bidwhist.rules import CLASSIC, preset
from bidwhist.score import most_points
from bidwhist.stats.partnerships import partnership_effects
from bidwhist.stats.ranks import differences
from bidwhist.stats.ratings import RIDGE, point_ratings, share_ratings
from bidwhist.stats.sample import Meeting, Sample
from bidwhist.streams import use_key
from runs import make_run, manifest_of, part_files, rewrite_part, table_of

Floats = NDArray[np.float64]
MIXED = Plan("mixed", (), 1)
BOTS = [
    "heuristic",
    "random",
    {"spec": "heuristic", "name": "h2"},
    "random?calls=pass",
    {"spec": "random", "name": "r"},
]
NAMES = ["heuristic", "random", "h2", "random?calls=pass", "r"]
FIELDS = {"name": "mix", "seed": 20261201, "boards": 40, "pairing": "mixed", "bots": BOTS}


def files_of(folder: Path) -> dict[str, bytes]:
    """The files that follow from seed and bots alone."""
    return {path.name: path.read_bytes() for path in [*part_files(folder), *(folder / name for name in DERIVED)]}


def rows_of(folder: Path) -> list[str]:
    return sorted(row for path in part_files(folder) for row in map(repr, table_of(path).to_pylist()))


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return run_tournament(FIELDS, out=tmp_path_factory.mktemp("mixed") / "run", executor="inline")


@pytest.fixture(scope="module")
def games(tmp_path_factory: pytest.TempPathFactory) -> Path:
    fields = {**FIELDS, "boards": None, "format": "games", "games": 3, "rules": {"target": 5}, "bots": BOTS[:4]}
    return run_tournament(
        {name: value for name, value in fields.items() if value is not None},
        out=tmp_path_factory.mktemp("games") / "run",
        executor="inline",
    )


# --- the schedule


@given(st.integers(4, 9))
def test_everybody_is_the_partner_of_everybody_against_all_others(bots: int) -> None:
    numbered = sides("mixed", bots)
    assert sorted(numbered) == sorted(combinations(range(bots), 2))
    pairs = MIXED.pairs(bots)
    assert len(pairs) == len(set(pairs)) == MIXED.count_pairs(bots) == 3 * comb(bots, 4)
    assert all(a < b and not {*numbered[a]} & {*numbered[b]} for a, b in pairs)
    assert set(Counter(number for pair in pairs for number in pair).values()) == {comb(bots - 2, 2)}
    against = Counter(tuple(sorted((x, y))) for a, b in pairs for x in numbered[a] for y in numbered[b])
    assert set(against.values()) == {2 * comb(bots - 2, 2)}
    for fewer in range(4, bots):
        assert sides("mixed", fewer) == numbered[: comb(fewer, 2)]
        assert MIXED.pairs(fewer) == pairs[: 3 * comb(fewer, 4)]
        assert MIXED.pairs(bots, fewer) == pairs[3 * comb(fewer, 4) :]


def cells(parts: Sequence[Part]) -> Counter[tuple[int, int, int]]:
    return Counter((part.a, part.b, unit) for part in parts for unit in range(part.first, part.first + part.units))


@settings(deadline=None, max_examples=30)
@given(st.integers(4, 6), st.integers(1, 200), st.integers(0, 1), st.integers(0, 200), st.sets(st.integers(0, 6)))
def test_an_extended_run_plays_what_a_fresh_one_does(
    bots: int, units: int, more_bots: int, more_units: int, without: set[int]
) -> None:
    absent = tuple(bot for bot in without if bot < bots + more_bots)
    first, second = Stage(bots, units), Stage(bots + more_bots, units + more_units)
    before = list(MIXED.parts([first]))
    extended = list(MIXED.parts([first, second]))
    assert extended[: len(before)] == before
    assert MIXED.count_parts([first, second]) == len(extended)
    fresh = cells(list(MIXED.parts([second])))
    assert cells(extended) == fresh
    assert set(fresh.values()) == {1}
    some = cells(list(MIXED.parts([first, Stage(second.bots, second.units, absent)])))
    assert all(not {*side("mixed", a), *side("mixed", b)} & {*absent} for a, b, _ in some - cells(before))
    everybody = [first, Stage(second.bots, second.units, absent), second]
    assert cells(list(MIXED.parts(everybody))) == fresh


@settings(deadline=None)  # a first call may compile
@given(st.permutations(range(4)), st.integers(0, 1000), st.integers(0, 2**64))
def test_partners_change_seats_so_that_nobody_has_the_better_ones(bots: list[int], begin: int, seed: int) -> None:
    one, other = (bots[0], bots[1]), (bots[2], bots[3])
    at = {(unit, turn): lineup(one, other, unit, turn) for unit in range(begin, begin + 8) for turn in range(2)}
    assert at == {(unit, turn): lineup(one, other, unit + LINEUPS // 2, turn) for unit, turn in at}
    for (unit, turn), seats in at.items():
        assert {seats[turn], seats[turn + 2]} == {*one}
        north, east, south, west = at[unit, 0]
        assert turn == 0 or seats == (east, north, west, south), "at the other table the sides hold the other's cards"
    dealers = dict(enumerate(first_dealers(use_key(seed, "deals"), np.arange(begin, begin + 8), False), begin))
    for bot in bots:
        seats_of = {place: seats.index(bot) for place, seats in at.items()}
        assert Counter(seats_of.values()) == dict.fromkeys(range(4), 4)
        # In eight boards each place of the auction as often, and at each place each opponent as often behind.
        behind = Counter(
            ((seats_of[place] - int(dealers[place[0]])) % 4, at[place][(seats_of[place] + 1) % 4]) for place in at
        )
        opponents = other if bot in one else one
        assert behind == {(place, each): 2 for place in range(4) for each in opponents}


def test_one_bot_twice_sits_as_ever() -> None:
    assert {lineup((3, 3), (5, 5), unit, 0) for unit in range(16)} == {(3, 5, 3, 5)}
    assert {lineup((3, 3), (5, 5), unit, 1) for unit in range(16)} == {(5, 3, 5, 3)}
    manifest = manifest_of(["a", "b", "c"], [(3, 1)])
    assert manifest.sides == [(0, 0), (1, 1), (2, 2)]
    assert manifest.side_names == ["a", "b", "c"]


# --- a run against plain Python


def values_of(folder: Path) -> dict[tuple[int, int], dict[frozenset[int], float]]:
    """By pairing of sides and unit the value of each side: its points a table, from the rows of the frame."""
    manifest, found = read_manifest(folder), {}
    frame = results.load(folder)
    numbers = {name: number for number, name in enumerate(NAMES)}
    for row in frame.itertuples():
        ns, ew = (frozenset(numbers[name] for name in pair) for pair in ((row.north, row.south), (row.east, row.west)))
        assert row.bot_ns == " + ".join(NAMES[bot] for bot in sorted(ns))
        assert row.bot_ew == " + ".join(NAMES[bot] for bot in sorted(ew))
        unit = row.game if manifest.is_games else row.board
        pair = (min(ns, ew, key=sorted), max(ns, ew, key=sorted))
        for own, points in ((ns, row.points), (ew, -row.points)):
            found.setdefault((pair, unit), {}).setdefault(own, []).append(points)
    return {key: {own: float(np.mean(points)) for own, points in both.items()} for key, both in found.items()}


def means_of(folder: Path) -> dict[tuple[frozenset[int], frozenset[int]], float]:
    """The mean of the first side of each pairing over its boards."""
    values: dict[Any, list[float]] = {}
    for (pair, _), both in values_of(folder).items():
        values.setdefault(pair, []).append(both[pair[0]])
    return {pair: float(np.mean(each)) for pair, each in values.items()}


def test_points_ratings_and_effects_are_those_of_plain_python(played: Path) -> None:
    bots, means = len(NAMES), means_of(played)
    assert len(means) == 15
    found = standings_of(played)
    made = [
        np.mean([mean if bot in one else -mean for (one, other), mean in means.items() if bot in one | other])
        for bot in range(bots)
    ]
    assert {each.bot: each.score.points_per_board for each in found.standings} == pytest.approx(
        dict(zip(NAMES, made, strict=True))
    )
    partners = [frozenset(each) for each in combinations(range(bots), 2)]
    of_sides = np.array([[(each == one) * 1.0 - (each == other) for each in partners] for one, other in means])
    of_bots = of_sides @ np.array([[0.5 * (bot in each) for bot in range(bots)] for each in partners])
    wanted = np.array(list(means.values()))
    ratings = np.linalg.lstsq(of_bots, wanted, rcond=None)[0]
    assert ratings.sum() == pytest.approx(0)
    by_name = dict(zip(NAMES, ratings, strict=True))
    for each in found.differences:
        assert each.points_per_board == pytest.approx(by_name[each.bot] - by_name[each.other], abs=1e-8)
    assert [each.bot for each in found.standings] == sorted(NAMES, key=lambda name: -by_name[name])
    # Ratings of the sides, fitted by themselves: an effect is what a side has beyond the mean of its bots.
    strengths = np.linalg.lstsq(of_sides, wanted, rcond=None)[0]
    effects = {each: strengths[place] - ratings[list(each)].mean() for place, each in enumerate(partners)}
    assert len(found.pairings) == 20
    for pairing in found.pairings:
        assert pairing.opponent is None
        both = frozenset(NAMES.index(name) for name in (pairing.bot, pairing.partner))
        own = [mean if one == both else -mean for (one, other), mean in means.items() if both in (one, other)]
        assert pairing.score.points_per_board == pytest.approx(np.mean(own))
        assert pairing.score.effect == pytest.approx(effects[both], abs=1e-8)
        assert pairing.score.tables == 3 * 40 * 2
        assert pairing.score.boards == 40
    assert all(sum(e for each, e in effects.items() if bot in each) == pytest.approx(0) for bot in range(bots))


def test_shares_contracts_and_duplicates_are_those_of_plain_python(played: Path) -> None:
    found, values = standings_of(played), values_of(played)
    frame = results.load(played)
    for standing in found.standings:
        bot = NAMES.index(standing.bot)
        won = [(np.sign(v) + 1) / 2 for both in values.values() for own, v in both.items() if bot in own]
        assert standing.score.boards_won == pytest.approx(np.mean(won))
        declared = frame[frame["declaring_bot"] == standing.bot]
        assert standing.score.contracts == len(declared)
        assert standing.score.sets == (~declared["made"]).sum()
        assert standing.score.bids_made == (pytest.approx(declared["made"].mean()) if len(declared) else None)
        assert standing.score.tables == 12 * 40 * 2
        assert standing.runoff is None
        assert standing.score.rating_ci95 is not None
    for pairing in found.pairings:
        both = frozenset(NAMES.index(name) for name in (pairing.bot, pairing.partner))
        own = [each[both] for each in values.values() if both in each]
        assert pairing.score.duplicates_won == sum(v > 0 for v in own)
        assert pairing.score.duplicates_tied == sum(v == 0 for v in own)
        assert pairing.score.duplicates_lost == sum(v < 0 for v in own)
    assert found.counted == found.rows == len(frame) == 15 * 40 * 2


def test_games_have_mixed_partners_too(games: Path) -> None:
    frame = results.load(games)
    assert set(frame.groupby(["game", "bot_ns", "bot_ew"], observed=True).ngroup()) == set(range(3 * 3 * 2))
    partners = frame.groupby("game")[["north", "south"]].agg(lambda names: list(dict.fromkeys(names)))
    assert not partners.apply(
        lambda row: set(row["north"]) == set(row["south"]) and len(row["north"]) == 1, axis=1
    ).any()
    found = standings_of(games)
    assert found.counted == len(frame)
    assert all(each.score.effect is None for each in found.pairings), "four bots do not tell effects from ratings"
    assert all(each.score.games == 3 for each in found.pairings)


def test_written_standings_are_those_that_are_counted(played: Path, tmp_path: Path) -> None:
    folder = shutil.copytree(played, tmp_path / "run")
    written = standings_of(folder)
    (folder / "standings.parquet").unlink()
    assert standings_of(folder) == written
    assert pq.read_schema(played / "pairings.parquet").names == [column.name for column in PARTNERS_COLUMNS]
    frame = results.pairings(played)
    assert list(frame.columns) == [column.name for column in PARTNERS_COLUMNS]
    assert set(zip(frame["bot"], frame["partner"], strict=True)) == {(a, b) for a in NAMES for b in NAMES if a != b}


# --- the model


def mixed_sample(strengths: Mapping[tuple[int, int], Any], bots: int, leave_out: Sequence[int] = ()) -> Sample:
    """A sample of all sides; a side's value on a unit (float64[n]) is its strength there less that of the other."""
    all_sides = sides("mixed", bots)
    sample = Sample(bots, {"points": 0.0, "won": 1.0}, most={"points": 14.0, "won": 1.0}, sides=all_sides)
    for place, (a, b) in enumerate(MIXED.pairs(bots)):
        if place not in leave_out:
            points = np.asarray(strengths[all_sides[a]] - strengths[all_sides[b]], np.float64)
            number = len(points)
            ones, bids = np.ones(number, np.int16), np.zeros((number, 4, 2), np.int16)
            values = {"points": points, "won": (np.sign(points) + 1) / 2}
            sample.add(Meeting(a, b, np.arange(number), values, ones, ones, bids))
    return sample


def partner_effects(random: np.random.Generator, bots: int) -> dict[tuple[int, int], float]:
    """Effects of partners that add up to 0 for every bot."""
    pairs = list(combinations(range(bots), 2))
    design = np.array([[1.0 * (bot in pair) for bot in range(bots)] for pair in pairs])
    drawn = random.normal(size=len(pairs))
    free = drawn - design @ np.linalg.lstsq(design, drawn, rcond=None)[0]
    return dict(zip(pairs, free.tolist(), strict=True))


@pytest.mark.parametrize("bots", [5, 6])
def test_the_intervals_of_ratings_and_effects_hold_19_times_in_20(bots: int) -> None:
    random = np.random.default_rng(7)
    strength = np.linspace(1.0, -1.0, bots)
    effects = partner_effects(random, bots)
    rounds, units = 200, 60
    held: Counter[str] = Counter()
    for _ in range(rounds):
        luck = random.normal(size=(units, bots))  # a bot's on a board, with whomever it plays
        drawn = {
            (i, j): (strength[i] + strength[j]) / 2 + effect + luck[:, i] + luck[:, j] + 2 * random.normal(size=units)
            for (i, j), effect in effects.items()
        }
        sample = mixed_sample(drawn, bots)
        rated = point_ratings(sample, range(bots)).estimates
        held["ratings"] += sum(_holds(rated.estimate(bot), strength[bot]) for bot in range(bots))
        apart = differences(rated, range(bots))
        held["differences"] += sum(
            each.interval is not None
            and each.interval[0] <= strength[each.one] - strength[each.other] <= each.interval[1]
            for each in apart
        )
        held["joint"] += all(
            each.joint is not None and each.joint[0] <= strength[each.one] - strength[each.other] <= each.joint[1]
            for each in apart
        )
        of_partners = partnership_effects(sample, range(bots))
        assert list(of_partners) == list(effects)
        held["effects"] += sum(_holds(of_partners[both].estimate(0), effects[both]) for both in effects)
        points = sample.of_bots("points")
        held["points"] += sum(
            _holds(points.estimate(bot), strength[bot] * bots / (2 * (bots - 1))) for bot in range(bots)
        )
    pairs = comb(bots, 2)
    each = {"ratings": bots, "points": bots, "differences": pairs, "effects": pairs, "joint": 1}
    shares = {what: held[what] / (rounds * number) for what, number in each.items()}
    assert all(0.92 < share < 0.98 for what, share in shares.items() if what != "joint"), shares
    assert shares["joint"] > 0.92


def _holds(estimate: Any, truth: float) -> bool:
    return bool(estimate.interval[0] <= truth <= estimate.interval[1])


def test_effects_are_right_without_noise_and_ratings_free_of_them() -> None:
    random = np.random.default_rng(3)
    for bots in (5, 6, 8):
        strength = random.normal(size=bots)
        effects = partner_effects(random, bots)
        exact = {(i, j): np.full(4, (strength[i] + strength[j]) / 2 + e) for (i, j), e in effects.items()}
        sample = mixed_sample(exact, bots)
        assert point_ratings(sample, range(bots)).estimates.values == pytest.approx(strength - strength.mean())
        found = partnership_effects(sample, range(bots))
        assert {both: float(each.values[0]) for both, each in found.items()} == pytest.approx(effects)


def test_ratings_by_shares_agree_with_a_generic_optimiser() -> None:
    random = np.random.default_rng(11)
    bots, units = 5, 50
    drawn = {both: random.normal(0.2 * both[0], 1, units) for both in combinations(range(bots), 2)}
    sample = mixed_sample(drawn, bots)
    won = np.array([sample.mean("won", pair)[0] for pair in sample.meetings])
    signs = np.zeros((len(won), bots))
    for place, (a, b) in enumerate(sample.meetings):
        signs[place, list(side("mixed", a))] = 0.5
        signs[place, list(side("mixed", b))] = -0.5

    def lost(rated: Floats) -> float:
        difference = signs @ rated
        each = np.logaddexp(0, -difference) * won + np.logaddexp(0, difference) * (1 - won)
        return float(units * each.sum() + RIDGE / 2 * (rated**2).sum())

    best = minimize(lost, np.zeros(bots), method="BFGS", options={"gtol": 1e-9}).x
    found = share_ratings(sample, range(bots)).estimates.values
    assert found - found.mean() == pytest.approx(best - best.mean(), abs=1e-5)


def test_what_few_pairings_do_not_tell_is_not_told() -> None:
    random = np.random.default_rng(5)
    drawn = {both: random.normal(size=20) for both in combinations(range(5), 2)}
    few = mixed_sample(drawn, 5, leave_out=range(2, 15))
    rated = point_ratings(few, range(5))
    assert rated.groups == [[bot] for bot in range(5)]
    assert all(rated.estimates.estimate(bot) is None for bot in range(5))
    most = mixed_sample(drawn, 5, leave_out=[4])
    assert partnership_effects(most, range(5)) == {}
    rated, whole = point_ratings(most, range(5)), point_ratings(mixed_sample(drawn, 5), range(5))
    assert rated.groups == [[0, 1, 2, 3, 4]]
    units = 20
    assert np.any(rated.estimates.influence[units:]), "the model decides between bots that had other partners"
    assert not np.any(whole.estimates.influence[units:])


# --- the same run whatever happens


def test_runs_are_the_same_with_any_number_of_workers_and_after_interruptions(played: Path, tmp_path: Path) -> None:
    assert files_of(run_tournament(FIELDS, out=tmp_path / "workers", jobs=2)) == files_of(played)
    out = tmp_path / "stopped"
    tournament = prepare(make_config(FIELDS, "test"), [tmp_path])
    for stop_at in (2, 7, 20):

        def stop(progress: Progress, stop_at: int = stop_at) -> None:
            if progress.parts_done == stop_at:
                raise KeyboardInterrupt

        with pytest.raises(KeyboardInterrupt):
            run(tournament, out, resume=True, executor="inline", report=stop)
        found = standings_of(out)
        assert found.rows == found.counted
    run(tournament, out, resume=True, executor="inline")
    assert files_of(out) == files_of(played)


def test_an_extended_run_is_that_of_a_fresh_one(played: Path, tmp_path: Path) -> None:
    out = tmp_path / "run"
    run_tournament({**FIELDS, "bots": BOTS[:4], "boards": 24}, out=out, executor="inline")
    parts = {path.name: path.read_bytes() for path in part_files(out)}
    run_tournament({**FIELDS, "boards": 24}, out=out, resume=True, executor="inline")
    run_tournament(FIELDS, out=out, resume=True, executor="inline")
    assert parts.items() <= files_of(out).items()
    assert rows_of(out) == rows_of(played)
    assert standings_of(out) == standings_of(played)


def test_parts_of_other_sides_are_none_of_the_run(played: Path, tmp_path: Path) -> None:
    folder = shutil.copytree(played, tmp_path / "run")
    manifest = read_manifest(folder)
    first, second = planned_parts(manifest)[:2]
    assert identity_of(manifest, first) == identity_of(manifest, second)
    other = next(part for part in planned_parts(manifest) if (part.a, part.b) != (first.a, first.b))
    assert identity_of(manifest, first) != identity_of(manifest, other)
    shutil.copy(folder / "boards" / other.file_name, folder / "boards" / first.file_name)
    assert not is_done(folder, manifest, first)
    with pytest.raises(RunError, match=r"part-000000\.parquet belongs to another run"):
        standings_of(folder)


def test_partners_at_each_other_s_seats_are_not_as_planned(tmp_path: Path) -> None:
    manifest = manifest_of(["a", "b", "c", "d"], [(4, 32)])
    manifest.pairing = "mixed"
    folder = make_run(tmp_path / "run", manifest)
    frame = results.load(folder)
    assert len(frame) == 3 * 32 * 2
    rewrite_part(folder, 0, lambda columns: columns.update(north=columns["south"], south=columns["north"]))
    with pytest.raises(RunError, match="does not have the rows that the schedule wants"):
        results.load(folder)


# --- bots of every kind, and their faults

LOWEST = "def act(obs):\n    return obs.legal[0]\n"
FAILING = """
def act(obs):
    if obs.phase == "play" and len(obs.legal) > 1 and obs.random.below(40) == 0:
        raise ValueError("no idea")
    return obs.legal[0]
"""


def test_bots_of_every_kind_are_partners(tmp_path: Path) -> None:
    (tmp_path / "lowest.py").write_text(LOWEST, encoding="utf-8")
    (tmp_path / "failing.py").write_text(FAILING, encoding="utf-8")
    program = Path(__file__).parent.parent / "examples" / "cmd" / "pass_and_follow.py"
    bots = [
        "heuristic",
        {"spec": str(tmp_path / "lowest.py"), "name": "trusted", "trust": True},
        {"spec": f"cmd:{sys.executable} {program}", "name": "program"},
        {"spec": str(tmp_path / "failing.py"), "name": "failing"},
    ]
    folder = run_tournament({**FIELDS, "boards": 8, "most_faults": 1.0, "bots": bots}, out=tmp_path / "run", jobs=2)
    rows = results.load(folder)
    assert len(rows) == 3 * 8 * 2
    assert [bot.isolation for bot in read_manifest(folder).bots] == ["none", "none", "jail", "jail"]
    incidents = results.faults(folder)
    assert 0 < len(incidents) < len(rows)
    assert set(incidents["bot"]) == {"failing"}
    assert set(incidents["kind"]) == {"crash"}
    assert set(incidents["partner"]) == {"heuristic", "trusted", "program"}
    [counted] = standings_of(folder).faults
    assert counted.incidents == len(incidents)
    first = incidents.sort_values("board", kind="stable").iloc[0]
    assert (counted.board, counted.seat, counted.opponent) == (first["board"], first["seat"], first["opponent"])
    opened = replay.open_hand(folder, first)
    assert [(fault.kind, opened.bots[fault.seat]) for fault in opened.faults] == [("crash", "failing")]
    [reason] = [each for each in read_reasons(folder) if each[2] == first["board"]][:1]
    assert reason[:2] == ("failing", "crash")
    assert reason[3] in set(incidents["opponent"])


def run_with_one_that_fails(folder: Path, **more: Any) -> Path:
    (folder / "failing.py").write_text(FAILING, encoding="utf-8")
    failing = {"spec": str(folder / "failing.py"), "name": "f", "trust": True}
    bots = ["heuristic", "random", "random?calls=pass", failing]
    return run_tournament({**FIELDS, "boards": 24, "bots": bots, **more}, out=folder / "run", executor="inline")


def test_faults_are_counted_for_the_bot_and_forfeited_by_its_side(tmp_path: Path) -> None:
    folder = run_with_one_that_fails(tmp_path, on_fault="forfeit", most_faults=0.9)
    rows, found = results.load(folder), standings_of(folder)
    failed = rows[[f"fault_{seat}" for seat in "nesw"]].notna().any(axis=1)
    assert 3 <= failed.sum() < len(rows)
    penalty = int(most_points(CLASSIC.record()))
    for row in rows.itertuples():
        own = "NS" if "f" in (row.north, row.south) else "EW"
        pair = rows[(rows["board"] == row.board) & rows["bot_ns"].isin([row.bot_ns, row.bot_ew])]
        if failed[pair.index].any():
            assert row.forfeit == own
            assert row.points == (-penalty if own == "NS" else penalty)
        else:
            assert row.forfeit not in ("NS", "EW")
    assert {each.bot for each in found.faults} == {"f"}
    assert {each.opponent for each in found.faults} <= {
        "heuristic + random",
        "heuristic + random?calls=pass",
        "random + random?calls=pass",
    }


def test_only_who_fails_is_disqualified(tmp_path: Path) -> None:
    folder = run_with_one_that_fails(tmp_path, on_fault="substitute")
    disqualified = {each.bot: each.disqualified for each in standings_of(folder).standings}
    assert disqualified == {"heuristic": False, "random": False, "random?calls=pass": False, "f": True}
    assert re.search(r"^ *\d! f ", CliRunner().invoke(group, ["table", str(folder)]).output, re.MULTILINE)


def test_a_bot_that_sees_all_hands_counts_for_nobody_else(tmp_path: Path) -> None:
    fields = {**FIELDS, "boards": 4, "bots": [*BOTS, "oracle-rollout"]}
    folder = run_tournament(fields, out=tmp_path / "run", executor="inline")
    with_it, manifest = standings_of(folder), read_manifest(folder)
    assert with_it.standings[-1].cheats
    without = run_tournament({**FIELDS, "boards": 4}, out=tmp_path / "without", executor="inline")
    own = standings_of(without)
    fair = with_it.standings[:-1]
    assert [(each.bot, each.score, each.by_level) for each in fair] == [
        (each.bot, each.score, each.by_level) for each in own.standings
    ]
    effects = {(each.bot, each.partner): each.score.effect for each in with_it.pairings}
    assert {both: effect for both, effect in effects.items() if "oracle-rollout" not in both} == {
        (each.bot, each.partner): each.score.effect for each in own.pairings
    }
    assert {effect for both, effect in effects.items() if "oracle-rollout" in both} == {None}
    assert with_it.counted == len(results.load(folder)) == MIXED.count_pairs(6) * 4 * 2
    tally = tally_run(folder, manifest, present_parts(folder, manifest))
    assert len(tally.sample.counting(5)) == 30
    assert len(tally.sample.counting(0)) == 12
    assert len(tally.sample.counting(0, 5)) == 6


@pytest.mark.parametrize("as_games", [False, True])
def test_the_kernel_plays_four_bots_as_the_batch_does(as_games: bool) -> None:
    rules = preset("classic", cap=5)
    deciders = [
        find_bot(spec, spec, []).load(rules) for spec in ("heuristic", "random", "random?calls=pass", "heuristic")
    ]
    sequences = Setting(rules, 9, as_games, "mixed").sequences(Part(0, 0, 5, 3, 12))
    assert sequences["lineup"].max() == 3
    whole, lockstep = play_compiled(rules, 9, sequences, deciders), Batch(rules, 9).play(sequences, deciders)
    assert whole is not None
    for one, other in zip(whole[:2], lockstep[:2], strict=True):
        assert one.tolist() == other.tolist()
    for name in whole.outcome.dtype.names or ():
        assert np.array_equal(whole.outcome[name], lockstep.outcome[name]), name


# --- frames and hands


def test_frames_tell_bots_partners_and_sides(played: Path) -> None:
    rows, calls, contracts = results.load(played), results.calls(played), results.contracts(played)
    assert len(calls) == 4 * len(rows)
    for frame in (calls, contracts):
        assert list(frame.columns).index("partner") == list(frame.columns).index("bot") + 1
    seats = ["north", "east", "south", "west"]
    for number, call in enumerate(calls.iloc[:400].itertuples()):
        row = rows.iloc[number // 4]
        seat = "NESW".index(call.seat)
        assert (call.bot, call.partner) == (row[seats[seat]], row[seats[(seat + 2) % 4]])
        assert call.opponent == row["bot_ew" if seat % 2 == 0 else "bot_ns"]
    assert contracts["bot"].tolist() == rows["declaring_bot"].tolist()
    assert results.load(played, bots=["r"])[seats].eq("r").any(axis=1).all()
    assert len(results.load(played, bots=["r"])) == 12 * 40 * 2
    pairing = ["random + h2", "heuristic + r"]
    some = results.load(played, pairing=pairing)
    assert len(some) == 40 * 2
    assert set(some["bot_ns"]) == set(some["bot_ew"]) == set(pairing)
    assert set(results.timings(played)["bot"]) <= set(rows["bot_ns"].cat.categories)
    with pytest.raises(RunError, match="there is no side 'h2 \\+ random'"):
        results.load(played, pairing=["h2 + random", "heuristic + r"])
    with pytest.raises(RunError, match="a pairing is two sides"):
        results.load(played, pairing=["heuristic + r"])


def test_cards_played_again_are_those_that_were_recorded(played: Path, tmp_path: Path) -> None:
    fields = {**FIELDS, "boards": 8, "record": "plays"}
    recorded = run_tournament(fields, out=tmp_path / "run", executor="inline")
    pairing = ["random + h2", "heuristic + r"]
    again = replay.tricks(played, boards=(0, 8), pairing=pairing)
    known = replay.tricks(recorded, pairing=pairing)
    assert len(again) == 16 * 48
    assert again.astype(str).equals(known.astype(str))


@pytest.mark.parametrize("drop", [[], ["bot_ns"], ["bot_ns", "north"]])
def test_a_row_opens_its_hand(played: Path, drop: list[str]) -> None:
    rows = results.load(played, boards=(3, 5), pairing=["random + h2", "heuristic + r"])
    for frame in (
        rows.drop(columns=drop),
        results.calls(played, boards=(3, 4), pairing=["random + h2", "heuristic + r"]),
    ):
        for number in range(len(frame)):
            row = frame.iloc[number]
            if "bot" not in row and len(drop) == 2:
                with pytest.raises(RunError, match="the row does not tell who sat where"):
                    replay.open_hand(played, row)
                continue
            opened = replay.open_hand(played, row)
            whole = rows[(rows["board"] == row["board"]) & (rows["north"] == opened.bots[0])].iloc[0]
            assert opened.bots == tuple(whole[["north", "east", "south", "west"]])
            if "bot" in row:
                assert opened.bots["NESW".index(row["seat"])] == row["bot"]
            assert opened.points == whole["points"]


def test_hands_are_shown_with_all_four_bots(played: Path, games: Path) -> None:
    runner = CliRunner()
    shown = runner.invoke(group, ["show", str(played), "--board", "3", "--pairing", "heuristic + r,random + h2"]).output
    assert len(re.findall(r"^\S+ North and \S+ South, \S+ East and \S+ West$", shown, re.MULTILINE)) == 2
    assert re.search(r"^random \+ h2: [+-]\d+ and [+-]\d+, net ", shown, re.MULTILINE)
    assert shown.count("also played: --pairing ") == 14
    wrong = runner.invoke(group, ["show", str(played), "--board", "3", "--pairing", "heuristic,random"])
    assert "did not play this board" in str(wrong.exception or wrong.output)
    text = str(replay.open_hand(games, game=1, hand=1, pairing=("heuristic + random", "h2 + random?calls=pass")))
    assert " North and " in text
    asked = runner.invoke(
        group, ["ask", "heuristic", str(played), "--board", "3", "--seat", "N", "--decision", "call", "--json"]
    )
    assert asked.exit_code == 0, asked.output


def test_the_table_has_partners_in_place_of_opponents(played: Path) -> None:
    shown = CliRunner().invoke(group, ["table", str(played)]).output
    assert "partners mixed" in shown
    assert "Together, against all others" in shown
    assert "Against each other" not in shown
    assert "runoff" not in shown
    assert len(re.findall(r"^ \S+ \+ \S+ +[+-]\d", shown, re.MULTILINE)) == 10
    told = standings_json(played)
    names = ["bot", "partner", *(name for each in OF_PARTNERS for name in each.names)]
    assert all(list(pairing) == names for pairing in told["pairings"])


def test_several_runs_are_loaded_together(played: Path, games: Path, tmp_path: Path) -> None:
    small = run_tournament({**FIELDS, "name": "small", "boards": 4}, out=tmp_path / "small", executor="inline")
    rows = results.load({"a": played, "b": small})
    assert rows[rows["run"] == "b"].drop(columns="run").reset_index(drop=True).equals(results.load(small))
    other = run_tournament(
        {"seed": 1, "boards": 4, "bots": ["random", "heuristic"]}, out=tmp_path / "o", executor="inline"
    )
    both = results.load([played, other])
    assert set(both[both["run"] == "tournament"]["bot_ns"]) == {"random", "heuristic"}
    with pytest.raises(RunError, match='has pairing = "mixed", and not all others have it'):
        results.calls([played, other])
    assert len(results.calls([played, other], columns=["bot", "opponent"])) == 4 * len(both)
    with pytest.raises(RunError, match='has pairing = "mixed", and others have not'):
        results.pairings([played, other])


# --- what does not go


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"bots": BOTS[:3]}, 'bots: pairing = "mixed" needs 4 at least, two partners on each side, and there are 3'),
        ({"bots": [*BOTS, {"spec": "random", "name": "a + b"}]}, 'bots: \'a + b\' has " + " in its name'),
        ({"stop": {"bots": ["r", "h2"], "difference": 0.2}}, 'stop: does not go with pairing = "mixed"'),
        ({"rounds": 2}, 'rounds: does not go with pairing = "mixed"'),
        ({"challengers": ["r"]}, 'challengers: does not go with pairing = "mixed"'),
        ({"bots": [{"spec": "random", "name": f"b{n}"} for n in range(60)]},
         "bots: 60 make 1,462,905 pairings, each of a part at least; a run has 1,000,000 at most"),
        ({"bots": [{"spec": "random", "name": f"b{n}"} for n in range(40)], "boards": 10**6}, "1,000,000 at most"),
    ],
)  # fmt: skip
def test_mistakes(change: dict[str, Any], words: str) -> None:
    with pytest.raises(ConfigError) as error:
        make_config({**FIELDS, **change}, "test")
    assert words in str(error.value)


def test_what_compares_two_bots_refuses_partners(played: Path, tmp_path: Path) -> None:
    with pytest.raises(RunError, match='has pairing = "mixed", in which no bot plays another one without partners'):
        pilot_of(played, "random", "h2")
    with pytest.raises(RunError, match='has pairing = "mixed"; pictures are of'):
        look_at(played)
    with pytest.raises(RunError, match='has pairing = "mixed", whose bots are rated by that run alone'):
        pool([played])
    (tmp_path / "ladder.toml").write_text('boards = 4\npairing = "mixed"\nbots = ["random", "heuristic"]\n', "utf-8")
    with pytest.raises(ConfigError, match="needs 4 at least"):
        open_ladder(tmp_path)
    four = ", ".join(f'{{ spec = "random", name = "b{place}" }}' for place in range(4))
    (tmp_path / "ladder.toml").write_text(f'boards = 4\npairing = "mixed"\nbots = [{four}]\n', "utf-8")
    with pytest.raises(ConfigError, match='pairing: a ladder is "round-robin" or "swiss": \'mixed\' does not go'):
        open_ladder(tmp_path)


def test_a_manifest_with_too_few_bots_is_refused(played: Path, tmp_path: Path) -> None:
    folder = shutil.copytree(played, tmp_path / "run")
    text = (folder / "manifest.json").read_text("utf-8")
    (folder / "manifest.json").write_text(re.sub(r'"bots": 5', '"bots": 3', text), "utf-8")
    with pytest.raises(RunError, match="stages: do not fit the bots"):
        read_manifest(folder)
