"""Counting whole trees: auctions and card endings."""

from collections.abc import Sequence
from functools import cache

from twin.hand import highest_bid, legal_calls, legal_cards, trick_winner
from twin.rules import TwinRules


def walk_auctions(rules: TwinRules, calls: tuple[str, ...] = ()) -> int:
    """The number of complete auctions that start with these calls, by walking every one of them (C3-C5)."""
    if len(calls) == 4:
        return 1
    return sum(walk_auctions(rules, (*calls, call)) for call in legal_calls(rules, calls))


def count_auctions(rules: TwinRules) -> int:
    """The number of complete auctions, remembering the count for each (position, highest bid)."""

    @cache
    def count(position: int, high: str | None) -> int:
        if position == 4:
            return 1
        calls = ["P"] * position
        if high is not None:
            calls[-1] = high  # any calls with this highest bid leave the same calls open
        return sum(count(position + 1, highest_bid([*calls, call])) for call in legal_calls(rules, calls))

    return count(0, None)


def count_endings(rules: TwinRules, hands: Sequence[Sequence[str]], leader: int, trump: str, direction: str) -> int:
    """The number of ways to play these equally long hands out to the last card (C12-C15), by plain recursion."""
    cards = [card for hand in hands for card in hand]
    if len({len(hand) for hand in hands}) != 1 or len(hands) != 4:
        raise ValueError("four hands of the same length are needed")
    if len(set(cards)) != len(cards) or not set(cards) <= set(rules.deck()):
        raise ValueError("not cards of one deck")
    return _count([set(hand) for hand in hands], leader, [], trump, direction)


def _count(hands: list[set[str]], leader: int, trick: list[str], trump: str, direction: str) -> int:
    """Play-outs from here, where ``trick`` is the unfinished trick and ``leader`` led to it."""
    if len(trick) == 4:
        return _count(hands, (leader + trick_winner(trick, trump, direction)) % 4, [], trump, direction)
    seat = (leader + len(trick)) % 4
    if not hands[seat]:
        return 1  # every trick is complete, so nobody has a card left
    total = 0
    for card in legal_cards(hands[seat], trick, trump, direction):
        after = [hand - {card} if owner == seat else hand for owner, hand in enumerate(hands)]
        total += _count(after, leader, [*trick, card], trump, direction)
    return total
