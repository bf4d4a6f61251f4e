"""Rows B10-B20 of the rules page for the house bots that search, where the double-dummy answer is clear.

What is right is asserted by the solver, with the cards as they lie and in the mean of worlds; the hands are played from
their deal, so that `belief` has something to go by.
"""

from collections.abc import Iterator
from itertools import chain
from typing import Any

import numpy as np
import pytest

from bidwhist._jit import jit
from bidwhist.actions import (
    DOWNTOWN_LOW,
    FIRST_NAMING,
    NAMINGS,
    NO_SUIT,
    NO_TRUMP,
    PASS,
    UP,
    Action,
    direction_of,
    level_of,
    strain_of,
    trump_of,
)
from bidwhist.cards import ACE, JOKERS, RED_JOKER, SEATS, SUITED, card, cards_of, mask_of
from bidwhist.deal import deck, random_cards
from bidwhist.notation import format_action, parse_call, parse_card, parse_hand, parse_naming
from bidwhist.observation import OBSERVATION, private_of
from bidwhist.public import CALLING, DISCARDING
from bidwhist.rules import CLASSIC, PRESETS, Rules
from bidwhist.solver.front import score_cards, solve
from bidwhist.solver.position import Position
from bidwhist.state import legal, set_game, step
from bidwhist.streams import new_stream
from bidwhist.table import Table
from bidwhist.trick import suit_order
from bidwhist.worlds.front import sample_worlds
from bidwhist_bots import mc
from bidwhist_bots.search import new_search
from support import every_preset, new_state
from test_house_bots import dealt_around, mirrored
from test_search_bots import met_at_random, row_of, seated

BOTS = ("mc", "pimc", "belief")
every_bot = pytest.mark.parametrize("bot", BOTS)
NORTH, EAST, WEST = 0, 1, 3


def answer(spec: str, state: Any, key: int = 5, rules: Rules = CLASSIC) -> Action:
    return int(seated(spec, rules).decide(row_of(state, key), np.zeros(1, np.int64))[0])


def worlds(state: Any, number: int) -> list[tuple[int, int, int, int]]:
    """Hands that agree with what the seat to act sees."""
    hands, _ = sample_worlds(row_of(state)[0], number, key=46)
    return [(int(n), int(e), int(s), int(w)) for n, e, s, w in hands]


# ------------------------------------------------------------------------------------------------------ B10-B16: cards


def come_to(contract: str, hands: list[str], plays: str, declarer: int) -> Any:
    """The STATE of a hand of classic, played from its deal until these cards are left, N on lead; and then `plays`.

    The bid is one, and the declaring side has won all but three tricks, so that each trick to come is a point. In
    every earlier trick all have followed suit. The kitty is what is left over, low cards if possible.
    """
    naming, left = parse_naming(contract), [parse_hand(hand) for hand in hands]
    tricks, kitty = four_by_four(naming, int(deck(CLASSIC.record())) & ~sum(left))
    of_east = 3 if declarer == NORTH else len(tricks) - 3
    winners = [EAST] * of_east + [NORTH] * (len(tricks) - of_east)
    dealt, played, leader = list(left), [], NORTH
    for cards, winner in zip(tricks, winners, strict=True):
        low = iter(cards[1:])
        by_seat = [cards[0] if seat == winner else next(low) for seat in range(SEATS)]
        dealt = [hand | 1 << card for hand, card in zip(dealt, by_seat, strict=True)]
        played += [by_seat[(leader + turn) % SEATS] for turn in range(SEATS)]
        leader = winner
    state = new_state(CLASSIC, dealt, kitty, WEST)
    calls = [parse_call(f"1{contract[0]}") if seat == declarer else PASS for seat in range(SEATS)]
    for action in chain(calls, [naming], played, map(parse_card, plays.split())):
        step(state, action)
    return state


