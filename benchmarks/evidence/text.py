"""Figures and tables as text."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from textwrap import fill
from typing import Any, Final

from bidwhist.stats.intervals import Estimate

_WIDTH: Final = 120


@dataclass(frozen=True)
class Grid:
    """A table: its title, what stands above it, its head and its rows."""

    title: str
    head: Sequence[str]
    rows: Sequence[Sequence[Any]]
    about: str = ""


@dataclass(frozen=True)
class Section:
    """A section of the page: its title, its paragraphs, its tables."""

    title: str
    about: Sequence[str]
    grids: Sequence[Grid] = field(default_factory=list)


def points(estimate: Estimate | None) -> str:
    """Points with their sign and their interval."""
    return _with_interval(estimate, "{:+.2f}", 1.0)


def share(estimate: Estimate | None) -> str:
    """A share in per cent with its interval, as far as that lies between nothing and all."""
    if estimate is None or estimate.interval is None:
        return percent(estimate)
    low, high = estimate.interval
    return percent(Estimate(estimate.value, (max(low, 0.0), min(high, 1.0))))


def percent(estimate: Estimate | None) -> str:
    """A ratio in per cent with its interval."""
    return _with_interval(estimate, "{:.0f}", 100.0, "%")


def number(estimate: Estimate | None) -> str:
    """A plain number with its interval."""
    return _with_interval(estimate, "{:.2f}", 1.0)


def _with_interval(estimate: Estimate | None, form: str, factor: float, unit: str = "") -> str:
    if estimate is None:
        return "-"
    value = form.format(factor * estimate.value) + unit
    if estimate.interval is None:
        return value
    low, high = (form.format(factor * end) for end in estimate.interval)
    return f"{value} ({low} to {high})"


def markdown(sections: Iterable[Section]) -> str:
    """The sections as Markdown."""
    return "\n".join(_section(section) for section in sections)


def _section(section: Section) -> str:
    parts = [f"## {section.title}", *map(_filled, section.about)]
    for grid in section.grids:
        parts += [f"### {grid.title}", *([_filled(grid.about)] if grid.about else []), _grid(grid)]
    return "\n\n".join(parts) + "\n"


def _filled(text: str) -> str:
    return fill(text, _WIDTH, break_long_words=False, break_on_hyphens=False)


def _grid(grid: Grid) -> str:
    lines = ["| " + " | ".join(map(str, line)) + " |" for line in (grid.head, *grid.rows)]
    return "\n".join([lines[0], "|---" * len(grid.head) + "|", *lines[1:]])
