"""Hidden hands: every layout that agrees with what was seen is drawn as often as any other, and no others are."""

from collections import Counter
from collections.abc import Iterator
from functools import cache
from typing import Any, NamedTuple

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bidwhist.actions import PASS
from bidwhist.bits import count
from bidwhist.cards import BLACK_JOKER, SEATS, cards_of, suit_of
from bidwhist.deal import deck
from bidwhist.observation import OBSERVATION, Obs, private_of_seat
from bidwhist.public import DONE, PLAYING
from bidwhist.rules import CLASSIC, PRESETS, Rules
from bidwhist.state import is_among, legal, step
from bidwhist.worlds.front import count_worlds, sample_worlds, world_state
from support import copied, every_preset, legal_actions, new_state, random_deal, rule_sets

DEAD = 4  # the dead pile, beside the seats 0-3

# ------------------------------------------------------------------------- what can be, in plain Python, from the rules


class Layout(NamedTuple):
    """Four hands as held now, and the dead cards."""

    hands: tuple[int, ...]
    dead: int


def seen_by(state: Any, seat: int) -> Any:
    """An OBSERVATION record of any seat, whoever is to act."""
    row = np.zeros(1, OBSERVATION)[0]
    private = private_of_seat(state, seat, 0, 0)
    row["seat"], row["hand"], row["kitty"], row["buried"] = seat, private.hand, private.kitty, private.buried
    row["public"] = state["public"]
    return row


def layout_of(state: Any) -> Layout:
    """The true layout."""
    buried, taken = int(sum(state["buried"])), int(sum(state["taken"]))
    return Layout(tuple(map(int, state["hands"])), buried if taken else int(state["kitty"]))


def effective_suit(card: int, trump: int) -> int | None:
    """The suit that a card belongs to (C9, C10); None for a joker in no trump."""
    if card < BLACK_JOKER:
        return suit_of(card)
    return trump if trump < 4 else None


def shown_voids(obs: Obs) -> set[tuple[int, int]]:
    """(seat, suit) of every failure to follow, worked out from the cards in order (C12, C13)."""
    found, led = set(), None
    for place, (seat, card) in enumerate(obs.played):
        led = None if place % 4 == 0 else led
        assert obs.trump is not None
        suit = effective_suit(card, obs.trump)
        if led is not None and suit != led:
            found.add((seat, led))
        led = suit if led is None else led
    return found


def permitted(row: Any) -> dict[int, set[int]]:
    """By hidden card: the holders that it may be with."""
    obs = Obs(row)
    own = obs.seat
    voids = shown_voids(obs)
    hidden = int(deck(row["public"]["rules"])) & ~(obs.gone_mask | obs.hand_mask | int(row["buried"]))
    shown = set(cards_of(int(row["public"]["sported"])))
    found = {}
    for card in cards_of(hidden):
        suit = None if obs.trump is None else effective_suit(card, obs.trump)
        seats = {seat for seat in range(SEATS) if seat != own and (seat, suit) not in voids}
        found[card] = ({obs.declarer} & seats if card in shown else seats) | {DEAD}
    return found


def rooms(row: Any) -> dict[int, int]:
    """By holder: how many of the hidden cards it has."""
    obs = Obs(row)
    found = {seat: left for seat, left in enumerate(obs.left) if seat != obs.seat}
    return {**found, DEAD: len(permitted(row)) - sum(found.values())}


def agrees(row: Any, layout: Layout) -> bool:
    """True if a layout is one of those that the seat must reckon with."""
    own, may = int(row["seat"]), permitted(row)
    if layout.hands[own] != row["hand"] or layout.dead & int(row["buried"]) != row["buried"]:
        return False
    places = {card: seat for seat in range(SEATS) if seat != own for card in cards_of(layout.hands[seat])}
    places |= dict.fromkeys(cards_of(layout.dead & ~int(row["buried"])), DEAD)
    if sorted(places) != sorted(may) or sum(map(count, layout.hands)) != sum(row["public"]["left"]):
        return False
    return Counter({h: n for h, n in rooms(row).items() if n}) == Counter(places.values()) and all(
        places[card] in may[card] for card in may
    )


def all_layouts(row: Any) -> Iterator[Layout]:
    """Every layout that agrees with an observation, card by card."""
    own, cards = int(row["seat"]), sorted(permitted(row).items())

    def place(number: int, room: dict[int, int], masks: dict[int, int]) -> Iterator[Layout]:
        if number == len(cards):
            yield Layout(tuple(masks[seat] for seat in range(SEATS)), masks[DEAD])
            return
        card, holders = cards[number]
        for holder in holders:
            if room[holder]:
                rest = {**room, holder: room[holder] - 1}
                yield from place(number + 1, rest, {**masks, holder: masks[holder] | 1 << card})

    start = {**dict.fromkeys(range(SEATS), 0), own: int(row["hand"]), DEAD: int(row["buried"])}
    yield from place(0, rooms(row), start)


def exact_count(cards: list[set[int]], room: dict[int, int]) -> int:
    """Number of ways to deal cards with these permitted holders, in whole numbers, one card after the other."""
    holders = sorted(room)

    @cache
    def ways(number: int, left: tuple[int, ...]) -> int:
        if number == len(cards):
            return 1
        total = 0
        for place, holder in enumerate(holders):
            if left[place] and holder in cards[number]:
                total += ways(number + 1, (*left[:place], left[place] - 1, *left[place + 1 :]))
        return total

    return ways(0, tuple(room[holder] for holder in holders)) if min(room.values()) >= 0 else 0


