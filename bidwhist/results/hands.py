"""Finding single hands in a run's parts."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from bidwhist.cards import Card, Mask
from bidwhist.errors import RunError
from bidwhist.results.derive import derive, read_rows
from bidwhist.results.manifest import Manifest
from bidwhist.results.schema import column_range, part_files


@dataclass(frozen=True)
class Hand:
    """A hand of a run: its ROW and DERIVED records (see bidwhist.results.derive), and what was recorded of its cards.

    `plays` is None where only results were recorded.
    """

    row: Any
    derived: Any
    discards: Mask
    plays: tuple[Card, ...] | None

    @property
    def pairing(self) -> tuple[int, int]:
        """The two bots, lower index first."""
        ns, ew = int(self.row["lineup"][0]), int(self.row["lineup"][1])
        return min(ns, ew), max(ns, ew)

    @property
    def orientation(self) -> int:
        """0 where the pairing's first bot sat North-South, 1 where it sat East-West."""
        return int(self.row["lineup"][0] != self.pairing[0])


def hands_of(run: Path, manifest: Manifest, board: int) -> dict[tuple[int, int], list[Hand]]:
    """All hands that were played of a board number, by pairing in the order of the parts. Raises RunError."""
    found: dict[tuple[int, int], list[Hand]] = {}
    for path in part_files(run):
        lowest, highest = column_range(path, "board")
        if lowest <= board <= highest:
            for hand in _hands_in(run, manifest, path, board):
                found.setdefault(hand.pairing, []).append(hand)
    for hands in found.values():
        hands.sort(key=lambda hand: hand.orientation)
    return found


def _hands_in(run: Path, manifest: Manifest, path: Path, board: int) -> Iterator[Hand]:
    rows, cards = read_rows(path, manifest, plays=True)
    derived = derive(rows, manifest, run)
    for place in np.flatnonzero(rows["board"] == board).tolist():
        discards = cards.column("discards")[place].as_py() if cards.num_columns else 0
        plays = tuple(cards.column("plays")[place].as_py()) if cards.num_columns else None
        yield Hand(rows[place], derived[place], discards, plays)


def pick_pairing(manifest: Manifest, pairings: list[tuple[int, int]], text: str | None) -> tuple[int, int]:
    """The pairing that `text` names as 'A,B', in either order; without a text the first. Raises RunError."""
    names = [bot.name for bot in manifest.bots]
    if text is None:
        return pairings[0]
    for a, b in pairings:
        if text in (f"{names[a]},{names[b]}", f"{names[b]},{names[a]}"):
            return a, b
    known = "; ".join(f"{names[a]},{names[b]}" for a, b in pairings)
    raise RunError(f"--pairing: {text!r} did not play this board; these did: {known}")
