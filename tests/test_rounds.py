"""The pairing "swiss": rounds between bots of like strength, the same wherever the run is played."""

import json
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bidwhist.arena.config import make_config
from bidwhist.arena.run import Progress, run, take_back
from bidwhist.arena.tournament import prepare
from bidwhist.errors import ConfigError, RunError
from bidwhist.ladder.ladder import open_ladder
from bidwhist.ladder.standing import standing_of
from bidwhist.ladder.submit import Options, submit
from bidwhist.play import run_tournament
from bidwhist.results.manifest import MANIFEST, read_manifest
from bidwhist.results.parts import planned_parts
from bidwhist.results.rounds import pair_of, round_of
from bidwhist.results.schedule import Pair
from bidwhist.results.standings import standings_of
from bidwhist.stats.ranks import differences
from bidwhist.stats.ratings import point_ratings
from bidwhist.stats.sample import Meeting, Sample
from runs import part_files

SPECS = ("heuristic", "random", "random?calls=pass")
FIELDS: dict[str, Any] = {
    "name": "t",
    "seed": 5,
    "boards": 32,
    "pairing": "swiss",
    "rounds": 3,
    "bots": [{"spec": SPECS[place % 3], "name": f"b{place}"} for place in range(9)],
}


def opponents_of(pairs: Any) -> Counter[int]:
    return Counter(bot for pair in pairs for bot in pair)


def rounds_of(folder: Path) -> list[tuple[Pair, ...]]:
    return [stage.pairs for stage in read_manifest(folder).stages if stage.pairs is not None]


def files_of(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in [*part_files(folder), *folder.glob("*.parquet")]}


@st.composite
def situations(draw: st.DrawFn) -> tuple[list[int], list[float], set[Pair], set[int]]:
    bots = draw(st.integers(2, 9))
    ratings = draw(st.lists(st.integers(-3, 3).map(float), min_size=bots, max_size=bots))
    pairs = [(a, b) for b in range(bots) for a in range(b)]
    met = draw(st.sets(st.sampled_from(pairs)))
    lacking = draw(st.sets(st.sampled_from(range(bots)), min_size=1))
    order = sorted(range(bots), key=lambda bot: (-ratings[bot], bot))
    return order, ratings, met, lacking


@given(situations())
def test_a_round_pairs_each_bot_once_and_nobody_again(
    situation: tuple[list[int], list[float], set[Pair], set[int]],
) -> None:
    order, ratings, met, lacking = situation
    pairs = round_of(order, ratings, met, lacking)
    busy = opponents_of(pairs)
    assert max(busy.values(), default=1) == 1
    assert not met & set(pairs)
    assert all(lacking & set(pair) for pair in pairs)
    # Nobody who lacks opponents sits out beside one whom it could have met.
    for bot in lacking - set(busy):
        assert not [other for other in order if other != bot and other not in busy and pair_of(bot, other) not in met]


def test_the_nearest_meet() -> None:
    assert round_of([0, 1, 2, 3], [3.0, 2.9, 0.0, -0.1], set(), range(4)) == [(0, 1), (2, 3)]
    assert round_of([0, 1, 2, 3], [3.0, 2.9, 0.0, -0.1], {(0, 1)}, range(4)) == [(0, 2), (1, 3)]


def test_a_pairing_is_parted_for_two_who_have_met() -> None:
    # 0 takes 1, and 2 and 3 have met: 0 and 1 can each meet one of them.
    assert round_of([0, 1, 2, 3], [2.0, 1.9, 0.0, -0.1], {(2, 3)}, range(4)) == [(0, 2), (1, 3)]


def test_a_newcomer_meets_one_that_lacks_nobody() -> None:
    assert round_of([0, 1, 4, 2, 3], [3.0, 2.0, 1.0, 0.9, 1.2], {(0, 1), (2, 3)}, [4]) == [(2, 4)]


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return run_tournament(FIELDS, out=tmp_path_factory.mktemp("swiss") / "run", executor="inline")


