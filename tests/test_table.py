"""The table for people: legal or a reason why not; and `Obs`, which shows all that a seat may see and nothing else."""

import gc
import inspect
import types
from collections.abc import Iterator

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bidwhist.actions import ACTIONS
from bidwhist.cards import CARDS, SEATS, cards_of, mask_of
from bidwhist.deal import board_cards
from bidwhist.errors import IllegalAction, NotationError, RulesError
from bidwhist.notation import format_action, parse_call, parse_card, parse_naming
from bidwhist.observation import OBSERVATION, PRIVATE_FIELDS, Obs, Random
from bidwhist.public import FIELDS
from bidwhist.rules import CLASSIC, PRESETS, Rules, preset
from bidwhist.streams import decision_key, draw, new_stream, use_key
from bidwhist.table import Table, explain_illegal
from support import copied, every_preset, mask, texts, twin_rules
from twin.hand import TwinHand

# Dealt by West in `spoken`, so that North calls and leads first.
DEAL = "N:AKQJT98.4.K.AKQ 765432.5.AQ.432 .AKQJT.J98.76.RB .9876.765.JT985. .32.T432."


def spoken(*words: str, rules: Rules = CLASSIC, dealer: int = 3) -> Table:
    """The deal above after these calls, and a naming if there are five."""
    table = Table.from_text(DEAL, dealer, rules)
    for word in words[:4]:
        table.act(parse_call(word))
    for word in words[4:]:
        table.act(parse_naming(word))
    return table


# ---------------------------------------------------------------------------------------------------- legal, or why not


def test_hearts_were_led_and_you_hold_one() -> None:
    table = spoken("1U", "P", "P", "P", "US")
    table.act(parse_card("H4"))
    assert table.why_not(parse_card("S7")) == "hearts were led and you hold H5"
    assert not table.can(parse_card("S7"))
    with pytest.raises(IllegalAction, match=r"^hearts were led and you hold H5$"):
        table.act(parse_card("S7"))
    assert table.can(parse_card("H5"))
    assert table.turn == 1


@pytest.mark.parametrize(
    ("words", "action", "reason"),
    [
        ([], "SA", "SA is a card, and it is time to call"),
        ([], "US", "US is a naming, and it is time to call"),
        ([], "4", "4 is no bid under these rules now; the lowest is 1U"),
        (["3D"], "3U", "3U does not beat 3D"),
        (["3D"], "3D", "3D does not beat 3D"),
        (["P", "P", "P"], "P", "all others have passed: the dealer must bid"),
        (["7N"], "7N", "7N does not beat 7N"),
        (["7N"], "7", "no bid is higher than the last one"),
        (["2U", "P", "P", "P"], "P", "P is a call, and it is time to name"),
        (["2U", "P", "P", "P"], "DH", "DH cannot be named after a bid of 2U"),
        (["2U", "P", "P", "P"], "SA", "SA is a card, and it is time to name"),
        (["2U", "P", "P", "P", "US"], "2N", "2N is no card, and it is time to play"),
        (["2U", "P", "P", "P", "US"], "NU", "NU is no card, and it is time to play"),
        (["2U", "P", "P", "P", "US"], "JR", "you do not hold JR"),
    ],
)
def test_every_illegal_action_has_its_reason(words: list[str], action: str, reason: str) -> None:
    readings = {format_action(each): each for each in range(ACTIONS)}
    table = spoken(*words)
    assert table.why_not(readings[action]) == reason


def test_reasons_in_other_rules() -> None:
    table = spoken(rules=preset("classic", min_level=3))
    assert table.why_not(parse_call("2N")) == "2N is no bid under these rules now; the lowest is 3U"
    table = spoken("3U", rules=PRESETS["traditional"])
    assert table.why_not(parse_call("3D")) == "3D is no bid under these rules now; the lowest is 3N"


@pytest.mark.parametrize(
    ("action", "reason"),
    [
        (-1, "-1 is no action: actions are 0-97"),
        (98, "98 is no action: actions are 0-97"),
        (True, "True is no action: an action is an integer 0-97"),
        (None, "None is no action"),
        (1.0, "1.0 is no action"),
        ("SA", "'SA' is no action"),
    ],
)
def test_what_is_no_action(action: object, reason: str) -> None:
    explained = explain_illegal(spoken().observe(), action)
    assert explained.startswith(reason)


def test_numpy_integers_are_actions() -> None:
    table = spoken()
    table.act(np.int8(parse_call("1U")))
    assert table.observe().bid == parse_call("1U")


