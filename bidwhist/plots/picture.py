"""A picture: a matplotlib figure that asks a question above and answers it below."""

import io
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, Final

import matplotlib as mpl
from matplotlib.axes import Axes
from matplotlib.backend_bases import RendererBase
from matplotlib.figure import Figure
from matplotlib.font_manager import FontProperties
from matplotlib.textpath import text_to_path

from bidwhist.stats.intervals import Estimate

FONT: Final = "DejaVu Sans"  # comes with matplotlib, so that a picture is the same everywhere
MOST_LINES: Final = 6
"""Bots that are told apart by colour, marker and line in one picture; of more the first are drawn."""

_STYLE: Final[Any] = {  # some versions of matplotlib type the keys, some do not
    "text.parse_math": False,  # a bot may be called $x$
    "text.usetex": False,
    "font.family": FONT,
    "font.size": 9.5,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.titlesize": 10.0,
    "axes.titlelocation": "left",
    "axes.axisbelow": True,
    "axes.grid": False,
    "grid.color": "0.9",
    "legend.frameon": False,
    "hatch.linewidth": 0.6,
}
_MARGIN: Final = 0.012  # left and right of title and caption, as a share of the width
_POINTS: Final = 72.0  # to the inch
_ROUNDED: Final = 1.06  # letters are drawn up to so much wider than they are, in whole dots
_DPI: Final = 110


@dataclass(frozen=True)
class Look:
    """A bot in a picture: a colour of Okabe and Ito's (2008), which the colour-blind tell apart, and for print in grey
    a marker and a line."""

    colour: str
    marker: str
    line: Any


LOOKS: Final = (
    Look("#0072B2", "o", "-"),
    Look("#D55E00", "s", "--"),
    Look("#009E73", "^", "-."),
    Look("#CC79A7", "D", ":"),
    Look("#000000", "v", (0, (6, 1, 1, 1, 1, 1))),
    Look("#E69F00", "P", (0, (8, 3))),
)


class Picture(Figure):
    """A matplotlib Figure with a `question`, its title, and a `caption`, which answers it in words."""

    def __init__(self, question: str, width: float, height: float) -> None:
        super().__init__(figsize=(width, height), dpi=_DPI, layout="constrained")
        self.question = question
        self.caption = ""
        font = FontProperties(family=FONT, weight="bold", size=11.5)
        self.suptitle(self._wrapped(question, font), x=_MARGIN, ha="left", fontproperties=font)

    def answer(self, *sentences: str) -> None:
        """Set the caption: sentences one after the other; empty ones are left out."""
        self.caption = " ".join(filter(None, sentences))
        font = FontProperties(family=FONT, size=9.5)
        self.supxlabel(self._wrapped(self.caption, font), x=_MARGIN, ha="left", fontproperties=font)

    def _wrapped(self, text: str, font: FontProperties) -> str:
        """The text in lines that are no wider than the picture."""
        room = (1 - 2 * _MARGIN) / _ROUNDED * self.get_figwidth() * _POINTS
        lines = [""]
        for word in text.split():
            longer = f"{lines[-1]} {word}".strip()
            if lines[-1] and width_of(longer, font) > room:
                lines.append(word)
            else:
                lines[-1] = longer
        return "\n".join(lines)

    def draw(self, renderer: RendererBase) -> None:
        """Draw it in the style in which it was made: some of its texts are made only now."""
        with mpl.rc_context(_STYLE):
            super().draw(renderer)

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> dict[str, Any]:
        """For notebooks: the picture, and question and answer as text."""
        file = io.BytesIO()
        self.savefig(file, format="png")
        return {"image/png": file.getvalue(), "text/plain": f"{self.question}\n{self.caption}"}


@contextmanager
def picture(question: str, *, width: float = 8.0, height: float = 4.2) -> Iterator[Picture]:
    """A picture to draw into; the same style while it is made and whenever it is drawn."""
    with mpl.rc_context(_STYLE):
        yield Picture(question, width, height)


def width_of(text: str, font: FontProperties) -> float:
    """The width of a text in points."""
    return float(text_to_path.get_text_width_height_descent(text, font, False)[0])


def panel_grid(number: int) -> tuple[int, int]:
    """Rows and columns of so many panels."""
    across = 2 if number == 4 else min(number, 3)
    return -(-number // across), across


def panels(figure: Picture, titles: Sequence[str], *, x: str, y: str) -> list[Axes]:
    """A panel for each title, all with the same axes, whose names `x` and `y` stand at the bottom and at the left."""
    down, across = panel_grid(len(titles))
    axes = figure.subplots(down, across, sharex=True, sharey=True, squeeze=False)
    for panel in axes.flat[len(titles) :]:
        panel.remove()
    found: list[Axes] = list(axes.flat[: len(titles)])
    for place, (panel, title) in enumerate(zip(found, titles, strict=True)):
        panel.set_title(title)
        panel.grid(axis="y")
        if place % across == 0:
            panel.set_ylabel(y)
        if place + across >= len(titles):  # nothing below it
            panel.set_xlabel(x)
            panel.tick_params(labelbottom=True)
    return found


def point(axes: Axes, place: float, found: Estimate, look: Look, is_few: bool) -> None:
    """Draw a value with its interval; hollow, if it rests on few cases."""
    if found.interval:
        axes.vlines(place, *found.interval, color=look.colour, linewidth=1)
    inside = "white" if is_few else look.colour
    axes.plot([place], [found.value], look.marker, color=look.colour, markerfacecolor=inside, zorder=3)


def legend(axes: Axes, labels: Sequence[str], *, title: str = "", lines: bool = True) -> None:
    """A legend of bots, or of other things told apart by their looks, to the right of the axes."""
    handles = [
        axes.plot([], [], marker=look.marker, linestyle=look.line if lines else "", color=look.colour)[0]
        for look in LOOKS[: len(labels)]
    ]
    blank = [" "] * len(handles)  # some versions of matplotlib leave out a label that begins with an underscore
    made = axes.legend(handles, blank, title=title, loc="upper left", bbox_to_anchor=(1.01, 1.0), handlelength=3.2)
    for text, label in zip(made.get_texts(), labels, strict=True):
        text.set_text(label)
