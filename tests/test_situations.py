"""Situations that real programs got wrong (RULES.md, rows R), and what follows from the rules of classic.

Tests are named by the row. Row 9, hands dealt anew after a shown void, belongs to the sampler of worlds.
"""

from itertools import combinations, permutations
from typing import Any

import pytest

from bidwhist.actions import PASS, naming
from bidwhist.bits import count
from bidwhist.cards import CLUBS, DIAMONDS, HEARTS, JOKERS, SEATS, SPADES, SUIT_MASKS, cards_of
from bidwhist.deal import board_cards, deck
from bidwhist.notation import parse_call, parse_card, parse_naming
from bidwhist.public import DONE
from bidwhist.rules import CLASSIC, PRESETS, Rules, preset
from bidwhist.score import DRAW, UNDECIDED, declarer_score, defender_score, game_winner
from bidwhist.state import books, is_made, legal, score_change, step
from bidwhist.trick import FOLLOWS, beats, legal_plays, suit_to_follow
from support import ending, every_preset, hand_of, legal_actions, new_state

UP_NT, DOWN_NT = parse_naming("NU"), parse_naming("ND")


def play(state: Any, *cards: str) -> None:
    """Play these cards, each of which must be legal."""
    for card in cards:
        assert parse_card(card) in legal_actions(state), card
        step(state, parse_card(card))


def deal_with(rules: Rules, fixed: dict[int, str], kitty: str = "") -> tuple[list[int], int]:
    """A deal in which some seats, and perhaps the kitty, hold exactly these cards; the others get the rest in order."""
    hands = [hand_of(fixed.get(seat, "")) for seat in range(SEATS)]
    pile = hand_of(kitty)
    rest = cards_of(int(deck(rules.record())) & ~(sum(hands) | pile))
    for seat in range(SEATS):
        while count(hands[seat]) < rules.hand_size:
            hands[seat] |= 1 << rest.pop(0)
    return hands, pile | sum(1 << card for card in rest)


# ------------------------------------------------------------------------------------------------------ rows 1 to 8


@pytest.mark.parametrize("naming", [UP_NT, DOWN_NT])
def test_r1_no_trump_on_lead_with_a_joker_and_a_queen_both_are_legal(naming: int) -> None:
    state = ending(CLASSIC, [hand_of(h) for h in ("JR DQ", "S2 S3", "H2 H3", "C2 C3")], 0, naming)
    assert legal(state) == hand_of("JR DQ")


@pytest.mark.parametrize("joker", ["JR", "JB"])
def test_r2_no_trump_hearts_led_a_joker_may_not_be_kept_from_following(joker: str) -> None:
    state = ending(CLASSIC, [hand_of(h) for h in ("HA S2", f"H4 {joker}", "H2 H3", "C2 C3")], 0, UP_NT)
    play(state, "HA")
    assert legal(state) == hand_of("H4")


def test_r3_no_trump_joker_led_the_first_suited_card_sets_the_suit() -> None:
    state = ending(CLASSIC, [hand_of(h) for h in ("JR S2", "C3 S3", "SA S4", "CK S5")], 0, UP_NT)
    play(state, "JR", "C3")
    assert state["public"]["led"] == SUIT_MASKS[CLUBS]
    play(state, "SA", "CK")
    assert (state["public"]["turn"], state["public"]["tricks"].tolist()) == (3, [0, 1])


def test_r4_no_trump_two_jokers_first_the_third_card_sets_the_suit() -> None:
    state = ending(CLASSIC, [hand_of(h) for h in ("JR S2", "JB S3", "D4 C4", "C5 D5")], 0, UP_NT)
    play(state, "JR")
    assert legal(state) == hand_of("JB S3")
    play(state, "JB")
    assert legal(state) == hand_of("D4 C4")
    play(state, "C4")
    assert legal(state) == hand_of("C5")
    play(state, "C5")
    assert state["public"]["turn"] == 3
    assert state["public"]["void"].tolist() == [0, 0, 0, 0]  # nobody had to follow anything but West, who did


@pytest.mark.parametrize("order", list(permutations(["JR", "JB", "D4", "C5"])))
def test_r4_no_trump_a_joker_never_wins_wherever_it_is_played(order: tuple[str, ...]) -> None:
    state = ending(CLASSIC, [hand_of(card) for card in order], 0, UP_NT)
    play(state, *order)
    first_suited = next(card for card in order if card in ("D4", "C5"))
    assert state["public"]["turn"] == order.index(first_suited)
    assert state["public"]["phase"] == DONE


