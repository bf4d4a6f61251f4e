"""The twin's own tests: every rule C1-C18, the rule situations of RULES.md, and scores worked by hand."""

import random
from collections.abc import Sequence
from copy import deepcopy
from dataclasses import asdict, replace
from math import comb

import pytest

from twin.actions import (
    ACTIONS,
    PASS,
    bid_id,
    call_id,
    card_id,
    id_bid,
    id_call,
    id_card,
    id_name,
    name_id,
)
from twin.game import TwinGame, game_result
from twin.hand import (
    TwinHand,
    all_bids,
    beats,
    legal_calls,
    legal_cards,
    legal_names,
    score_change,
    shown_void,
    suit_order,
    trick_winner,
)
from twin.perft import count_auctions, count_endings, walk_auctions
from twin.rules import PRESETS, TwinRules, preset

CLASSIC = PRESETS["classic"]
ALL_PRESETS = pytest.mark.parametrize("name", list(PRESETS))


def cards(text: str) -> list[str]:
    return text.split()


def deal(rules: TwinRules, seed: int, dealer: int = 0) -> TwinHand:
    deck = rules.deck()
    random.Random(seed).shuffle(deck)
    size = rules.hand_size
    return TwinHand(rules, [deck[i * size : (i + 1) * size] for i in range(4)], deck[4 * size :], dealer)


def deal_with(rules: TwinRules, fixed: dict[int, str], dealer: int, kitty: str | None = None) -> TwinHand:
    """A deal where some seats (and perhaps the kitty) hold exactly these cards; the rest is dealt out in deck order."""
    hands = [cards(fixed.get(seat, "")) for seat in range(4)]
    pile = cards(kitty or "")
    rest = [card for card in rules.deck() if card not in pile and not any(card in hand for hand in hands)]
    for hand in hands:
        while len(hand) < rules.hand_size:
            hand.append(rest.pop(0))
    return TwinHand(rules, hands, pile + rest, dealer)


def call(hand: TwinHand, text: str) -> None:
    for word in text.split():
        hand.act(call_id(word))


def play_on(hand: TwinHand, seed: int = 0) -> TwinHand:
    """Finish a hand with random legal actions."""
    rng = random.Random(seed)
    while hand.phase != "done":
        hand.act(rng.choice(sorted(hand.legal())))
    return hand


def legal_texts(hand: TwinHand) -> set[str]:
    return {id_call(action) for action in hand.legal()}


# ------------------------------------------------------------------------------------------------------------- actions


def test_action_ids_of_the_contract() -> None:
    assert [card_id(card) for card in cards("S2 SA H2 DT CA JB JR")] == [0, 12, 13, 34, 51, 52, 53]
    assert (PASS, call_id("P")) == (54, 54)
    assert [bid_id(1, "U"), bid_id(1, "D"), bid_id(1, "N"), bid_id(1, ""), bid_id(7, "")] == [55, 56, 57, 58, 82]
    assert [name_id("S", "U"), name_id("S", "L"), name_id("N", "U"), name_id("N", "L")] == [83, 85, 95, 97]


def test_action_ids_round_trip() -> None:
    for action in range(ACTIONS):
        if action <= 53:
            assert card_id(id_card(action)) == action
        elif action <= 82:
            assert call_id(id_call(action)) == action
            if action != PASS:
                assert bid_id(*id_bid(action)) == action
        else:
            assert name_id(*id_name(action)) == action
    for wrong in (id_card, id_bid, id_name):
        with pytest.raises(ValueError, match="98 is not"):
            wrong(98)
    with pytest.raises(ValueError, match="level 8"):
        bid_id(8, "U")
    with pytest.raises(ValueError, match="not a card"):
        card_id("S10")


# --------------------------------------------------------------------------------------------------------------- rules


def test_c1_decks() -> None:
    assert len(CLASSIC.deck()) == 54
    assert {"JR", "JB"} <= set(CLASSIC.deck())
    assert len(PRESETS["one-joker-detroit"].deck()) == 53
    assert "JB" not in PRESETS["one-joker-detroit"].deck()
    assert len(PRESETS["no-jokers-52"].deck()) == len(PRESETS["no-kitty"].deck()) == 52


def test_c2_hand_sizes() -> None:
    assert {name: rules.hand_size for name, rules in PRESETS.items()} == {
        "classic": 12,
        "traditional": 12,
        "sported": 12,
        "no-jokers-52": 12,
        "one-joker-detroit": 12,
        "no-kitty": 13,
        "defenders-score": 12,
    }


@pytest.mark.parametrize(
    ("field", "value", "named"),
    [
        ("jokers", 1, "kitty_size"),
        ("kitty_size", 0, "kitty_size"),
        ("kitty", "none", "kitty"),
        ("kitty", "peek", "kitty"),
        ("min_level", 2, "min_level"),
        ("target", 0, "target"),
        ("target", 101, "target"),
        ("cap", 0, "cap"),
    ],
)
def test_rules_that_cannot_be_played_are_refused(field: str, value: object, named: str) -> None:
    with pytest.raises(ValueError, match=f"^{named}:"):
        preset("classic", **{field: value})


