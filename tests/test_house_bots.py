"""The house bots `random` and `heuristic`: situations B10-B20 of the rules page, and how they do against each other."""

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

from bidwhist._jit import jit
from bidwhist.actions import (
    DOWN,
    DOWNTOWN,
    FIRST_NAMING,
    NO_SUIT,
    NO_TRUMP,
    PASS,
    UP,
    UPTOWN,
    level_of,
    strain_of,
    trump_of,
)
from bidwhist.bits import count
from bidwhist.cards import ACE, BLACK_JOKER, JOKERS, RED_JOKER, SEATS, SUITED, card, cards_of, mask_of
from bidwhist.deal import deal, deck, random_cards
from bidwhist.notation import format_action, parse_call, parse_card, parse_hand, parse_naming
from bidwhist.observation import OBSERVATION, private_of, private_part, write_observation
from bidwhist.public import CALLING, DISCARDING, PLAYING
from bidwhist.rules import CLASSIC, PRESETS, Rules
from bidwhist.score import UNDECIDED, game_winner
from bidwhist.state import STATE, advance, first_action, is_made, legal, score_change, set_game, start, step
from bidwhist.streams import draw, new_stream
from bidwhist.table import Table
from bidwhist.trick import BEATERS, FOLLOWS
from bidwhist_bots import heuristic, random
from bidwhist_bots.valuation import books
from support import ending, every_preset, new_state

UNIFORM, PASSING = (0,), (1,)  # values of the parameters of `random`


@jit
def _heuristic(row: Any, stream: Any) -> int:
    private, public = private_of(row), row["public"]
    if public["phase"] == PLAYING:
        return heuristic.play(private, public, stream)
    if public["phase"] == CALLING:
        return heuristic.call(private, public, stream)
    return heuristic.prepare(private, public, stream)


def ask_row(row: Any, key: int = 1) -> int:
    """The heuristic's answer to an OBSERVATION record, checked to be legal."""
    action = int(_heuristic(row, new_stream(key)))
    assert int(row["legal"]) >> action - int(first_action(row["public"]["phase"])) & 1, format_action(action)
    return action


def ask(state: Any, key: int = 1) -> int:
    """The heuristic's answer for the seat to act in a STATE."""
    row = np.zeros(1, OBSERVATION)
    write_observation(state, np.uint64(key), row[0])
    return ask_row(row[0], key)


def answer(
    contract: str, hands: list[str], plays: str = "", *, declarer: int = 0, leader: int = 0, rules: Rules = CLASSIC
) -> str:
    """The card the heuristic plays after `plays` in an ending, the same however the table is turned.

    `contract` is a naming such as `UH` or `DN`; `hands` are N E S W with equally many cards.
    """
    answers = set()
    for turn in range(SEATS):
        turned = [parse_hand(hands[(seat - turn) % SEATS]) for seat in range(SEATS)]
        state = ending(rules, turned, (leader + turn) % SEATS, parse_naming(contract))
        state["public"]["declarer"] = (declarer + turn) % SEATS
        for text in plays.split():
            step(state, parse_card(text))
        answers.add(format_action(ask(state)))
    assert len(answers) == 1, answers
    return answers.pop()


def mirrored(text: str) -> str:
    """A naming, hand or cards of an uptown position as the downtown position that is played alike."""
    return text.translate(str.maketrans("KQJT98765432U", "23456789TJQKD"))


def both_ways(contract: str, hands: list[str], plays: str = "", **options: Any) -> str:
    """`answer` uptown; the mirrored downtown position must get the mirrored answer."""
    up = answer(contract, hands, plays, **options)
    down_plays = " ".join(text[0] + mirrored(text[1:]) if text[0] != "J" else text for text in plays.split())
    down = answer(contract.replace("U", "D"), [mirrored(hand) for hand in hands], down_plays, **options)
    assert down == (up if up[0] == "J" else up[0] + mirrored(up[1:]))
    return up


# ------------------------------------------------------------------------------------------------- rows of RULES.md