def test_r5_a_joker_led_is_a_trump_and_who_throws_a_diamond_has_neither() -> None:
    state = ending(CLASSIC, [hand_of(h) for h in ("JB S2", "D4 D5", "H2 S3", "C2 JR")], 0, parse_naming("UH"))
    play(state, "JB")
    assert state["public"]["led"] == SUIT_MASKS[HEARTS] | JOKERS
    play(state, "D4")
    assert state["public"]["void"][1] == SUIT_MASKS[HEARTS] | JOKERS
    assert legal(state) == hand_of("H2")
    play(state, "H2")
    assert legal(state) == hand_of("JR")


def test_r6_bid_seven_with_all_twelve_tricks_makes_seven() -> None:
    hands, kitty = deal_with(CLASSIC, {0: "JR JB SA SK SQ SJ ST S9 S8 S7 S6 S5"}, "S4 S3 S2 H2 H3 H4")
    state = new_state(CLASSIC, hands, kitty, dealer=3)
    for action in (parse_call("7U"), PASS, PASS, PASS, parse_naming("US")):
        step(state, action)
    while state["public"]["phase"] != DONE:
        step(state, legal_actions(state)[-1])
    public = state["public"]
    assert (public["tricks"].tolist(), int(books(public, 0)), bool(is_made(public))) == ([12, 0], 13, True)
    assert [int(score_change(public, side)) for side in range(2)] == [7, 0]


# Row 7, every seat, dealer and card turned by k seats, is test_r7_... in test_properties.py.


def test_r8_the_dealer_may_match_and_then_declares() -> None:
    rules = preset("classic", dealer_may_match=True)
    state = new_state(rules, *board_cards(rules, 1, 0)[:2], dealer=0)
    for call in ("2D", "P", "4U"):
        step(state, parse_call(call))
    assert parse_call("4U") in legal_actions(state)
    assert parse_call("3N") not in legal_actions(state)
    step(state, parse_call("4U"))
    assert (state["public"]["declarer"], state["public"]["bid"]) == (0, parse_call("4U"))


def test_r8_the_partners_call_may_be_matched_too_and_only_by_the_dealer() -> None:
    rules = PRESETS["no-jokers-52"]
    state = new_state(rules, *board_cards(rules, 1, 0)[:2], dealer=0)
    step(state, PASS)
    step(state, parse_call("4"))  # South, the dealer's partner
    assert parse_call("4") not in legal_actions(state)
    step(state, PASS)
    assert legal_actions(state) == [PASS, *map(parse_call, "4567")]
    step(state, parse_call("4"))
    assert state["public"]["declarer"] == 0


def test_r8_a_dealer_who_may_not_match_must_beat() -> None:
    state = new_state(CLASSIC, *board_cards(CLASSIC, 1, 0)[:2], dealer=0)
    for call in ("2D", "P", "4U"):
        step(state, parse_call(call))
    assert legal_actions(state)[:2] == [PASS, parse_call("4D")]


# -------------------------------------------------------------------------------------------------- the rules' tables


def strongest_first(naming: int, cards: str) -> list[str]:
    """The cards of one suit as they beat each other."""
    texts = cards.split()
    beaten = {text: sum(bool(beats(naming, parse_card(text), parse_card(other))) for other in texts) for text in texts}
    return sorted(texts, key=lambda text: -beaten[text])


@pytest.mark.parametrize(
    ("direction", "order"), [("U", "AKQJT98765432"), ("D", "A23456789TJQK"), ("L", "23456789TJQKA")]
)
@pytest.mark.parametrize("suit", "SHDC")
def test_c8_c9_rank_orders_with_the_jokers_on_top_of_trumps(direction: str, order: str, suit: str) -> None:
    trumps = ["JR", "JB", *(suit + rank for rank in order)]
    assert strongest_first(parse_naming(direction + suit), " ".join(sorted(trumps))) == trumps
    side = "HS"[suit == "H"]
    plain = [side + rank for rank in order]
    assert strongest_first(parse_naming(direction + suit), " ".join(sorted(plain))) == plain
    assert strongest_first(parse_naming("N" + direction), " ".join(sorted(plain))) == plain


def test_c10_c13_a_joker_in_no_trump_sets_no_suit_and_beats_nothing() -> None:
    for direction in range(3):
        nt = naming(4, direction)
        for joker in (52, 53):
            assert FOLLOWS[nt - 83, joker] == 0
            assert not any(beats(nt, joker, card) for card in range(54))
            assert all(beats(nt, card, joker) for card in range(52))


def test_c12_c14_whoever_cannot_follow_may_play_anything() -> None:
    hand = hand_of("SA S2 JR")
    assert legal_plays(hand, SUIT_MASKS[HEARTS]) == hand
    assert legal_plays(hand, SUIT_MASKS[SPADES]) == hand_of("SA S2")
    assert legal_plays(hand, SUIT_MASKS[SPADES] | JOKERS) == hand
    assert legal_plays(hand, 0) == hand
    assert suit_to_follow(UP_NT, SUIT_MASKS[DIAMONDS], parse_card("SA")) == SUIT_MASKS[DIAMONDS]


