"""What a seat sees, in a few lines, and actions in words."""

from collections.abc import Iterator
from typing import Final

from rich.text import Text

from bidwhist.actions import PASS, Action, level_of, strain_of
from bidwhist.cards import CARDS, RANKS, SUIT_MASKS, Mask, cards_of
from bidwhist.notation import RANK_LETTERS, SEAT_LETTERS, describe_naming, format_action, format_call
from bidwhist.observation import Obs
from bidwhist.replay.cards import card_text, cards_text, suit_text

LABEL: Final = 10
"""Columns of a label before a line."""

_STRAINS: Final = (" uptown", " downtown", " no trump", "")
_JOKERS: Final = -1 << len(SUIT_MASKS) * RANKS


def labelled(label: str, content: str | Text) -> Text:
    """A line with a label before it."""
    return Text(f"{label:<{LABEL}}").append_text(content if isinstance(content, Text) else Text(content))


def observation_lines(obs: Obs) -> Iterator[Text]:
    """What a seat sees: hand, auction, contract, the trick so far, what is legal."""
    yield labelled("hand", hand_text(obs.hand_mask))
    if any(obs.scores) or any(obs.sets):
        yield labelled("scores", f"NS {obs.scores[0]}, EW {obs.scores[1]} before this hand")
    yield labelled("dealer", SEAT_LETTERS[obs.dealer])
    calls = [f"{SEAT_LETTERS[seat]} {format_call(call)}" for seat, call in obs.calls.items()]
    yield labelled("auction", "  ".join(calls) or "you speak first")
    if obs.contract and obs.declarer is not None and obs.naming is not None:
        yield labelled("contract", f"{obs.contract} by {SEAT_LETTERS[obs.declarer]} ({describe_naming(obs.naming)})")
    for label, cards in (("kitty", obs.kitty), ("discards", obs.buried)):
        if cards:
            yield labelled(label, cards_text(cards))
    if obs.phase == "play":
        yield labelled("tricks", f"NS {obs.tricks[0]}, EW {obs.tricks[1]}")
        yield labelled("trick", _trick(obs))
    yield labelled("legal", actions_text(obs.legal))


def hand_text(hand: Mask) -> Text:
    """Cards by suits, the highest first."""
    fields = []
    for suit, mask in enumerate(SUIT_MASKS):
        ranks = "".join(RANK_LETTERS[card % RANKS] for card in reversed(cards_of(hand & mask)))
        fields.append(suit_text(suit).append(f" {ranks or '-'}", style="default"))
    return Text("  ").join([*fields, *map(card_text, reversed(cards_of(hand & _JOKERS)))])


def actions_text(actions: list[Action]) -> Text:
    """Actions as they are written, with spaces between."""
    return cards_text(actions) if actions[0] < CARDS else Text(" ".join(map(format_action, actions)))


def action_words(action: Action, phase: str) -> Text:
    """An action in words and its number, as in `plays SA (12)`."""
    if action < CARDS:
        words = Text("discards " if phase == "discard" else "plays ").append_text(card_text(action))
    elif action == PASS:
        words = Text("passes")
    elif phase == "name":
        words = Text(f"names {format_action(action)}, {describe_naming(action)}")
    else:
        words = Text(f"bids {format_call(action)}, {level_of(action)}{_STRAINS[strain_of(action)]}")
    return words.append(f" ({action})", style="default")


def _trick(obs: Obs) -> Text:
    if not obs.trick:
        return Text("you lead")
    cards = Text("  ").join(Text(f"{SEAT_LETTERS[seat]} ").append_text(card_text(card)) for seat, card in obs.trick)
    return cards.append(f"  ({SEAT_LETTERS[obs.winner]} wins so far)" if obs.winner is not None else "")
