"""The list of statistics: what each is called, and that all who show standings read it."""

import json
from importlib import import_module
from pathlib import Path

import pytest
from click.testing import CliRunner

from bidwhist.cli import group
from bidwhist.results.standings import Score, standings_of, write_derived
from bidwhist.results.statistics import (
    OF_PAIRINGS,
    OF_STANDINGS,
    PARTNERS_COLUMNS,
    POINTS,
    STANDINGS_COLUMNS,
    STATISTICS,
    Statistic,
    mean_of,
)
from runs import make_run, manifest_of


def test_a_statistic_is_either_computed_or_estimated() -> None:
    for statistic in STATISTICS:
        assert (statistic.value is None) != (statistic.estimate is None), statistic.name
        assert statistic.in_boards or statistic.in_games
        assert statistic.in_standings or statistic.in_pairings


def test_names_are_told_apart_and_intervals_are_called_after_their_statistic() -> None:
    names = [name for statistic in STATISTICS for name in statistic.names]
    assert len(set(names)) == len(names)
    assert POINTS.names == ("points_per_board", "ci95")
    assert Statistic("other", "float64", "", estimate=mean_of("won")).names == ("other", "other_ci95")
    told = {column.name for column in (*STANDINGS_COLUMNS, *PARTNERS_COLUMNS)}
    assert {name for each in STATISTICS for name in (each.name, *each.ends)} <= told


@pytest.mark.parametrize("as_games", [False, True], ids=["boards", "games"])
def test_scores_and_machine_output_have_every_statistic_in_order(as_games: bool, tmp_path: Path) -> None:
    run = make_run(tmp_path / "run", manifest_of(["a", "b", "c"], [(3, 8)], games=as_games))
    write_derived(run)
    output = json.loads(CliRunner().invoke(group, ["table", str(run), "--json"]).stdout)
    own = [name for statistic in OF_STANDINGS for name in statistic.names]
    assert [name for name in output["standings"][0] if name in own] == own
    in_pairings = [name for statistic in OF_PAIRINGS for name in statistic.names]
    assert list(output["pairings"][0]) == ["bot", "opponent", *in_pairings]
    for standing in standings_of(run).standings:
        for statistic in OF_STANDINGS:
            is_there = statistic.in_games if as_games else statistic.in_boards
            assert (standing.score.values[statistic.name] is not None) == is_there, statistic.name


MEAN_WON = Statistic(
    "win_rate",
    "float64",
    "",
    estimate=mean_of("won"),
    heads=("wins", "wins"),
    show=lambda value: f"{value:.3f}",
    shows_ci95=True,
)


def test_an_entry_with_an_interval_is_all_that_a_statistic_needs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = make_run(tmp_path / "run", manifest_of(["a", "b", "c"], [(3, 40)]))
    from bidwhist.cli import table
    from bidwhist.results import statistics

    columns = tuple(statistics._columns((MEAN_WON,)))
    module = import_module("bidwhist.results.standings")
    for place in (module, table):
        monkeypatch.setattr(place, "OF_STANDINGS", (*OF_STANDINGS, MEAN_WON))
    monkeypatch.setitem(module._DERIVED, module.STANDINGS, (*STANDINGS_COLUMNS, *columns))
    counted = write_derived(run)
    assert [column.name for column in columns] == ["win_rate", "win_rate_ci95_low", "win_rate_ci95_high"]
    assert standings_of(run) == counted
    for standing in counted.standings:
        low, high = standing.score.win_rate_ci95
        assert low < standing.score.win_rate < high
        assert standing.score.win_rate == pytest.approx(standing.score.boards_won, abs=1e-8)
    shown = CliRunner().invoke(group, ["table", str(run)]).stdout
    best = counted.standings[0].score
    assert f"{best.win_rate:.3f}" in shown
    assert f"{best.win_rate_ci95[0]:.3f} to {best.win_rate_ci95[1]:.3f}" in shown


def test_a_statistic_that_there_is_not_is_no_attribute() -> None:
    score = Score({"boards": 3})
    assert score.boards == 3
    with pytest.raises(AttributeError, match="no statistic 'nonsense'"):
        score.nonsense  # noqa: B018