def test_b10_in_no_trump_it_leads_a_winner_not_the_joker() -> None:
    assert both_ways("NU", ["..A..R", "2...A", "3...K", "4...Q"]) == "DA"
    assert both_ways("NU", ["..Q..B", "2...A", "3...K", "..4.2"]) == "DQ"
    assert both_ways("NU", ["A.2...RB", "23..A.2", "54..K.3", "76..Q.4"]) == "SA"
    assert both_ways("NU", ["..K..R", "2...A", "3...K", "4...Q"], declarer=1) == "DK"


def test_b10_a_joker_is_led_only_when_there_is_nothing_else() -> None:
    assert both_ways("NU", ["2....B", "A...A", "K...K", "Q...Q"]) == "S2"
    assert both_ways("NU", ["2.3..4.B", "AK.A..", "QJ.K..", "T9.Q.."]) != "JB"


def test_b11_void_in_no_trump_it_throws_the_joker() -> None:
    assert both_ways("NU", ["A2...", ".A...R", "K3...", "Q4..."], "SA") == "JR"
    assert both_ways("NU", ["A2...", "..A..B", "K3...", "Q4..."], "S2", declarer=1) == "JB"
    assert both_ways("NU", ["A2...", "K3...", "..2..R", "Q4..."], "SA SK") == "JR"
    assert both_ways("NU", ["A2...", "K3...", "Q4...", ".A...R"], "S2 SK SQ") == "JR"


@pytest.mark.parametrize("contract", ["UH", "NU"])
def test_b12_fourth_it_does_not_overtake_its_partner(contract: str) -> None:
    """West, fourth to play, holds the ace over its partner East's king or an opponent's."""
    assert both_ways(contract, ["43...", "K2...", "65...", "AT..."], "S4 SK S5") == "ST"
    assert both_ways(contract, ["43...", "62...", "K5...", "AT..."], "S4 S6 SK") == "SA"
    assert both_ways(contract, ["K3...", "62...", "54...", "AT..."], "SK S6 S5") == "SA"


def test_b12_fourth_and_void_it_throws_its_least_useful_card_on_the_partners_trick() -> None:
    assert both_ways("UH", ["43...", "A2...", "65...", ".2..9"], "S4 SA S5") == "C9"
    assert both_ways("NU", ["43...", "A2...", "65...", "..K.9"], "S4 SA S5") == "C9"
    assert both_ways("UH", ["43...", "A2...", "65...", ".K2.."], "S4 SA S5") == "H2"


def test_b13_fourth_it_wins_with_the_cheapest_trump() -> None:
    assert both_ways("UH", ["K2...", "43...", "65...", ".A4.."], "SK S3 S5") == "H4"
    assert both_ways("UH", ["K2...", "43...", "6.2..", ".A4.."], "SK S3 H2") == "H4"
    assert both_ways("UH", ["K2...", "43...", "6.5..", ".A4.."], "SK S3 H5") == "HA"
    assert both_ways("UH", ["K2...", "43...", "65...", ".4...R"], "SK S3 S5") == "H4"
    assert both_ways("UH", ["K2...", "43...", "6.T..", "....RB"], "SK S3 HT") == "JB"


def test_b14_it_does_not_waste_a_trump_under_a_higher_ruff() -> None:
    """An opponent ruffed with the queen; the bot has lower trumps only, and a side loser."""
    assert both_ways("UH", ["65...", ".Q3..", ".T4..7", "K2..."], "SK S5 HQ", leader=3) == "C7"  # fourth to play
    assert both_ways("UH", ["65...", ".Q3..", ".T4..7", "K2..."], "SK S5 HQ", leader=3, declarer=2) == "C7"
    assert both_ways("UH", ["K2...", ".Q3..", ".T4..7", "65..."], "SK HQ") == "C7"  # third, for its partner
    assert both_ways("UH", ["K2...", ".Q3..", ".J4..7", "A5..."], "S2 HQ") == "C7"


