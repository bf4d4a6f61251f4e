"""Ratings over several runs: the same bots and boards are found again, and nothing counts twice."""

import json
from pathlib import Path

import msgspec
import numpy as np
import pytest
from click.testing import CliRunner

from bidwhist.cli import group
from bidwhist.errors import RunError
from bidwhist.play import run_tournament
from bidwhist.results.manifest import BotEntry, Manifest, commitment, read_manifest
from bidwhist.results.parts import present_parts
from bidwhist.results.pooled import Pool, pool
from bidwhist.results.tally import tally_run
from bidwhist.rules import preset
from bidwhist.stats.ratings import ELO, point_ratings, share_ratings
from runs import make_run, manifest_of


def seeded(manifest: Manifest, seed: int) -> Manifest:
    return msgspec.structs.replace(manifest, seed=seed, seed_commitment=commitment(seed))


def value_of(pooled: Pool, name: str) -> float:
    return float(pooled.points.estimates.values[pooled.names.index(name)])


def test_one_run_is_rated_as_by_itself(tmp_path: Path) -> None:
    run = make_run(tmp_path / "run", manifest_of(["a", "b", "c"], [(3, 60)]))
    pooled = pool([run])
    manifest = read_manifest(run)
    sample = tally_run(run, manifest, present_parts(run, manifest)).sample
    points, shares = point_ratings(sample, range(3)).estimates, share_ratings(sample, range(3)).estimates
    assert pooled.points.estimates.values == pytest.approx(points.values, abs=1e-12)
    assert pooled.points.estimates.covariance == pytest.approx(points.covariance, abs=1e-12)
    assert pooled.elo.estimates.values == pytest.approx(shares.values * ELO, abs=1e-9)
    assert pooled.runs == [1, 1, 1]


def test_a_run_in_two_pieces_is_the_whole_run(tmp_path: Path) -> None:
    """Boards of one seed are the same boards in whatever run: what was cut off is put on again."""
    whole = make_run(tmp_path / "whole", manifest_of(["a", "b", "c"], [(3, 96)]))
    less = make_run(tmp_path / "less", manifest_of(["a", "b", "c"], [(3, 32)]))
    one, both = pool([whole]), pool([less, whole])
    assert both.points.estimates.values == pytest.approx(one.points.estimates.values, abs=1e-12)
    assert both.points.estimates.covariance == pytest.approx(one.points.estimates.covariance, abs=1e-12)
    assert [both.sample.boards(bot) for bot in range(3)] == [96] * 3


def test_bots_in_another_order_are_the_same_bots(tmp_path: Path) -> None:
    there = make_run(tmp_path / "there", manifest_of(["a", "b", "c"], [(3, 64)]))
    turned = make_run(tmp_path / "late", seeded(manifest_of(["c", "a"], [(2, 64)]), 9))
    once, pooled = pool([there]), pool([there, turned])
    assert sorted(pooled.names) == ["a", "b", "c"]
    a, c = pooled.names.index("a"), pooled.names.index("c")
    meeting = pooled.sample.meeting(a, c)
    assert len(meeting) == 128
    late = read_manifest(tmp_path / "late")
    of_late = tally_run(tmp_path / "late", late, present_parts(tmp_path / "late", late)).sample.meeting(0, 1)
    assert meeting.values["points"][64:].tolist() == (-of_late.values["points"]).tolist()
    assert meeting.values["won"][64:].tolist() == (1 - of_late.values["won"]).tolist()
    assert meeting.values["squares"][64:].tolist() == of_late.values["squares"].tolist()
    assert meeting.bids[64:].tolist() == of_late.bids[:, ::-1].tolist()
    assert once.sample.meeting(0, 2).units.tolist() == meeting.units[:64].tolist()


