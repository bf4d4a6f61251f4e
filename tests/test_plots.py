"""Pictures of runs: they show the numbers of the standings, and their captions say what follows from these."""

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import pytest
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.container import BarContainer, ErrorbarContainer
from matplotlib.figure import Figure
from matplotlib.font_manager import FontProperties

from bidwhist import plots
from bidwhist.errors import RunError
from bidwhist.plots.picture import FONT, LOOKS, MOST_LINES, Picture, width_of
from bidwhist.plots.words import labels_of, signed
from bidwhist.results.manifest import read_manifest, write_manifest
from bidwhist.results.pilot import pilot_of
from bidwhist.results.standings import standings_of
from bidwhist.stats.planning import boards_needed
from runs import make_run, manifest_of

LONG = "W" * 80
ODD = ["$x$", LONG, LONG[:-1] + "V", "\\frac{1}{0} 日本語 %s _^{", "_$\\pi"]
OF_PAIRS = (plots.swings, plots.sources, plots.convergence, plots.boards_needed)
OF_ALL = (plots.standings, plots.cross_table, plots.bids_made, plots.calibration, plots.seats, plots.roles)

Draw = Callable[..., Picture]


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Three bots of about the same strength, 40 boards."""
    return make_run(tmp_path_factory.mktemp("runs") / "small", manifest_of(["a", "b", "c"], [(3, 40)]))


@pytest.fixture(scope="module")
def games(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_run(tmp_path_factory.mktemp("runs") / "games", manifest_of(["a", "b", "c"], [(3, 12)], games=True))


@pytest.fixture(scope="module")
def alike(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two bots that play the same."""
    return make_run(tmp_path_factory.mktemp("runs") / "alike", manifest_of(["a", "b"], [(2, 40)]), alike=True)