# --------------------------------------------------------------------------------------------- what follows in classic


@pytest.mark.parametrize("level", range(1, 8))
def test_the_declaring_side_needs_level_plus_five_tricks_and_eight_minus_level_set_it(level: int) -> None:
    record = CLASSIC.record()
    for tricks in range(13):
        change = int(declarer_score(record, level, False, tricks + 1))
        assert (change > 0) == (tricks >= level + 5)
        assert (change < 0) == (12 - tricks >= 8 - level)
        assert change == (tricks + 1 - 6 if change > 0 else -level)
        assert defender_score(record, 12 - tricks) == 0


def test_the_target_can_never_be_tied() -> None:
    """One side's score moves a hand, so from any undecided scores no result has both sides at an end of the game."""
    record = CLASSIC.record()
    for mine in range(-6, 7):
        for theirs in range(-6, 7):
            for change in (*range(-7, 0), *range(1, 8)):
                winner = game_winner(record, (mine + change, theirs), (0, 0), 5, 0)
                ended = abs(mine + change) >= 7
                assert winner == (UNDECIDED if not ended else 0 if change > 0 else 1)


def test_c18_at_the_cap_the_higher_score_wins_and_equal_is_a_draw() -> None:
    record = CLASSIC.record()
    assert game_winner(record, (3, 2), (0, 0), 199, 0) == UNDECIDED
    assert [game_winner(record, scores, (0, 0), 200, 0) for scores in ((3, 2), (2, 3), (3, 3))] == [0, 1, DRAW]


def test_a_card_unseen_is_in_the_kitty_once_in_seven_times() -> None:
    """So the highest card outstanding may be in nobody's hand, and both jokers in the kitty is possible."""
    boards = [board_cards(CLASSIC, 3, board) for board in range(4000)]
    unseen = [(kitty & ~hands[0], (sum(hands) | kitty) & ~hands[0]) for hands, kitty, _ in boards]
    for card in (12, 53):
        seen_elsewhere = [dead >> card & 1 for dead, others in unseen if others >> card & 1]
        assert sum(seen_elsewhere) / len(seen_elsewhere) == pytest.approx(6 / 42, abs=0.02)
    assert any(kitty & JOKERS == JOKERS for _, kitty, _ in boards)


def test_c3_c4_twenty_one_bids_in_one_order() -> None:
    state = new_state(CLASSIC, *board_cards(CLASSIC, 1, 0)[:2], dealer=0)
    bids = [f"{level}{strain}" for level in range(1, 8) for strain in "UDN"]
    assert legal_actions(state) == [PASS, *map(parse_call, bids)]
    for lower, higher in combinations(bids, 2):
        state = new_state(CLASSIC, *board_cards(CLASSIC, 1, 0)[:2], dealer=0)
        step(state, parse_call(lower))
        assert parse_call(higher) in legal_actions(state)
        assert parse_call(lower) not in legal_actions(state)


def test_c5_the_dealer_must_bid_when_all_have_passed() -> None:
    state = new_state(CLASSIC, *board_cards(CLASSIC, 1, 0)[:2], dealer=0)
    for _ in range(3):
        step(state, PASS)
    assert PASS not in legal_actions(state)
    assert len(legal_actions(state)) == 21


@every_preset
def test_c11_who_leads_first(name: str) -> None:
    rules = PRESETS[name]
    state = new_state(rules, *board_cards(rules, 1, 0)[:2], dealer=2)
    for _ in range(3):
        step(state, PASS)
    while state["public"]["phase"] < 3:
        step(state, legal_actions(state)[0])
    assert state["public"]["turn"] == (3 if rules.first_lead == "left" else 2)


# -------------------------------------------------------------------------------------------------------- changed rules


def test_other_rules_score_the_same_cards_otherwise() -> None:
    """Changed rules change scores: four no trump with eleven books, and defenders with eight."""
    made = [declarer_score(PRESETS[name].record(), 4, True, 11) for name in PRESETS]
    assert dict(zip(PRESETS, map(int, made), strict=True)) == {
        "classic": 5,
        "traditional": 10,
        "sported": 10,
        "no-jokers-52": 5,
        "one-joker-detroit": 8,
        "no-kitty": 10,
        "defenders-score": 10,
    }
    assert [int(defender_score(PRESETS[name].record(), 8)) for name in PRESETS] == [0, 0, 0, 0, 0, 0, 2]
    assert len({rules.record().tobytes() for rules in PRESETS.values()}) == len(PRESETS)
