"""Hidden hands: every layout that agrees with what was seen is drawn as often as any other, and no others are."""

from collections import Counter
from collections.abc import Iterable, Iterator
from functools import cache, cached_property
from typing import Any, NamedTuple

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from scipy import stats

from bidwhist.actions import PASS
from bidwhist.bits import count
from bidwhist.cards import BLACK_JOKER, HEARTS, JOKERS, SEATS, SUIT_MASKS, Seat, cards_of, suit_of
from bidwhist.deal import deck
from bidwhist.errors import PositionError
from bidwhist.notation import parse_naming
from bidwhist.observation import OBSERVATION, Obs, private_of_seat
from bidwhist.public import DONE, PLAYING
from bidwhist.rules import CLASSIC, PRESETS, Rules
from bidwhist.state import STATE, is_among, legal, start, step
from bidwhist.table import Table
from bidwhist.worlds.front import count_worlds, sample_worlds, world_state
from support import copied, ending, every_preset, hand_of, legal_actions, new_state, random_deal, rule_sets

DEAD = 4  # the dead pile, a holder beside the seats 0-3


class Layout(NamedTuple):
    """Four hands as held now, and the dead cards."""

    hands: tuple[int, ...]
    dead: int


# ------------------------------------------------------------------------------------------------- positions of a hand


def positions(rules: Rules, seed: int) -> Iterator[Any]:
    """The STATE of a hand before each of its actions, which are random, and at its end; half of the calls are passes.

    It is the same record every time.
    """
    rng = np.random.default_rng(seed)
    state = new_state(rules, *random_deal(rules, seed), seed % SEATS)
    while state["public"]["phase"] != DONE:
        yield state
        options = legal_actions(state)
        step(state, PASS if options[0] == PASS and rng.integers(2) else options[rng.integers(len(options))])
    yield state


def seen_by(state: Any, seat: Seat) -> Any:
    """An OBSERVATION record of any seat, whoever is to act, without legal actions and key."""
    row = np.zeros(1, OBSERVATION)[0]
    private = private_of_seat(state, seat, 0, 0)
    row["seat"], row["hand"], row["kitty"], row["buried"] = seat, private.hand, private.kitty, private.buried
    row["public"] = state["public"]
    return row


def has_taken_up(state: Any) -> bool:
    return bool(state["taken"].any())


def layout_of(state: Any) -> Layout:
    """The true layout."""
    dead = state["buried"].sum() if has_taken_up(state) else state["kitty"]
    return Layout(tuple(map(int, state["hands"])), int(dead))


def drawn(row: Any, number: int, key: int = 1) -> list[Layout]:
    hands, dead = sample_worlds(row, number, key)
    return [Layout(tuple(each), last) for each, last in zip(hands.tolist(), dead.tolist(), strict=True)]


# ------------------------------------------------------------------------- what can be, in plain Python, from the rules


def effective_suit(card: int, trump: int) -> int | None:
    """The suit that a card belongs to (C9, C10); None for a joker in no trump."""
    if card < BLACK_JOKER:
        return suit_of(card)
    return trump if trump < 4 else None