def test_an_exchange_without_a_kitty_is_refused() -> None:
    with pytest.raises(ValueError, match="kitty"):
        preset("no-kitty", kitty="exchange")


def test_presets_are_classic_with_named_differences() -> None:
    exchange = {"kitty": "exchange", "first_lead": "declarer", "nt_factor": 2}
    traditional = exchange | {"min_level": 3, "same_level": "equal"}
    differences: dict[str, dict[str, object]] = {
        "classic": {},
        "traditional": traditional,
        "sported": exchange | {"min_level": 4, "sported": True},
        "no-jokers-52": {
            "jokers": 0,
            "kitty_size": 4,
            "bids": "number",
            "dealer_may_match": True,
            "downtown_ace": "choice",
            "kitty": "exchange-first-trick",
            "first_lead": "declarer",
        },
        "one-joker-detroit": exchange
        | {"jokers": 1, "kitty_size": 5, "min_level": 4, "made": "level", "boston": "fixed-13"},
        "no-kitty": {
            "jokers": 0,
            "kitty_size": 0,
            "kitty": "none",
            "nt_factor": 2,
            "target": 5,
            "two_sets": True,
            "first_lead": "declarer",
        },
        "defenders-score": traditional | {"defenders": "books", "boston": "factor-4"},
    }
    classic = asdict(CLASSIC)
    assert (classic["target"], classic["negative_end"], classic["cap"], classic["naming"]) == (7, True, 200, "before")
    for name, rules in PRESETS.items():
        found = {field: value for field, value in asdict(rules).items() if value != classic[field]}
        assert found == differences[name]


def test_presets_with_overrides() -> None:
    assert preset("classic") == TwinRules()
    assert preset("classic", target=5) == replace(CLASSIC, target=5)
    assert preset("traditional", sported=True, min_level=4, same_level="ranked") == PRESETS["sported"]
    assert preset("traditional", defenders="books", boston="factor-4") == PRESETS["defenders-score"]


def test_c1_a_wrong_deck_is_refused() -> None:
    hand = deal(CLASSIC, 1)
    with pytest.raises(ValueError, match="number of cards"):
        TwinHand(CLASSIC, hand.hands, hand.kitty[:5], 0)
    with pytest.raises(ValueError, match="not the cards"):
        TwinHand(CLASSIC, hand.hands, [*hand.kitty[:5], hand.hands[0][0]], 0)


# ------------------------------------------------------------------------------------------------------------- auction


def test_c3_the_auction_starts_left_of_the_dealer_and_each_speaks_once() -> None:
    hand = deal(CLASSIC, 1, dealer=2)
    seats = []
    for text in ("P", "1U", "P", "2N"):
        seats.append(hand.turn)
        call(hand, text)
    assert seats == [3, 0, 1, 2]
    assert hand.calls == ["P", "1U", "P", "2N"]
    assert (hand.phase, hand.turn, hand.declarer, hand.level, hand.strain) == ("name", 2, 2, 2, "N")


def test_c4_twenty_one_bids_in_one_order() -> None:
    bids = all_bids(CLASSIC)
    assert (len(bids), bids[:4], bids[-1]) == (21, ["1U", "1D", "1N", "2U"], "7N")
    for i, bid in enumerate(bids):
        for j, other in enumerate(bids):
            assert beats(CLASSIC, bid, other) == (i > j)


def test_c4_matching_is_not_enough_for_the_dealer_either() -> None:
    assert legal_calls(CLASSIC, ["P", "P", "6D"]) == {"P", "6N", "7U", "7D", "7N"}
    assert legal_calls(CLASSIC, ["7N"]) == {"P"}


def test_c4_same_level_equal() -> None:
    rules = PRESETS["traditional"]
    assert legal_calls(rules, ["7U"]) == legal_calls(rules, ["7D"]) == {"P", "7N"}
    assert "7D" in legal_calls(PRESETS["sported"], ["7U"])


def test_c5_the_dealer_is_forced() -> None:
    assert legal_calls(CLASSIC, ["P", "P", "P"]) == set(all_bids(CLASSIC))
    assert "P" in legal_calls(CLASSIC, ["P", "P"])
    assert min(legal_calls(PRESETS["sported"], ["P", "P", "P"])) == "4D"
    assert len(legal_calls(PRESETS["traditional"], ["P", "P", "P"])) == 15
    assert legal_calls(PRESETS["no-jokers-52"], ["P", "P", "P"]) == set("1234567")


def test_situation_8_dealer_may_match() -> None:
    rules = preset("classic", dealer_may_match=True)
    hand = deal(rules, 1, dealer=0)
    call(hand, "P 4D P")  # seat 2, the dealer's partner, has the high bid
    assert "4D" in legal_texts(hand)
    assert "4U" not in legal_texts(hand)
    call(hand, "4D")
    assert (hand.declarer, hand.level, hand.strain) == (0, 4, "D")
    assert "4D" not in legal_calls(rules, ["P", "4D"])  # nobody but the dealer
    assert legal_calls(PRESETS["no-jokers-52"], ["6", "P", "P"]) == {"P", "6", "7"}


