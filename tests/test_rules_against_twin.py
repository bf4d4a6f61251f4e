"""The engine and its plain twin play the same hands and games and must agree at every step."""

from itertools import product

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from bidwhist.actions import WORDS, level_of
from bidwhist.cards import SEATS
from bidwhist.notation import format_contract
from bidwhist.public import NOBODY, PHASES
from bidwhist.rules import OPTIONS, PRESETS, Rules
from bidwhist.score import DRAW, UNDECIDED, declarer_score, defender_score, game_winner
from bidwhist.state import books, is_made, score_change
from support import COLUMNS, Record, RememberingTwin, every_preset, mask, rule_sets, texts, twin_rules
from twin.actions import card_id, id_card
from twin.game import TwinGame, game_result
from twin.hand import TwinHand, shown_void
from twin.hand import score_change as twin_score_change

CHUNK = 2500  # hands recorded at a time
WINNERS = {UNDECIDED: None, 0: "NS", 1: "EW", DRAW: "draw"}


def nobody(seat: int | None) -> int:
    return NOBODY if seat is None else seat


def twin_row(hand: TwinHand, voids: list[int]) -> list[int]:
    """COLUMNS as the twin sees them, but for the action."""
    first = WORDS if hand.phase in ("call", "name") else 0
    has_contract = hand.phase != "call"  # the twin gives the kitty's book to the highest bidder even before
    return [
        PHASES.index(hand.phase),
        hand.turn,
        sum([1 << action - first for action in hand.legal()]),
        nobody(hand.declarer),
        *hand.tricks,
        nobody(hand.kitty_side if has_contract else None),
        *voids,
        mask(hand.kitty) if len(hand.kitty_seen_by()) == SEATS else 0,
    ]


def note_void(voids: list[int], hand: TwinHand, action: int) -> None:
    """Add what the seat to play shows not to hold by this card."""
    assert hand.trump is not None
    shown = shown_void(hand.current_trick(), id_card(action), hand.trump)
    if shown:
        voids[hand.turn] |= mask(shown)


def check_steps(hand: TwinHand, rows: list[list[int]]) -> None:
    """Step the twin by the recorded actions and compare all COLUMNS each time."""
    voids = [0] * SEATS
    for place, (action, *seen) in enumerate(rows):
        expected = twin_row(hand, voids)
        if seen != expected:
            differ = [(name, a, b) for name, a, b in zip(COLUMNS[1:], seen, expected, strict=True) if a != b]
            pytest.fail(f"step {place}, (column, engine, twin): {differ}, hands {hand.hands}, plays {hand.plays}")
        if hand.phase == "play":
            note_void(voids, hand, action)
        if hand.phase != "done":
            hand.act(action)
    assert hand.phase == "done"
    assert voids == [mask(hand.shown_voids(seat)) for seat in range(SEATS)]


def check_result(hand: TwinHand, state: object) -> None:
    """Compare contract, leaders, books and score of a hand that is done."""
    public = state["public"]  # type: ignore[index]
    assert format_contract(level_of(int(public["bid"])), int(public["naming"])) == hand.contract_text()
    assert public["leaders"][: len(hand.leaders)].tolist() == hand.leaders
    assert public["plays"][: len(hand.plays)].tolist() == [card_id(card) for _, card in hand.plays]
    assert (int(books(public, 0)), int(books(public, 1))) == (hand.books(0), hand.books(1))
    assert (int(score_change(public, 0)), int(score_change(public, 1))) == hand.score()
    assert bool(is_made(public)) != hand.declarer_set()


def check_hands(rules: Rules, seed: int, hands: int) -> None:
    """Random hands, in games one after another."""
    record = Record(rules, seed, hands)
    twins = twin_rules(rules)
    game = TwinGame(twins, 0)
    for number in range(hands):
        begun = record.begun[number]
        public = begun["public"]
        assert (tuple(public["scores"].tolist()), tuple(public["sets"].tolist())) == (game.scores, game.sets)
        assert (int(public["hand_number"]), int(public["dealer"])) == (game.hands_played, game.dealer)
        dealt = [texts(int(cards)) for cards in begun["hands"]]
        hand = RememberingTwin(twins, dealt, texts(int(begun["kitty"])), game.dealer, game.scores)
        check_steps(hand, record.rows(number))
        check_result(hand, record.done[number])
        game.finish(hand)
        assert WINNERS[int(record.winners[number])] == game.result
        if game.result is not None:
            game = TwinGame(twins, game.dealer)


@pytest.mark.parametrize("chunk", range(6))
def test_classic(chunk: int) -> None:
    """With its share of the next test, 20,000 hands of the main game."""
    check_hands(PRESETS["classic"], 1000 + chunk, CHUNK)


@every_preset
@pytest.mark.parametrize("chunk", range(2))
def test_presets(name: str, chunk: int) -> None:
    check_hands(PRESETS[name], chunk, CHUNK)


@pytest.mark.long
@pytest.mark.parametrize(("name", "chunks"), [(name, 160 if name == "classic" else 40) for name in PRESETS])
def test_a_million_hands(name: str, chunks: int) -> None:
    for chunk in range(chunks):
        check_hands(PRESETS[name], 1_000_000 + chunk, CHUNK)


@settings(max_examples=150)
@given(rules=rule_sets(), seed=st.integers(0, 2**63))
def test_any_combination_of_rule_fields(rules: Rules, seed: int) -> None:
    check_hands(rules, seed, 12)


FIELDS_OF_SCORES = [name for name, option in OPTIONS.items() if option.group == "scoring"]


@pytest.mark.parametrize("values", list(product(*(OPTIONS[name].values for name in FIELDS_OF_SCORES))), ids=str)
def test_every_score_there_is(values: tuple[object, ...]) -> None:
    """Random hands hardly ever end in thirteen books; here every level, strain and number of books is counted."""
    rules = Rules(**dict(zip(FIELDS_OF_SCORES, values, strict=True)))  # type: ignore[arg-type]
    record, twins = rules.record(), twin_rules(rules)
    for level, is_no_trump, mine in product(range(1, 8), (False, True), range(14)):
        change = (int(declarer_score(record, level, is_no_trump, mine)), int(defender_score(record, 13 - mine)))
        trump = "N" if is_no_trump else "S"
        assert change == twin_score_change(twins, level, trump, 0, (mine, 13 - mine))
        assert change[::-1] == twin_score_change(twins, level, trump, 1, (13 - mine, mine))


@settings(max_examples=400)
@given(
    rules=rule_sets(),
    before=st.tuples(st.integers(-12, 12), st.integers(-12, 12)),
    declaring=st.integers(-14, 56).filter(bool),
    defending=st.integers(0, 6),
    side=st.integers(0, 1),
    sets=st.tuples(st.integers(0, 1), st.integers(0, 1)),
    hands=st.integers(1, 10),
)
def test_every_end_of_a_game(
    rules: Rules,
    before: tuple[int, int],
    declaring: int,
    defending: int,
    side: int,
    sets: tuple[int, int],
    hands: int,
) -> None:
    twins = twin_rules(rules)
    assume(game_result(twins, before, (0, 0), side, sets, False, hands - 1) is None)
    was_set = declaring < 0
    change = (defending, declaring) if side else (declaring, defending)
    expected = game_result(twins, before, change, side, sets, was_set, hands)
    after = tuple(a + b for a, b in zip(before, change, strict=True))
    sets_after = tuple(n + (was_set and each == side) for each, n in enumerate(sets))
    assert WINNERS[int(game_winner(rules.record(), after, sets_after, hands, side))] == expected