def four_by_four(naming: Action, cards: int) -> tuple[list[list[int]], int]:
    """Tricks of four cards of a suit, the winning one first; and the six cards that are left over."""
    kitty = cards & JOKERS if trump_of(naming) == NO_SUIT else 0
    suits = [[card for card in reversed(suit_order(naming, suit)) if cards >> card & 1] for suit in range(4)]
    kitty |= mask_of(chain.from_iterable(suit[len(suit) - len(suit) % 4 :] for suit in suits))
    tricks = [suit[place : place + 4] for suit in suits for place in range(0, len(suit) - 3, 4)]
    if kitty.bit_count() == 2:
        kitty |= mask_of(tricks.pop())
    assert kitty.bit_count() == 6, "the cards left do not come out even"
    return tricks, kitty


def tricks_by_card(state: Any, hands: tuple[int, int, int, int]) -> dict[str, int]:
    """Double-dummy tricks of the side to play, by card."""
    public = state["public"]
    played = int(public["played"])
    trick = tuple(int(card) for card in public["plays"][played - played % SEATS : played])
    position = Position(hands, int(public["naming"]), (int(public["turn"]) - len(trick)) % SEATS, trick)
    return {format_action(card): each.least for each in score_cards(position) for card in (each.card, *each.alike)}


def best_by_solver(state: Any, layouts: list[tuple[int, int, int, int]]) -> str:
    """The one card that takes most tricks in the mean of some layouts."""
    found = [tricks_by_card(state, hands) for hands in layouts]
    means = {card: float(np.mean([each[card] for each in found])) for card in found[0]}
    first, second, *_ = sorted(means, key=lambda card: -means[card])
    assert means[first] > means[second]
    return first


# Row, contract, hands N E S W, what has been played to the trick (N leads), and the right card. B10: NT, on lead.
# B11: NT, void. B12: fourth to play, the partner's card wins. B13: fourth, must ruff. B14: an opponent has ruffed high.
# B15: neither follows nor ruffs. B16: both opponents are void in trumps.
SITUATIONS = (
    ("B10", "NU", ("..A..R", "2...A", "3...K", "4...Q"), "", "DA"),
    ("B10", "NU", ("..Q..B", "2...A", "3.K..", "4..4."), "", "DQ"),
    ("B10", "NU", ("K....RB", "2.4..A", "3.5..K", "4...Q2"), "", "SK"),
    ("B11", "NU", ("A.2...", ".A...R", "K3...", "Q4..."), "SA", "JR"),
    ("B11", "NU", ("A.2...", "K3...", "Q.4..", ".A...B"), "SA SK SQ", "JB"),
    ("B12", "UH", ("J4...", "K2...", "65...", "AT..."), "S4 SK S5", "ST"),
    ("B12", "NU", ("J4...", "K2...", "65...", "AT..."), "S4 SK S5", "ST"),
    ("B12", "UH", ("43...", "A2...", "5..5.", ".K.2."), "S4 SA S5", "D2"),
    ("B12", "NU", ("4.3...", "A...2", "6...K", "..2.A"), "S4 SA S6", "D2"),
    ("B13", "UH", ("K.K..", "43...", "65...", ".A4.."), "SK S3 S5", "H4"),
    ("B13", "UH", ("K.A..", "43...", "65...", ".4...R"), "SK S3 S5", "H4"),
    ("B13", "UH", ("K.K..", "43...", ".2.6.", ".A4.."), "SK S3 H2", "H4"),
    ("B14", "UH", ("K2...8", "65..9.", ".Q3..6", ".T4..7"), "SK S5 HQ", "C7"),
    ("B15", "UH", ("K...5", "43...", "65...", "...A2"), "SK S3 S5", "C2"),
    ("B15", "NU", ("K...5", "...A2", "43...", "65..."), "SK", "C2"),
    ("B16", "UH", (".AK..2", "98...7", ".32.4.", "76...8"), "HA S8 H2 S7", "C2"),
)