@pytest.fixture(scope="module")
def odd(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Eight bots, some with names that are no words, on three boards."""
    names = [*ODD, "six", "seven", "eight"]
    return make_run(tmp_path_factory.mktemp("runs") / "odd", manifest_of(names, [(8, 3)]))


@pytest.fixture(scope="module")
def single(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_run(tmp_path_factory.mktemp("runs") / "single", manifest_of(["a", "b"], [(2, 1)]))


@pytest.fixture(scope="module")
def unlike(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A bot that is sure to beat the other."""
    from bidwhist import run_tournament

    fields = {"name": "unlike", "seed": 1, "boards": 40, "bots": ["random", "heuristic"]}
    return run_tournament(fields, out=tmp_path_factory.mktemp("runs") / "unlike", executor="inline")


def markers(axes: Axes) -> list[tuple[float, float, bool]]:
    """The points that are drawn one by one: where, and whether they are hollow."""
    lines = [line for line in axes.lines if line.get_marker() not in ("None", "", "|") and len(line.get_xdata()) == 1]
    return [
        # matplotlib types what a line holds as an ArrayLike, which may be a number.
        (float(line.get_xdata()[0]), float(line.get_ydata()[0]), line.get_markerfacecolor() == "white")  # type: ignore[index]
        for line in lines
    ]


def texts(axes: Axes) -> list[str]:
    return [text.get_text() for text in axes.texts]


def drawn(picture: Picture) -> Picture:
    """The same, after it was drawn; warnings are errors here, as of letters that a font has not. No text is cut off at
    its edge."""
    canvas = FigureCanvasAgg(picture)
    canvas.draw()
    assert np.asarray(canvas.buffer_rgba()).std() > 1
    assert picture.question.endswith("?")
    assert picture.caption.endswith(".")
    renderer, inside = canvas.get_renderer(), picture.bbox.padded(1)
    # Titles of a whole figure, and the ticks that are shown, have no public names.
    texts = [picture._suptitle, picture._supxlabel]  # type: ignore[attr-defined]
    for axes in picture.axes:
        ticks = [tick for axis in (axes.xaxis, axes.yaxis) for tick in axis._update_ticks()]  # type: ignore[attr-defined]
        legend = axes.get_legend()
        texts += [axes.xaxis.label, axes.yaxis.label, *axes.texts, *(tick.label1 for tick in ticks)]
        texts += legend.get_texts() if legend else []
    for text in texts:
        if text.get_text() and text.get_visible():
            box = text.get_window_extent(renderer)
            corners = [inside.contains(x, y) for x in (box.x0, box.x1) for y in (box.y0, box.y1)]
            assert all(corners), (text.get_text(), box)
    return picture


# --------------------------------------------------------------------------------------------------- what is drawn


def test_standings_are_drawn_as_they_stand(small: Path) -> None:
    (axes,) = plots.standings(small).axes
    expected = standings_of(small).standings
    assert [point for point, *_ in markers(axes)] == [each.score.points_per_board for each in expected]
    ends = [bar for bar in axes.containers if isinstance(bar, ErrorbarContainer)]
    for each, bar in zip(expected, ends, strict=True):
        (segment,) = bar.lines[2][0].get_segments()
        assert segment[:, 0] == pytest.approx(each.score.ci95)
    labels = [label.get_text().split()[0] for label in axes.get_yticklabels()]
    assert labels == [each.bot for each in expected]


def test_few_boards_are_hollow(small: Path, odd: Path, games: Path) -> None:
    assert not any(hollow for *_, hollow in markers(plots.standings(small).axes[0]))
    assert "Hollow" not in plots.standings(small).caption
    for run, unit in ((odd, "boards"), (games, "games")):
        picture = plots.standings(run)
        assert all(hollow for *_, hollow in markers(picture.axes[0]))
        assert f"Hollow points rest on fewer than 30 {unit}." in picture.caption


def test_the_cross_table_has_every_pairing(small: Path) -> None:
    axes, _ = plots.cross_table(small).axes
    found = standings_of(small)
    bots = [each.bot for each in found.standings]
    image = axes.images[0].get_array()
    assert image is not None
    for each in found.pairings:
        assert image[bots.index(each.bot), bots.index(each.opponent)] == each.score.points_per_board
        assert any(text.startswith(signed(each.score.points_per_board)) for text in texts(axes))
    assert len(texts(axes)) == len(found.pairings) == 6


def test_bids_made_by_level_and_strain_are_those_of_the_standings(unlike: Path) -> None:
    by_level, by_strain, _ = plots.bids_made(unlike).axes
    found = standings_of(unlike).standings
    for axes, groups in ((by_level, "by_level"), (by_strain, "by_strain")):
        rates = [bids.rate for each in found for bids in getattr(each, groups).values() if bids.declared]
        assert sorted(value for _, value, _ in markers(axes)) == pytest.approx(sorted(rates))
    for each in found:
        assert f"{each.bot} makes {each.score.bids_made:.0%} of {each.score.contracts} contracts" in (
            plots.bids_made(unlike).caption
        )


def test_calibration_shows_mean_books_by_what_was_promised(unlike: Path) -> None:
    from bidwhist.results import load

    picture = plots.calibration(unlike)
    rows = load(unlike)
    for axes in picture.axes:
        own = rows[rows["declaring_bot"] == axes.get_title(loc="left")]
        means = own.groupby(["level", "strain"], observed=True)["books"].mean()
        assert sorted(value for _, value, _ in markers(axes)) == pytest.approx(sorted(means))
    assert "heuristic (+" in picture.caption
    assert "random (-" in picture.caption
    assert "wins fewer books than promised" in picture.caption


def test_seats_and_roles_add_up_to_the_points(small: Path) -> None:
    scores = {each.bot: each.score.points_per_board for each in standings_of(small).standings}
    (axes,) = plots.roles(small).axes
    added = np.zeros(len(scores))
    for x, value, _ in markers(axes):
        added[round((x - round(x)) * len(scores) / 0.7 + (len(scores) - 1) / 2)] += value
    assert added == pytest.approx(list(scores.values()))
    for panel in plots.seats(small).axes:
        assert len(markers(panel)) == 8
        assert scores[panel.get_title(loc="left")] == pytest.approx(
            np.mean([value for _, value, _ in markers(panel)]), abs=1e-9
        )


@pytest.mark.parametrize("format_", ["small", "games"])
def test_swings_count_every_board(format_: str, request: pytest.FixtureRequest) -> None:
    run = request.getfixturevalue(format_)
    picture = plots.swings(run, "b", "c")
    score = next(each.score for each in standings_of(run).pairings if (each.bot, each.opponent) == ("b", "c"))
    bars = [bar for group in picture.axes[0].containers if isinstance(group, BarContainer) for bar in group]
    assert sum(bar.get_height() for bar in bars) == score.duplicates_won + score.duplicates_tied + score.duplicates_lost
    assert f"b won {score.duplicates_won}, c {score.duplicates_lost}, and {score.duplicates_tied} w" in picture.caption
    if format_ == "small":
        mean = sum(bar.get_height() * (bar.get_x() + bar.get_width() / 2) for bar in bars) / 2 / score.boards
        assert mean == pytest.approx(score.points_per_board)


def test_sources_add_up(unlike: Path) -> None:
    play, bidding, all_ = (value for _, value, _ in markers(plots.sources(unlike).axes[0]))
    assert play + bidding == pytest.approx(all_)
    score = standings_of(unlike).pairings[0].score
    assert all_ == pytest.approx(score.points_per_board)


def test_sources_of_bots_that_bid_the_same_are_the_card_play(alike: Path) -> None:
    picture = plots.sources(alike)
    assert "40 boards with the same contract" in picture.caption
    assert "there is no board with different contracts" in picture.caption


@pytest.mark.parametrize("format_", ["small", "games"])
def test_the_interval_shrinks_to_that_of_the_standings(format_: str, request: pytest.FixtureRequest) -> None:
    run = request.getfixturevalue(format_)
    axes = plots.convergence(run, "b", "c").axes[0]
    score = next(each.score for each in standings_of(run).pairings if (each.bot, each.opponent) == ("b", "c"))
    lines = [line for line in axes.lines if len(line.get_xdata()) > 3]
    # An ArrayLike, as matplotlib types it, may be a number.
    low, high, mean = (line.get_ydata()[-1] for line in lines)  # type: ignore[index]
    assert (mean, low, high) == pytest.approx((score.points_per_board, *score.ci95))


def test_boards_needed_are_those_of_the_plan(small: Path) -> None:
    picture = plots.boards_needed(small, "b", "c", difference=0.4)
    pilot = pilot_of(small, "b", "c").pilot
    needed, most = boards_needed(pilot.variance, 0.4), boards_needed(pilot.most, 0.4)
    assert f"with {needed:,} boards ({most:,} at most)" in picture.caption
    assert (0.4, needed, False) in markers(picture.axes[0])
    worth = next(e.score for e in standings_of(small).pairings if (e.bot, e.opponent) == ("b", "c")).boards_worth
    assert f"it would take {boards_needed(pilot.variance * worth, 0.4):,}" in picture.caption


def test_times_are_those_that_were_kept(unlike: Path) -> None:
    from bidwhist.results import timings

    kept = timings(unlike)
    (axes,) = plots.times(unlike).axes
    assert axes.lines[0].get_xdata() == pytest.approx([kept["microseconds"].median() / 1000])


# ------------------------------------------------------------------------------------------------------- captions


def test_bots_that_are_told_apart(unlike: Path) -> None:
    found = standings_of(unlike).differences[0]
    caption = plots.standings(unlike).caption
    assert f"heuristic makes {signed(found.points_per_board)} points" in caption
    assert "more than random: they are told apart by 40 boards." in caption
    assert "of 1" not in plots.cross_table(unlike).caption
    assert "leaves out 0" in plots.cross_table(unlike).caption
    assert "not told apart" not in plots.convergence(unlike).caption
    assert "not told apart" not in plots.swings(unlike).caption


def test_bots_that_are_not_told_apart(alike: Path) -> None:
    assert "a and b are not told apart by 40 boards: the difference is +0.00 points" in plots.standings(alike).caption
    assert "not told apart" in plots.cross_table(alike).caption
    assert "a and b are not told apart" in plots.convergence(alike).caption
    assert "not told apart from 0" in plots.swings(alike).caption
    assert "and 40 were level" in plots.swings(alike).caption


def test_three_bots_that_share_a_rank(small: Path) -> None:
    found = standings_of(small)
    assert [each.rank for each in found.standings] == [1, 1, 1]
    caption = plots.standings(small).caption
    assert caption.startswith(", ".join(each.bot for each in found.standings[:2]) + " and ")
    assert "share the first rank." in caption
    more = found.differences[0].boards_to_settle
    assert more is not None
    assert f"Some {round(more, 2 - len(str(more))):,} more would tell them apart" in caption


def test_one_board_says_nothing(single: Path) -> None:
    assert "there is no interval: nothing can be said of" in plots.standings(single).caption
    assert "one board gives no interval" in plots.cross_table(single).caption
    assert "from which nothing follows" in plots.swings(single).caption


# -------------------------------------------------------------------------------------------- whatever a run holds


@pytest.mark.parametrize("draw", OF_ALL, ids=lambda draw: draw.__name__)
@pytest.mark.parametrize("run", ["odd", "games", "single"])
def test_every_picture_of_a_run_is_drawn(draw: Draw, run: str, request: pytest.FixtureRequest) -> None:
    picture = drawn(draw(request.getfixturevalue(run)))
    if run == "odd" and draw not in (plots.standings, plots.cross_table):
        assert f"Shown are the first {MOST_LINES} of 8 bots." in picture.caption


@pytest.mark.parametrize("draw", OF_PAIRS, ids=lambda draw: draw.__name__)
def test_every_picture_of_a_pairing_is_drawn(draw: Draw, odd: Path) -> None:
    for pair in ((ODD[0], ODD[4]), (ODD[1], ODD[2])):
        picture = drawn(draw(odd, *pair))
        assert labels_of([each.bot for each in standings_of(odd).standings])[pair[0]] in picture.question


def test_pairings_of_games(games: Path) -> None:
    for draw in (plots.swings, plots.convergence, plots.boards_needed):
        assert "game" in drawn(draw(games)).caption
    with pytest.raises(RunError, match="for the format boards alone"):
        plots.sources(games)


def test_too_few_boards_are_told(single: Path) -> None:
    with pytest.raises(RunError, match="cannot be seen from 1 board"):
        plots.convergence(single)
    with pytest.raises(RunError, match="have not met on 2 boards at least"):
        plots.boards_needed(single)


def test_what_a_run_has_not_is_told(small: Path, tmp_path: Path) -> None:
    with pytest.raises(RunError, match="has no bot 'd'"):
        plots.swings(small, "d")
    with pytest.raises(RunError, match="have not met"):
        plots.swings(small, "a", "a")
    with pytest.raises(RunError, match=r"timings/parts\.jsonl"):
        plots.times(small)
    with pytest.raises(RunError, match=r"difference: 0 is no number of points from 0\.001 to 1000"):
        plots.boards_needed(small, difference=0)
    with pytest.raises(RunError):
        plots.standings(tmp_path)
    empty = manifest_of(["a", "b"], [(2, 3)], finished=False)
    (tmp_path / "empty" / "boards").mkdir(parents=True)
    write_manifest(tmp_path / "empty", empty)
    for draw in (*OF_ALL, *OF_PAIRS, plots.times):
        with pytest.raises(RunError, match="has no complete board or game yet"):
            draw(tmp_path / "empty")


def test_bots_that_see_all_hands_are_marked_and_count_for_nobody_else(tmp_path: Path) -> None:
    manifest = manifest_of(["a", "b", "c"], [(3, 4)])
    manifest.bots[2] = msgspec.structs.replace(manifest.bots[2], cheats=True)
    run = make_run(tmp_path / "run", manifest)
    assert read_manifest(run).bots[2].cheats
    picture = plots.standings(run)
    assert "* sees all hands, and has no rank." in picture.caption
    (axes,) = plots.roles(run).axes
    scores = [each.score.points_per_board for each in standings_of(run).standings]
    assert sum(value for _, value, _ in markers(axes)) == pytest.approx(sum(scores))


def test_labels_differ_and_can_be_drawn() -> None:
    names = [*ODD, "W" * 26]
    labels = labels_of(names)
    assert list(labels) == names
    assert len(set(labels.values())) == len(names)
    assert labels["$x$"] == "$x$"
    assert all(width_of(label, FontProperties(family=FONT, size=9.5)) < 160 for label in labels.values())
    assert labels[LONG].endswith("W…")
    assert labels[ODD[2]] == f"{labels[LONG]} (2)"
    assert "日" not in labels[ODD[3]]


def test_bots_are_told_apart_without_colours() -> None:
    for part in ("colour", "marker", "line"):
        assert len({str(getattr(look, part)) for look in LOOKS}) == len(LOOKS) >= MOST_LINES


def test_a_picture_is_a_figure_and_leaves_the_style_alone(small: Path) -> None:
    import matplotlib as mpl
    import matplotlib.pyplot as plt

    before = dict(mpl.rcParams)
    picture = plots.standings(small)
    shown = picture._repr_mimebundle_()
    assert isinstance(picture, Figure)
    assert shown["image/png"].startswith(b"\x89PNG")
    assert shown["text/plain"] == f"Who is ahead, and how surely?\n{picture.caption}"
    assert dict(mpl.rcParams) == before
    assert plt.get_fignums() == []


def test_all_that_is_offered_is_a_function_of_a_run() -> None:
    functions: list[Any] = [getattr(plots, name) for name in plots.__all__ if name != "Picture"]
    assert set(functions) == {*OF_ALL, *OF_PAIRS, plots.times}
    page = (Path(__file__).parents[1] / "docs" / "analysis.md").read_text(encoding="utf-8")
    assert all(f"`{function.__name__}(" in page for function in functions)
    assert "pyplot" not in "".join(path.read_text() for path in Path(plots.__file__).parent.glob("*.py"))


WITHOUT = """
import sys
class Absent:
    def find_spec(self, name, path=None, target=None):
        if name.split(".")[0] == "matplotlib":
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)
sys.meta_path.insert(0, Absent())
import bidwhist, bidwhist.results
try:
    import bidwhist.plots
except ModuleNotFoundError as error:
    print(error)
"""


def test_missing_matplotlib_is_told() -> None:
    done = subprocess.run([sys.executable, "-c", WITHOUT], capture_output=True, text=True, check=True)
    message = 'bidwhist.plots draws with matplotlib, which is not installed: pip install "bidwhist[notebook]"\n'
    assert (done.stdout, done.stderr) == (message, "")


def test_nobody_else_loads_matplotlib() -> None:
    code = "import sys, bidwhist.results, bidwhist.cli, bidwhist.play; sys.exit('matplotlib' in sys.modules)"
    subprocess.run([sys.executable, "-c", code], check=True)
