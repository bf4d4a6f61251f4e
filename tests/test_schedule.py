"""The schedule: everybody meets everybody on the same boards, in parts that never change."""

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bidwhist.results.manifest import Stage
from bidwhist.results.schedule import MOST_TABLES, Plan, by_stretch, lineups
from bidwhist.results.schema import Part
from bidwhist.rules import preset
from runs import manifest_of

ROUND_ROBIN = Plan("round-robin", (), 1)


def cells(parts: list[Part]) -> Counter[tuple[int, int, int]]:
    return Counter((part.a, part.b, unit) for part in parts for unit in range(part.first, part.first + part.units))


def test_pairings_of_a_round_robin_and_a_gauntlet() -> None:
    assert ROUND_ROBIN.pairs(4) == [(0, 1), (0, 2), (1, 2), (0, 3), (1, 3), (2, 3)]
    assert Plan("gauntlet", (1,), 1).pairs(4) == [(0, 1), (1, 2), (1, 3)]
    assert Plan("gauntlet", (2, 3), 1).pairs(4) == [(0, 2), (1, 2), (0, 3), (1, 3)]


def test_the_plan_of_a_run_is_that_of_its_manifest() -> None:
    names = ["a", "b", "c"]
    assert Plan.of(manifest_of(names, [(3, 8)])) == ROUND_ROBIN
    gauntlet = manifest_of(names, [(3, 8)], games=True, rules=preset("classic", cap=9), challengers=["c", "a"])
    assert Plan.of(gauntlet) == Plan("gauntlet", (2, 0), 9)


def test_orientations_are_turns_by_one_seat() -> None:
    part = Part(0, 3, 5, 0, 1)
    assert lineups("round-robin", part) == [(3, 5, 3, 5), (5, 3, 5, 3)] * 8


@given(st.integers(2, 6), st.integers(1, 3_000_000), st.integers(1, 250))
def test_every_pairing_plays_every_unit_once_in_order(bots: int, units: int, hands: int) -> None:
    plan = Plan("round-robin", (), hands)
    reached: dict[tuple[int, int], int] = {}
    for place, part in enumerate(plan.parts([Stage(bots, units)])):
        assert part.number == place
        assert 0 < 2 * part.units * hands <= MOST_TABLES
        assert part.first == reached.get((part.a, part.b), 0)
        reached[part.a, part.b] = part.first + part.units
        if place > 3000:
            return
    assert reached == dict.fromkeys(plan.pairs(bots), units)


@given(st.integers(2, 5), st.integers(1, 400), st.integers(0, 2), st.integers(0, 400))
def test_an_extended_run_plays_what_a_fresh_one_does(bots: int, units: int, more_bots: int, more_units: int) -> None:
    first, second = Stage(bots, units), Stage(bots + more_bots, units + more_units)
    before = list(ROUND_ROBIN.parts([first]))
    extended = list(ROUND_ROBIN.parts([first, second]))
    assert extended[: len(before)] == before
    counted = cells(extended)
    assert counted == cells(list(ROUND_ROBIN.parts([second])))
    assert set(counted.values()) == {1}


@given(st.lists(st.tuples(st.integers(0, 2), st.integers(0, 60), st.sets(st.integers(0, 7))), min_size=1, max_size=6))
def test_bots_left_out_of_a_stage_catch_up_when_they_are_back(steps: list[tuple[int, int, set[int]]]) -> None:
    stages, bots, units = [], 2, 1
    for more_bots, more_units, without in steps:
        bots, units = bots + more_bots, units + more_units
        absent = tuple(sorted(bot for bot in without if bot < bots))
        before = cells(list(ROUND_ROBIN.parts(stages)))
        stages.append(Stage(bots, units, absent))
        played = cells(list(ROUND_ROBIN.parts(stages)))
        assert all(not {a, b} & set(absent) for a, b, _ in played - before)
        for a, b in ROUND_ROBIN.pairs(bots):
            if not {a, b} & set(absent):
                assert all(played[a, b, unit] == 1 for unit in range(units))
    everybody = [*stages, Stage(bots, units)]
    assert cells(list(ROUND_ROBIN.parts(everybody))) == cells(list(ROUND_ROBIN.parts([Stage(bots, units)])))
    assert ROUND_ROBIN.count_parts(everybody) == len(list(ROUND_ROBIN.parts(everybody)))


@given(
    st.lists(st.tuples(st.integers(0, 2), st.integers(0, 500), st.sets(st.integers(0, 7))), max_size=3),
    st.integers(2, 5),
    st.integers(1, 4000),
)
def test_wherever_a_run_is_stopped_all_pairings_have_the_same_first_units_but_for_a_part(
    steps: list[tuple[int, int, set[int]]], bots: int, units: int
) -> None:
    stages = [Stage(bots, units)]
    for more_bots, more_units, without in steps:
        bots, units = bots + more_bots, units + more_units
        stages.append(Stage(bots, units, tuple(sorted(bot for bot in without if bot < bots))))
    stages.append(Stage(bots, units))
    parts = list(ROUND_ROBIN.parts(stages))
    largest = max(part.units for part in parts)
    reached = dict.fromkeys(ROUND_ROBIN.pairs(bots), 0)
    played = by_stretch(reversed(parts))
    for part in played:
        assert part.first == reached[part.a, part.b], "no unit is missing before it"
        reached[part.a, part.b] += part.units
        assert max(reached.values()) - min(reached.values()) <= largest
    assert sorted(played, key=lambda part: part.number) == parts


def test_pairings_that_an_extension_adds_catch_up_first() -> None:
    played = by_stretch(ROUND_ROBIN.parts([Stage(2, 64), Stage(3, 128)]))
    assert [(part.a, part.b, part.first, part.number) for part in played] == [
        (0, 1, 0, 0), (0, 2, 0, 4), (1, 2, 0, 8), (0, 1, 32, 1), (0, 2, 32, 5), (1, 2, 32, 9),
        (0, 1, 64, 2), (0, 2, 64, 6), (1, 2, 64, 10), (0, 1, 96, 3), (0, 2, 96, 7), (1, 2, 96, 11),
    ]  # fmt: skip


@given(st.integers(2, 6), st.integers(1, 3000), st.integers(1, 250))
def test_parts_are_counted_without_making_them(bots: int, units: int, hands: int) -> None:
    plan = Plan("round-robin", (), hands)
    assert plan.count_parts([Stage(bots, units)]) == len(list(plan.parts([Stage(bots, units)])))


def test_forty_bots_on_a_hundred_boards_are_a_part_a_pairing() -> None:
    assert ROUND_ROBIN.count_parts([Stage(40, 100)]) == 780


def test_a_ladder_of_a_thousand_bots_is_planned_quickly() -> None:
    stages = [Stage(bots, 100) for bots in range(2, 1001)]
    assert sum(1 for _ in ROUND_ROBIN.parts(stages)) == ROUND_ROBIN.count_parts(stages) >= 499_500


def test_a_plan_of_ten_million_boards_starts_at_once() -> None:
    parts = ROUND_ROBIN.parts([Stage(3, 10_000_000)])
    assert next(parts) == Part(0, 0, 1, 0, 25_000)
    assert ROUND_ROBIN.most_tables(3, 10_000_000) == 60_000_000


@pytest.mark.parametrize("units", [1, 31, 32, 33, 2000])
def test_a_small_run_is_cut_into_few_parts(units: int) -> None:
    assert len(list(ROUND_ROBIN.parts([Stage(2, units)]))) <= 16
