"""Finding single hands in a run's parts."""

from collections.abc import Iterator, Sequence
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
from bidwhist.results.schedule import Pair
from bidwhist.results.schema import Part
from bidwhist.text import echo


@dataclass(frozen=True)
class Hand:
    """A hand of a run: its ROW and DERIVED records (see bidwhist.results.derive), and what was recorded of its cards.

    `pairing`: its two sides by number, the lower one first; `plays` is None where only results were recorded.
    """

    pairing: Pair
    row: Any
    derived: Any
    discards: Mask
    plays: tuple[Card, ...] | None

    @property
    def orientation(self) -> int:
        """0 where the pairing's first side sat North-South, 1 where it sat East-West."""
        return int(self.row["orientation"])


def board_number(manifest: Manifest, board: int | None, game: int | None, hand: int | None, *, mark: str = "") -> int:
    """The number of a board, or of the hand of a game in the format `games`; hand 0 by default.

    `mark`: what the names of the three begin with in messages, as `--`. Raises RunError.
    """
    if not manifest.is_games and (game is not None or hand is not None):
        raise RunError(f"{mark}game and {mark}hand: this run has the format boards: say {mark}board")
    if board is not None and game is None and hand is None:
        return board
    if game is None or board is not None:
        choice = f"either {mark}board, or {mark}game and {mark}hand" if manifest.is_games else f"{mark}board"
        raise RunError(f"which hand? say {choice}")
    cap = manifest.rule_set().cap
    if not 0 <= (hand or 0) < cap:
        raise RunError(f"{mark}hand: a game has hands 0 to {cap - 1}")
    return game * cap + (hand or 0)


def board_title(manifest: Manifest, board: int) -> str:
    """The name of a board in a run, such as `board 3`."""
    if not manifest.is_games:
        return f"board {board}"
    game, hand = divmod(board, manifest.rule_set().cap)
    return f"game {game}, hand {hand} (board {board})"


def hands_played(run: Path, manifest: Manifest, board: int) -> dict[Pair, list[Hand]]:
    """The hands that were played of a board, by pairing, at least one. Raises RunError."""
    found = hands_of(run, manifest, board)
    if not found:
        raise RunError(f"{run}: no table of {board_title(manifest, board)} has been played")
    return found


def hands_of(run: Path, manifest: Manifest, board: int, pairing: Pair | None = None) -> dict[Pair, list[Hand]]:
    """All hands that were played of a board number, by pairing in the order of the parts, or those of one pairing.

    Raises RunError.
    """
    found: dict[Pair, list[Hand]] = {}
    unit = board // manifest.hands_a_unit
    parts = [part for part in present_parts(run, manifest) if part.first <= unit < part.first + part.units]
    if pairing is not None:
        parts = [part for part in parts if (part.a, part.b) == pairing]
    for part, rows, cards in read_parts(run, manifest, parts, cards=True):
        pair = (part.a, part.b)
        found.setdefault(pair, []).extend(_hands_among(run, manifest, pair, rows, cards, board))
    for hands in found.values():
        hands.sort(key=lambda hand: hand.orientation)
    return {pair: hands for pair, hands in found.items() if hands}


def faults_of_units(run: Path, manifest: Manifest, wanted: Part) -> NDArray[np.int8]:
    """Of the boards or games of a part, which need not be one of the run, the moments (int8[2 * units, hands, 4]) at
    which bots failed, by unit and orientation, by hand and by seat; -1 where none did. Raises RunError."""
    first, end = wanted.first, wanted.first + wanted.units
    found = np.full((2 * wanted.units, manifest.hands_a_unit, SEATS), -1, np.int8)
    parts = [part for part in present_parts(run, manifest) if (part.a, part.b) == (wanted.a, wanted.b)]
    held = [part for part in parts if part.first < end and first < part.first + part.units]
    for _, rows, _ in read_parts(run, manifest, held):
        own = rows[(rows["unit"] >= first) & (rows["unit"] < end)]
        found[2 * (own["unit"] - first) + own["orientation"], own["hand"]] = own["faults_at"]
    return found


def _hands_among(
    run: Path, manifest: Manifest, pairing: Pair, rows: NDArray[np.void], cards: Any, board: int
) -> Iterator[Hand]:
    derived = derive(rows, manifest, run)
    recorded = cards_recorded(cards)
    for place in np.flatnonzero(rows["board"] == board).tolist():
        discards = cards.column("discards")[place].as_py() if recorded else 0
        plays = tuple(cards.column("plays")[place].as_py()) if recorded else None
        yield Hand(pairing, rows[place], derived[place], discards, plays)


def pick_pairing(manifest: Manifest, pairings: list[Pair], wanted: str | Sequence[str] | None) -> Pair:
    """The pairing whose sides `wanted` names, as 'A,B' or by two names, in either order; without it the first. Raises
    RunError."""
    names = manifest.side_names
    if wanted is None:
        return pairings[0]
    text = wanted if isinstance(wanted, str) else ",".join(map(str, wanted))
    for a, b in pairings:
        if text in (f"{names[a]},{names[b]}", f"{names[b]},{names[a]}"):
            return a, b
    known = "; ".join(f"{names[a]},{names[b]}" for a, b in pairings)
    raise RunError(f"pairing: {echo(text)} did not play this board; these did: {known}")
