"""What must hold whatever the hand: seats and suits are alike, cards are conserved, no choice means no question."""

from collections.abc import Iterator
from typing import Any

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from bidwhist.actions import FIRST_NAMING, NO_SUIT, NONE, direction_of, naming, trump_of
from bidwhist.bits import count
from bidwhist.cards import (
    BLACK_JOKER,
    CARDS,
    SEATS,
    SUITS,
    card,
    cards_of,
    mask_of,
    rank_of,
    suit_of,
)
from bidwhist.deal import deck
from bidwhist.observation import OBSERVATION, PRIVATE_FIELDS, write_observation
from bidwhist.public import CALLING, DONE, FIELDS
from bidwhist.rules import PRESETS
from bidwhist.state import advance, books, legal, score_change, step
from support import copied, every_preset, legal_actions, new_state, random_deal

MOST_ACTIONS = 63
seeds = st.integers(0, 2**64 - 1)
# Each number picks one of the legal actions at its step; calls shrink towards passing.
choices = st.lists(st.integers(0, 2**20), min_size=MOST_ACTIONS, max_size=MOST_ACTIONS)


def observation(state: Any, key: int = 1) -> Any:
    row = np.zeros(1, OBSERVATION)
    write_observation(state, np.uint64(key), row[0])
    return row[0]


def steps(state: Any, picks: list[int]) -> Iterator[int]:
    """Before each action of a hand, the action that is taken next; the caller may look at `state` in between."""
    for pick in picks:
        if state["public"]["phase"] == DONE:
            return
        options = legal_actions(state)
        action = options[pick % len(options)]
        yield action
        step(state, action)


# -------------------------------------------------------------------------------------------------- turning the table

SEAT_FIELDS = ("seat", "turn", "dealer", "declarer", "winner", "leaders")  # hold seats, or NOBODY
BY_SEAT_FIELDS = ("calls", "left", "void")
SIDE_FIELDS = ("kitty_side",)
BY_SIDE_FIELDS = ("tricks", "scores", "sets")
FIXED_FIELDS = (
    *("hand", "legal", "kitty", "buried", "key"),
    *(
        "version",
        "phase",
        "bid",
        "naming",
        "winning",
        "played",
        "hand_number",
        "plays",
        "gone",
        "led",
        "sported",
        "rules",
    ),
)


def turned(row: Any, k: int) -> Any:
    """The same observation at a table where everybody moved `k` seats on."""
    row = copied(row)
    for name in (*PRIVATE_NAMES, *PUBLIC_NAMES):
        part = row if name in PRIVATE_NAMES else row["public"]
        value = part[name]
        if name in SEAT_FIELDS:
            part[name] = np.where(value < 0, value, (value + k) % SEATS)
        elif name in BY_SEAT_FIELDS:
            part[name] = np.roll(value, k)
        elif name in SIDE_FIELDS:
            part[name] = np.where(value < 0, value, (value + k) % 2)
        elif name in BY_SIDE_FIELDS:
            part[name] = np.roll(value, k)
    return row


PRIVATE_NAMES = [name for name, *_ in PRIVATE_FIELDS]
PUBLIC_NAMES = [name for name, *_ in FIELDS]


def test_every_field_of_the_observation_is_classified() -> None:
    classified = [*SEAT_FIELDS, *BY_SEAT_FIELDS, *SIDE_FIELDS, *BY_SIDE_FIELDS, *FIXED_FIELDS]
    assert sorted(classified) == sorted(PRIVATE_NAMES + PUBLIC_NAMES)


@every_preset
@settings(max_examples=12)
@given(seed=seeds, dealer=st.integers(0, 3), k=st.integers(1, 3), picks=choices)
def test_r7_turning_seats_and_dealer_turns_everything(
    name: str, seed: int, dealer: int, k: int, picks: list[int]
) -> None:
    rules = PRESETS[name]
    hands, kitty = random_deal(rules, seed)
    state = new_state(rules, hands, kitty, dealer)
    other = new_state(rules, np.roll(hands, k), kitty, (dealer + k) % SEATS)
    for action in steps(state, picks):
        assert turned(observation(state), k).tobytes() == observation(other).tobytes()
        step(other, action)
    assert other["public"]["phase"] == DONE
    for side in range(2):
        assert score_change(state["public"], side) == score_change(other["public"], (side + k) % 2)
        assert books(state["public"], side) == books(other["public"], (side + k) % 2)


# ------------------------------------------------------------------------------------------------- exchanging the suits


def exchanged_card(each: int, order: list[int]) -> int:
    return each if each >= BLACK_JOKER else card(order[suit_of(each)], rank_of(each))


def exchanged_mask(mask: int, order: list[int]) -> int:
    return mask_of(exchanged_card(each, order) for each in cards_of(mask))


def exchanged_action(action: int, order: list[int]) -> int:
    """Cards and trump suits change by `order`; calls and no trump do not."""
    if action < CARDS:
        return exchanged_card(action, order)
    if action >= FIRST_NAMING and trump_of(action) != NO_SUIT:
        return naming(order[trump_of(action)], direction_of(action))
    return action


@every_preset
@settings(max_examples=12)
@given(seed=seeds, order=st.permutations(range(SUITS)), picks=choices)
def test_suits_are_alike(name: str, seed: int, order: list[int], picks: list[int]) -> None:
    rules = PRESETS[name]
    hands, kitty = random_deal(rules, seed)
    state = new_state(rules, hands, kitty, dealer=3)
    other = new_state(rules, [exchanged_mask(hand, order) for hand in hands], exchanged_mask(kitty, order), dealer=3)
    one, two = state["public"], other["public"]
    for action in steps(state, picks):
        changed = sorted(exchanged_action(each, order) for each in legal_actions(state))
        assert changed == legal_actions(other)
        assert (one["phase"], one["turn"], one["winner"]) == (two["phase"], two["turn"], two["winner"])
        assert [exchanged_mask(int(mask), order) for mask in one["void"]] == two["void"].tolist()
        step(other, exchanged_action(action, order))
    assert (one["leaders"].tolist(), one["tricks"].tolist()) == (two["leaders"].tolist(), two["tricks"].tolist())
    assert [score_change(one, side) for side in range(2)] == [score_change(two, side) for side in range(2)]


