"""The rule fields as data: the presets field by field, what cannot be played, and the record that kernels read."""

from dataclasses import replace
from itertools import product

import numpy as np
import pytest

from bidwhist.errors import RulesError
from bidwhist.rules import CLASSIC, OPTIONS, PRESETS, RULES, Rules, Value, preset, rules_of
from support import every_preset
from twin.rules import OPTIONS as TWIN_OPTIONS
from twin.rules import TwinRules

# RULES.md, "Rule fields and their options" (the last column) and "Presets", written out by hand.
TABLE = """
                | classic| traditional| sported | no-jokers-52        | one-joker-detroit| no-kitty| defenders-score
jokers          | 2      | 2          | 2       | 0                   | 1                | 0       | 2
kitty_size      | 6      | 6          | 6       | 4                   | 5                | 0       | 6
min_level       | 1      | 3          | 4       | 1                   | 4                | 1       | 3
same_level      | ranked | equal      | ranked  | ranked              | ranked           | ranked  | equal
bids            | strain | strain     | strain  | number              | strain           | strain  | strain
dealer_may_match| no     | no         | no      | yes                 | no               | no      | no
kitty           | book   | exchange   | exchange| exchange-first-trick| exchange         | none    | exchange
sported         | no     | no         | yes     | no                  | no               | no      | no
naming          | before | before     | before  | before              | before           | before  | before
first_lead      | left   | declarer   | declarer| declarer            | declarer         | declarer| declarer
downtown_ace    | high   | high       | high    | choice              | high             | high    | high
nt_factor       | 1      | 2          | 2       | 1                   | 2                | 2       | 2
made            | books  | books      | books   | books               | level            | books   | books
defenders       | nothing| nothing    | nothing | nothing             | nothing          | nothing | books
boston          | nothing| nothing    | nothing | nothing             | fixed-13         | nothing | factor-4
target          | 7      | 7          | 7       | 7                   | 7                | 5       | 7
negative_end    | yes    | yes        | yes     | yes                 | yes              | yes     | yes
two_sets        | no     | no         | no      | no                  | no               | yes     | no
cap             | 200    | 200        | 200     | 200                 | 200              | 200     | 200
"""


def written_presets() -> dict[str, dict[str, Value]]:
    """TABLE by preset and field."""
    first, *lines = [[cell.strip() for cell in line.split("|")] for line in TABLE.strip("\n").splitlines()]
    values: dict[str, Value] = {"no": False, "yes": True}
    return {
        name: {
            line[0]: int(line[column]) if line[column].isdigit() else values.get(line[column], line[column])
            for line in lines
        }
        for column, name in enumerate(first)
        if column
    }


def test_the_presets_are_those_of_the_rules() -> None:
    assert {name: rules.as_dict() for name, rules in PRESETS.items()} == written_presets()


@every_preset
def test_a_preset_knows_its_name_and_differences(name: str) -> None:
    rules, written = PRESETS[name], written_presets()
    assert rules.preset == name
    differing = {key: value for key, value in written[name].items() if value != written["classic"][key]}
    assert rules.differences() == differing
    assert preset(name) == rules == preset("classic", **differing)


def test_hand_sizes() -> None:
    assert {name: rules.hand_size for name, rules in PRESETS.items()} == {
        **dict.fromkeys(PRESETS, 12),
        "no-kitty": 13,
    }


def test_the_options_are_those_of_the_rules() -> None:
    """The twin lists the options from the rules, too; classic's value comes first here."""
    for name, options in TWIN_OPTIONS.items():
        assert set(OPTIONS[name].values) == set(options)
        assert OPTIONS[name].values[0] == getattr(TwinRules(), name) == getattr(Rules(), name)
    assert sorted(OPTIONS["target"].values) == list(range(1, 101))
    assert set(OPTIONS) == {*TWIN_OPTIONS, "target", "cap"}


def test_every_value_has_its_words() -> None:
    for name, option in OPTIONS.items():
        assert option.title
        assert len(option.words) == (0 if name in ("target", "cap") else len(option.values))


@every_preset
def test_the_record_holds_every_field(name: str) -> None:
    rules = PRESETS[name]
    record = rules.record()
    assert record.dtype == RULES
    assert int(record["hand_size"]) == rules.hand_size
    for field, value in rules.as_dict().items():
        assert record[field] == (OPTIONS[field].values.index(value) if isinstance(value, str) else value), field


def test_the_record_holds_the_largest_numbers() -> None:
    record = preset("classic", target=100, cap=1000).record()
    assert (record["target"], record["cap"]) == (100, 1000)


def test_all_values_of_a_field_differ_in_the_record() -> None:
    record = np.zeros(1, RULES)[0]
    for name, option in OPTIONS.items():
        codes = set()
        for place, value in enumerate(option.values):
            record[name] = place if isinstance(value, str) else value
            codes.add(int(record[name]))
        assert len(codes) == len(option.values), name


