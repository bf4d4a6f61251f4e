"""Cards on the screen: with the symbols of the suits, where the output has them, and in red and black."""

from collections.abc import Sequence
from typing import Final

from rich.text import Text

from bidwhist.cards import SUIT_MASKS, Card, suit_of
from bidwhist.notation import SUIT_LETTERS, format_card
from bidwhist.text import can_show

_SYMBOLS: Final = "♠♥♦♣"
_RED_SUITS: Final = (1, 2)
_RED: Final = "red"


def suit_text(suit: int) -> Text:
    """The symbol of a suit 0-3, or its letter."""
    symbol = _SYMBOLS[suit] if can_show(_SYMBOLS) else SUIT_LETTERS[suit]
    return Text(symbol, style=_RED if suit in _RED_SUITS else "")


def card_text(card: Card) -> Text:
    """A card: its suit and rank, or `JR`, `JB`."""
    text, suit = format_card(card), suit_of(card)
    if suit < len(SUIT_MASKS):
        return suit_text(suit).append(text[1])
    return Text(text, style=_RED if text == "JR" else "")


def cards_text(cards: Sequence[Card]) -> Text:
    """Cards with spaces between."""
    return Text(" ").join(card_text(card) for card in cards)
