"""Text for everything that people write down: it round-trips, and what is no such text is refused in clear words."""

from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bidwhist.actions import ACTIONS, FIRST_BID, FIRST_NAMING, LAST_BID, NAMINGS, PASS
from bidwhist.cards import CARDS, FULL, SEATS, cards_of, mask_of
from bidwhist.errors import BidWhistError, NotationError
from bidwhist.notation import (
    describe_naming,
    format_action,
    format_call,
    format_card,
    format_contract,
    format_deal,
    format_hand,
    format_naming,
    format_seat,
    parse_call,
    parse_card,
    parse_contract,
    parse_deal,
    parse_hand,
    parse_naming,
    parse_seat,
)
from bidwhist.rules import PRESETS
from support import every_preset, random_deal
from twin.actions import id_call, id_card, id_name

ALL_NAMINGS = range(FIRST_NAMING, FIRST_NAMING + NAMINGS)


# ------------------------------------------------------------------------------------------------------- there and back


def test_seats() -> None:
    assert [format_seat(seat) for seat in range(SEATS)] == list("NESW")
    assert [parse_seat(format_seat(seat)) for seat in range(SEATS)] == list(range(SEATS))


def test_cards() -> None:
    assert [format_card(card) for card in (0, 12, 13, 34, 51, 52, 53)] == ["S2", "SA", "H2", "DT", "CA", "JB", "JR"]
    for card in range(CARDS):
        assert parse_card(format_card(card)) == card
        assert format_card(card) == id_card(card)


def test_calls() -> None:
    for call in range(PASS, LAST_BID + 1):
        assert parse_call(format_call(call)) == call
        assert format_call(call) == id_call(call)


def test_namings_and_contracts() -> None:
    assert [format_contract(4, 83), format_contract(3, 87), format_contract(4, 94)] == ["4US", "3DH", "4LC"]
    assert [format_contract(5, naming) for naming in (95, 96, 97)] == ["5NU", "5ND", "5NL"]
    for naming in ALL_NAMINGS:
        trump, direction = id_name(naming)
        assert format_naming(naming) == ("N" + direction if trump == "N" else direction + trump)
        assert parse_naming(format_naming(naming)) == naming
        for level in range(1, 8):
            assert parse_contract(format_contract(level, naming)) == (level, naming)


def test_actions() -> None:
    readings = {format_action(action): action for action in range(ACTIONS)}
    assert len(readings) == ACTIONS
    assert (readings["JR"], readings["P"], readings["1U"], readings["NL"]) == (53, PASS, FIRST_BID, 97)


def test_namings_in_words() -> None:
    assert len({describe_naming(naming) for naming in ALL_NAMINGS}) == NAMINGS
    assert describe_naming(83) == "uptown in spades"
    assert describe_naming(97) == "no trump downtown with aces low"


def test_a_hand_of_the_contract() -> None:
    text = "AKQ.T98..5432.R"
    assert sorted(map(format_card, cards_of(parse_hand(text)))) == sorted(
        ["SA", "SK", "SQ", "HT", "H9", "H8", "C5", "C4", "C3", "C2", "JR"]
    )
    assert format_hand(parse_hand(text)) == text


@pytest.mark.parametrize(
    ("text", "canonical"),
    [
        ("...", "..."),
        ("....", "..."),
        ("....BR", "....RB"),
        ("2A..J.", "A2..J."),
        ("K..J.3.", "K..J.3"),
    ],
)
def test_hands_are_read_in_any_order_of_ranks(text: str, canonical: str) -> None:
    assert format_hand(parse_hand(text)) == canonical


@given(st.integers(0, FULL))
def test_any_hand_round_trips(hand: int) -> None:
    assert parse_hand(format_hand(hand)) == hand


@every_preset
@given(seed=st.integers(0, 2**64 - 1))
def test_any_deal_round_trips(name: str, seed: int) -> None:
    hands, kitty = random_deal(PRESETS[name], seed)
    assert parse_deal(format_deal(hands, kitty)) == (hands, kitty)


@given(st.lists(st.sampled_from(range(CARDS)), unique=True), st.data())
def test_parts_of_a_deal_round_trip(cards: list[int], data: st.DataObject) -> None:
    """Endings: any cards anywhere, also none."""
    owners = data.draw(st.lists(st.integers(0, 4), min_size=len(cards), max_size=len(cards)))
    masks = [mask_of(card for card, owner in zip(cards, owners, strict=True) if owner == each) for each in range(5)]
    assert parse_deal(format_deal(masks[:4], masks[4])) == (masks[:4], masks[4])


# ---------------------------------------------------------------------------------------------- what is no text of it


