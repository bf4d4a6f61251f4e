"""A hand of a run as text: the deal, and what was made of it, trick by trick. In colours, where the output has them."""

import io
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any, Final

from rich.console import Console
from rich.table import Table as Grid
from rich.text import Text

from bidwhist.cards import RANKS, SEAT_NAMES, SIDE_NAMES, SUIT_MASKS, Mask, cards_of, suit_of
from bidwhist.notation import RANK_LETTERS, SEAT_LETTERS, describe_naming, format_call
from bidwhist.public import NOBODY
from bidwhist.record import Trick
from bidwhist.replay.cards import card_text, cards_text, suit_text
from bidwhist.score import BASE
from bidwhist.text import printable_name

if TYPE_CHECKING:
    from bidwhist.replay.opened import OpenHand

_WIDTH: Final = 120


def as_text(opened: "OpenHand") -> str:
    """The whole hand as plain text."""
    file = io.StringIO()
    console = Console(
        file=file,
        width=_WIDTH,
        color_system=None,
        highlight=False,
        emoji=False,
        markup=False,
        force_jupyter=False,  # in a notebook it would show the text there, and put nothing into the file
    )
    for part in (title(opened), "", deal_diagram(opened.hands, opened.kitty), "", *table_lines(opened)):
        console.print(part)
    return "\n".join(line.rstrip() for line in file.getvalue().rstrip("\n").split("\n"))


def title(opened: "OpenHand") -> Text:
    """The run, and the board or the hand of a game."""
    return Text(f"{printable_name(opened.name)}, {opened.title}", style="bold")


def table_title(bots: Sequence[str]) -> str:
    """Who sat where; `bots`: names by seat."""
    north, east, south, west = map(printable_name, bots)
    if (north, east) == (south, west):
        return f"{north} North-South, {east} East-West"
    return f"{north} North and {south} South, {east} East and {west} West"


# --- the deal ---


def deal_diagram(hands: Sequence[Mask], kitty: Mask) -> Grid:
    """The cards of the four hands where their players sit, with the kitty between them."""
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


def table_lines(opened: "OpenHand") -> Iterator[Any]:
    """What was done at the table, and what came of it: texts and rich renderables."""
    yield Text(table_title(opened.bots), style="bold")
    if opened.hand:
        yield f"scores    NS {opened.scores[0]}, EW {opened.scores[1]} before this hand"
    yield f"dealer    {SEAT_LETTERS[opened.dealer]}"
    yield "auction   " + "  ".join(f"{SEAT_LETTERS[seat]} {format_call(call)}" for seat, call in opened.calls)
    yield f"contract  {opened.contract} by {SEAT_LETTERS[opened.declarer]} ({describe_naming(opened.naming)})"
    if opened.discards:
        yield Text("discards  ").append_text(cards_text(cards_of(opened.discards)))
    yield from _tricks(opened.tricks)
    yield _books(opened)
    yield from _faults(opened)
    outcome = "made" if opened.made else "set"
    if opened.forfeit != NOBODY:
        outcome += f", and forfeited by {SIDE_NAMES[opened.forfeit]}"
    yield f"result    {outcome}: NS {opened.change[0]:+d}, EW {opened.change[1]:+d}; points of NS {opened.points:+d}"


def _faults(opened: "OpenHand") -> Iterator[str]:
    """Faults of bots in the hand, in the order of its decisions."""
    label = "faults"
    for fault in opened.faults:
        yield f"{label:<10}{fault.kind} of {SEAT_LETTERS[fault.seat]} at {fault.decision}"
        label = ""


def _tricks(tricks: Sequence[Trick]) -> Iterator[Text]:
    head = "trick     " + "".join(f"{seat:<7}" for seat in SEAT_LETTERS) + "(> leads, * wins)"
    yield Text(head, style="dim")
    for number, trick in enumerate(tricks, 1):
        line = Text(f"{number:>5}    ")
        for seat, card in enumerate(trick.cards):
            line.append(">" if seat == trick.leader else " ").append_text(card_text(card))
            line.append("*   " if seat == trick.winner else "    ")
        yield line


def _books(opened: "OpenHand") -> str:
    kitty = " and the kitty" if opened.books > opened.tricks_won else ""
    took = f"{SIDE_NAMES[opened.declarer & 1]} took {opened.books} ({opened.tricks_won} tricks{kitty})"
    return f"books     {took} and promised {opened.level + BASE}"
