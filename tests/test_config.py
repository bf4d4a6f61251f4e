"""The tournament file: every mistake is answered with file, field and reason."""

import itertools
from pathlib import Path

import pytest

from bidwhist.arena.config import Config, make_config, read_config
from bidwhist.errors import ConfigError

GOOD = {"seed": 1, "boards": 10, "bots": ["random", "heuristic"]}


def test_a_whole_file_is_read(tmp_path: Path) -> None:
    path = tmp_path / "mine.toml"
    path.write_text(
        'rules = "no-kitty"\nformat = "games"\ngames = 5\nseed = 20261130\npairing = "gauntlet"\nchallengers = ["me"]\n'
        'jobs = 2\nrecord = "plays"\nbots = ["random", { spec = "heuristic", name = "me" }]\n',
        encoding="utf-8",
    )
    config = read_config(path)
    assert config.name == "mine"
    assert config.units == 5
    assert config.bot_lines == [("random", "random"), ("heuristic", "me")]
    assert config.rule_set().preset == "no-kitty"


def test_rules_may_be_a_table_of_overrides() -> None:
    rules = make_config({**GOOD, "rules": {"preset": "traditional", "target": 5}}, "x").rule_set()
    assert (rules.preset, rules.target, rules.kitty) == ("traditional", 5, "exchange")


