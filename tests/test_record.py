"""A hand goes to text and back and replays to the same score, in every preset."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bidwhist.errors import BidWhistError, IllegalAction, NotationError, RulesError
from bidwhist.record import format_record, format_rules, parse_record, parse_rules
from bidwhist.rules import PRESETS, preset
from bidwhist.table import Table


def play_on(table: Table, draws: list[int]) -> Table:
    for draw in draws:
        if table.is_done:
            break
        table.act(table.legal[draw % len(table.legal)])
    return table


@settings(max_examples=60, deadline=None)
@given(st.sampled_from(sorted(PRESETS)), st.integers(0, 10_000), st.lists(st.integers(0, 1000), max_size=70))
def test_a_hand_round_trips_as_far_as_it_is_played(name: str, board: int, draws: list[int]) -> None:
    table = play_on(Table.deal(5, board, PRESETS[name]), draws)
    text = format_record(table)
    again = parse_record(text)
    assert format_record(again) == text
    assert again.public.tobytes() == table.public.tobytes()
    assert again.hands == table.hands
    if table.is_done:
        assert again.score() == table.score()


@pytest.mark.parametrize("name", sorted(PRESETS))
def test_a_whole_hand_replays_to_the_same_score(name: str) -> None:
    for board in range(20):
        table = play_on(Table.deal(6, board, PRESETS[name]), list(range(board, board + 70)))
        assert parse_record(format_record(table)).score() == table.score()


def test_game_and_rules_are_kept() -> None:
    rules = preset("no-kitty", target=9, two_sets=False)
    hands, kitty = [0x1FFF << 13 * seat for seat in range(4)], 0
    table = Table(hands, kitty, 3, rules, scores=(4, -2), sets=(0, 1))
    again = parse_record(format_record(table))
    assert again.rules == rules
    assert list(again.public["scores"]) == [4, -2]
    assert list(again.public["sets"]) == [0, 1]


@pytest.mark.parametrize("name", sorted(PRESETS))
def test_rules_round_trip(name: str) -> None:
    for rules in (PRESETS[name], preset(name, target=11, negative_end=False)):
        assert parse_rules(format_rules(rules)) == rules
    assert format_rules(preset("traditional", target=5, two_sets=True)) == "traditional target=5 two_sets=true"


TEXT = format_record(Table.deal(1, 0))


@pytest.mark.parametrize(
    ("text", "kind", "words"),
    [
        (TEXT + "weather fine\n", NotationError, "record: 'weather' is no line of a record"),
        (TEXT + "dealer N\n", NotationError, "record: 'dealer' is no line of a record, or stands twice"),
        (TEXT.replace("deal ", "# ", 1), NotationError, "record: '#'"),
        ("rules classic\ndealer N\n", NotationError, "record: the line 'deal' is missing"),
        (TEXT.replace("rules classic", "rules clasic"), RulesError, "did you mean classic"),
        (TEXT.replace("rules classic", "rules classic target"), NotationError, "'target' is no field=value"),
        (TEXT.replace("rules classic", "rules classic target=many"), RulesError, 'target: "many" is none'),
        (TEXT.replace("scores 0 0", "scores zero"), NotationError, "record: scores 'zero': needs two integers"),
        (TEXT.replace("calls", "calls P P P P"), IllegalAction, "the dealer must bid"),
    ],
)
def test_a_wrong_record_is_refused(text: str, kind: type[BidWhistError], words: str) -> None:
    with pytest.raises(kind) as caught:
        parse_record(text)
    assert words in str(caught.value)
