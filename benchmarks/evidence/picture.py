"""The picture of the page: what more worlds, or more time, are worth."""

from pathlib import Path

import matplotlib as mpl
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from evidence.figures import board_points, mean
from evidence.found import Found, Run


def draw(found: Found, path: Path) -> bool:
    """Draw the points over the common opponent by worlds and by milliseconds as an SVG; False without such runs."""
    runs = found.those("worlds", "time")
    if not runs:
        return False
    figure = Figure(figsize=(4.2 * len(runs), 3.2), layout="constrained")
    for axes, run in zip(figure.subplots(1, len(runs), squeeze=False)[0], runs, strict=True):
        _panel(axes, run)
    with mpl.rc_context({"svg.hashsalt": "strength"}):  # the same picture is the same file
        figure.savefig(path, format="svg", metadata={"Date": None})
    return True


def _panel(axes: Axes, run: Run) -> None:
    efforts, means, downs, ups = [], [], [], []
    for bot in run.bots[1:]:
        estimate = mean(board_points(run.frame, bot, run.bots[0]))
        if estimate is not None and estimate.interval is not None:
            efforts.append(int(bot.rpartition("=")[2]))
            means.append(estimate.value)
            downs.append(estimate.value - estimate.interval[0])
            ups.append(estimate.interval[1] - estimate.value)
    axes.errorbar(efforts, means, yerr=[downs, ups], marker="o", capsize=3)
    axes.axhline(0, color="grey", linewidth=0.8)
    axes.set_xscale("log")
    axes.set_xticks(efforts, [str(effort) for effort in efforts], minor=False)
    axes.set_xticks([], minor=True)
    axes.set_xlabel("worlds a decision" if run.experiment.name == "worlds" else "milliseconds a decision")
    axes.set_ylabel(f"points per board over {run.bots[0]}")