def test_b15_it_throws_the_low_card_of_a_suit_not_the_ace() -> None:
    assert both_ways("UH", ["K2...", "43...", "65...", "...A2"], "SK S3 S5") == "C2"
    assert both_ways("NU", ["K2...", "...A2", "65...", "43..."], "SK") == "C2"
    assert both_ways("UD", ["K2...", "43...", ".A2..", "65..."], "SK S3") == "H2"


def test_b15_with_aces_bad_the_ace_is_the_low_card() -> None:
    rules = PRESETS["no-jokers-52"]
    assert answer("LH", ["3K...", "4Q...", "65...", "...2A"], "S3 SQ S6", rules=rules) == "CA"
    assert answer("DH", ["3K...", "4Q...", "65...", "...KA"], "S3 SQ S6", rules=rules) == "CK"


DRAWN = [".AKQ..64", "98..75.", ".432..98", "76..84."]


def test_b16_it_leads_no_trump_when_only_the_partner_has_one() -> None:
    """North drew a trump and both opponents threw other cards; South still has trumps."""
    assert both_ways("UH", DRAWN, "HA S8 H2 S6")[0] != "H"
    assert both_ways("UH", DRAWN, "HA S8 H2 S6", declarer=2)[0] != "H"


def test_b16_while_an_opponent_may_have_a_trump_it_draws_on() -> None:
    hands = [".AKQ..64", "9.8..75.", ".432..98", "76..84."]
    assert both_ways("UH", [hands[0], "9.85..7.", *hands[2:]], "HA H5 H2 S6") == "HK"


SOLID = ["AKQJT98.76.87.8", "AKQJT9.87.76.98", "87.AKQJT986.8.7", "8.76.87.AKQJT98"]


@pytest.mark.parametrize("hand", [*SOLID, *map(mirrored, SOLID)])
def test_b17_a_solid_suit_alone_is_not_bid_in_no_trump(hand: str) -> None:
    calls = list(first_and_last_calls(parse_hand(hand)))
    assert all(call == PASS or strain_of(call) != NO_TRUMP for call in calls)
    assert {strain_of(call) for call in calls if call != PASS} & {UP if hand in SOLID else DOWN}


def dealt_around(hand: int, rules: Rules, seed: int) -> tuple[list[int], int]:
    """Three random hands for the others, and the kitty."""
    rest, stream = int(deck(rules.record())) & ~hand, new_stream(seed)
    hands = []
    for _ in range(3):
        hands.append(int(random_cards(rest, rules.hand_size, stream)))
        rest &= ~hands[-1]
    return hands, rest


def first_and_last_calls(hand: int) -> Iterator[int]:
    """The heuristic's calls with this hand under classic: first to speak, and last after some calls of the others."""
    others, kitty = dealt_around(hand, CLASSIC, 3)
    yield ask(new_state(CLASSIC, [hand, *others], kitty, 3))
    for earlier in ("P P P", "1U P P", "P 2D P"):
        state = new_state(CLASSIC, [*others, hand], kitty, 3)
        for text in earlier.split():
            step(state, parse_call(text))
        yield ask(state)


@pytest.mark.parametrize("name", ["classic", "traditional", "sported", "one-joker-detroit", "defenders-score"])
def test_b17_jokers_never_raise_the_no_trump_estimate(name: str) -> None:
    record, stream = PRESETS[name].record(), new_stream(17)
    for _ in range(200):
        hand = int(random_cards(SUITED, int(record["hand_size"]) - 1, stream))
        joker = 1 << RED_JOKER
        for direction in (UPTOWN, DOWNTOWN):
            with_trump, _, no_trump = books(record, hand, direction)
            assert books(record, hand | joker, direction)[0] > with_trump
            assert books(record, hand | joker, direction)[2] < no_trump


