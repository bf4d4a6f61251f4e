"""A board on the screen: the deal, and what became of it at both tables."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, Final

from rich.table import Table as Grid
from rich.text import Text

from bidwhist.arena.replay import replay_columns
from bidwhist.cards import RANKS, SUIT_MASKS, Card, Mask, cards_of, suit_of
from bidwhist.cli.screen import can_show, dim, printable
from bidwhist.deal import board_cards
from bidwhist.errors import RunError
from bidwhist.notation import (
    RANK_LETTERS,
    SEAT_LETTERS,
    SUIT_LETTERS,
    describe_naming,
    format_call,
    format_card,
    format_contract,
)
from bidwhist.record import Played, Trick, play_out
from bidwhist.results.hands import Hand, hands_of, pick_pairing
from bidwhist.results.manifest import Manifest, seed_of
from bidwhist.table import Table

_SIDES: Final = ("NS", "EW")
_SYMBOLS: Final = "♠♥♦♣"
_RED_SUITS: Final = (1, 2)
_RED: Final = "red"
_SEAT_WORDS: Final = ("North", "East", "South", "West")


def board_screen(run: Path, manifest: Manifest, board: int, pairing: str | None) -> Iterator[Any]:
    """What to print of a board of a run: texts and rich renderables. Raises RunError."""
    found = hands_of(run, manifest, board)
    if not found:
        raise RunError(f"{run}: no table of {_name(manifest, board)} has been played")
    a, b = pick_pairing(manifest, list(found), pairing)
    names = [printable(bot.name) for bot in manifest.bots]
    hands, kitty, _ = board_cards(manifest.rule_set(), seed_of(run, manifest), board)
    yield Text(f"{printable(manifest.name)}, {_name(manifest, board)}", style="bold")
    yield ""
    yield _diagram(hands, kitty)
    for hand in found[a, b]:
        yield ""
        if hand.row["fault"]:
            yield f"{_title(hand, names)}: not played to its end, fault {hand.row['fault']}"
            continue
        discards, plays = plays_of(run, manifest, hand)
        played = _play_again(manifest, hand, (hands, kitty), discards, plays)
        yield from _table_screen(hand, played, discards, names)
    yield ""
    yield from _net(manifest, found[a, b], names[a])
    for x, y in found:
        if (x, y) != (a, b):
            yield dim(f'also played: --pairing "{names[x]},{names[y]}"')


def plays_of(run: Path, manifest: Manifest, hand: Hand) -> tuple[Mask, Sequence[Card]]:
    """The declarer's discards and the cards in the order played: as recorded, else played again by the bots.

    Raises RunError if the bots now play differently from what the run has recorded.
    """
    if hand.plays is not None:
        return hand.discards, hand.plays
    a, b = hand.pairing
    columns = replay_columns(run, int(hand.row["unit"]), a, b)
    for place in range(len(columns["board"])):
        same_table = columns["board"][place] == hand.row["board"] and columns["north"][place] == hand.row["lineup"][0]
        if same_table and _same_result(columns, place, hand):
            return int(columns["discards"][place]), [int(card) for card in columns["plays"][place] if card >= 0]
    raise RunError(f"{run}: the bots do not play this hand again as they did in the run: its cards cannot be shown")


def _same_result(columns: Any, place: int, hand: Hand) -> bool:
    calls = all(columns[f"call_{n + 1}"][place] == hand.row["calls"][n] for n in range(4))
    return calls and all(columns[name][place] == hand.row[name] for name in ("naming", "tricks", "kitty_side"))


def _play_again(
    manifest: Manifest, hand: Hand, deal: tuple[list[Mask], Mask], discards: Mask, plays: Sequence[Card]
) -> Played:
    scores = (int(hand.derived["scores"][0]), int(hand.derived["scores"][1]))
    sets = (int(hand.derived["sets"][0]), int(hand.derived["sets"][1]))
    table = Table(*deal, int(hand.derived["dealer"]), manifest.rule_set(), scores=scores, sets=sets)
    return play_out(table, hand.row["calls"].tolist(), int(hand.row["naming"]), discards, plays)


def _name(manifest: Manifest, board: int) -> str:
    if not manifest.is_games:
        return f"board {board}"
    game, hand = divmod(board, manifest.rule_set().cap)
    return f"game {game}, hand {hand} (board {board})"


# --- the deal ---


def _diagram(hands: list[Mask], kitty: Mask) -> Grid:
    north, east, south, west = (_holding(word, hand) for word, hand in zip(_SEAT_WORDS, hands, strict=True))
    grid = Grid.grid(padding=(0, 4, 0, 0))
    grid.add_row("", north)
    grid.add_row(west, _holding("Kitty", kitty) if kitty else "", east)
    grid.add_row("", south)
    return grid


def _holding(title: str, cards: Mask) -> Text:
    lines = [Text(title, style="bold")]
    for suit, mask in enumerate(SUIT_MASKS):
        ranks = " ".join(RANK_LETTERS[card % RANKS] for card in reversed(cards_of(cards & mask)))
        lines.append(Text.assemble((_suit(suit), _style(suit)), " ", ranks or "-"))
    jokers = [_card(card) for card in reversed(cards_of(cards)) if suit_of(card) == len(SUIT_MASKS)]
    if jokers:
        lines.append(Text(" ").join(jokers))
    return Text("\n").join(lines)


def _suit(suit: int) -> str:
    return _SYMBOLS[suit] if can_show(_SYMBOLS) else SUIT_LETTERS[suit]


def _style(suit: int) -> str:
    return _RED if suit in _RED_SUITS else ""


def _card(card: Card) -> Text:
    text, suit = format_card(card), suit_of(card)
    if suit < len(SUIT_MASKS):
        return Text(_suit(suit) + text[1], style=_style(suit))
    return Text(text, style=_RED if text == "JR" else "")


def _cards(cards: Sequence[Card]) -> Text:
    return Text(" ").join(_card(card) for card in cards)


# --- a table ---


def _title(hand: Hand, names: list[str]) -> str:
    return f"{names[hand.row['lineup'][0]]} North-South, {names[hand.row['lineup'][1]]} East-West"


def _table_screen(hand: Hand, played: Played, discards: Mask, names: list[str]) -> Iterator[Any]:
    derived = hand.derived
    side = int(derived["declarer"]) & 1
    yield Text(_title(hand, names), style="bold")
    if hand.row["hand"]:
        yield f"scores    NS {derived['scores'][0]}, EW {derived['scores'][1]} before this hand"
    yield f"dealer    {SEAT_LETTERS[derived['dealer']]}"
    yield "auction   " + "  ".join(f"{SEAT_LETTERS[seat]} {format_call(call)}" for seat, call in played.calls)
    contract = format_contract(int(derived["level"]), int(hand.row["naming"]))
    words = describe_naming(int(hand.row["naming"]))
    yield f"contract  {contract} by {SEAT_LETTERS[derived['declarer']]} ({words})"
    if discards:
        yield Text("discards  ").append_text(_cards(cards_of(discards)))
    yield from _tricks(played.tricks)
    yield _books(hand, side)
    outcome = "made" if derived["made"] else "set"
    change = derived["change"]
    yield f"result    {outcome}: NS {change[0]:+d}, EW {change[1]:+d}; points of NS {change[0] - change[1]:+d}"


def _tricks(tricks: Sequence[Trick]) -> Iterator[Text]:
    yield dim("trick     " + "".join(f"{seat:<7}" for seat in SEAT_LETTERS) + "(> leads, * wins)")
    for number, trick in enumerate(tricks, 1):
        line = Text(f"{number:>5}    ")
        for seat, card in enumerate(trick.cards):
            line.append(">" if seat == trick.leader else " ").append_text(_card(card))
            line.append("*   " if seat == trick.winner else "    ")
        yield line


def _books(hand: Hand, side: int) -> str:
    tricks, books = int(hand.row["tricks"]), int(hand.derived["books"])
    kitty = " and the kitty" if books > tricks else ""
    promised = int(hand.derived["level"]) + 6
    return f"books     {_SIDES[side]} took {books} ({tricks} tricks{kitty}) and promised {promised}"


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