def situations() -> Iterator[Any]:
    """The situations, and the same downtown."""
    for row, contract, hands, plays, right in SITUATIONS:
        yield pytest.param(contract, list(hands), plays, right, id=f"{row}-{contract}-{right}")
        down = [mirrored(hand) for hand in hands]
        played, wanted = (" ".join(map(mirrored_card, text.split())) for text in (plays, right))
        yield pytest.param(mirrored(contract), down, played, wanted, id=f"{row}-{mirrored(contract)}-{wanted}")


def mirrored_card(text: str) -> str:
    return text if text[0] == "J" else text[0] + mirrored(text[1:])


@pytest.mark.parametrize("declarer", [NORTH, EAST], ids=["by-north", "by-east"])
@pytest.mark.parametrize(("contract", "hands", "plays", "right"), list(situations()))
def test_b10_to_b16_what_the_solver_finds_best_is_played(
    contract: str, hands: list[str], plays: str, right: str, declarer: int
) -> None:
    state = come_to(contract, hands, plays, declarer)
    n, e, s, w = (int(hand) for hand in state["hands"])
    assert best_by_solver(state, [(n, e, s, w)]) == right
    assert best_by_solver(state, worlds(state, 200)) == right
    for spec in ("mc?worlds=100", "pimc?worlds=40", "belief?worlds=100"):
        assert {format_action(answer(spec, state, key)) for key in range(3)} == {right}, spec


# ------------------------------------------------------------------------------------------------------ B17-B19: calls


def last_to_speak(hand: int, calls: tuple[Action, ...] = (PASS, PASS, PASS), rules: Rules = CLASSIC) -> Any:
    """N holds the hand and deals; the others have called."""
    others, kitty = dealt_around(hand, rules, 2)
    state = new_state(rules, [hand, *others], kitty, NORTH)
    for call in calls:
        step(state, call)
    return state


def first_to_speak(hand: int) -> Any:
    """N holds the hand, and leads to the first trick, whoever declares (C11)."""
    others, kitty = dealt_around(hand, CLASSIC, 2)
    return new_state(CLASSIC, [hand, *others], kitty, WEST)


def mean_tricks(state: Any, contract: str, leader: int) -> float:
    """Double-dummy tricks of North and South, in the mean of worlds."""
    naming = parse_naming(contract)
    return float(np.mean([solve(Position(hands, naming, leader)).tricks[0] for hands in worlds(state, 20)]))


@every_preset
def test_all_three_call_alike(name: str) -> None:
    rows = met_at_random("random", PRESETS[name], 6)[0]
    rows = rows[rows["public"]["phase"] == CALLING]
    answers = [
        seated(f"{bot}?worlds=30").decide(rows, np.zeros(len(rows), np.int64)) for bot in ("mc", "pimc", "belief")
    ]
    assert len(rows) > 20
    assert (answers[0] == answers[1]).all()
    assert (answers[0] == answers[2]).all()


@every_bot
@pytest.mark.parametrize(
    ("hand", "suit"), [("AKQJT98.76.87.8", "S"), ("87.AKQJT986.8.7", "H"), ("8.76.87.AKQJT98", "C")]
)
def test_b17_a_solid_suit_alone_is_not_bid_in_no_trump_unless_it_is_led(hand: str, suit: str, bot: str) -> None:
    """With the lead, before the others have spoken, the row is wrong: the suit is run at once. Figures in docs/bots.md.

    The dealer is never on lead.
    """
    last, first = last_to_speak(parse_hand(hand)), first_to_speak(parse_hand(hand))
    assert mean_tricks(last, f"U{suit}", EAST) > mean_tricks(last, "NU", EAST) + 1
    assert mean_tricks(first, f"U{suit}", NORTH) < mean_tricks(first, "NU", NORTH)
    assert strain_of(answer(f"{bot}?worlds=100", last)) == UP
    assert strain_of(answer(f"{bot}?worlds=100", first)) == NO_TRUMP