# --------------------------------------------------------------------------------------------------- what is conserved


def all_cards(state: Any) -> list[int]:
    """The masks that together are the deck: hands, what was discarded or never taken up, cards played."""
    kitty = 0 if state["taken"].any() else int(state["kitty"])
    return [*map(int, state["hands"]), kitty, int(state["buried"].sum()), int(state["public"]["gone"])]


@every_preset
@settings(max_examples=15)
@given(seed=seeds, dealer=st.integers(0, 3), picks=choices)
def test_cards_are_conserved(name: str, seed: int, dealer: int, picks: list[int]) -> None:
    rules = PRESETS[name]
    hands, kitty = random_deal(rules, seed)
    state = new_state(rules, hands, kitty, dealer)
    public = state["public"]
    whole = int(deck(rules.record()))
    assert count(whole) == 52 + rules.jokers
    for action in steps(state, picks):
        masks = all_cards(state)
        assert sum(masks) == whole  # with the next line: disjoint
        assert sum(count(mask) for mask in masks) == count(whole)
        assert [count(int(hand)) for hand in state["hands"]] == public["left"].tolist()
        assert all(int(hand) & int(void) == 0 for hand, void in zip(state["hands"], public["void"], strict=True))
        assert mask_of(each for each in public["plays"] if each != NONE) == public["gone"]
        assert action in legal_actions(state)
        assert legal(state) & ~int(state["hands"][public["turn"]]) == 0 or public["phase"] in (0, 1)
    assert public["phase"] == DONE
    assert legal(state) == 0
    assert public["left"].tolist() == [0] * SEATS
    # C15: thirteen books, with the kitty's where there is one.
    assert sum(public["tricks"]) == rules.hand_size
    assert books(public, 0) + books(public, 1) == 13


@every_preset
@settings(max_examples=15)
@given(seed=seeds, picks=choices)
def test_advance_takes_exactly_the_decisions_without_a_choice(name: str, seed: int, picks: list[int]) -> None:
    rules = PRESETS[name]
    hands, kitty = random_deal(rules, seed)
    plain, quick = (new_state(rules, hands, kitty, dealer=0) for _ in range(2))
    while advance(quick):
        assert len(legal_actions(quick)) > 1
        while len(legal_actions(plain)) == 1:
            step(plain, legal_actions(plain)[0])
        assert plain.tobytes() == quick.tobytes()
        action = legal_actions(quick)[picks[int(quick["public"]["played"])] % len(legal_actions(quick))]
        step(quick, action)
        step(plain, action)
    assert quick["public"]["phase"] == DONE


# ---------------------------------------------------------------------------------------------------- nothing is hidden


def dealt_anew(state: Any, rng: np.random.Generator) -> Any:
    """A state that differs only in what the seat to act cannot know: the others' cards, kitty and discards."""
    public, seat = state["public"], int(state["public"]["turn"])
    is_declarer = seat == public["declarer"]
    other = copied(state)
    fixed = int(public["gone"]) | int(state["hands"][seat]) | int(state["buried"][seat])
    pool = rng.permutation(cards_of(int(deck(public["rules"])) & ~fixed)).tolist()
    for each in range(SEATS):
        if each != seat:
            other["hands"][each] = mask_of(pool.pop() for _ in range(int(public["left"][each])))
    if not is_declarer:
        held = state["buried"].sum()
        other["buried"][public["declarer"]] = mask_of(pool.pop() for _ in range(count(int(held))))
    if not state["taken"].any():
        other["kitty"] = mask_of(pool)
    elif not is_declarer and not public["sported"]:
        other["kitty"] = other["taken"][public["declarer"]] = mask_of(
            rng.permutation(CARDS)[: count(int(state["kitty"]))].tolist()
        )
    return other


@every_preset
@settings(max_examples=12)
@given(seed=seeds, picks=choices)
def test_an_observation_does_not_depend_on_what_is_hidden(name: str, seed: int, picks: list[int]) -> None:
    hands, kitty = random_deal(PRESETS[name], seed)
    state = new_state(PRESETS[name], hands, kitty, dealer=1)
    rng = np.random.default_rng(seed)
    for _ in steps(state, picks):
        other = dealt_anew(state, rng)
        assert observation(state).tobytes() == observation(other).tobytes()


@every_preset
@settings(max_examples=12)
@given(seed=seeds, picks=choices)
def test_who_sees_the_kitty(name: str, seed: int, picks: list[int]) -> None:
    """C7 and exchange: nobody, the declarer who took it up, or everybody where it is sported."""
    rules = PRESETS[name]
    hands, kitty = random_deal(rules, seed)
    state = new_state(rules, hands, kitty, dealer=1)
    for _ in steps(state, picks):
        row, public = observation(state), state["public"]
        is_declarer = public["turn"] == public["declarer"] and public["phase"] != CALLING
        is_taken = bool(state["taken"].any())
        assert row["kitty"] == (kitty if is_taken and is_declarer else 0)
        assert row["buried"] == (state["buried"].sum() if is_declarer else 0)
        assert row["public"]["sported"] == (kitty if is_taken and rules.sported else 0)
        assert is_taken == (rules.exchanges and public["naming"] != NONE)