def test_runs_of_different_seeds_are_independent(tmp_path: Path) -> None:
    """Twice as many boards with other cards halve the variance; the same cards would leave it as it is."""
    runs = [make_run(tmp_path / str(seed), seeded(manifest_of(["a", "b"], [(2, 400)]), seed)) for seed in (1, 2)]
    alone = [pool([run]).points.estimates for run in runs]
    together = pool(runs).points.estimates
    assert together.values == pytest.approx((alone[0].values + alone[1].values) / 2, abs=1e-12)
    expected = (alone[0].covariance + alone[1].covariance) / 4
    # The mean of both has the mean of both for its centre.
    assert together.covariance == pytest.approx(expected, rel=0.02)


def test_other_sources_of_one_name_are_other_bots(tmp_path: Path) -> None:
    first = make_run(tmp_path / "first", manifest_of(["a", "b"], [(2, 32)]))
    other = seeded(manifest_of(["a", "b"], [(2, 32)]), 3)
    other.bots = [BotEntry("a", "a", "1" * 64), other.bots[1]]
    pooled = pool([first, make_run(tmp_path / "other", other)])
    assert pooled.names == ["a (00000000)", "b", "a (11111111)"]
    assert pooled.runs == [1, 2, 1]
    assert pooled.sample.met(1) == [0, 2]


def test_groups_that_never_met_are_told(tmp_path: Path) -> None:
    first = make_run(tmp_path / "first", manifest_of(["a", "b"], [(2, 32)]))
    second = make_run(tmp_path / "second", manifest_of(["c", "d"], [(2, 32)]))
    shown = CliRunner().invoke(group, ["ratings", str(first), str(second)])
    assert shown.exit_code == 0
    assert "2 groups of bots have never met" in shown.output
    told = json.loads(CliRunner().invoke(group, ["ratings", str(first), str(second), "--json"]).output)
    assert told["groups"] == [["a", "b"], ["c", "d"]]
    assert {row["rank"] for row in told["ratings"]} == {1}


def test_runs_that_do_not_go_together(tmp_path: Path) -> None:
    boards = make_run(tmp_path / "boards", manifest_of(["a", "b"], [(2, 32)]))
    games = make_run(tmp_path / "games", manifest_of(["a", "b"], [(2, 4)], games=True))
    other = make_run(tmp_path / "other", manifest_of(["a", "b"], [(2, 32)], rules=preset("traditional")))
    with pytest.raises(RunError, match=r"games: has games, and .*boards has boards"):
        pool([boards, games])
    with pytest.raises(RunError, match=r"other: has the rule .* cannot be rated together"):
        pool([boards, other])
    missing = CliRunner().invoke(group, ["ratings", str(tmp_path / "none")])
    assert missing.exit_code != 0


def test_the_screen_tells_ratings_with_their_intervals(tmp_path: Path) -> None:
    fields = {"boards": 60, "bots": ["random", "heuristic", "random?calls=pass"]}
    runs = [run_tournament({**fields, "seed": seed}, out=tmp_path / str(seed), executor="inline") for seed in (1, 2)]
    shown = CliRunner().invoke(group, ["ratings", *map(str, runs)])
    assert shown.exit_code == 0
    assert "2 runs, 3 bots" in shown.output
    assert "1  heuristic" in shown.output
    [row] = [row for row in shown.output.splitlines() if row.lstrip().startswith("1  heuristic")]
    assert row.split()[-3:] == ["2", "2", "120"]
    told = json.loads(CliRunner().invoke(group, ["ratings", *map(str, runs), "--json"]).output)
    points = [row["points"] for row in told["ratings"]]
    assert points == sorted(points, reverse=True)
    assert np.isclose(sum(points), 0)
    assert all(row["ci95"][0] < row["points"] < row["ci95"][1] for row in told["ratings"])


def test_bots_that_see_all_hands_have_no_place(tmp_path: Path) -> None:
    manifest = manifest_of(["a", "b", "seer"], [(3, 32)])
    manifest.bots = [*manifest.bots[:2], msgspec.structs.replace(manifest.bots[2], cheats=True)]
    run = make_run(tmp_path / "run", manifest)
    pooled = pool([run])
    assert [pooled.names[place.bot] for place in pooled.places] in (["a", "b"], ["b", "a"])