@jit
def _weigh(search: Any, rows: Any, worlds: int) -> None:
    private, public = private_of(rows[0]), rows[0]["public"]
    mc.begin(search[0], private, public)
    search[0]["look"] = 1 << 40  # nothing is dropped
    mc.extend(search[0], private, public, worlds)
    mc.best(search[0], public)


def worth_of(state: Any, call: str, worlds: int) -> float:
    """What a call is worth in the mean of so many worlds."""
    search = new_search()
    _weigh(search, row_of(state), worlds)
    place = search[0]["actions"][: search[0]["candidates"]].tolist().index(parse_call(call))
    return float(search[0]["totals"][place] / search[0]["drawn"])


def test_b17_a_joker_in_place_of_a_low_card_does_not_raise_the_worth_of_no_trump() -> None:
    stream, gains = new_stream(17), []
    for _ in range(10):
        hand = int(random_cards(SUITED, CLASSIC.hand_size, stream))
        low = next(each for each in cards_of(hand) if 0 < each % 13 < 7)
        with_joker = last_to_speak(hand & ~(1 << low) | 1 << RED_JOKER)
        gains.append([worth_of(with_joker, bid, 500) - worth_of(last_to_speak(hand), bid, 500) for bid in ("2N", "2U")])
    no_trump, with_trump = np.transpose(gains)
    assert no_trump.max() < 0.3  # 3 standard errors
    assert no_trump.mean() < 0 < with_trump.min()


def low_hands(rules: Rules, number: int) -> Iterator[int]:
    """Hands that lack the three top trumps of every strain."""
    missing = {2: (), 1: (ACE - 1, 0), 0: (ACE - 1, ACE - 2, 0, 1, 2)}[rules.jokers]
    low, stream = SUITED & ~mask_of(card(suit, rank) for suit in range(4) for rank in (ACE, *missing)), new_stream(18)
    for _ in range(number):
        yield int(random_cards(low, rules.hand_size, stream))


@every_bot
@every_preset
def test_b18_without_the_three_top_trumps_it_never_bids_seven(name: str, bot: str) -> None:
    """Over every bid of an opponent, at several scores."""
    rules = PRESETS[name]
    decider, most = seated(f"{bot}?worlds=10", rules), rules.target - 1
    for hand in low_hands(rules, 3):
        state = last_to_speak(hand, (PASS, PASS), rules)
        for scores in ((0, 0), (most, 0), (0, most), (-most, most), (most, most)):
            set_game(state, 5, np.array(scores), np.zeros(2, np.int64))
            lasts = list(after_any_call(state))
            rows = np.concatenate([row_of(last) for last in lasts])
            calls = decider.decide(rows, np.zeros(len(rows), np.int64))
            assert all(call == PASS or level_of(call) < 7 for call in calls.tolist())


def after_any_call(state: Any) -> Iterator[Any]:
    """The positions after each legal call in which the next player has a choice."""
    for word in cards_of(int(legal(state))):
        last = state.copy()
        step(last, PASS + word)
        if int(legal(last)).bit_count() > 1:
            yield last


def test_b18_the_solver_takes_twelve_tricks_with_none_of_these_hands() -> None:
    highs = [naming for naming in range(FIRST_NAMING, FIRST_NAMING + NAMINGS) if direction_of(naming) != DOWNTOWN_LOW]
    for hand in low_hands(CLASSIC, 3):
        for hands in worlds(last_to_speak(hand), 4):
            assert max(solve(Position(hands, naming, EAST)).tricks[NORTH] for naming in highs) < 12


def bids_over(bot: str, text: str, *scores: tuple[int, int]) -> list[int]:
    """By score (own, theirs): how often the dealer bids on 60 boards over an opponent's call."""
    rows = np.zeros((len(scores), 60), OBSERVATION)
    for board in range(60):
        table = Table.deal(19, board)
        for call in ("P", "P", text):
            table.act(parse_call(call))
        for place, (mine, theirs) in enumerate(scores):
            rows[place, board] = table.observe().row
            side = table.turn % 2
            rows[place, board]["public"]["scores"][side], rows[place, board]["public"]["scores"][1 - side] = (
                mine,
                theirs,
            )
    decider = seated(f"{bot}?worlds=40")
    return [int((decider.decide(each, np.zeros(60, np.int64)) != PASS).sum()) for each in rows]