# ------------------------------------------------------------------------------------------------- positions of a hand


def positions(rules: Rules, seed: int) -> Iterator[Any]:
    """The STATE of a hand with random actions before each of them and at its end; half of the calls are passes."""
    rng = np.random.default_rng(seed)
    state = new_state(rules, *random_deal(rules, seed), seed % SEATS)
    while state["public"]["phase"] != DONE:
        yield state
        options = legal_actions(state)
        step(state, PASS if options[0] == PASS and rng.integers(2) else options[rng.integers(len(options))])
    yield state


def drawn(row: Any, number: int, key: int = 1) -> list[Layout]:
    hands, dead = sample_worlds(row, number, key)
    return [Layout(tuple(each), last) for each, last in zip(hands.tolist(), dead.tolist(), strict=True)]


def played_by(obs: Obs, seat: int) -> int:
    return sum(1 << card for player, card in obs.played if player == seat)


def replayed(state: Any) -> Any:
    """The hand of a STATE played from its deal as recorded, every action checked; None if one is not legal."""
    obs = Obs(seen_by(state, 0))
    hands = [int(state["hands"][seat]) | played_by(obs, seat) for seat in range(SEATS)]
    kitty, taken = int(state["kitty"]), int(sum(state["taken"]))
    if taken:
        assert obs.declarer is not None
        hands[obs.declarer] = (hands[obs.declarer] | int(sum(state["buried"]))) & ~taken
    again = new_state(CLASSIC, hands, kitty, obs.dealer)
    again["public"]["rules"] = state["public"]["rules"]
    for seat in range(SEATS):
        again["public"]["left"][seat] = state["public"]["rules"]["hand_size"]
    naming = [] if obs.naming is None else [obs.naming]
    plays = [card for _, card in obs.played]
    for action in [*obs.calls.values(), *naming, *cards_of(int(sum(state["buried"]))), *plays]:
        if not is_among(legal(again), action, again["public"]["phase"]):
            return None
        step(again, action)
    return again


# ----------------------------------------------------------------------------------------------------------- the tests


@every_preset
@settings(max_examples=6)
@given(seed=st.integers(0, 2**32), key=st.integers(0, 2**64 - 1))
def test_every_world_fits_what_each_seat_has_seen_and_the_true_one_is_possible(name: str, seed: int, key: int) -> None:
    check_a_hand(PRESETS[name], seed, key)


@settings(max_examples=20)
@given(rules=rule_sets(), seed=st.integers(0, 2**32), key=st.integers(0, 2**64 - 1))
def test_every_world_fits_under_any_rules(rules: Rules, seed: int, key: int) -> None:
    check_a_hand(rules, seed, key)


def check_a_hand(rules: Rules, seed: int, key: int) -> None:
    for state in positions(rules, seed):
        for seat in range(SEATS):
            row = seen_by(state, seat)
            assert agrees(row, layout_of(state))
            assert count_worlds(row) >= 1
            for layout in drawn(row, 3, key):
                assert agrees(row, layout)


@every_preset
@pytest.mark.parametrize("seed", range(3))
def test_a_world_played_from_its_deal_leads_to_the_same_record(name: str, seed: int) -> None:
    for state in positions(PRESETS[name], seed):
        for seat in range(SEATS):
            row = seen_by(state, seat)
            (layout,) = drawn(row, 1, seed)
            world = world_state(row, layout.hands, layout.dead, seed)
            assert layout_of(world) == layout
            assert seen_by(world, seat).tobytes() == row.tobytes()
            again = replayed(world)
            assert again is not None
            assert copied(again).tobytes() == copied(world).tobytes()


@every_preset
def test_the_layouts_left_out_are_those_that_do_not_replay(name: str) -> None:
    """Hidden cards dealt without regard to voids: what was played is legal if and only if the layout agrees."""
    rng, found = np.random.default_rng(1), Counter[bool]()
    for seed in range(4):
        for state in positions(PRESETS[name], seed):
            if state["public"]["phase"] != PLAYING or state["public"]["played"] < 16:
                continue
            row = seen_by(state, int(state["public"]["turn"]))
            hidden, masks = rng.permutation(list(permitted(row))).tolist(), {DEAD: int(row["buried"])}
            for holder, size in rooms(row).items():
                masks[holder] = masks.get(holder, 0) | sum(1 << hidden.pop() for _ in range(size))
            masks[int(row["seat"])] = int(row["hand"])
            layout = Layout(tuple(masks[seat] for seat in range(SEATS)), masks[DEAD])
            shown = int(row["public"]["sported"])
            if shown and count(shown & layout.hands[declarer(row)]) + count(shown & layout.dead) < count(
                shown & ~int(row["public"]["gone"]) & ~int(row["hand"] if row["seat"] == declarer(row) else 0)
            ):
                continue
            again = replayed(world_state(row, layout.hands, layout.dead))
            assert agrees(row, layout) == (again is not None)
            found[again is not None] += 1
    assert min(found[True], found[False]) > 5


def declarer(row: Any) -> int:
    return int(row["public"]["declarer"])