class Seen:
    """What a seat knows of the hidden cards, from the cards in the order played and not from the record's masks."""

    def __init__(self, row: Any) -> None:
        self.obs, self.own = Obs(row), int(row["seat"])
        self.hand, self.buried, self.shown = int(row["hand"]), int(row["buried"]), int(row["public"]["sported"])
        self.deck = int(deck(row["public"]["rules"]))

    @cached_property
    def voids(self) -> set[tuple[Seat, int]]:
        """(seat, suit) of every failure to follow (C12, C13)."""
        found: set[tuple[Seat, int]] = set()
        led: int | None = None
        for place, (seat, card) in enumerate(self.obs.played):
            led = None if place % SEATS == 0 else led
            assert self.obs.trump is not None
            suit = effective_suit(card, self.obs.trump)
            if led is not None and suit != led:
                found.add((seat, led))
            led = suit if led is None else led
        return found

    @cached_property
    def permitted(self) -> dict[int, frozenset[int]]:
        """By hidden card: the holders that it may be with."""
        return {card: self._holders(card) for card in cards_of(self.deck & ~(self.obs.gone_mask | self._known))}

    @cached_property
    def rooms(self) -> dict[int, int]:
        """By holder: how many of the hidden cards it has."""
        found = {seat: left for seat, left in enumerate(self.obs.left) if seat != self.own}
        return {**found, DEAD: len(self.permitted) - sum(found.values())}

    @property
    def _known(self) -> int:
        return self.hand | self.buried

    def _holders(self, card: int) -> frozenset[int]:
        suit = None if self.obs.trump is None else effective_suit(card, self.obs.trump)
        seats = {self.obs.declarer} if self.shown >> card & 1 else set(range(SEATS))
        return frozenset({seat for seat in seats - {self.own} if (seat, suit) not in self.voids} | {DEAD})

    def agrees(self, layout: Layout) -> bool:
        """True if a layout is one of those that the seat must reckon with."""
        if layout.hands[self.own] != self.hand or layout.dead & self.buried != self.buried:
            return False
        masks = {**dict(enumerate(layout.hands)), DEAD: layout.dead & ~self.buried}
        del masks[self.own]
        holders = [(card, holder) for holder, mask in masks.items() for card in cards_of(mask)]
        return (
            sorted(card for card, _ in holders) == list(self.permitted)
            and {holder: count(mask) for holder, mask in masks.items()} == self.rooms
            and all(holder in self.permitted[card] for card, holder in holders)
        )

    def layouts(self) -> Iterator[Layout]:
        """Every layout that agrees, card by card."""
        masks = {**dict.fromkeys(range(SEATS), 0), self.own: self.hand, DEAD: self.buried}
        return self._place(list(self.permitted.items()), dict(self.rooms), masks)

    def _place(
        self, cards: list[tuple[int, frozenset[int]]], room: dict[int, int], masks: dict[int, int]
    ) -> Iterator[Layout]:
        if not cards:
            yield Layout(tuple(masks[seat] for seat in range(SEATS)), masks[DEAD])
            return
        card, holders = cards[0]
        for holder in holders:
            if room[holder]:
                room[holder] -= 1
                yield from self._place(cards[1:], room, {**masks, holder: masks[holder] | 1 << card})
                room[holder] += 1

    def count(self, fixed: dict[int, int] | None = None) -> int:
        """Number of layouts in whole numbers, one card after the other; those with the `fixed` cards at holders."""
        sure = fixed or {}
        assert all(holder in self.permitted[card] for card, holder in sure.items())
        room = dict(self.rooms)
        for holder in sure.values():
            room[holder] -= 1
        rest = sorted(tuple(sorted(holders)) for card, holders in self.permitted.items() if card not in sure)
        return _count_deals(tuple(rest), tuple(room.get(holder, 0) for holder in range(DEAD + 1)))


@cache
def _count_deals(cards: tuple[tuple[int, ...], ...], room: tuple[int, ...]) -> int:
    if min(room) < 0:
        return 0
    if not cards:
        return 1
    return sum(_count_deals(cards[1:], (*room[:h], room[h] - 1, *room[h + 1 :])) for h in cards[0])


# ------------------------------------------------------------------------------------------ worlds fit what was seen


@every_preset
@settings(max_examples=5)
@given(seed=st.integers(0, 2**32), key=st.integers(0, 2**64 - 1))
def test_every_world_fits_what_each_seat_has_seen_and_the_true_one_is_possible(name: str, seed: int, key: int) -> None:
    check_a_hand(PRESETS[name], seed, key)


@settings(max_examples=10)
@given(rules=rule_sets(), seed=st.integers(0, 2**32), key=st.integers(0, 2**64 - 1))
def test_every_world_fits_under_any_rules(rules: Rules, seed: int, key: int) -> None:
    check_a_hand(rules, seed, key)


def check_a_hand(rules: Rules, seed: int, key: int) -> None:
    """Every position of a hand, in every phase, from each seat."""
    for state in positions(rules, seed):
        for seat in range(SEATS):
            row = seen_by(state, seat)
            seen = Seen(row)
            assert seen.agrees(layout_of(state))
            assert count_worlds(row) >= 1
            for layout in drawn(row, 3, key):
                assert seen.agrees(layout)


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


def replayed(state: Any) -> Any:
    """The hand of a STATE played again from its deal as the record tells; None if an action is not legal."""
    obs, buried = Obs(seen_by(state, 0)), int(state["buried"].sum())
    again = np.zeros(1, STATE)[0]
    again["hands"] = [dealt(state, obs, seat) for seat in range(SEATS)]
    again["kitty"] = state["kitty"]
    start(again, state["public"]["rules"], obs.dealer)
    names = [] if obs.naming is None else [obs.naming]
    for action in [*obs.calls.values(), *names, *cards_of(buried), *(card for _, card in obs.played)]:
        if not is_among(legal(again), action, again["public"]["phase"]):
            return None
        step(again, action)
    return again