@every_bot
@pytest.mark.parametrize("text", ["2N", "3U", "3N"])
def test_b19_it_weighs_the_sacrifice_when_the_opponents_are_about_to_win(text: str, bot: str) -> None:
    level, about_to_lose = bids_over(bot, text, (0, 0), (0, 6))
    assert about_to_lose >= level + 8


@every_bot
def test_b19_with_as_much_to_lose_there_is_no_sacrifice(bot: str) -> None:
    """At -6 a set loses the game as well."""
    something, nothing = bids_over(bot, "3U", (0, 6), (-6, 6))
    assert something > nothing


# --------------------------------------------------------------------------------------------------- B20: the discards


def took_up(hand: str, kitty: str, contract: str) -> Any:
    """N declares in `traditional` with this hand, and has taken up this kitty."""
    rules = PRESETS["traditional"]
    others, rest = dealt_around(parse_hand(hand) | parse_hand(kitty), rules, 20)
    assert rest == 0
    state = new_state(rules, [parse_hand(hand), *others], parse_hand(kitty), NORTH)
    for action in (PASS, PASS, PASS, parse_call(f"4{contract[0]}"), parse_naming(contract)):
        step(state, action)
    return state


def keeps(spec: str, state: Any) -> int:
    """What N keeps after his discards."""
    state = state.copy()
    while state["public"]["phase"] == DISCARDING:
        step(state, answer(spec, state, rules=PRESETS["traditional"]))
    return int(state["hands"][NORTH])


def tricks_with(state: Any, hand: int) -> float:
    """Double-dummy tricks of the declarer, N, with the hand that he keeps, in the mean of worlds."""
    naming = int(state["public"]["naming"])
    found = [solve(Position((hand, *others), naming, NORTH)).tricks[0] for _, *others in worlds(state, 20)]
    return float(np.mean(found))


@every_bot
@pytest.mark.parametrize(
    ("hand", "kitty"),
    [("K8.K7.A2356789.", "Q.J.JT.K9"), ("K8.K.A236789TJ.", "7.QJ.Q.K8"), ("KQ.KJ.A23789.K9", "8.T.JT64.")],
)
def test_b20_downtown_it_keeps_the_top_trumps_and_throws_kings(hand: str, kitty: str, bot: str) -> None:
    state = took_up(hand, kitty, "DD")
    kept, kings = keeps(f"{bot}?worlds=40", state), [parse_card(each) for each in ("SK", "HK", "CK")]
    tops = [parse_card(each) for each in ("DA", "D2", "D3")]
    assert not kept & mask_of(kings)
    assert kept & mask_of(tops) == mask_of(tops)
    for top in tops:
        assert tricks_with(state, kept) > tricks_with(state, kept & ~(1 << top) | 1 << kings[0])


@every_bot
@pytest.mark.parametrize("contract", ["NU", "ND"])
def test_b20_in_no_trump_it_throws_the_jokers(contract: str, bot: str) -> None:
    state = took_up("K8.K7.A2378.97.R", "QJ.Q.6.K.B", contract)
    kept = keeps(f"{bot}?worlds=200", state)
    assert not kept & JOKERS
    high = next(each for each in map(parse_card, ("SK", "DA")) if kept >> each & 1)
    assert tricks_with(state, kept) > tricks_with(state, kept & ~(1 << high) | 1 << RED_JOKER)


def test_b20_with_trumps_the_jokers_are_kept() -> None:
    assert keeps("mc?worlds=40", took_up("K8.K7.A2378.97.R", "QJ.Q.6.K.B", "DD")) & JOKERS == JOKERS