def test_matching_is_of_the_same_call_where_up_and_down_are_equal() -> None:
    rules = preset("traditional", dealer_may_match=True)
    assert legal_calls(rules, ["7U", "P", "P"]) == {"P", "7U", "7N"}


def test_c6_naming() -> None:
    assert legal_names(CLASSIC, "U") == {(suit, "U") for suit in "SHDC"}
    assert legal_names(CLASSIC, "D") == {(suit, "D") for suit in "SHDC"}
    assert legal_names(CLASSIC, "N") == {("N", "U"), ("N", "D")}
    choice = preset("classic", downtown_ace="choice")
    assert legal_names(choice, "U") == {(suit, "U") for suit in "SHDC"}
    assert legal_names(choice, "D") == {(suit, way) for suit in "SHDC" for way in "DL"}
    assert legal_names(choice, "N") == {("N", "U"), ("N", "D"), ("N", "L")}
    assert legal_names(choice, "") == {(trump, way) for trump in "SHDCN" for way in "UDL"}
    assert len(legal_names(preset("classic", bids="number"), "")) == 10


def test_c6_the_declarer_names_and_the_contract_reads_as_agreed() -> None:
    hand = deal(CLASSIC, 1, dealer=3)
    call(hand, "4D P P P")
    assert (hand.phase, hand.turn) == ("name", 0)
    assert hand.legal() == {name_id(suit, "D") for suit in "SHDC"}
    hand.act(name_id("H", "D"))
    assert hand.contract_text() == "4DH"
    hand = deal(PRESETS["no-jokers-52"], 1, dealer=3)
    call(hand, "P 4 P P")
    hand.act(name_id("N", "L"))
    assert hand.contract_text() == "4NL"


# --------------------------------------------------------------------------------------------------------------- kitty


def test_c7_the_kitty_is_a_book_nobody_sees() -> None:
    hand = deal(CLASSIC, 1, dealer=0)
    assert (hand.kitty_side, hand.books(0), hand.books(1)) == (None, 0, 0)
    call(hand, "P P 1U P")
    assert (hand.declarer, hand.kitty_side, hand.books(0), hand.books(1)) == (3, 1, 0, 1)
    hand.act(name_id("C", "U"))
    assert (hand.phase, hand.kitty_seen_by(), [len(held) for held in hand.hands]) == ("play", set(), [12] * 4)
    play_on(hand)
    assert not set(hand.kitty) & {card for _, card in hand.plays}
    assert hand.books(0) + hand.books(1) == 13


def test_exchange_named_before_the_pick_up() -> None:
    hand = deal(PRESETS["traditional"], 5, dealer=1)
    call(hand, "P P 3D P")
    assert (hand.declarer, len(hand.hands[0]), hand.kitty_seen_by()) == (0, 12, set())
    hand.act(name_id("D", "D"))
    assert (hand.phase, hand.turn, len(hand.hands[0]), hand.kitty_seen_by()) == ("discard", 0, 18, {0})
    assert hand.legal() == {card_id(card) for card in hand.hands[0]}
    thrown = hand.hands[0][:3] + hand.hands[0][-3:]  # of the dealt cards and of the kitty
    for card in thrown:
        assert hand.phase == "discard"
        hand.act(card_id(card))
    assert (hand.phase, hand.discards, len(hand.hands[0]), hand.turn) == ("play", thrown, 12, 0)
    assert (hand.kitty_side, hand.books(0)) == (0, 1)


def test_exchange_named_after_the_pick_up_and_sported() -> None:
    hand = deal(preset("sported", naming="after"), 5, dealer=1)
    call(hand, "P P P 4N")
    assert (hand.phase, hand.turn, len(hand.hands[1]), hand.kitty_seen_by()) == ("name", 1, 18, {0, 1, 2, 3})
    hand.act(name_id("N", "U"))
    assert (hand.phase, len(hand.hands[1])) == ("discard", 18)


@pytest.mark.parametrize("seed", range(8))
def test_the_discards_go_with_the_first_trick(seed: int) -> None:
    hand = deal(PRESETS["no-jokers-52"], seed)
    call(hand, "1 P P P")
    while not hand.winners:
        assert hand.kitty_side is None
        hand.act(min(hand.legal()))
    assert hand.kitty_side == hand.winners[0] % 2
    side = hand.winners[0] % 2
    assert (hand.books(side), hand.books(1 - side)) == (2, 0)
    while hand.phase != "done":
        hand.act(max(hand.legal()))
        assert (hand.kitty_side, hand.books(side)) == (side, hand.tricks[side] + 1)