@pytest.mark.parametrize("scores", [(0, 0), (6, 0), (0, 6), (-6, 6)])
@every_preset
def test_b18_without_the_three_top_trumps_it_never_bids_seven(name: str, scores: tuple[int, int]) -> None:
    """Hands without jokers, aces and whatever else may be among the top three, after every bid of an opponent."""
    rules, stream = PRESETS[name], new_stream(18)
    missing = {2: (), 1: (ACE - 1, 0), 0: (ACE - 1, ACE - 2, 0, 1, 2)}[rules.jokers]
    low = SUITED & ~mask_of(card(suit, rank) for suit in range(4) for rank in (ACE, *missing))
    for seed in range(15):
        hand = int(random_cards(low, rules.hand_size, stream))
        others, kitty = dealt_around(hand, rules, seed)
        state = new_state(rules, [*others, hand], kitty, 3)
        set_game(state, 5, np.array(scores), np.zeros(2, np.int64))
        for call in (PASS, PASS):
            step(state, call)
        for third in cards_of(int(legal(state))):
            last = state.copy()
            step(last, PASS + third)
            options = int(legal(last))
            if options & options - 1:
                call = ask(last)
                assert call == PASS or level_of(call) < 7


def bids_over(text: str, *scores: tuple[int, int]) -> list[list[bool]]:
    """By score (own, theirs): whether the dealer bids on 200 boards over an opponent's call."""
    bids: list[list[bool]] = [[] for _ in scores]
    for board in range(200):
        table = Table.deal(19, board)
        for call in ("P", "P", text):
            table.act(parse_call(call))
        row, side = table.observe().row, table.turn % 2
        for place, (mine, theirs) in enumerate(scores):
            row["public"]["scores"][side], row["public"]["scores"][1 - side] = mine, theirs
            bids[place].append(ask_row(row) != PASS)
    return bids


@pytest.mark.parametrize("text", ["2N", "3U", "3N"])
def test_b19_it_weighs_the_sacrifice_when_the_opponents_are_about_to_win(text: str) -> None:
    level, about_to_lose = bids_over(text, (0, 0), (0, 6))
    assert all(after for before, after in zip(level, about_to_lose, strict=True) if before)
    assert sum(about_to_lose) >= sum(level) + 20


def test_b19_with_as_much_to_lose_there_is_no_sacrifice() -> None:
    """At -6 a set loses the game as well."""
    something, nothing = bids_over("4U", (0, 6), (-6, 6))
    assert sum(something) > sum(nothing)


def discards(hand: str, kitty: str, contract: str, rules: Rules) -> set[str]:
    """What the declarer throws with this hand and kitty."""
    others, rest = dealt_around(parse_hand(hand) | parse_hand(kitty), rules, 20)
    assert rest == 0
    state = new_state(rules, [parse_hand(hand), *others], parse_hand(kitty), 0)
    for text in ("P", "P", "P", f"4{'N' if contract[0] == 'N' else contract[0]}", contract):
        step(state, parse_naming(text) if text == contract else parse_call(text))
    thrown = set()
    while state["public"]["phase"] == DISCARDING:
        thrown.add(ask(state))
        step(state, ask(state))
    return {format_action(action) for action in thrown}


def test_b20_downtown_it_keeps_the_top_trumps_and_throws_kings() -> None:
    rules = PRESETS["traditional"]
    for hand, kitty in (
        ("K8.K7.A2356789.", "Q.J.JT.K9"),
        ("K8.K.A236789TJ.", "7.QJ.Q.K8"),
        ("KQ.KJ.A23789.K9", "8.T.JT64."),
    ):
        thrown = discards(hand, kitty, "DD", rules)
        assert not thrown & {"DA", "D2", "D3"}
        assert {"SK", "HK", "CK"} <= thrown


def test_b20_in_no_trump_it_throws_the_jokers_first() -> None:
    rules = PRESETS["traditional"]
    for contract in ("NU", "ND"):
        thrown = discards("K8.K7.A2378.97.R", "QJ.Q.6.K.B", contract, rules)
        assert {"JR", "JB"} <= thrown
    assert discards("K8.K7.A2378.97.R", "QJ.Q.6.K.B", "DD", rules) & {"JR", "JB"} == set()


