"""A board on the screen: the deal, and what became of it at both tables."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from rich.table import Table as Grid
from rich.text import Text

from bidwhist.cards import RANKS, SEAT_NAMES, SIDE_NAMES, SUIT_MASKS, Mask, cards_of, suit_of
from bidwhist.cli.views.cards import card_text, cards_text, suit_text
from bidwhist.cli.views.screen import dim, printable
from bidwhist.cli.views.which import board_title, hands_played, table_title
from bidwhist.deal import board_cards
from bidwhist.engine.moment import decision_name
from bidwhist.faults import Fault
from bidwhist.notation import (
    RANK_LETTERS,
    SEAT_LETTERS,
    describe_naming,
    format_call,
    format_contract,
)
from bidwhist.public import NOBODY
from bidwhist.record import Trick, play_out
from bidwhist.replay.hand import HandAgain
from bidwhist.results.hands import Hand, pick_pairing
from bidwhist.results.manifest import Manifest, seed_of
from bidwhist.score import BASE


def board_screen(run: Path, manifest: Manifest, board: int, pairing: str | None) -> Iterator[Any]:
    """What to print of a board of a run: texts and rich renderables. Raises RunError."""
    found = hands_played(run, manifest, board)
    a, b = pick_pairing(manifest, list(found), pairing)
    names = [printable(bot.name) for bot in manifest.bots]
    hands, kitty, _ = board_cards(manifest.rule_set(), seed_of(run, manifest), board)
    yield Text(f"{printable(manifest.name)}, {board_title(manifest, board)}", style="bold")
    yield ""
    yield _diagram(hands, kitty)
    for hand in found[a, b]:
        yield ""
        yield from _table_screen(hand, HandAgain(run, manifest, hand), names)
    yield ""
    yield from _net(manifest, found[a, b], names[a])
    for x, y in found:
        if (x, y) != (a, b):
            yield dim(f'also played: --pairing "{names[x]},{names[y]}"')


# --- the deal ---


def _diagram(hands: list[Mask], kitty: Mask) -> Grid:
    north, east, south, west = (_holding(name.title(), hand) for name, hand in zip(SEAT_NAMES, hands, strict=True))
    grid = Grid.grid(padding=(0, 4, 0, 0))
    grid.add_row("", north)
    grid.add_row(west, _holding("Kitty", kitty) if kitty else "", east)
    grid.add_row("", south)
    return grid


def _holding(title: str, cards: Mask) -> Text:
    lines = [Text(title, style="bold")]
    for suit, mask in enumerate(SUIT_MASKS):
        ranks = " ".join(RANK_LETTERS[card % RANKS] for card in reversed(cards_of(cards & mask)))
        lines.append(Text.assemble(suit_text(suit), " ", ranks or "-"))
    jokers = [card_text(card) for card in reversed(cards_of(cards)) if suit_of(card) == len(SUIT_MASKS)]
    if jokers:
        lines.append(Text(" ").join(jokers))
    return Text("\n").join(lines)


# --- a table ---


def _table_screen(hand: Hand, again: HandAgain, names: list[str]) -> Iterator[Any]:
    derived, discards = hand.derived, again.recorded.discards
    played = play_out(again.table(), again.recorded)
    side = int(derived["declarer"]) & 1
    yield Text(table_title(hand, names), style="bold")
    if hand.row["hand"]:
        yield f"scores    NS {derived['scores'][0]}, EW {derived['scores'][1]} before this hand"
    yield f"dealer    {SEAT_LETTERS[derived['dealer']]}"
    yield "auction   " + "  ".join(f"{SEAT_LETTERS[seat]} {format_call(call)}" for seat, call in played.calls)
    contract = format_contract(int(derived["level"]), int(hand.row["naming"]))
    words = describe_naming(int(hand.row["naming"]))
    yield f"contract  {contract} by {SEAT_LETTERS[derived['declarer']]} ({words})"
    if discards:
        yield Text("discards  ").append_text(cards_text(cards_of(discards)))
    yield from _tricks(played.tricks)
    yield _books(hand, side)
    yield from _faults(hand)
    outcome = "made" if derived["made"] else "set"
    forfeit = int(derived["forfeit"])
    if forfeit != NOBODY:
        outcome += f", and forfeited by {SIDE_NAMES[forfeit]}"
    change = derived["change"]
    yield f"result    {outcome}: NS {change[0]:+d}, EW {change[1]:+d}; points of NS {change[0] - change[1]:+d}"


def _faults(hand: Hand) -> Iterator[str]:
    """Faults of bots in the hand, in the order of its decisions."""
    codes, moments = hand.row["faults"], hand.row["faults_at"]
    label = "faults"
    for seat in sorted(np.flatnonzero(codes).tolist(), key=lambda seat: int(moments[seat])):
        words = f"{Fault(codes[seat]).word} of {SEAT_LETTERS[seat]} at {decision_name(int(moments[seat]))}"
        yield f"{label:<10}{words}"
        label = ""


def _tricks(tricks: Sequence[Trick]) -> Iterator[Text]:
    yield dim("trick     " + "".join(f"{seat:<7}" for seat in SEAT_LETTERS) + "(> leads, * wins)")
    for number, trick in enumerate(tricks, 1):
        line = Text(f"{number:>5}    ")
        for seat, card in enumerate(trick.cards):
            line.append(">" if seat == trick.leader else " ").append_text(card_text(card))
            line.append("*   " if seat == trick.winner else "    ")
        yield line


def _books(hand: Hand, side: int) -> str:
    tricks, books = int(hand.row["tricks"]), int(hand.derived["books"])
    kitty = " and the kitty" if books > tricks else ""
    promised = int(hand.derived["level"]) + BASE
    return f"books     {SIDE_NAMES[side]} took {books} ({tricks} tricks{kitty}) and promised {promised}"


def _net(manifest: Manifest, hands: list[Hand], name: str) -> Iterator[str]:
    """What the first bot of the pairing made of the board."""
    if len(hands) < 2:
        yield "The other table did not come to this board." if manifest.is_games else "The other table is to come."
        return
    changes = [(hand.derived["change"], hand.orientation) for hand in hands]
    points = [int(change[own] - change[1 - own]) for change, own in changes]
    total = sum(points)
    shown = f"{points[0]:+d} and {points[1]:+d}, net {total:+d}"
    if not manifest.is_games:
        shown += f": {total / 2:+.1f} points a board"
    yield f"{name}: {shown}"