def test_without_a_kitty_there_are_thirteen_tricks() -> None:
    hand = deal(PRESETS["no-kitty"], 3)
    call(hand, "1U P P P")
    hand.act(name_id("S", "U"))
    assert (hand.phase, hand.turn, hand.kitty_side) == ("play", 1, None)
    play_on(hand)
    assert sum(hand.tricks) == 13
    assert [hand.books(0), hand.books(1)] == hand.tricks


# ---------------------------------------------------------------------------------------------------------------- play


def test_c8_c9_orders_of_a_suit() -> None:
    assert suit_order("H", "H", "U") == cards("JR JB HA HK HQ HJ HT H9 H8 H7 H6 H5 H4 H3 H2")
    assert suit_order("H", "H", "D") == cards("JR JB HA H2 H3 H4 H5 H6 H7 H8 H9 HT HJ HQ HK")
    assert suit_order("H", "S", "L") == cards("H2 H3 H4 H5 H6 H7 H8 H9 HT HJ HQ HK HA")


@pytest.mark.parametrize(
    ("trick", "trump", "direction", "winner"),
    [
        ("S2 SK SA SQ", "H", "U", "SA"),
        ("S2 SK SA SQ", "H", "D", "SA"),
        ("S2 SK SA SQ", "H", "L", "S2"),
        ("SK S3 S2 ST", "N", "D", "S2"),
        ("SQ SK SA SJ", "N", "L", "SJ"),
        ("S5 HA DA CA", "N", "U", "S5"),  # nobody can follow
        ("SA H2 SK H3", "H", "U", "H3"),  # the higher trump
        ("SA H2 SK H3", "H", "D", "H2"),
        ("HA JB H2 JR", "H", "U", "JR"),
        ("HA JB H2 H3", "H", "D", "JB"),
        ("SA JB S2 S3", "H", "U", "JB"),  # a joker ruffs
        ("SA H2 JR S3", "N", "U", "SA"),  # C10
        ("JB D2 SA D3", "H", "U", "JB"),
        ("JR C3 SA CK", "N", "U", "CK"),  # situation 3
        ("JR C3 SA CK", "N", "D", "C3"),
        ("JR JB S4 S3", "N", "U", "S4"),  # situation 4
        ("JB JR S4 DA", "N", "U", "S4"),
        ("C2 JR JB SA", "N", "U", "C2"),
    ],
)
def test_c12_trick_winners(trick: str, trump: str, direction: str, winner: str) -> None:
    assert cards(trick)[trick_winner(cards(trick), trump, direction)] == winner


def test_c10_jokers_alone_win_nothing() -> None:
    with pytest.raises(ValueError, match="no winner"):
        trick_winner(["JR", "JB"], "N", "U")


@pytest.mark.parametrize(
    ("hand", "trick", "trump", "legal"),
    [
        ("JR DQ", "", "N", "JR DQ"),  # situation 1
        ("H4 JR CA", "H9", "N", "H4"),  # situation 2 (C14)
        ("D4 JR CA", "H9", "N", "D4 JR CA"),  # C14: void, the joker is optional
        ("D4 JB CA", "JR", "N", "D4 JB CA"),  # C13
        ("D4 S2 CA", "JR JB", "N", "D4 S2 CA"),  # situation 4: the third plays anything
        ("D4 S2 CA", "JR JB D9", "N", "D4"),  # and the fourth follows the third's suit
        ("D4 S2 CA", "JR C4", "N", "CA"),  # C13
        ("D4 JB CA", "JR C4", "N", "CA"),
        ("H4 JR CA", "H9", "H", "H4 JR"),  # C9: jokers are trumps
        ("D4 JR CA", "H9", "H", "JR"),
        ("H4 JR CA D2", "JB", "H", "H4 JR"),
        ("D4 CA", "JB", "H", "D4 CA"),
        ("H4 JR CA", "S9", "H", "H4 JR CA"),  # void: any card, no need to ruff
        ("S4 JR HA", "S9", "H", "S4"),
    ],
)
def test_c12_c13_c14_legal_cards(hand: str, trick: str, trump: str, legal: str) -> None:
    for direction in "UDL":
        assert legal_cards(cards(hand), cards(trick), trump, direction) == set(cards(legal))


def test_situation_5_shown_voids() -> None:
    hearts = {"H" + rank for rank in "23456789TJQKA"}
    assert shown_void(["JB"], "D5", "H") == hearts | {"JR", "JB"}
    assert shown_void(["JB"], "H5", "H") == set()
    assert shown_void(["HA"], "JR", "H") == set()
    assert shown_void(["HA"], "JR", "N") == hearts
    assert shown_void(["JR"], "H2", "N") == set()
    assert shown_void(["JR", "D2"], "H2", "N") == {card.replace("H", "D") for card in hearts}