def dealt(state: Any, obs: Obs, seat: Seat) -> int:
    """The cards that a seat was dealt."""
    had = int(state["hands"][seat] | state["buried"][seat]) | sum(1 << card for who, card in obs.played if who == seat)
    return had & ~int(state["taken"][seat])


@every_preset
def test_the_layouts_left_out_are_those_that_cannot_be_replayed(name: str) -> None:
    """Worlds for a seat that has not noticed the voids: what was played is legal if and only if they agree with it."""
    found = Counter[bool]()
    for seed in range(4):
        for state in positions(PRESETS[name], seed):
            if state["public"]["void"].any():
                row = seen_by(state, int(state["public"]["turn"]))
                blind = copied(row)
                blind["public"]["void"] = 0
                for layout in drawn(blind, 2, seed):
                    agrees = Seen(row).agrees(layout)
                    assert agrees == (replayed(world_state(row, layout.hands, layout.dead)) is not None)
                    found[agrees] += 1
    assert min(found[True], found[False]) >= 10


# ------------------------------------------------------------------------------------------------ they are uniform


def endings(rules: Rules, most: int, seeds: Iterable[int]) -> Iterator[Any]:
    """Observations late in random hands, of each seat, with a void shown and 2 to `most` layouts."""
    for seed in seeds:
        for state in positions(rules, seed):
            if state["public"]["phase"] == PLAYING and state["public"]["void"].any():
                for seat in range(SEATS):
                    row = seen_by(state, seat)
                    if 1 < count_worlds(row) <= most:
                        yield row


@every_preset
def test_small_endings_are_uniform_over_all_their_layouts(name: str) -> None:
    each, found, patterns = 20, [], Counter[int]()
    for row in endings(PRESETS[name], 1500, range(4)):
        seen = Seen(row)
        layouts = list(seen.layouts())
        assert len(layouts) == count_worlds(row)
        times = Counter(drawn(row, each * len(layouts), key=len(found)))
        assert times.keys() <= set(layouts)
        found.append((stats.chisquare([times[layout] for layout in layouts]), len(layouts) - 1))
        patterns[len(set(seen.permitted.values()))] += 1
    assert len(found) >= 40
    assert patterns.total() - patterns[1] - patterns[2] >= 10, "too few with three classes of cards or more"
    squares, freedom = sum(test.statistic for test, _ in found), sum(freedom for _, freedom in found)
    assert 1e-4 < stats.chi2.sf(squares, freedom) < 1 - 1e-4
    assert min(test.pvalue for test, _ in found) > 1e-3 / len(found)


@every_preset
def test_cards_and_pairs_of_cards_are_where_they_should_be_in_mid_hand(name: str) -> None:
    """Shares of worlds with a card, or two of them, at a holder, beside counts in whole numbers."""
    worlds, errors = 40_000, []
    for row in mid_hands(PRESETS[name], 3):
        seen = Seen(row)
        total = seen.count()
        assert count_worlds(row) == pytest.approx(total, rel=1e-13)
        hands, dead = sample_worlds(row, worlds, key=7)
        cards = list({holders: card for card, holders in seen.permitted.items()}.values())
        places = [{card: holder} for card in cards for holder in seen.permitted[card]]
        places += [{**a, **b} for a in places for b in places if min(a) < min(b)]
        for fixed in places:
            share = seen.count(fixed) / total
            observed = float(np.mean([has(hands, dead, fixed)]))
            if share in (0, 1):
                assert observed == share
            else:
                errors.append((observed - share) / np.sqrt(share * (1 - share) / worlds))
    assert len(errors) > 50
    assert np.abs(errors).max() < 5
    assert np.std(errors) < 1.5  # they go together, so it need not be near 1


def mid_hands(rules: Rules, number: int) -> list[Any]:
    """Observations after five tricks in which the hidden cards are of three classes or more."""
    found: list[Any] = []
    for seed in range(400):
        for state in positions(rules, seed):
            if state["public"]["played"] == 21 and len(found) < number:
                row = seen_by(state, int(state["public"]["turn"]))
                if len(set(Seen(row).permitted.values())) >= 3:
                    found.append(row)
        if len(found) == number:
            break
    assert len(found) == number
    return found


def has(hands: NDArray[np.int64], dead: NDArray[np.int64], fixed: dict[int, int]) -> NDArray[np.bool_]:
    """By world: whether these cards are at these holders."""
    columns = [dead if holder == DEAD else hands[:, holder] for holder in fixed.values()]
    return np.all([column >> card & 1 == 1 for card, column in zip(fixed, columns, strict=True)], axis=0)


