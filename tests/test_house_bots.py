"""The house bots `random` and `heuristic`: situations B10-B20 of the rules page, and how they do against each other."""

from collections.abc import Callable, Iterator
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
    NONE,
    PASS,
    UP,
    UPTOWN,
    bid,
    is_bid,
    level_of,
    naming,
    strain_of,
    trump_of,
)
from bidwhist.bits import count, lowest
from bidwhist.cards import ACE, BLACK_JOKER, JOKERS, RED_JOKER, SEATS, SUIT_MASKS, SUITED, card, cards_of, mask_of
from bidwhist.deal import deal, deck, random_cards
from bidwhist.notation import format_action, parse_call, parse_card, parse_hand, parse_naming
from bidwhist.observation import OBSERVATION, private_of, private_part, write_observation
from bidwhist.public import CALLING, DISCARDING, DONE, PLAYING
from bidwhist.rules import CLASSIC, PRESETS, Rules, preset
from bidwhist.score import game_winner
from bidwhist.state import STATE, advance, first_action, is_made, legal, score_change, set_game, start, step
from bidwhist.streams import below, mix, new_stream
from bidwhist.table import Table
from bidwhist.trick import BEATERS, FOLLOWS, rank_strength
from bidwhist_bots import heuristic, random
from bidwhist_bots.valuation import books
from support import ending, every_preset, new_state

FOUR_TURNS = range(SEATS)


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


def ask_table(table: Table) -> int:
    """The heuristic's answer for the seat to act at a Table."""
    return ask_row(table.observe().row)


def answer(
    contract: str, hands: list[str], plays: str = "", *, declarer: int = 0, leader: int = 0, rules: Rules = CLASSIC
) -> str:
    """The card the heuristic plays after `plays` in an ending, the same however the table is turned.

    `contract` is a naming such as `UH` or `DN`; `hands` are N E S W with equally many cards.
    """
    answers = set()
    for turn in FOUR_TURNS:
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
    down = answer(mirrored(contract[0]) + contract[1:], [mirrored(hand) for hand in hands], down_plays, **options)
    assert down == (up if up[0] == "J" else up[0] + mirrored(up[1:]))
    return up


# ------------------------------------------------------------------------------------------------- rows of RULES.md


def test_b10_in_no_trump_it_leads_a_winner_not_the_joker() -> None:
    assert both_ways("UN", ["..A..R", "2...A", "3...K", "4...Q"]) == "DA"
    assert both_ways("UN", ["..Q..B", "2...A", "3...K", "..4.2"]) == "DQ"
    assert both_ways("UN", ["A.2...RB", "23..A.2", "54..K.3", "76..Q.4"]) == "SA"


def test_b10_a_joker_is_led_only_when_there_is_nothing_else() -> None:
    assert both_ways("UN", ["....RB", "2...A", "3...K", "4...Q"]) in ("JR", "JB")
    assert both_ways("UN", ["2....B", "A...A", "K...K", "Q...Q"]) == "S2"


def test_b11_void_in_no_trump_it_throws_the_joker() -> None:
    assert both_ways("UN", ["A2...", ".A...R", "K3...", "Q4..."], "SA") == "JR"
    assert both_ways("UN", ["A2...", "..A..B", "K3...", "Q4..."], "S2", declarer=1) == "JB"
    assert both_ways("UN", ["A2...", "K3...", "..2..R", "Q4..."], "SA SK") == "JR"


@pytest.mark.parametrize(
    ("hands", "plays", "played"),
    [
        (["K2", "43", "65", "AT"], "SK S4 S5", "ST"),  # an opponent's trick is overtaken
        (["43", "K2", "65", "AT"], "S4 SK S5", "ST"),
    ],
)
def test_b12_fourth_it_does_not_overtake_its_partner(hands: list[str], plays: str, played: str) -> None:
    """West, fourth to play, holds the ace; East is its partner."""
    wins_already = "SK" == plays.split()[1]
    assert both_ways("UH", [hand + "..." for hand in hands], plays) == (played if wins_already else "SA")


def test_b12_fourth_and_void_it_does_not_ruff_its_partners_trick() -> None:
    assert both_ways("UH", ["43...", "A2...", "65...", ".2..9"], "S4 SA S5") == "C9"
    assert both_ways("UN", ["43...", "A2...", "65...", "..K.9"], "S4 SA S5") == "C9"