# ------------------------------------------------------------------------------------------------ what cannot be played


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        ({"jokers": 3}, "jokers: 3 is none of its values (2, 1, 0)"),
        ({"jokers": True}, "jokers: true is none of its values (2, 1, 0)"),
        ({"sported": 1}, "sported: 1 is none of its values (false, true)"),
        ({"min_level": 2}, "min_level: 2 is none of its values (1, 3, 4)"),
        ({"kitty": "peek"}, 'kitty: "peek" is none of its values ("book", "exchange", "exchange-first-trick", "none")'),
        ({"target": 0}, "target: 0 is none of its values (1 to 100)"),
        ({"target": 101}, "target: 101 is none of its values (1 to 100)"),
        ({"target": "7"}, 'target: "7" is none of its values (1 to 100)'),
        ({"target": 7.0}, "target: 7.0 is none of its values (1 to 100)"),
        ({"cap": 0}, "cap: 0 is none of its values (1 to 1000)"),
        ({"jokers": 1}, "kitty_size: 6 does not go with jokers = 1: the 53 cards leave a kitty of 5"),
        ({"kitty_size": 4}, "kitty_size: 4 does not go with jokers = 2: the 54 cards leave a kitty of 6"),
        ({"jokers": 0}, "kitty_size: 6 does not go with jokers = 0: the 52 cards leave a kitty of 4 or 0"),
        ({"jokers": 0, "kitty_size": 0}, 'kitty: "book" does not go with a kitty of 0 cards'),
        ({"jokers": 0, "kitty_size": 0, "kitty": "exchange"}, 'kitty: "exchange" does not go with a kitty of 0 cards'),
        ({"kitty": "none"}, 'kitty: "none" does not go with a kitty of 6 cards'),
        ({"sported": True}, 'sported: a kitty that nobody takes up (kitty = "book") cannot be shown'),
        ({"naming": "after"}, 'naming: "after" needs a kitty that is taken up, not kitty = "book"'),
        ({"bids": "number", "same_level": "equal"}, 'same_level: "equal" needs bids = "strain"'),
    ],
)
def test_refusals_name_the_field_and_the_reason(fields: dict[str, Value], words: str) -> None:
    with pytest.raises(RulesError) as refused:
        preset("classic", **fields)
    assert words in str(refused.value)
    assert str(refused.value).split(":")[0] in fields or "kitty" in words


TOGETHER = ("jokers", "kitty_size", "kitty", "sported", "naming", "bids", "same_level")


def makes_a_game(values: dict[str, Value]) -> bool:
    """RULES.md: the pairs of jokers and kitty, and only a kitty that is taken up can be shown or named after."""
    exchange = str(values["kitty"]).startswith("exchange")
    return (
        (values["jokers"], values["kitty_size"]) in [(2, 6), (1, 5), (0, 4), (0, 0)]
        and (values["kitty"] == "none") == (values["kitty_size"] == 0)
        and (exchange or (not values["sported"] and values["naming"] == "before"))
        and not (values["bids"] == "number" and values["same_level"] == "equal")
    )


def test_exactly_what_can_be_played_is_accepted() -> None:
    accepted = 0
    for chosen in product(*(OPTIONS[name].values for name in TOGETHER)):
        values = dict(zip(TOGETHER, chosen, strict=True))
        if makes_a_game(values):
            accepted += 1
            assert preset("classic", **values).as_dict() | values == preset("classic", **values).as_dict()
        else:
            with pytest.raises(RulesError):
                preset("classic", **values)
    assert accepted == 3 * 3 * (1 + 2 * 4) + 3 * 1  # auctions x decks x (book, or two exchanges four ways), no kitty


def test_an_override_of_an_impossible_field_of_any_preset_is_refused() -> None:
    with pytest.raises(RulesError, match="sported"):
        preset("no-kitty", sported=True)
    with pytest.raises(RulesError, match="same_level"):
        replace(PRESETS["no-jokers-52"], same_level="equal")


# -------------------------------------------------------------------------------------------------------- unknown names


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("clasic", 'preset: there is no preset "clasic"; did you mean classic?'),
        ("traditionel", "did you mean traditional?"),
        ("no-joker-52", "did you mean no-jokers-52?"),
        (
            "bridge",
            "known are classic, traditional, sported, no-jokers-52, one-joker-detroit, no-kitty, defenders-score",
        ),
    ],
)
def test_unknown_presets_are_answered_with_a_suggestion(name: str, words: str) -> None:
    with pytest.raises(RulesError) as refused:
        preset(name)
    assert words in str(refused.value)


@pytest.mark.parametrize(
    ("field", "words"),
    [
        ("tarrget", "tarrget: there is no such rule field; did you mean target?"),
        ("kity", "kity: there is no such rule field; did you mean kitty?"),
        ("preset_", "preset_: there is no such rule field; "),
        ("colour", "colour: there is no such rule field; known are jokers, kitty_size, min_level"),
    ],
)
def test_unknown_fields_are_answered_with_a_suggestion(field: str, words: str) -> None:
    with pytest.raises(RulesError) as refused:
        preset("classic", **{field: 1})
    assert words in str(refused.value)


def test_classic_is_the_default_everywhere() -> None:
    assert Rules() == CLASSIC == PRESETS["classic"] == preset("classic")
    assert CLASSIC.differences() == {}
    assert preset("traditional", **CLASSIC.as_dict()) == CLASSIC


@every_preset
def test_a_record_gives_its_rules_back(name: str) -> None:
    assert rules_of(PRESETS[name].record()) == PRESETS[name]
    changed = preset(name, target=9, cap=11)
    assert rules_of(changed.record()).as_dict() == changed.as_dict()