@pytest.mark.parametrize(
    "text",
    [
        "N:AK2.J3.Q4.T5 QJ3.A4.K5.98 T98.K5.A6.Q7 765.Q6.J7.K6",
        "E:QJ3.A4.K5.98 T98.K5.A6.Q7 765.Q6.J7.K6 AK2.J3.Q4.T5",
        "s:t98.k5.a6.q7 765.q6.j7.k6 ak2.j3.q4.t5 qj3.a4.k5.98",
        "  W:765.Q6.J7.K6  AK2.J3.Q4.105  QJ3.A4.K5.98\t1098.K5.A6.Q7\n",
    ],
)
def test_a_deal_as_people_write_it(text: str) -> None:
    """Any first seat, as in PBN, small letters, 10 for T, any spaces."""
    hands, kitty = parse_deal(text)
    assert format_deal(hands, kitty) == "N:AK2.J3.Q4.T5 QJ3.A4.K5.98 T98.K5.A6.Q7 765.Q6.J7.K6"


def test_the_kitty_stays_behind_whoever_comes_first() -> None:
    hands, kitty = parse_deal("E:... A... ... ... ....B")
    assert format_deal(hands, kitty) == "N:... ... A... ... ....B"


Parse = Callable[[str], object]
PARSERS: list[tuple[Parse, Callable[..., str]]] = [
    (parse_seat, format_seat),
    (parse_card, format_card),
    (parse_hand, format_hand),
    (parse_call, format_call),
    (parse_naming, format_naming),
    (parse_contract, lambda pair: format_contract(*pair)),
    (parse_deal, lambda pair: format_deal(*pair)),
]
NEARLY = st.text(alphabet="NESWHDCJRBUDLP23456789TQKA1.: \n٣ａ", max_size=12)


@pytest.mark.parametrize(("parse", "write"), PARSERS, ids=lambda each: getattr(each, "__name__", ""))
@given(text=st.text() | NEARLY | NEARLY.map(lambda text: "N:" + text))
def test_any_text_is_read_or_refused(parse: Parse, write: Callable[..., str], text: str) -> None:
    try:
        value = parse(text)
    except NotationError as error:
        refusal = str(error)
    else:
        refusal = ""
    if refusal:
        assert refusal.isprintable()
        assert len(refusal) > len("no card")
        return
    again = write(value)
    assert parse(again) == value
    if parse not in (parse_hand, parse_deal):  # these two are read in any order of ranks
        assert again == text


@pytest.mark.parametrize(
    ("parse", "text", "words"),
    [
        (parse_seat, "", "'' is no seat: a seat is one of N E S W"),
        (parse_seat, "NE", "'NE' is no seat"),
        (parse_seat, "n", "'n' is no seat"),
        (parse_card, "AS", "'AS' is no card: suit S H D C then rank 2-9 T J Q K A, or a joker JR JB"),
        (parse_card, "S10", "'S10' is no card"),
        (parse_card, "S1", "'S1' is no card"),
        (parse_card, "JK", "'JK' is no card"),
        (parse_card, "sa", "'sa' is no card"),
        (parse_hand, "AKQ.T98", "hand 'AKQ.T98': needs spades.hearts.diamonds.clubs and perhaps .jokers"),
        (parse_hand, "AA...", "hand 'AA...': SA stands twice"),
        (parse_hand, "....RR", "hand '....RR': JR stands twice"),
        (parse_hand, "A.X..", "'HX' is no card"),
        (parse_deal, "AKQ...", "deal 'AKQ...': starts with N:, E:, S: or W:, the seat of the first hand"),
        (parse_deal, "X:... ... ... ...", "starts with N:"),
        (parse_deal, "\u017f:... ... ... ...", "starts with N:"),  # a letter whose capital is S
        (parse_deal, "N:... ...", "deal: four hands and perhaps a kitty, with spaces between, not 2"),
        (parse_deal, "N:1... ... ... ...", "'S1' is no card"),
        (parse_deal, "N:A... A... ... ...", "deal: SA dealt twice"),
        (parse_call, "8U", "'8U' is no call: P, or a level 1-7 with U, D, N or nothing"),
        (parse_call, "p", "'p' is no call"),
        (parse_call, "4S", "'4S' is no call"),
        (parse_naming, "SU", "'SU' names no strain: one of US DS LS"),
        (parse_contract, "4U", "'4U' is no contract: a level 1-7, then one of US DS LS"),
        (parse_contract, "0US", "'0US' is no contract"),
        (parse_contract, "", "'' is no contract"),
    ],
)
def test_what_is_refused_and_why(parse: Parse, text: str, words: str) -> None:
    with pytest.raises(NotationError) as refused:
        parse(text)
    assert words in str(refused.value)
    assert isinstance(refused.value, BidWhistError)