def test_b13_fourth_it_wins_with_the_cheapest_trump() -> None:
    assert both_ways("UH", ["K2...", "43...", "65...", ".A4.."], "SK S3 S5") == "H4"
    assert both_ways("UH", ["K2...", "43...", "6.2..", ".A4.."], "SK S3 H2") == "H4"
    assert both_ways("UH", ["K2...", "43...", "6.5..", ".A4.."], "SK S3 H5") == "HA"
    assert both_ways("UH", ["K2...", "43...", "65...", ".4...R"], "SK S3 S5") == "H4"


def test_b14_it_does_not_waste_a_trump_under_a_higher_ruff() -> None:
    """North led, East ruffed with the queen."""
    assert both_ways("UH", ["K2...", ".Q3..", ".42..9", "AT..."], "SK HQ", leader=0) == "C9"
    assert both_ways("UH", ["K2...", ".QJ..", "65...", ".43..8"], "SK H3 S5".replace("H3", "HQ"), declarer=1) == "C8"
    # West leads, South plays after East's ruff.
    assert both_ways("UH", ["65...", ".Q3..", ".T4..7", "K2..."], "SK S5 HQ", leader=3) == "C7"


def test_b15_it_throws_the_low_card_of_a_suit_not_the_ace() -> None:
    assert both_ways("UH", ["K2...", "43...", "65...", "...A2"], "SK S3 S5") == "C2"
    assert both_ways("UN", ["K2...", "...A2", "65...", "43..."], "SK") == "C2"
    assert both_ways("UD", ["K2...", "43...", ".A2..", "65..."], "SK S3") == "H2"
    # Aces bad: there the ace is the card to throw.
    rules = PRESETS["no-jokers-52"]
    assert answer("LH", ["2K...", "43...", "65...", "...2A"], "S2 S3 S5", rules=rules) == "CA"


def test_b16_it_leads_no_trump_when_only_the_partner_has_one() -> None:
    """North drew a trump, both opponents threw other cards; South still has a trump."""
    hands = [".AKQ..62", "9.....".replace(".....", "....") + "", "", ""]
    hands = [".AKQ..64", "98..7.2", ".432..3.".rstrip(".") + ".", "76..8.9"]
    hands = [".AKQ..64", "98..75.9", ".432.3.8", "76..84.T"]
    for contract in ("UH",):
        assert both_ways(contract, hands, "HA S8 H2 S6")[0] != "H"
    # With one opponent still to show out it goes on.
    hands = [".AKQ..64", "9.8.75.9", ".432.3.8", "76..84.T"]
    assert both_ways("UH", hands, "HA H8 H2 S6") == "HK"


SOLID = [
    "AKQJT98.32.4.32",
    "AKQJT98.43.43.5",
    "32.AKQJT987.4.2",
    "4.32.32.AKQJT98",
]


@pytest.mark.parametrize("hand", [*SOLID, *map(mirrored, SOLID)])
def test_b17_a_solid_suit_alone_is_not_bid_in_no_trump(hand: str) -> None:
    for call in first_and_last_calls(parse_hand(hand), CLASSIC):
        assert not is_bid(call) or strain_of(call) == (UP if hand in SOLID else DOWN)


def first_and_last_calls(hand: int, rules: Rules) -> Iterator[int]:
    """The heuristic's calls with this hand: first to speak, and last after three passes or a bid of one or two."""
    others = int(deck(rules.record())) & ~hand
    stream = new_stream(3)
    rest = [0, 0, 0]
    for place in range(3):
        rest[place] = int(random_cards(others, rules.hand_size, stream))
        others &= ~rest[place]
    yield ask(new_state(rules, [hand, *rest], others, 3))
    for earlier in ("P P P", "1U P P", "P 2D P"):
        state = new_state(rules, [*rest, hand], others, 3)
        for text in earlier.split():
            step(state, parse_call(text))
        yield ask(state)


@pytest.mark.parametrize("name", ["classic", "traditional", "sported", "one-joker-detroit"])
def test_b17_jokers_never_raise_the_no_trump_estimate(name: str) -> None:
    record, stream = PRESETS[name].record(), new_stream(17)
    for _ in range(300):
        hand = int(random_cards(SUITED, int(record["hand_size"]) - 1, stream))
        with_joker, instead = hand | 1 << RED_JOKER, hand ^ (1 << lowest(hand)) | 1 << RED_JOKER
        for direction in (UPTOWN, DOWNTOWN):
            plain = books(record, hand, direction)[2]
            assert books(record, with_joker, direction)[2] < plain
            assert books(record, instead, direction)[2] < plain
            assert books(record, with_joker, direction)[0] > books(record, hand, direction)[0]


