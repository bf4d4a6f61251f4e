"""Finding single hands in a run's parts."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bidwhist.cards import SEATS, Card, Mask
from bidwhist.errors import RunError
from bidwhist.results.derive import derive
from bidwhist.results.manifest import Manifest
from bidwhist.results.parts import cards_recorded, present_parts, read_parts
from bidwhist.text import echo


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
    unit = board // manifest.hands_a_unit
    parts = [part for part in present_parts(run, manifest) if part.first <= unit < part.first + part.units]
    for _, rows, cards in read_parts(run, manifest, parts, cards=True):
        for hand in _hands_among(run, manifest, rows, cards, board):
            found.setdefault(hand.pairing, []).append(hand)
    for hands in found.values():
        hands.sort(key=lambda hand: hand.orientation)
    return found


def faults_of_unit(run: Path, manifest: Manifest, a: int, b: int, unit: int) -> NDArray[np.int8]:
    """Of a board or game of a pairing the moments (int8[2, hands, 4]) at which bots failed, by orientation, hand and
    seat; -1 where none did. Raises RunError."""
    found = np.full((2, manifest.hands_a_unit, SEATS), -1, np.int8)
    parts = present_parts(run, manifest)
    held = [part for part in parts if (part.a, part.b) == (a, b) and part.first <= unit < part.first + part.units]
    for _, rows, _ in read_parts(run, manifest, held):
        own = rows[rows["unit"] == unit]
        found[own["orientation"], own["hand"]] = own["faults_at"]
    return found


def _hands_among(run: Path, manifest: Manifest, rows: NDArray[np.void], cards: Any, board: int) -> Iterator[Hand]:
    derived = derive(rows, manifest, run)
    recorded = cards_recorded(cards)
    for place in np.flatnonzero(rows["board"] == board).tolist():
        discards = cards.column("discards")[place].as_py() if recorded else 0
        plays = tuple(cards.column("plays")[place].as_py()) if recorded else None
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
    raise RunError(f"--pairing: {echo(text)} did not play this board; these did: {known}")