# ---------------------------------------------------------------------------------------------- in every position


def positions(name: str, hands: int) -> Iterator[Any]:
    """Observations of all decisions to play a card in hands that the heuristic plays with itself."""
    rules = PRESETS[name]
    for board in range(hands):
        table = Table.deal(31, board, rules, auto=True)
        while not table.is_done:
            obs = table.observe()
            if obs.phase == "play":
                yield obs
            table.act(ask_row(obs.row))


@every_preset
def test_in_every_position_it_keeps_to_the_situations(name: str) -> None:
    """B10-B16 wherever they come up in 40 hands."""
    seen = dict.fromkeys(("B10", "B11", "B12", "B13", "B14", "B16"), 0)
    for obs in positions(name, 40):
        for situation in broken_or_kept(obs, ask_row(obs.row)):
            seen[situation] += 1
    usual = {"B12", "B13", "B14"}
    assert all(seen[situation] > 0 for situation in usual), seen


def broken_or_kept(obs: Any, played: int) -> Iterator[str]:
    """The situations that this position is one of; fails if the card played breaks its rule."""
    row, hand = obs.naming - FIRST_NAMING, obs.hand_mask
    trumps = int(FOLLOWS[row, BLACK_JOKER])
    place, is_void = len(obs.trick), obs.led_mask != 0 and hand & obs.led_mask == 0
    if obs.trump == NO_SUIT and hand & JOKERS and hand & SUITED:
        if place == 0:
            assert played < BLACK_JOKER
            yield "B10"
        if is_void:
            assert played >= BLACK_JOKER
            yield "B11"
    if place == 3 and obs.winner == obs.partner:
        assert not (hand & ~trumps and is_void and trumps >> played & 1)
        if not is_void:
            assert all(not int(BEATERS[row, other]) >> played & 1 for other in obs.legal)
        yield "B12"
    if place == 3 and obs.winner != obs.partner:
        winners = [card for card in obs.legal if int(BEATERS[row, obs.winning]) >> card & 1]
        if winners:
            assert played in winners
            assert all(not int(BEATERS[row, other]) >> played & 1 for other in winners)
            yield "B13"
    is_ruffed = is_void and obs.winning is not None and trumps >> obs.winning & 1
    if is_ruffed and hand & ~trumps and not hand & int(BEATERS[row, obs.winning]):
        assert not trumps >> played & 1
        yield "B14"
    if place == 0 and trumps and hand & ~trumps:
        foes = [obs.void_masks[(obs.seat + 1) % SEATS], obs.void_masks[(obs.seat + 3) % SEATS]]
        if all(void & trumps == trumps for void in foes):
            assert not trumps >> played & 1
            yield "B16"


# --------------------------------------------------------------------------------------------------- how they do


@jit
def _act(bot: int, private: Any, public: Any, stream: Any) -> int:
    """The action of bot 0 `heuristic`, 1 `random`, 2 `random?calls=pass`."""
    phase = public["phase"]
    if bot == 0:
        if phase == PLAYING:
            return heuristic.play(private, public, stream)
        if phase == CALLING:
            return heuristic.call(private, public, stream)
        return heuristic.prepare(private, public, stream)
    if phase == PLAYING:
        return random.play(private, public, stream, UNIFORM)
    if phase != CALLING:
        return random.prepare(private, public, stream, UNIFORM)
    return random.call(private, public, stream, UNIFORM if bot == 1 else PASSING)


@jit
def _play_hand(state: Any, rules: Any, bots: Any, number: int, hand: int, scores: Any, sets: Any) -> bool:
    """Deal hand `number` and play it out, as hand `hand` of a game; bots by side. False after an illegal action."""
    stream = np.zeros(1, np.uint64)
    stream[0] = draw(np.array([number], np.uint64))
    state["kitty"] = deal(rules, stream, state["hands"])
    start(state, rules, number % SEATS)
    set_game(state, hand, scores, sets)
    options = advance(state)
    while options != 0:
        private = private_part(state, options, draw(np.array([SEATS * number + state["public"]["turn"]], np.uint64)))
        stream[0] = private.key
        action = _act(bots[private.seat & 1], private, state["public"], stream)
        if (private.legal >> (action - first_action(state["public"]["phase"]))) & 1 == 0:
            return False
        step(state, action)
        options = advance(state)
    return True