def test_every_bot_meets_as_many_others_as_it_is_to(played: Path) -> None:
    rounds = rounds_of(played)
    pairs = [pair for each in rounds for pair in each]
    assert len(set(pairs)) == len(pairs)
    met = opponents_of(pairs)
    assert min(met.values()) == 3
    assert len(pairs) == 14  # of 36: with nine bots one has a fourth opponent
    assert all(max(opponents_of(each).values()) == 1 for each in rounds)
    assert rounds[0] == ((0, 5), (1, 6), (2, 7), (3, 8))
    manifest = read_manifest(played)
    assert {(part.a, part.b) for part in planned_parts(manifest)} == set(pairs)
    standings = standings_of(played).standings
    assert all(each.runoff is None for each in standings)
    strengths = [SPECS[int(each.bot[1:]) % 3] for each in standings]
    assert strengths[:3] == ["heuristic"] * 3
    ranges = {each.bot: each.rank_range for each in standings}
    assert ranges["b0"] is not None
    assert ranges["b0"][0] == 1, "a bot is not behind another one that plays the same"


def test_rounds_are_the_same_with_any_number_of_workers_and_after_interruptions(played: Path, tmp_path: Path) -> None:
    with_workers = run_tournament(FIELDS, out=tmp_path / "workers", jobs=2)
    assert files_of(with_workers) == files_of(played)
    out = tmp_path / "stopped"
    tournament = prepare(make_config(FIELDS, "test"), [tmp_path])
    stops = iter([3, 9, 13])
    next_stop = next(stops)

    def stop(progress: Progress) -> None:
        if progress.parts_done == next_stop:
            raise KeyboardInterrupt

    for _ in range(3):
        with pytest.raises(KeyboardInterrupt):
            run(tournament, out, resume=True, executor="inline", report=stop)
        next_stop = next(stops, -1)
    run(tournament, out, resume=True, executor="inline")
    assert rounds_of(out) == rounds_of(played)
    assert files_of(out) == files_of(played)


def test_bots_and_boards_are_added(played: Path, tmp_path: Path) -> None:
    out = tmp_path / "run"
    run_tournament(FIELDS, out=out, executor="inline")
    rounds = rounds_of(out)
    more = {**FIELDS, "boards": 64, "bots": [*FIELDS["bots"], {"spec": "heuristic", "name": "late"}]}
    run_tournament(more, out=out, resume=True, executor="inline")
    now = rounds_of(out)
    assert now[: len(rounds)] == rounds
    pairs = [pair for each in now for pair in each]
    assert opponents_of(pairs)[9] == 3
    assert len(now) == len(rounds) + 3
    boards = Counter[Pair]()
    for part in planned_parts(read_manifest(out)):
        boards[part.a, part.b] += part.units
    assert boards == Counter(dict.fromkeys(pairs, 64))
    parts = {path.name: path.read_bytes() for path in part_files(played)}
    assert parts.items() <= files_of(out).items()
    run_tournament(more, out=out, resume=True, executor="inline")
    assert rounds_of(out) == now


def test_rounds_are_not_lost_with_the_manifest(played: Path, tmp_path: Path) -> None:
    """Which stages and rounds a run had, its parts alone would not tell."""
    out = tmp_path / "run"
    run_tournament(FIELDS, out=out, executor="inline")
    before = files_of(out)
    (out / MANIFEST).unlink()
    run_tournament(FIELDS, out=out, resume=True, executor="inline")
    assert rounds_of(out) == rounds_of(played)
    assert files_of(out) == before


def test_an_extension_is_taken_back_with_its_rounds(played: Path, tmp_path: Path) -> None:
    out = tmp_path / "run"
    run_tournament(FIELDS, out=out, executor="inline")
    before = files_of(out)
    more = {**FIELDS, "bots": [*FIELDS["bots"], {"spec": "heuristic", "name": "late"}]}
    tournament = prepare(make_config(more, "test"), [tmp_path])

    def stop(progress: Progress) -> None:
        if progress.parts_done == 16:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        run(tournament, out, resume=True, executor="inline", report=stop)
    assert len(rounds_of(out)) == len(rounds_of(played)) + 2
    take_back(out)
    assert rounds_of(out) == rounds_of(played)
    run_tournament(FIELDS, out=out, resume=True, executor="inline")
    assert files_of(out) == before


