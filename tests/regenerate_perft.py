"""Counts the auctions and the card endings of every preset with the plain twin, and writes them to perft.json.

    python tests/regenerate_perft.py

The numbers change only when the rules do; `test_auction_tree.py` holds engine and twin to them.
"""

import json
import random
from pathlib import Path
from typing import Any

from twin.actions import DIRECTIONS, SUITS
from twin.perft import count_auctions, count_endings
from twin.rules import PRESETS, TwinRules

FILE = Path(__file__).with_name("perft.json")
MOST_LEAVES = 30_000  # of one ending; the twin counts about 100,000 a second


def namings(rules: TwinRules) -> list[tuple[str, str]]:
    """A few (trump, direction) pairs: every direction there is, with and without trumps."""
    directions = DIRECTIONS if rules.downtown_ace == "choice" else DIRECTIONS[:2]
    return [(trump, direction) for place, direction in enumerate(directions) for trump in (SUITS[place], "N")]


def deal_ending(rules: TwinRules, size: int, rng: random.Random) -> list[list[str]]:
    """Four hands of `size` cards with all jokers among them, the first of which lies in the first hand."""
    jokers = [card for card in rules.deck() if card.startswith("J")]
    suited = [card for card in rules.deck() if not card.startswith("J")]
    others = jokers[1:] + rng.sample(suited, 4 * size - len(jokers))
    rng.shuffle(others)
    cards = jokers[:1] + others
    return [cards[seat * size : (seat + 1) * size] for seat in range(4)]


def endings(name: str) -> list[dict[str, Any]]:
    """Endings of three and four cards a hand in each of the namings, with the number of ways to play them out."""
    rules, rng = PRESETS[name], random.Random(name)
    rows: list[dict[str, Any]] = []
    for trump, direction in namings(rules):
        for size in (3, 4):
            count = MOST_LEAVES + 1
            while count > MOST_LEAVES:
                hands = deal_ending(rules, size, rng)
                leader = rng.randrange(4)
                turned = [hands[(seat - leader) % 4] for seat in range(4)]
                count = count_endings(rules, turned, leader, trump, direction)
            texts = [" ".join(sorted(hand)) for hand in turned]
            rows.append({"hands": texts, "leader": leader, "trump": trump, "direction": direction, "leaves": count})
    return rows


def numbers() -> dict[str, Any]:
    """What the file holds, by preset."""
    return {name: {"auctions": count_auctions(rules), "endings": endings(name)} for name, rules in PRESETS.items()}


if __name__ == "__main__":
    FILE.write_text(json.dumps(numbers(), indent=1) + "\n", encoding="utf-8")
