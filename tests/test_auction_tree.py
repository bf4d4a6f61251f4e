"""Perft: the size of the auction tree and of card endings, by engine, twin and (for auctions) formula.

The numbers stand in perft.json, which `regenerate_perft.py` writes with the twin; a preset without numbers fails.
"""

import json
from math import comb
from typing import Any

import pytest

from bidwhist.cards import JOKERS
from bidwhist.public import DONE, NAMING
from bidwhist.rules import PRESETS, Rules
from regenerate_perft import FILE
from support import ending, every_preset, hand_of, leaves_below, new_state, random_deal, twin_rules
from twin.actions import name_id
from twin.perft import count_auctions, count_endings

NUMBERS: dict[str, Any] = json.loads(FILE.read_text(encoding="utf-8"))


def test_every_preset_has_numbers() -> None:
    assert list(NUMBERS) == list(PRESETS)
    assert all(numbers["auctions"] > 0 for numbers in NUMBERS.values())


# ----------------------------------------------------------------------------------------------------------- auctions


def rising_bids(rules: Rules, most: int = 4) -> list[int]:
    """By k = 0 .. most: the number of ways to choose k bids that each beat the one before.

    A level offers steps of 1 or 2 bids that are equal; the ways are the coefficients of the product of (1 + bids * x).
    """
    if rules.bids == "number":
        steps = [1]
    else:
        steps = [2, 1] if rules.same_level == "equal" else [1, 1, 1]
    ways = [1] + [0] * most
    for bids in steps * (8 - rules.min_level):
        ways = [ways[k] + (bids * ways[k - 1] if k else 0) for k in range(most + 1)]
    return ways


def auctions_by_formula(rules: Rules) -> int:
    """Rising bids in k of the four places, not k = 0 (C5); a matching dealer repeats any bid of the first three."""
    ways = rising_bids(rules)
    matched = sum(comb(3, k) * ways[k] for k in range(1, 4)) if rules.dealer_may_match else 0
    return sum(comb(4, k) * ways[k] for k in range(1, 5)) + matched


def auctions_by_engine(rules: Rules) -> int:
    hands, kitty = random_deal(rules, 1)
    return leaves_below(new_state(rules, hands, kitty, dealer=2), NAMING, 4)


def test_classic_has_12649_auctions() -> None:
    assert NUMBERS["classic"]["auctions"] == 12649 == sum(comb(4, k) * comb(21, k) for k in range(1, 5))


@every_preset
def test_auctions(name: str) -> None:
    rules = PRESETS[name]
    counts = (auctions_by_engine(rules), count_auctions(twin_rules(rules)), auctions_by_formula(rules))
    assert counts == (NUMBERS[name]["auctions"],) * 3


@pytest.mark.parametrize("min_level", [1, 3, 4])
@pytest.mark.parametrize("dealer_may_match", [False, True])
@pytest.mark.parametrize(("bids", "same_level"), [("strain", "ranked"), ("strain", "equal"), ("number", "ranked")])
def test_auctions_of_all_auction_rules(min_level: int, dealer_may_match: bool, bids: str, same_level: str) -> None:
    rules = Rules(min_level=min_level, dealer_may_match=dealer_may_match, bids=bids, same_level=same_level)
    assert auctions_by_engine(rules) == count_auctions(twin_rules(rules)) == auctions_by_formula(rules)


# ------------------------------------------------------------------------------------------------------------ endings


@every_preset
def test_endings_cover_strains_and_jokers(name: str) -> None:
    rows = NUMBERS[name]["endings"]
    assert {len(hand.split()) for row in rows for hand in row["hands"]} == {3, 4}
    directions = {"U", "D", "L"} if PRESETS[name].downtown_ace == "choice" else {"U", "D"}
    assert {row["direction"] for row in rows if row["trump"] == "N"} == directions
    assert {row["direction"] for row in rows if row["trump"] != "N"} == directions
    if PRESETS[name].jokers:  # the leader holds one, so that it is led, too
        assert all(hand_of(row["hands"][row["leader"]]) & JOKERS for row in rows)


@every_preset
def test_endings(name: str) -> None:
    rules = PRESETS[name]
    for row in NUMBERS[name]["endings"]:
        hands, leader, trump, direction = [row[key] for key in ("hands", "leader", "trump", "direction")]
        state = ending(rules, [hand_of(hand) for hand in hands], leader, name_id(trump, direction))
        by_twin = count_endings(twin_rules(rules), [hand.split() for hand in hands], leader, trump, direction)
        assert (leaves_below(state, DONE, 16), by_twin) == (row["leaves"],) * 2, row