@every_preset
@settings(max_examples=5)
@given(board=st.integers(0, 2**40), picks=st.lists(st.integers(0, 2**20), min_size=63, max_size=63))
def test_an_action_is_legal_or_has_a_reason(name: str, board: int, picks: list[int]) -> None:
    table = Table.deal(5, board, PRESETS[name])
    for pick in picks:
        if table.is_done:
            break
        obs, legal = table.observe(), table.legal
        assert legal == obs.legal
        assert all(len(explain_illegal(obs, action)) > 10 for action in range(ACTIONS) if action not in legal)
        action = legal[pick % len(legal)]
        assert table.can(action)
        table.act(action)
    assert [table.why_not(action) for action in (0, 54, 97)] == ["the hand is over"] * 3
    with pytest.raises(IllegalAction, match="the hand is over"):
        table.act(0)


def test_no_score_before_the_end() -> None:
    table = spoken()
    for question in (table.score, table.is_made):
        with pytest.raises(IllegalAction, match="not played to its end"):
            question()


# ----------------------------------------------------------------------------------------------------- setting up deals


@pytest.mark.parametrize(
    ("deal", "error", "words"),
    [
        ("AKQ", NotationError, "starts with N:"),
        ("N:A... A... ... ...", NotationError, "SA dealt twice"),
        ("N:A... K... Q... J...", RulesError, "deal: N has 1 cards; these rules deal 12 to each player"),
        (DEAL.replace("T432.", "T43."), RulesError, "not the deck of these rules: D2 missing or too many"),
        (DEAL.removesuffix(" .32.T432."), RulesError, "missing or too many"),
    ],
)
def test_what_is_no_deal(deal: str, error: type[Exception], words: str) -> None:
    with pytest.raises(error) as refused:
        Table.from_text(deal, 0)
    assert words in str(refused.value)


def test_a_deal_of_other_rules_is_refused() -> None:
    with pytest.raises(RulesError, match="N has 12 cards; these rules deal 13"):
        Table.from_text(DEAL, 0, PRESETS["no-kitty"])
    with pytest.raises(RulesError, match="JB missing or too many"):
        Table.from_text(DEAL, 0, PRESETS["one-joker-detroit"])


@pytest.mark.parametrize("dealer", [-1, 4])
def test_no_such_dealer(dealer: int) -> None:
    with pytest.raises(RulesError, match=f"dealer: {dealer} is no seat 0-3"):
        Table.from_text(DEAL, dealer)


@every_preset
def test_a_deal_is_written_as_it_was_dealt(name: str) -> None:
    table = Table.deal(1, 3, PRESETS[name])
    text = table.deal_text
    while not table.is_done:
        table.act(table.legal[-1])
    assert table.deal_text == text
    assert Table.from_text(text, 0, PRESETS[name]).hands == Table.deal(1, 3, PRESETS[name]).hands


def test_decisions_without_a_choice_are_taken_where_wanted() -> None:
    table = Table.deal(1, 0, auto=True)
    while not table.is_done:
        assert len(table.legal) > 1
        table.act(table.legal[0])
    assert sum(table.books(side) for side in range(2)) == 13


# ------------------------------------------------------------------------------------------------- what a seat is shown


def twin_at(table: Table) -> TwinHand:
    """The twin at the start of the same hand."""
    hands, kitty = table.hands, mask_of(range(CARDS)) & ~sum(table.hands)
    deck = mask(twin_rules(table.rules).deck())
    dealer = table.observe().dealer
    return TwinHand(twin_rules(table.rules), [texts(hand) for hand in hands], texts(kitty & deck), dealer)