def test_a_ladder_need_not_have_all_bots_meet(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    folder = tmp_path / "ladder"
    folder.mkdir()
    field = ", ".join(f'{{ spec = "{SPECS[place % 3]}", name = "b{place}" }}' for place in range(6))
    text = f'boards = 32\nseed = 5\npairing = "swiss"\nrounds = 2\nbots = [{field}]\n'
    (folder / "ladder.toml").write_text(text, encoding="utf-8")
    (tmp_path / "mine.py").write_text("def act(obs):\n    return obs.legal[0]\n", encoding="utf-8")
    found = submit("mine.py", folder, Options(executor="inline"))
    assert found.bot == "mine"
    met = opponents_of(pair for each in rounds_of(folder / "run") for pair in each)
    assert met[6] == 2
    places = standing_of(open_ladder(folder))
    assert [place.place for place in places] == list(range(1, 8))
    assert {place.bot for place in places[:2]} == {"b0", "b3"}


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"rounds": None}, 'rounds: is missing; pairing = "swiss" needs them'),
        ({"rounds": 0}, "rounds: must be an integer >= 1"),
        ({"pairing": "round-robin"}, 'rounds: does not go with pairing = "round-robin"'),
        ({"challengers": ["b1"]}, 'challengers: does not go with pairing = "swiss"'),
        ({"stop": {"bots": ["b1", "b2"], "difference": 0.2}}, 'stop: does not go with pairing = "swiss"'),
        ({"boards": 10**9, "rounds": 1000}, "a run has 1,000,000 at most"),
    ],
)
def test_mistakes(change: dict[str, Any], words: str) -> None:
    with pytest.raises(ConfigError) as error:
        make_config({**FIELDS, **change}, "test")
    assert words in str(error.value)


@pytest.mark.parametrize("pairs", [[[0, 9]], [[1, 0]], [[0, 5]], [[-1, 2]]])
def test_a_manifest_with_impossible_rounds_is_refused(played: Path, tmp_path: Path, pairs: Any) -> None:
    manifest = json.loads((played / MANIFEST).read_text(encoding="utf-8"))
    manifest["stages"].append({**manifest["stages"][-1], "pairs": pairs})
    (tmp_path / MANIFEST).write_text(json.dumps(manifest), encoding="utf-8")
    with pytest.raises(RunError, match="stages: do not fit the bots, or each other"):
        read_manifest(tmp_path)


# --- ratings of bots that have not all met ---


def sample_of(means: dict[Pair, float], bots: int, boards: int, generator: np.random.Generator) -> Sample:
    sample = Sample(bots, {"points": 0.0}, most={"points": 7.0})
    ones = np.ones(boards, np.int16)
    for (a, b), mean in means.items():
        values = {"points": generator.normal(mean, 1.0, boards)}
        sample.add(Meeting(a, b, np.arange(boards), values, ones, ones, np.zeros((boards, 2, 2), np.int16)))
    return sample


def test_bots_are_not_told_apart_by_whom_they_met() -> None:
    """Points do not add up as the model wants: who met the weak looks better by it than one that plays the same."""
    generator, told_apart = np.random.default_rng(3), 0
    for _ in range(40):
        kinds = generator.permutation([0, 0, 0, 1, 1, 1, 2, 2, 2, 0, 1, 2])
        lead = {(0, 1): 3.0, (1, 2): 3.0, (0, 2): 4.0}
        pairs = [(int(a), int((a + step) % 12)) for step in (1, 3, 4) for a in range(12)]
        means = {}
        for a, b in {pair_of(*pair) for pair in pairs}:
            one, other = int(kinds[a]), int(kinds[b])
            means[a, b] = lead.get((one, other), -lead.get((other, one), 0.0))
        estimates = point_ratings(sample_of(means, 12, 400, generator), range(12)).estimates
        found = differences(estimates, range(12))
        told_apart += any(each.is_sure and kinds[each.one] == kinds[each.other] for each in found)
    assert told_apart <= 4


def test_where_all_met_or_all_had_the_same_opponents_nothing_is_added() -> None:
    generator = np.random.default_rng(4)
    lead = {(a, b): float(generator.normal()) for b in range(5) for a in range(b)}
    gauntlet = {pair: mean for pair, mean in lead.items() if (pair[0] < 2) != (pair[1] < 2)}
    for means in (lead, gauntlet):
        sample = sample_of(means, 5, 100, generator)
        estimates = point_ratings(sample, range(5)).estimates
        assert not np.any(estimates.influence[len(sample.units_played) :])
        assert set(estimates.df) == {99}
