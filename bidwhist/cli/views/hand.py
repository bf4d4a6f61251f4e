"""A board on the screen: the deal, and what became of it at both tables."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from bidwhist.cli.views.screen import dim
from bidwhist.replay.opened import OpenHand
from bidwhist.replay.text import deal_diagram, table_lines, title
from bidwhist.results.hands import hands_played, pick_pairing
from bidwhist.results.manifest import Manifest
from bidwhist.text import printable_name


def board_screen(run: Path, manifest: Manifest, board: int, pairing: str | None) -> Iterator[Any]:
    """What to print of a board of a run: texts and rich renderables. Raises RunError."""
    found = hands_played(run, manifest, board)
    a, b = pick_pairing(manifest, list(found), pairing)
    names = [printable_name(name) for name in manifest.side_names]
    tables = [OpenHand.of(run, manifest, hand) for hand in found[a, b]]
    yield title(tables[0])
    yield ""
    yield deal_diagram(tables[0].hands, tables[0].kitty)
    for opened in tables:
        yield ""
        yield from table_lines(opened)
    yield ""
    yield from _net(manifest, tables, names[a])
    for x, y in found:
        if (x, y) != (a, b):
            yield dim(f'also played: --pairing "{names[x]},{names[y]}"')


def _net(manifest: Manifest, tables: Sequence[OpenHand], name: str) -> Iterator[str]:
    """The points of the pairing's first side on the board."""
    if len(tables) < 2:
        yield "The other table did not come to this board." if manifest.is_games else "The other table is to come."
        return
    points = [opened.points if opened.orientation == 0 else -opened.points for opened in tables]
    total = sum(points)
    shown = f"{points[0]:+d} and {points[1]:+d}, net {total:+d}"
    if not manifest.is_games:
        shown += f": {total / 2:+.1f} points a board"
    yield f"{name}: {shown}"