def check_obs(obs: Obs, twin: TwinHand) -> None:
    """Every value of an Obs against the twin's, which knows the rules and nothing of records."""
    assert (obs.phase, obs.seat, obs.partner) == (twin.phase, twin.turn, (twin.turn + 2) % SEATS)
    assert obs.hand == cards_of(obs.hand_mask) == sorted(map(parse_card, twin.hands[twin.turn]))
    assert obs.legal == sorted(twin.legal())
    assert obs.dealer == twin.dealer
    assert [format_action(call) for call in obs.calls.values()] == twin.calls
    assert list(obs.calls) == [(twin.dealer + 1 + place) % SEATS for place in range(len(twin.calls))]
    assert (obs.declarer, obs.level) == (twin.declarer, twin.level)
    assert obs.strain == (None if twin.strain is None else ["U", "D", "N", ""].index(twin.strain))
    assert obs.contract == (None if twin.trump is None else twin.contract_text())
    assert obs.tricks == twin.tricks
    assert obs.played == [(seat, parse_card(card)) for seat, card in twin.plays]
    assert obs.trick == obs.played[len(obs.played) // 4 * 4 :]
    assert obs.gone_mask == mask(card for _, card in twin.plays)
    assert obs.left == [len(hand) for hand in twin.hands]
    if twin.trump is not None:
        assert obs.void_masks == [mask(twin.shown_voids(seat)) for seat in range(SEATS)]
        assert (obs.trump, obs.direction) == ("SHDCN".index(twin.trump), "UDL".index(str(twin.direction)))
    may_see = twin.turn in twin.kitty_seen_by()
    assert obs.kitty == (sorted(map(parse_card, twin.kitty)) if may_see else [])
    assert obs.buried == (sorted(map(parse_card, twin.discards)) if twin.turn == twin.declarer else [])


@every_preset
@settings(max_examples=10)
@given(board=st.integers(0, 2**40), picks=st.lists(st.integers(0, 2**20), min_size=63, max_size=63))
def test_obs_shows_what_the_twin_knows(name: str, board: int, picks: list[int]) -> None:
    table = Table.deal(2, board, PRESETS[name])
    twin = twin_at(table)
    for pick in picks:
        if table.is_done:
            break
        obs = table.observe()
        check_obs(obs, twin)
        action = obs.legal[pick % len(obs.legal)]
        table.act(action)
        twin.act(action)
    assert (table.is_done, table.score(), table.is_made()) == (True, twin.score(), not twin.declarer_set())


@every_preset
def test_the_first_legal_action_is_always_an_answer(name: str) -> None:
    for board in range(20):
        table = Table.deal(4, board, PRESETS[name])
        while not table.is_done:
            table.act(table.observe().legal[0])
        assert table.books(0) + table.books(1) == 13


def test_scores_sets_and_target_are_shown() -> None:
    rules = preset("no-kitty", target=9)
    hands, kitty, dealer = board_cards(rules, 1, 0)
    obs = Table(hands, kitty, dealer, rules, scores=(5, -3), sets=(0, 1)).observe()
    assert (obs.scores, obs.sets, obs.target) == ([5, -3], [0, 1], 9)
    assert obs.rules == {name: int(rules.record()[name]) for name in rules.record().dtype.names}


def test_the_winning_card_of_the_trick() -> None:
    table = spoken("1U", "P", "P", "P", "US")
    assert (table.observe().winning, table.observe().winner) == (None, None)
    for card, best, seat in (("H4", "H4", 0), ("H5", "H5", 1), ("HA", "HA", 2)):
        table.act(parse_card(card))
        obs = table.observe()
        assert (obs.winning, obs.winner) == (parse_card(best), seat)
        assert obs.led_mask == mask_of(range(13, 26))


def test_an_obs_says_what_it_is_about() -> None:
    table = spoken("1U", "P", "P", "P", "US")
    assert repr(table.observe()).startswith("<Obs N to play, holding AKQJT98.4.K.AKQ; 1US by N; legal ")


def test_an_obs_outlives_the_hand_unchanged() -> None:
    table = Table.deal(1, 0)
    obs = table.observe()
    before = obs.row.tobytes()
    while not table.is_done:
        table.act(table.legal[0])
    assert obs.row.tobytes() == before


# -------------------------------------------------------------------------------------------------- the random stream


def test_the_same_decision_has_the_same_numbers() -> None:
    table = Table.deal(1, 0)
    one, other, foreign = (table.observe_in_run(np.uint64(key)).random for key in (77, 77, 78))
    numbers = [[each.below(1000) for _ in range(20)] for each in (one, other, foreign)]
    assert numbers[0] == numbers[1] != numbers[2]
    stream = new_stream(int(decision_key(np.uint64(77), 0)))
    assert one is not other
    assert numbers[0][0] == (int(draw(stream)) >> 32) * 1000 >> 32


def test_what_chance_offers() -> None:
    random = Random(3)
    assert {random.choice([1, 2, 3]) for _ in range(100)} == {1, 2, 3}
    assert all(0.0 <= random.random() < 1.0 for _ in range(100))
    items = list(range(52))
    random.shuffle(items)
    assert items != sorted(items) == list(range(52))
    for n in (0, -1, 1 << 31):
        with pytest.raises(ValueError, match=r"below\(-?\d+\): n must be 1 to 2147483647"):
            random.below(n)


def test_shuffles_are_uniform() -> None:
    random = Random(8)
    counts: dict[tuple[int, ...], int] = {}
    for _ in range(6000):
        items = [0, 1, 2]
        random.shuffle(items)
        counts[tuple(items)] = counts.get(tuple(items), 0) + 1
    assert len(counts) == 6
    assert all(abs(count - 1000) < 5 * 30 for count in counts.values())


# ------------------------------------------------------------------------------------------------ nothing else in reach


def reachable(root: object) -> Iterator[object]:
    """All objects in reach of `root` by references, slots and NumPy's hidden bases; not code, which everybody has."""
    seen: set[int] = set()
    left: list[object] = [root]
    while left:
        each = left.pop()
        if id(each) in seen or isinstance(each, type | types.ModuleType) or inspect.isroutine(each):
            continue
        seen.add(id(each))
        yield each
        left += gc.get_referents(each)
        for name in (*getattr(type(each), "__slots__", ()), "base", "obj"):
            left.append(getattr(each, name, None))


def memory(each: object) -> bytes:
    """The bytes that an object in reach shows: of arrays, records, buffers and numbers."""
    if isinstance(each, np.ndarray | np.generic | memoryview):
        return each.tobytes()
    if isinstance(each, bytes | bytearray):
        return bytes(each)
    if isinstance(each, int):
        return each.to_bytes(24, "little", signed=True)
    return str(each).encode() if isinstance(each, str | float) else b""


def secrets_of(table: Table, seed: int, board: int) -> dict[str, int]:
    """What the seat to act must not know, as the numbers that would tell it; a bit or two are found anywhere."""
    obs = table.observe()
    hands, kitty, _ = board_cards(table.rules, seed, board)
    told = {"seed": seed, "low half of the seed": seed & (1 << 64) - 1, "board": board}
    told |= {f"word {place} of the deal's key": int(word) for place, word in enumerate(use_key(seed, "deals"))}
    for seat in range(SEATS):
        if seat != obs.seat:
            told |= {f"cards dealt to {seat}": hands[seat], f"cards of {seat}": table.hands[seat]}
    if not obs.kitty:
        told["kitty"] = kitty
    return {name: value for name, value in told.items() if value.bit_count() >= 4}


@every_preset
@pytest.mark.parametrize("board", [0x5EC2E7B0A2D, 0x1A2B3C4D5E6F])
def test_nothing_hidden_is_in_reach_of_an_obs(name: str, board: int) -> None:
    """Not even in the padding of records or in the arrays behind them."""
    seed = 0xA1B2C3D4E5F60718293A4B5C6D7E8F90
    table = Table.deal(seed, board, PRESETS[name])
    while not table.is_done:
        obs = table.observe(12345)
        obs.random.below(5)
        secrets = secrets_of(table, seed, board)
        for each in reachable(obs):
            shown = memory(each)
            for what, value in secrets.items():
                wanted = value.to_bytes((value.bit_length() + 7) // 8, "little")
                assert wanted not in shown, f"{what} in {type(each)} {each!r}"
        table.act(table.legal[len(table.legal) // 2])


def test_the_search_finds_what_is_hidden_badly() -> None:
    """The walk itself: a secret behind an Obs's row, as if the copy were a view of something larger, is found."""
    obs = Table.deal(1, 0).observe()
    rows = np.zeros(2, OBSERVATION)
    rows[1]["hand"] = 0x123456789ABC
    obs._data = rows[0]
    assert any(bytes.fromhex("bc9a78563412") in memory(each) for each in reachable(obs))


def test_padding_is_blank_whatever_the_memory_held_before() -> None:
    """A field by field copy must be equal byte by byte: no byte lies between the fields."""
    table = Table.deal(1, 0)
    for _ in range(50):
        dirty = [np.full(OBSERVATION.itemsize, 0xAA, np.uint8) for _ in range(20)]
        del dirty
        row = table.observe().row
        assert row.tobytes() == copied(row).tobytes()


def test_records_that_a_bot_sees_have_no_holes() -> None:
    def width(kind: np.dtype) -> int:
        base, shape = kind.subdtype or (kind, ())
        one = sum(width(base[name]) for name in base.names) if base.names else base.itemsize
        return one * int(np.prod(shape, dtype=int))

    for record in (OBSERVATION, OBSERVATION["public"], OBSERVATION["public"]["rules"]):
        assert width(record) == record.itemsize


def test_the_observation_has_only_the_documented_fields() -> None:
    private, public = {*OBSERVATION.names} - {"unused"}, {*OBSERVATION["public"].names} - {"unused"}
    assert private == {*(name for name, *_ in PRIVATE_FIELDS), "public"}
    assert public == {name for name, *_ in FIELDS}
    assert not {"seed", "board", "table", "game"} & {*OBSERVATION.names, *OBSERVATION["public"].names}