def no_trump_hand(second: str, third: str) -> TwinHand:
    """NT uptown, first lead by seat 0 who holds the red joker and the queen of diamonds."""
    fixed = {
        0: "JR DQ S2 S3 S4 S5 S6 S7 S8 S9 ST SJ",
        1: second + " H2 H3 H4 H5 H6 H7 H8 H9 HT HJ HQ",
        2: third + " C2 C4 C5 C6 C7 C8 C9 CT CJ CQ CA",
        3: "CK D2 D3 D4 D5 D6 D7 D8 D9 DT DJ DK",
    }
    hand = deal_with(CLASSIC, fixed, dealer=3)
    call(hand, "1N P P P")
    hand.act(name_id("N", "U"))
    return hand


def test_situations_1_3_and_4_at_the_table() -> None:
    hand = no_trump_hand("JB", "C3")
    assert {card_id("JR"), card_id("DQ")} <= hand.legal()
    assert len(hand.legal()) == 12
    hand.act(card_id("JR"))
    assert len(hand.legal()) == 12
    hand.act(card_id("JB"))
    assert len(hand.legal()) == 12
    hand.act(card_id("C3"))
    assert hand.legal() == {card_id("CK")}
    hand.act(card_id("CK"))
    assert (hand.winners, hand.turn, hand.leaders) == ([3], 3, [0, 3])


def test_situation_3_a_card_of_another_suit_after_a_joker() -> None:
    assert trick_winner(cards("JR C3 SA CK"), "N", "U") == 3


@pytest.mark.parametrize(("first_lead", "leader"), [("left", 2), ("declarer", 0)])
def test_c11_first_lead(first_lead: str, leader: int) -> None:
    hand = deal(preset("classic", first_lead=first_lead), 2, dealer=1)
    call(hand, "P P 2U P")
    assert hand.turn == 0
    hand.act(name_id("D", "U"))
    assert (hand.turn, hand.leaders) == (leader, [leader])