@pytest.mark.parametrize("scores", [(0, 0), (6, 0), (0, 6), (6, 6), (-6, 6)])
@every_preset
def test_b18_without_the_three_top_trumps_it_never_bids_seven(name: str, scores: tuple[int, int]) -> None:
    """Hands without jokers, aces and what else is on top either way, over all that an opponent may have bid."""
    rules, stream = PRESETS[name], new_stream(18)
    on_top = [ACE] if rules.jokers == 2 else [ACE, ACE - 1, ACE - 2, 0, 1]
    low = SUITED & ~mask_of(card(suit, rank) for suit in range(4) for rank in on_top)
    for _ in range(25):
        hand = int(random_cards(low, rules.hand_size, stream))
        others = int(deck(rules.record())) & ~hand
        rest = [int(random_cards(others, 3 * rules.hand_size, stream))]
        hands = []
        for _ in range(3):
            hands.append(int(random_cards(rest[0], rules.hand_size, stream)))
            rest[0] &= ~hands[-1]
        start_state = new_state(rules, [*hands, hand], others & ~hands[0] & ~hands[1] & ~hands[2], 3)
        set_game(start_state, 5, np.array(scores), np.zeros(2, np.int64))
        for first in [NONE, *range(bid(rules.min_level, UP), bid(7, UP))]:
            state = start_state.copy()
            for call in (PASS, PASS, PASS) if first == NONE else (PASS, PASS, first):
                if (int(legal(state)) >> call - PASS) & 1 == 0:
                    break
                step(state, call)
            else:
                if state["public"]["turn"] == 3 and state["public"]["phase"] == CALLING:
                    call = ask(state)
                    assert call == PASS or level_of(call) < 7


def test_b19_it_weighs_the_sacrifice_when_the_opponents_are_about_to_win() -> None:
    """Last to speak over 3U by an opponent: what is bid at 0-0 is bid at 0-6, and more besides."""
    at_zero, about_to_lose = [], []
    for board in range(200):
        table = Table.deal(19, board)
        for text in ("P", "P", "3U"):
            table.act(parse_call(text))
        for bids, scores in ((at_zero, (0, 0)), (about_to_lose, (0, 6) if table.turn % 2 == 0 else (6, 0))):
            row = table.observe().row.copy()
            row["public"]["scores"] = scores
            bids.append(ask_row(row) != PASS)
    assert not any(before and not after for before, after in zip(at_zero, about_to_lose, strict=True))
    assert sum(about_to_lose) >= sum(at_zero) + 20


def test_b19_with_as_much_to_lose_there_is_nothing_to_sacrifice() -> None:
    """At -6 to 6 a set loses the game as well: the heuristic bids less than at 0-6."""
    bids = {-6: 0, 0: 0}
    for board in range(200):
        table = Table.deal(19, board)
        for text in ("P", "P", "4U"):
            table.act(parse_call(text))
        side = table.turn % 2
        for mine in bids:
            row = table.observe().row.copy()
            row["public"]["scores"][side], row["public"]["scores"][1 - side] = mine, 6
            bids[mine] += ask_row(row) != PASS
    assert bids[-6] < bids[0]


def discards(kitty: str, hand: str, contract: str, call: str, rules: Rules) -> list[str]:
    """What North throws as declarer with this hand and kitty."""
    others = int(deck(rules.record())) & ~parse_hand(hand) & ~parse_hand(kitty)
    rest = []
    for _ in range(3):
        rest.append(int(random_cards(others, rules.hand_size, new_stream(20))))
        others &= ~rest[-1]
    state = new_state(rules, [parse_hand(hand), *rest], parse_hand(kitty), 0)
    for text in ("P", "P", "P", call):
        step(state, parse_call(text))
    step(state, parse_naming(contract))
    thrown = []
    while state["public"]["phase"] == DISCARDING:
        thrown.append(ask(state))
        step(state, thrown[-1])
    return [format_action(action) for action in thrown]


def test_b20_downtown_it_keeps_the_top_trumps_and_throws_kings() -> None:
    thrown = discards("KQ...KQ", "K7.K7.A23789.97.", "DD", "4D", PRESETS["traditional"])
    assert len(thrown) == 6 - 2 or len(thrown) == 4