@jit
def _play_game(state: Any, rules: Any, bots: Any, number: int) -> int:
    """Winner of game `number`, or -1 after an illegal action."""
    scores, sets = np.zeros(2, np.int64), np.zeros(2, np.int64)
    hand, winner = 0, UNDECIDED
    while winner == UNDECIDED:
        if not _play_hand(state, rules, bots, 1000 * number + hand, hand, scores, sets):
            return -2
        public = state["public"]
        for side in range(2):
            scores[side] += score_change(public, side)
        sets[public["declarer"] & 1] += 0 if is_made(public) else 1
        hand += 1
        winner = game_winner(rules, scores, sets, hand, public["declarer"] & 1)
    return winner


@jit
def _contracts(state: Any, rules: Any, bots: Any, first: int, results: Any) -> bool:
    """Play hands at 0-0 from number `first` on; results (n, 3): level, is no trump, was made."""
    nothing = np.zeros(2, np.int64)
    for place in range(len(results)):
        if not _play_hand(state, rules, bots, first + place, 0, nothing, nothing):
            return False
        public = state["public"]
        results[place, 0] = level_of(np.int64(public["bid"]))
        results[place, 1] = trump_of(np.int64(public["naming"])) == NO_SUIT
        results[place, 2] = is_made(public)
    return True


def new_hand() -> Any:
    """A STATE record as workspace."""
    return np.zeros(1, STATE)[0]


@pytest.mark.parametrize("other", [1, 2], ids=["random", "random?calls=pass"])
@every_preset
def test_it_wins_nearly_all_games_against_random(name: str, other: int) -> None:
    """In `classic` 99 of 100. Elsewhere it opens as high as good opponents demand, which passers do not."""
    record, state = PRESETS[name].record(), new_hand()
    winners = [_play_game(state, record, np.array([0, other]), game) for game in range(300)]
    winners += [1 - _play_game(state, record, np.array([other, 0]), game) for game in range(300)]
    assert set(winners) <= {0, 1}
    assert winners.count(0) >= (594 if name == "classic" or other == 1 else 540)


@every_preset
def test_its_calls_and_plays_are_legal_and_its_contracts_sensible(name: str) -> None:
    record, state = PRESETS[name].record(), new_hand()
    results = np.zeros((3000, 3), np.int64)
    assert _contracts(state, record, np.array([0, 0]), 0, results)
    made, no_trump = results[:, 2].mean(), results[:, 1].mean()
    assert 0.45 <= made <= 0.85
    if name == "classic":
        assert 0.5 <= made <= 0.8
        assert 0.37 <= no_trump <= 0.58
    for other in (1, 2):
        assert _contracts(state, record, np.array([0, other]), 5000, results)
        assert _contracts(state, record, np.array([other, 0]), 5000, results)


def test_random_draws_every_legal_call_equally() -> None:
    row = Table.deal(1, 0).observe().row
    calls = [int(random.call(private_of(row), row["public"], new_stream(key * 7919), UNIFORM)) for key in range(2200)]
    times = np.bincount(np.array(calls) - PASS, minlength=29)
    assert times[times > 0].size == count(int(row["legal"])) == 22
    assert (times[times > 0] - 100).var() < 2 * 100  # Poisson would have a variance of 100


def test_random_that_passes_bids_only_when_forced() -> None:
    table = Table.deal(1, 0)
    for _ in range(3):
        row = table.observe().row
        assert random.call(private_of(row), row["public"], new_stream(5), PASSING) == PASS
        table.act(PASS)
    row = table.observe().row
    assert len({int(random.call(private_of(row), row["public"], new_stream(key), PASSING)) for key in range(500)}) == 21
