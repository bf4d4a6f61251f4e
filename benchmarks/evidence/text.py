"""Figures and tables as text."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

from bidwhist.stats.intervals import Estimate


@dataclass(frozen=True)
class Grid:
    """A table: its title, what stands above it, its head and its rows."""

    title: str
    head: Sequence[str]
    rows: Sequence[Sequence[Any]]
    about: str = ""


@dataclass(frozen=True)
class Section:
    """A section of the page."""

    title: str
    about: str
    grids: Sequence[Grid] = field(default_factory=list)


def points(estimate: Estimate | None) -> str:
    """Points with their sign and their interval."""
    return _with_interval(estimate, "{:+.2f}", 1.0)


def share(estimate: Estimate | None) -> str:
    """A share in per cent with its interval."""
    return _with_interval(estimate, "{:.0f}", 100.0, "%")


def number(estimate: Estimate | None) -> str:
    """A plain number with its interval."""
    return _with_interval(estimate, "{:.2f}", 1.0)


def _with_interval(estimate: Estimate | None, form: str, factor: float, unit: str = "") -> str:
    if estimate is None:
        return "-"
    value = form.format(factor * estimate.mean) + unit
    if estimate.interval is None:
        return value
    low, high = (form.format(factor * end) for end in estimate.interval)
    return f"{value} ({low} to {high})"


def markdown(sections: Iterable[Section]) -> str:
    """The sections as Markdown."""
    return "\n".join(_section(section) for section in sections)


def _section(section: Section) -> str:
    parts = [f"## {section.title}", "", section.about, ""]
    for grid in section.grids:
        parts += [f"### {grid.title}", ""] + ([grid.about, ""] if grid.about else []) + [_grid(grid), ""]
    return "\n".join(parts)


def _grid(grid: Grid) -> str:
    lines = [grid.head, ["---"] * len(grid.head), *grid.rows]
    return "\n".join("| " + " | ".join(str(cell) for cell in line) + " |" for line in lines)