def test_before_the_first_card_any_hidden_card_is_anywhere_by_the_sizes() -> None:
    """In the kitty with probability 6/42, in each other hand with 12/42."""
    row = Table.deal(1, 0).observe().row
    seen, worlds = Seen(row), 200_000
    hands, dead = sample_worlds(row, worlds, key=1)
    assert seen.rooms == {**{seat: 12 for seat in range(SEATS) if seat != seen.own}, DEAD: 6}
    for holder, room in seen.rooms.items():
        times = [worlds * np.mean(has(hands, dead, {card: holder})) for card in seen.permitted]
        assert times == pytest.approx([worlds * room / 42] * 42, abs=5 * np.sqrt(worlds * 12 / 42 * 30 / 42))


# ------------------------------------------------------------------------------------------------- situations by name


def after(rules: Rules, hands: list[str], naming: str, plays: str) -> Any:
    """The STATE of an ending in which North declares and leads, after some cards of its first trick."""
    state = ending(rules, [hand_of(each) for each in hands], 0, parse_naming(naming))
    for card in cards_in_order(plays):
        step(state, card)
    return state


def cards_in_order(text: str) -> list[int]:
    return [cards_of(hand_of(each))[0] for each in text.split()]


TRUMPS = SUIT_MASKS[HEARTS] | JOKERS


def test_row_45_who_failed_to_follow_trumps_has_no_trump_and_no_joker() -> None:
    state = after(CLASSIC, ["H2 S2 S3", "D4 S5 S6", "JR H3 S7", "JB H4 D8"], "UH", "H2 D4")
    state["public"]["gone"] &= ~hand_of("HA HK DA DK CA CK")  # the kitty
    hands, dead = sample_worlds(seen_by(state, 2), 2000, key=1)
    assert not (hands[:, 1] & TRUMPS).any()
    for trump in (hand_of("JB"), hand_of("HA")):
        assert (hands[:, 3] & trump).any()
        assert (dead & trump).any()


@pytest.mark.parametrize("lead", ["JR", "JB", "H2"])
def test_r5_r9_who_throws_a_diamond_on_a_trump_or_joker_has_neither(lead: str) -> None:
    others = [card for card in ("JR", "JB", "H2") if card != lead]
    state = after(
        CLASSIC, [f"{lead} S2 S3", "D4 S5 S6", f"{others[0]} H3 S7", f"{others[1]} H4 D8"], "UH", f"{lead} D4"
    )
    worlds, _ = sample_worlds(seen_by(state, 0), 500, key=1)
    assert not (worlds[:, 1] & TRUMPS).any()
    assert {count(hand) for hand in worlds[:, 1]} == {2}


def test_in_no_trump_who_is_void_may_hold_a_joker_and_a_joker_led_shows_no_void() -> None:
    hands = ["S2 S3", "D4 JR", "S7 S8", "JB S9"]
    row = seen_by(after(CLASSIC, hands, "NU", "S2 D4"), 2)
    worlds, _ = sample_worlds(row, 500, key=1)
    assert not (worlds[:, 1] & hand_of("S3 S9")).any()
    assert (worlds[:, 1] & hand_of("JR")).any()
    joker_led = after(CLASSIC, ["JB S3", "JR D4", "S7 S8", "S2 S9"], "NU", "JB JR")
    worlds, _ = sample_worlds(seen_by(joker_led, 2), 500, key=1)
    assert (worlds[:, 1] & hand_of("S9")).any()


def of_seat(rules: Rules, seed: int, seat_after_declarer: int) -> Iterator[tuple[Any, Any]]:
    """(state, observation) in every position from the end of the auction on, from a seat counted from the declarer."""
    for state in positions(rules, seed):
        if state["public"]["naming"] >= 0:
            yield state, seen_by(state, (int(state["public"]["declarer"]) + seat_after_declarer) % SEATS)


def test_a_declarer_who_is_void_may_have_buried_cards_of_that_suit() -> None:
    found = 0
    for seed in range(4):
        for state, row in of_seat(PRESETS["traditional"], seed, 1):
            void = int(state["public"]["void"][state["public"]["declarer"]])
            if void & sum(1 << card for card in Seen(row).permitted):
                hands, dead = sample_worlds(row, 300, key=1)
                assert not (hands[:, int(state["public"]["declarer"])] & void).any()
                found += bool((dead & void).any())
    assert found >= 20


