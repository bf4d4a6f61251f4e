"""A picture of the processor time that bots take."""

from pathlib import Path
from typing import Final

from matplotlib.ticker import NullFormatter

from bidwhist.plots.picture import LOOKS, Picture, picture
from bidwhist.plots.seen import look_at
from bidwhist.plots.words import counted
from bidwhist.results.summaries import timings

_MOST_PAIRINGS: Final = 20


def times(run: str | Path) -> Picture:
    """The processor time that a table takes, by pairing, the slowest first: the median of the parts of each.

    It is kept for pairings and not for bots, as two of them play a table. Raises RunError if the run has kept none.
    """
    seen = look_at(run)
    frame = timings(seen.run)
    # The first parts of a process are slower, as it loads bots and engine: the median leaves them out.
    each = frame.groupby(["bot", "opponent"], observed=True)["microseconds"].median() / 1000
    each = each.dropna().sort_values(ascending=False)
    shown = each.iloc[:_MOST_PAIRINGS]
    names = [f"{seen.labels[bot]} – {seen.labels[other]}" for bot, other in shown.index]
    with picture("How much time does a table take?", height=1.8 + 0.34 * len(shown)) as figure:
        axes = figure.subplots()
        axes.plot(shown.to_numpy(), range(len(shown)), LOOKS[0].marker, color=LOOKS[0].colour)
        for place, value in enumerate(shown):
            text = f"{value:,.3g}"
            axes.annotate(text, (1.02, place), xycoords=("axes fraction", "data"), va="center", annotation_clip=False)
        axes.set_yticks(range(len(shown)), names)
        axes.set_ylim(len(shown) - 0.5, -0.5)
        if shown.min() > 0:
            axes.set_xscale("log")
            axes.xaxis.set_major_formatter("{x:g}")
            axes.xaxis.set_minor_formatter(NullFormatter())
        axes.grid(axis="x")
        axes.set_xlabel("milliseconds of one processor for a table (median)")
        seconds, tables = float(frame["seconds"].sum()), int(frame["tables"].sum())
        slowest = f"{names[0]} takes {shown.iloc[0]:,.3g} milliseconds a table"
        spread = f", {names[-1]} {shown.iloc[-1]:,.3g}" if len(shown) > 1 else ""
        figure.answer(
            f"{slowest}{spread}; {counted(tables, 'table')} took {seconds:,.3g} seconds of processor time together.",
            "Both bots and the engine are counted.",
            "" if len(shown) == len(each) else f"Shown are the slowest {len(shown)} of {len(each)} pairings.",
        )
    return figure