def test_options_override_the_file(tmp_path: Path) -> None:
    path = tmp_path / "t.toml"
    path.write_text('seed = 1\nboards = 10\nbots = ["random", "heuristic"]\n', encoding="utf-8")
    assert read_config(path, {"seed": 2, "boards": 20}) == make_config(
        {**GOOD, "name": "t", "seed": 2, "boards": 20}, "x"
    )


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"board": 3}, "board: there is no such field; did you mean boards?"),
        ({"boards": "ten"}, "boards: must be an integer, not text"),
        ({"boards": 0}, "boards: must be an integer >= 1"),
        ({"boards": 10**10}, "boards: must be an integer <= 1000000000"),
        ({"boards": 1.5}, "boards: must be an integer, not a number with a point"),
        ({"boards": True}, "boards: must be an integer, not true or false"),
        ({"boards": None}, 'boards: is missing; format = "boards" needs their number'),
        ({"format": "matches"}, "format: 'matches' is none of boards, games"),
        ({"games": 3}, 'games: does not go with format = "boards"'),
        ({"seed": "sekret"}, "seed: 'sekret' is neither an integer nor"),
        ({"seed": -1}, "seed: must be from 0"),
        ({"seed": 1 << 128}, "seed: must be from 0"),
        ({"bots": ["random"]}, "bots: a tournament needs two at least, and has 1"),
        ({"bots": ["random", "random"]}, "bots: two bots are called 'random'"),
        ({"bots": ["random", {"spec": "heuristic", "name": " "}]}, "bots: ' ' is no name"),
        ({"bots": ["random", {"spec": "heuristic", "nam": "x"}]}, "bots[1].nam: there is no such field"),
        ({"bots": ["random", {"name": "x"}]}, "bots[1].spec: is missing"),
        ({"bots": "random"}, "bots: must be a list, not text"),
        ({"rules": 3}, "rules: must be text or a table, not an integer"),
        ({"rules": {"name": "classic"}}, "rules: name: there is no such rule field"),
        ({"rules": "clasic"}, 'rules: preset: there is no preset "clasic"; did you mean classic?'),
        ({"rules": {"targett": 5}}, "rules: targett: there is no such rule field; did you mean target?"),
        ({"rules": {"target": 0}}, "rules: target: 0 is none of its values (1 to 100)"),
        ({"rules": {"kitty": "exchange", "kitty_size": 0}}, "rules: kitty_size: 0 does not go with jokers = 2"),
        ({"pairing": "gauntlet"}, "challengers: is missing"),
        ({"challengers": ["random"]}, 'challengers: does not go with pairing = "round-robin"'),
        ({"pairing": "gauntlet", "challengers": ["randam"]}, "challengers: 'randam' is none of the bots; did you mean"),
        ({"pairing": "gauntlet", "challengers": ["random", "heuristic"]}, "challengers: someone must be left"),
        ({"pairing": "gauntlet", "challengers": ["random", "random"]}, "challengers: 'random' stands there twice"),
        ({"rules": {"jokers": 1.5}}, "rules: jokers: 1.5 is no text, no integer and neither true nor false"),
        ({"rules": {"preset": ["classic"]}}, "rules: preset: ['classic'] is no text"),
        ({"name": "../x"}, "name: '../x' cannot name a folder"),
        ({"name": "a/b"}, "name: 'a/b' cannot name a folder"),
        ({"name": ""}, "name: '' is no name"),
        ({"name": ".x"}, "name: '.x' cannot name a folder"),
        ({"limits": {"start": 0}}, "limits.start: must be a number > 0"),
        ({"limits": {"answer": "long"}}, "limits.answer: must be a number, not text"),
        ({"limits": {"memory": 1}}, "limits.memory: must be 16 or more; no bot can"),
        ({"limits": {"start": 0.01}}, "limits.start: must be 0.05 or more"),
        ({"limits": {"answer": 1e-6}}, "limits.answer: must be 0.01 or more"),
        ({"limits": {"run": 0.001}}, "limits.run: must be 0.05 or more"),
        ({"limits": {"idle": 0.01}}, "limits.idle: must be 0.1 or more"),
        ({"limits": {"scratch": 0}}, "limits.scratch: must be an integer >= 1"),
        ({"limits": {"answers": 3}}, "limits.answers: there is no such field"),
        ({"boards": 10**12}, "boards: must be an integer <= 1000000000"),
        ({"boards": None, "format": "games", "games": 10_000_001}, "games: must be at most 10,000,000"),
        ({"bots": [f"random?name={n}" for n in range(1001)]}, "bots: a tournament has 1,000 at most, and not 1,001"),
        (
            {"bots": [{"spec": "random", "name": f"b{n}"} for n in range(400)], "boards": 10**9},
            "boards: 1,000,000,000 for every pairing of 400 bots make 3,192,000,000 parts; a run has 1,000,000 at most",
        ),
        (
            {"bots": ["random", {"spec": "heuristic", "name": "x" * 81}]},
            f"bots: the name '{'x' * 37}...{'x' * 37}' has 81 letters",
        ),
        ({"bots": ["random", {"spec": "heuristic", "name": "a\x1b[31m"}]}, "has the control character U+001B"),
        # An e with an accent, as one letter and as two.
        (
            {"bots": [{"spec": "random", "name": "caf\u00e9"}, {"spec": "heuristic", "name": "cafe\u0301"}]},
            "bots: two bots are called 'cafe\u0301'; 'caf\u00e9' looks the same",
        ),
        ({"seed": "s" * 200}, f"seed: '{'s' * 37}...{'s' * 37}' is neither"),
        ({"x" * 200: 1}, f"{'x' * 38}...{'x' * 38}: there is no such field"),
        ({"rules": "c" * 200}, 'rules: preset: there is no preset "ccc'),
        ({"jobs": 0}, "jobs: must be an integer >= 1"),
        ({"record": "all"}, "record: 'all' is none of auto, results, plays"),
        ({"on_fault": "ignore"}, "on_fault: 'ignore' is none of substitute, forfeit, stop"),
        ({"on_fault": 1}, "on_fault: must be text, not an integer"),
        (
            {"on_fault": "forfeit", "boards": None, "format": "games", "games": 3},
            'on_fault: "forfeit" does not go with format = "games"',
        ),
        ({"most_faults": 1.5}, "most_faults: must be a number <= 1.0"),
        ({"rounds": 3}, 'rounds: does not go with pairing = "round-robin"'),
        (
            {"stop": {"bots": ["random"], "difference": 0.2}},
            "stop.bots: two different bots are wanted, and not 'random'",
        ),
        ({"most_faults": "few"}, "most_faults: must be a number, not text"),
    ],
)
def test_a_mistake_is_named(change: dict[str, object], words: str) -> None:
    with pytest.raises(ConfigError) as caught:
        make_config({**GOOD, **change}, "file.toml")
    message = str(caught.value)
    assert message.startswith("file.toml: ")
    assert words in message
    assert len(message) < 400, "what was given is repeated in part"


def test_files_that_cannot_be_read(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="cannot be read: No such file"):
        read_config(tmp_path / "none.toml")
    broken = tmp_path / "broken.toml"
    broken.write_text("seed = = 1\n", encoding="utf-8")
    with pytest.raises(ConfigError, match=r"broken\.toml: is no TOML: .*line 1"):
        read_config(broken)
    for content in (b"\xff\xfe\x00", b"seed = " + b"9" * 5000, b"bots = " + b"[" * 5000):
        broken.write_bytes(content)
        with pytest.raises(ConfigError, match="is no TOML"):
            read_config(broken)


def test_a_byte_order_mark_is_no_mistake(tmp_path: Path) -> None:
    path = tmp_path / "t.toml"
    path.write_text('seed = 1\nboards = 10\nbots = ["random", "heuristic"]\n', encoding="utf-8-sig")
    assert read_config(path).seed == 1


def test_every_field_has_a_mistake_tested() -> None:
    """A field added later needs a case above."""
    marks = test_a_mistake_is_named.pytestmark
    tested = set(itertools.chain.from_iterable(case[0] for case in marks[0].args[1]))
    assert set(Config.__struct_fields__) <= tested