@ALL_PRESETS
@pytest.mark.parametrize("seed", range(12))
def test_c12_c15_random_hands_keep_the_laws(name: str, seed: int) -> None:
    rules = PRESETS[name]
    hand = deal(rules, seed, dealer=seed % 4)
    held = [set(cards_of) for cards_of in hand.hands]
    play_on(hand, seed)
    assert hand.legal() == set()
    assert len(hand.plays) == 4 * rules.hand_size
    assert len(hand.leaders) == len(hand.winners) == rules.hand_size
    assert hand.leaders[1:] == hand.winners[:-1]
    assert [seat for seat, _ in hand.plays] == [(lead + i) % 4 for lead in hand.leaders for i in range(4)]
    assert sorted([card for _, card in hand.plays] + (hand.discards or hand.kitty)) == sorted(rules.deck())
    assert hand.books(0) + hand.books(1) == 13
    assert sum(hand.tricks) == rules.hand_size
    assert hand.declarer is not None
    if rules.exchanged:
        held[hand.declarer] = held[hand.declarer] | set(hand.kitty) - set(hand.discards)
    for number, (seat, card) in enumerate(hand.plays):
        assert card in held[seat]
        assert hand.trump is not None
        before = [played for _, played in hand.plays[number // 4 * 4 : number]]
        still = held[seat] - {played for player, played in hand.plays[:number] if player == seat} - set(hand.discards)
        assert not shown_void(before, card, hand.trump) & still
    change = hand.score()
    assert hand.declarer_set() == (change[hand.declarer % 2] < 0)
    assert rules.defenders == "books" or change[1 - hand.declarer % 2] == 0


@ALL_PRESETS
@pytest.mark.parametrize("k", [1, 2, 3])
def test_situation_7_rotating_the_seats(name: str, k: int) -> None:
    for seed in range(4):
        hand = deal(PRESETS[name], seed, dealer=seed)
        turned = TwinHand(hand.rules, [hand.hands[(seat - k) % 4] for seat in range(4)], hand.kitty, (seed + k) % 4)
        rng = random.Random(seed)
        while hand.phase != "done":
            assert (turned.phase, turned.turn, turned.legal()) == (hand.phase, (hand.turn + k) % 4, hand.legal())
            action = rng.choice(sorted(hand.legal()))
            hand.act(action)
            turned.act(action)
        assert turned.phase == "done"
        assert turned.winners == [(seat + k) % 4 for seat in hand.winners]
        assert turned.score() == (hand.score() if k == 2 else hand.score()[::-1])


def test_illegal_actions_are_asserted() -> None:
    hand = deal(CLASSIC, 1)
    for action in (card_id("SA"), name_id("S", "U"), bid_id(1, "")):
        with pytest.raises(AssertionError):
            hand.act(action)


# --------------------------------------------------------------------------------------------------------------- score


ALL_SPADES = "JR JB SA SK SQ SJ ST S9 S8 S7 S6 S5"


def play_all(hand: TwinHand) -> TwinHand:
    """Everybody plays the first legal card by id."""
    while hand.phase != "done":
        hand.act(min(hand.legal()))
    return hand


def test_situation_6_bid_seven_and_all_twelve_tricks() -> None:
    hand = deal_with(CLASSIC, {0: ALL_SPADES}, dealer=3, kitty="S4 S3 S2 H2 H3 H4")
    call(hand, "7U P P P")
    hand.act(name_id("S", "U"))
    play_all(hand)
    assert (hand.tricks, hand.books(0), hand.books(1)) == ([12, 0], 13, 0)
    assert not hand.declarer_set()
    assert hand.score() == (7, 0)


def test_c16_bid_seven_and_eleven_tricks() -> None:
    # South's twelve: eleven sure trumps and the losing two of diamonds, which West's ace beats.
    fixed = {2: "JR JB SA SK SQ SJ ST S9 S8 S7 S6 D2", 3: "DA C2 C3 C4 C5 C6 C7 C8 C9 CT CJ CQ"}
    hand = deal_with(CLASSIC, fixed, dealer=1, kitty="S5 S4 S3 S2 H2 H3")
    call(hand, "7U P P P")
    hand.act(name_id("S", "U"))
    while hand.phase != "done":
        kept = {card_id("D2"), card_id("DA")}  # to the last trick
        hand.act(min(hand.legal() - kept or hand.legal()))
    assert (hand.tricks, hand.books(0)) == ([11, 1], 12)
    assert hand.declarer_set()
    assert hand.score() == (-7, 0)


@pytest.mark.parametrize("level", range(1, 8))
def test_c16_level_plus_five_tricks_are_needed(level: int) -> None:
    """The consequence in RULES.md: level + 5 of the 12 played tricks make it, 8 - level set it."""
    made = level + 5 + 1
    assert score_change(CLASSIC, level, "S", 0, (made, 13 - made)) == (level, 0)
    assert score_change(CLASSIC, level, "S", 0, (made - 1, 14 - made)) == (-level, 0)
    assert 14 - made == 8 - level


@pytest.mark.parametrize(
    ("name", "contract", "books", "change"),
    [
        # classic: books - 6 or minus the level, NT no dearer, a Boston nothing extra, defenders nothing
        ("classic", "4US", 10, (4, 0)),
        ("classic", "4US", 12, (6, 0)),
        ("classic", "4US", 9, (-4, 0)),
        ("classic", "4US", 1, (-4, 0)),
        ("classic", "1ND", 13, (7, 0)),
        ("classic", "7NU", 12, (-7, 0)),
        # traditional, sported: NT counts twice, won and lost
        ("traditional", "3DH", 10, (4, 0)),
        ("traditional", "3NU", 10, (8, 0)),
        ("traditional", "5NU", 10, (-10, 0)),
        ("traditional", "3NU", 13, (14, 0)),
        ("sported", "4ND", 10, (8, 0)),
        ("sported", "4UC", 2, (-4, 0)),
        # no-jokers-52: as classic
        ("no-jokers-52", "2LC", 9, (3, 0)),
        ("no-jokers-52", "2NL", 9, (3, 0)),
        ("no-jokers-52", "4NU", 9, (-4, 0)),
        ("no-jokers-52", "1US", 13, (7, 0)),
        # one-joker-detroit: the level only, NT twice, 13 or 26 for a Boston
        ("one-joker-detroit", "4US", 12, (4, 0)),
        ("one-joker-detroit", "5NU", 11, (10, 0)),
        ("one-joker-detroit", "5NU", 10, (-10, 0)),
        ("one-joker-detroit", "4US", 13, (13, 0)),
        ("one-joker-detroit", "7US", 13, (13, 0)),
        ("one-joker-detroit", "4ND", 13, (26, 0)),
        # no-kitty: NT twice
        ("no-kitty", "3DS", 9, (3, 0)),
        ("no-kitty", "3NU", 9, (6, 0)),
        ("no-kitty", "4NU", 9, (-8, 0)),
        ("no-kitty", "7NU", 13, (14, 0)),
        # defenders-score: their books over six, never doubled; a Boston four times, on top of the NT factor
        ("defenders-score", "3US", 9, (3, 0)),
        ("defenders-score", "3US", 7, (-3, 0)),
        ("defenders-score", "3US", 6, (-3, 1)),
        ("defenders-score", "5NU", 4, (-10, 3)),
        ("defenders-score", "3US", 1, (-3, 6)),
        ("defenders-score", "3US", 13, (28, 0)),
        ("defenders-score", "3NU", 13, (56, 0)),
    ],
)
def test_c16_scores_of_all_presets(name: str, contract: str, books: int, change: tuple[int, int]) -> None:
    rules, level, trump = PRESETS[name], int(contract[0]), contract[2]
    if contract[1] == "N":
        trump = "N"
    assert score_change(rules, level, trump, 0, (books, 13 - books)) == change
    assert score_change(rules, level, trump, 1, (13 - books, books)) == change[::-1]


def test_c16_mixed_fields() -> None:
    level_only = preset("defenders-score", made="level")
    assert score_change(level_only, 3, "N", 0, (13, 0)) == (24, 0)  # 3, twice for NT, four times for the Boston
    assert score_change(preset("classic", boston="fixed-13"), 1, "N", 0, (13, 0)) == (26, 0)
    # defenders with all thirteen books: no Boston for them
    assert score_change(preset("no-kitty", defenders="books", boston="factor-4"), 2, "N", 0, (0, 13)) == (-4, 7)


def test_c16_a_played_set_with_defenders_scoring() -> None:
    hand = deal_with(preset("defenders-score", first_lead="left"), {1: ALL_SPADES}, dealer=0, kitty="S4 S3 S2 H2 H3 H4")
    call(hand, "P 3U P P")  # seat 2 declares spades, seat 1 has them all
    hand.act(name_id("S", "U"))
    for card in cards("S4 S3 S2 H2 H3 H4"):
        hand.act(card_id(card))
    play_all(hand)
    assert (hand.declarer, hand.tricks, hand.books(0), hand.books(1)) == (2, [0, 12], 1, 12)
    assert hand.score() == (-3, 6)


# ---------------------------------------------------------------------------------------------------------------- game


@pytest.mark.parametrize(
    ("before", "change", "side", "result"),
    [
        ((0, 0), (6, 0), 0, None),
        ((0, 0), (7, 0), 0, "NS"),
        ((3, 5), (0, 4), 1, "EW"),
        ((3, -4), (0, -3), 1, "NS"),
        ((-1, -6), (-6, 0), 0, "EW"),
        ((-3, 6), (-3, 0), 0, None),
    ],
)
def test_c17_the_end_of_a_game(before: tuple[int, int], change: tuple[int, int], side: int, result: str | None) -> None:
    assert game_result(CLASSIC, before, change, side, (0, 0), min(change) < 0, 5) == result


def test_c17_target_and_negative_end() -> None:
    assert game_result(preset("classic", target=9), (5, 0), (3, 0), 0, (0, 0), False, 5) is None
    assert game_result(preset("classic", target=9), (5, 0), (4, 0), 0, (0, 0), False, 5) == "NS"
    no_end = preset("classic", negative_end=False)
    assert game_result(no_end, (-6, 0), (-7, 0), 0, (0, 0), True, 5) is None
    assert game_result(no_end, (-26, 0), (33, 0), 0, (0, 0), False, 5) == "NS"


def test_c17_two_sets_lose() -> None:
    rules = PRESETS["no-kitty"]
    assert game_result(rules, (4, -4), (-1, 0), 0, (0, 1), True, 3) is None
    assert game_result(rules, (4, -4), (-1, 0), 0, (1, 0), True, 3) == "EW"  # though NS is ahead
    assert game_result(rules, (2, 0), (1, 0), 0, (1, 1), False, 3) is None
    assert game_result(CLASSIC, (4, -4), (-1, 0), 0, (1, 0), True, 3) is None


def test_c17_the_declaring_side_is_counted_first() -> None:
    rules = PRESETS["defenders-score"]
    assert game_result(rules, (5, 5), (3, 2), 0, (0, 0), False, 5) == "NS"
    assert game_result(rules, (5, 5), (2, 3), 1, (0, 0), False, 5) == "EW"
    assert game_result(rules, (5, 5), (2, -3), 1, (0, 0), True, 5) == "NS"  # the defenders alone reach it


def test_c18_the_cap() -> None:
    assert game_result(CLASSIC, (2, 2), (1, 0), 0, (0, 0), False, 199) is None
    assert game_result(CLASSIC, (2, 2), (1, 0), 0, (0, 0), False, 200) == "NS"
    assert game_result(CLASSIC, (2, 3), (-1, 0), 0, (0, 0), True, 200) == "EW"
    assert game_result(CLASSIC, (2, 3), (1, 0), 0, (0, 0), False, 200) == "draw"
    assert game_result(CLASSIC, (2, 6), (0, 1), 1, (0, 0), False, 200) == "EW"


def test_c2_the_deal_passes_left_and_sets_are_counted() -> None:
    game = TwinGame(PRESETS["no-kitty"], dealer=3)
    game.count((-2, 0), 0, was_set=True)
    assert (game.dealer, game.scores, game.sets, game.hands_played, game.result) == (0, (-2, 0), (1, 0), 1, None)
    game.count((0, -1), 1, was_set=True)
    assert (game.dealer, game.sets, game.result) == (1, (1, 1), None)
    game.count((-1, 0), 0, was_set=True)
    assert (game.scores, game.sets, game.result) == ((-3, -1), (2, 1), "EW")


@ALL_PRESETS
def test_games_come_to_an_end(name: str) -> None:
    rules = preset(name, cap=6)
    game = TwinGame(rules, dealer=2)
    rng = random.Random(name)
    scores = [0, 0]
    while game.result is None:
        dealt = deal(rules, rng.randrange(1000))
        hand = game.deal(dealt.hands, dealt.kitty)
        assert (hand.dealer, hand.scores) == ((2 + game.hands_played) % 4, tuple(scores))
        play_on(hand, rng.randrange(1000))
        scores = [score + change for score, change in zip(scores, hand.score(), strict=True)]
        game.finish(hand)
    assert game.hands_played <= 6
    assert game.scores == tuple(scores)


# --------------------------------------------------------------------------------------------------------------- perft


def test_count_auctions_by_hand() -> None:
    # Strictly rising bids in some of four places, and not nobody: C(4,k) * C(bids,k) for k = 1..4.
    def rising(bids: int) -> int:
        return sum(comb(4, k) * comb(bids, k) for k in range(1, 5))

    assert count_auctions(CLASSIC) == rising(21) == 12649
    assert count_auctions(PRESETS["sported"]) == rising(12) == 1819
    assert count_auctions(PRESETS["one-joker-detroit"]) == rising(12)
    assert count_auctions(PRESETS["no-kitty"]) == rising(21)
    # A matching dealer adds one auction for every way the first three can bid at all.
    before_dealer = sum(comb(3, k) * comb(7, k) for k in range(1, 4))
    assert count_auctions(PRESETS["no-jokers-52"]) == rising(7) + before_dealer == 329 + 119


def test_count_auctions_with_equal_strains() -> None:
    # Levels 3-7: ten steps (3, 3N, 4, 4N ...), the suit steps with two bids each. The number of ways to choose k steps,
    # weighted 2 for a suit step and 1 for NT, is the coefficient of x^k in (1 + 2x)^5 (1 + x)^5.
    def chosen(k: int) -> int:
        return sum(comb(5, i) * 2**i * comb(5, k - i) for i in range(k + 1))

    expected = sum(comb(4, k) * chosen(k) for k in range(1, 5))
    assert count_auctions(PRESETS["traditional"]) == count_auctions(PRESETS["defenders-score"]) == expected


@ALL_PRESETS
def test_the_memoised_count_is_the_plain_walk(name: str) -> None:
    assert count_auctions(PRESETS[name]) == walk_auctions(PRESETS[name])
    matching = preset(name, dealer_may_match=True)
    assert count_auctions(matching) == walk_auctions(matching)


@pytest.mark.parametrize(
    ("hands", "leader", "trump", "count"),
    [
        (["SA", "HA", "DA", "CA"], 2, "S", 1),
        (["SA SK", "HA HK", "DA DK", "CA CK"], 0, "S", 16),  # nobody follows, all free: 2 ** 4
        (["SA SK SQ", "HA HK HQ", "DA DK DQ", "CA CK CQ"], 1, "N", 1296),  # 6 ** 4
        (["SA HA", "SK HK", "SQ HQ", "SJ HJ"], 0, "N", 2),  # only the lead is free
        (["JR SA", "S2 H2", "S3 H3", "S4 H4"], 0, "N", 3),  # spade led: 1; joker led: East's card, then forced: 2
        (["JR SA", "S2 H2", "S3 H3", "S4 H4"], 0, "S", 2),  # the joker is a spade, East must follow
        (["JR SA", "JB H2", "S3 H3", "S4 H4"], 0, "H", 4),  # either lead, either of East's, the rest forced
        # joker led, East: joker, then South free (2) and West forced; East: heart, then all forced. Ace led: all forced
        # but East, who is void and free (2).
        (["JR SA", "JB H2", "S3 H3", "S4 H4"], 0, "N", 5),
    ],
)
def test_count_endings_by_hand(hands: Sequence[str], leader: int, trump: str, count: int) -> None:
    assert count_endings(CLASSIC, [cards(hand) for hand in hands], leader, trump, "U") == count


def count_by_acting(hand: TwinHand) -> int:
    if hand.phase == "done":
        return 1
    total = 0
    for action in hand.legal():
        branch = deepcopy(hand)
        branch.act(action)
        total += count_by_acting(branch)
    return total


@pytest.mark.parametrize(("name", "left"), [("classic", 3), *((name, 2) for name in PRESETS)])
def test_count_endings_agrees_with_playing_hands(name: str, left: int) -> None:
    hand = deal(PRESETS[name], 7)
    rng = random.Random(7)
    while hand.phase != "play" or len(hand.winners) < hand.rules.hand_size - left:
        hand.act(rng.choice(sorted(hand.legal())))
    assert hand.trump is not None
    assert hand.direction is not None
    counted = count_endings(hand.rules, hand.hands, hand.turn, hand.trump, hand.direction)
    assert counted == count_by_acting(hand)


def test_count_endings_refuses_what_is_no_ending() -> None:
    with pytest.raises(ValueError, match="same length"):
        count_endings(CLASSIC, [["SA"], ["SK"], ["SQ"], []], 0, "S", "U")
    with pytest.raises(ValueError, match="one deck"):
        count_endings(CLASSIC, [["SA"], ["SK"], ["SQ"], ["SA"]], 0, "S", "U")
    with pytest.raises(ValueError, match="one deck"):
        count_endings(PRESETS["no-kitty"], [["SA"], ["SK"], ["SQ"], ["JR"]], 0, "S", "U")