def test_a_kitty_that_was_shown_is_played_held_or_buried_by_its_declarer() -> None:
    found: Counter[str] = Counter()
    for state, row in of_seat(PRESETS["sported"], 1, 2):
        declarer, shown = int(state["public"]["declarer"]), int(state["public"]["sported"])
        for layout in drawn(row, 50):
            with_declarer = layout.hands[declarer] & shown
            assert with_declarer | layout.dead & shown == shown & ~int(state["public"]["gone"])
            found["held"] += bool(with_declarer)
            found["buried"] += bool(layout.dead & shown)
            assert world_state(row, layout.hands, layout.dead)["taken"][declarer] == shown
    assert min(found["held"], found["buried"]) > 100


def test_the_declarer_knows_what_is_buried_and_what_was_taken_up() -> None:
    for state, row in of_seat(PRESETS["traditional"], 1, 0):
        declarer = int(state["public"]["declarer"])
        if has_taken_up(state):
            for layout in drawn(row, 5):
                assert layout.dead == state["buried"][declarer]
                assert world_state(row, layout.hands, layout.dead)["kitty"] == state["kitty"]


def test_a_kitty_taken_up_unseen_is_any_of_the_cards_that_the_declarer_has_had() -> None:
    *_, (state, row) = of_seat(PRESETS["traditional"], 1, 1)
    declarer, (layout,) = int(state["public"]["declarer"]), drawn(row, 1)
    kitties = [int(world_state(row, layout.hands, layout.dead, key)["kitty"]) for key in range(1800)]
    had = int(dealt(state, Obs(row), declarer) | state["kitty"])
    assert {count(kitty) for kitty in kitties} == {6}
    times = Counter(card for kitty in kitties for card in cards_of(kitty))
    assert sum(1 << card for card in times) == (had & int(state["public"]["gone"])) | layout.dead
    assert all(abs(number - 600) < 100 for number in times.values())  # 5 standard deviations


# ----------------------------------------------------------------------------------------------------------- the front


def test_the_same_key_gives_the_same_worlds() -> None:
    obs = Table.deal(3, 1).observe()
    hands, dead = sample_worlds(obs, 20, key=5)
    for same in (obs, obs.row):
        again, last = sample_worlds(same, 20, key=5)
        assert (again.tolist(), last.tolist()) == (hands.tolist(), dead.tolist())
    more, _ = sample_worlds(obs, 30, key=5)
    assert more[:20].tolist() == hands.tolist()
    assert sample_worlds(obs, 20, key=6)[0].tolist() != hands.tolist()


def test_the_count_before_the_first_card() -> None:
    assert count_worlds(Table.deal(1, 0).observe()) == pytest.approx(deals(42, 12, 12, 12), rel=1e-14)
    no_kitty = Table.deal(1, 0, PRESETS["no-kitty"]).observe()
    assert count_worlds(no_kitty) == pytest.approx(deals(39, 13, 13), rel=1e-14)


def deals(cards: int, *sizes: int) -> int:
    """Ways to deal hands of these sizes from so many cards, in whole numbers."""
    return _count_deals((tuple(range(len(sizes) + 1)),) * cards, (*sizes, cards - sum(sizes)))


def test_no_worlds_are_no_worlds() -> None:
    hands, dead = sample_worlds(Table.deal(1, 0).observe(), 0, key=1)
    assert (hands.shape, dead.shape) == ((0, 4), (0,))


@pytest.mark.parametrize(
    ("number", "key", "reason"),
    [
        (-1, 0, "-1 is no count"),
        (1.0, 0, "1.0 is no count"),
        (True, 0, "True is no count"),
        (1, -1, "-1 is no key"),
        (1, 1 << 64, f"{1 << 64} is no key"),
        (1, 0.5, "0.5 is no key"),
    ],
)
def test_a_count_or_key_that_is_none_is_refused(number: int, key: int, reason: str) -> None:
    with pytest.raises(PositionError, match=reason):
        sample_worlds(Table.deal(1, 0).observe(), number, key)


@pytest.mark.parametrize("fault", ["left", "void", "gone", "rules"])
def test_an_observation_of_no_hand_is_refused(fault: str) -> None:
    *_, state, _ = positions(CLASSIC, 1)
    row = seen_by(state, int(state["public"]["turn"]))
    public = row["public"]
    if fault == "left":
        public["left"] = 60
    elif fault == "void":
        public["void"], public["left"] = int(deck(public["rules"])), 1
    elif fault == "gone":
        public["gone"] = (1 << 54) - 1
        public["left"] = 1
    else:
        public["left"], public["gone"] = (13, 13, 13, 13), 0
    with pytest.raises(PositionError, match="no hidden hands agree"):
        sample_worlds(row, 1, key=1)
