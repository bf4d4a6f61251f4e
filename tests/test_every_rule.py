"""Both house bots play every preset and every pair of options, and neither side of a duplicate gains by its seat."""

import itertools
from dataclasses import replace

import numpy as np
import pytest

from bidwhist.arena.part import Setting, play_part
from bidwhist.bot.deciders.kernel import play_compiled
from bidwhist.bot.sources.find import find_bot
from bidwhist.engine.batch import Batch
from bidwhist.errors import RulesError
from bidwhist.results.schema import Part
from bidwhist.rules import CLASSIC, OPTIONS, PRESETS, Rules, Value

BOTS = ("random", "random?calls=pass", "heuristic")


def play(rules: Rules, ns: str, ew: str, boards: int, *, games: bool = False) -> dict[str, np.ndarray]:
    deciders = {place: find_bot(spec, spec, []).load(CLASSIC) for place, spec in enumerate((ns, ew))}
    return play_part(Setting(rules, 3, games), Part(0, 0, 1, 0, boards), deciders)


@pytest.mark.parametrize("name", PRESETS)
@pytest.mark.parametrize("bot", BOTS)
def test_self_play_nets_nothing(name: str, bot: str) -> None:
    columns = play(PRESETS[name], bot, bot, 500)
    assert len(columns["board"]) == 1000
    # The same bot sits everywhere, so both tables of a board are the same.
    for title, column in columns.items():
        if title not in ("north", "east", "south", "west"):
            assert (column[0::2] == column[1::2]).all(), (
                "the same bot in all seats: both tables of a board are the same"
            )


@pytest.mark.parametrize("name", PRESETS)
def test_games_of_every_preset_end(name: str) -> None:
    columns = play(PRESETS[name], "heuristic", "random?calls=pass", 20, games=True)
    hands = np.bincount(2 * columns["game"] + columns["orientation"])
    assert len(hands) == 40
    assert 1 <= hands.min() <= hands.max() <= PRESETS[name].cap


@pytest.mark.parametrize("name", PRESETS)
@pytest.mark.parametrize("games", [False, True])
def test_the_kernel_plays_house_bots_as_the_batch_engine_does(name: str, games: bool) -> None:
    bots = ("heuristic", "random", "random?calls=pass")
    deciders = [find_bot(spec, spec, []).load(CLASSIC) for spec in bots]
    setting = Setting(PRESETS[name], 4, games)
    sequences = setting.sequences(Part(0, 0, 1, 0, 10 if games else 300))
    sequences["lineup"] = [[place % 3, place // 3 % 3, place % 3, place // 9 % 3] for place in range(len(sequences))]
    at_once = play_compiled(PRESETS[name], 4, sequences, deciders)
    assert at_once is not None
    in_lockstep = Batch(PRESETS[name], 4, tables=7).play(sequences, deciders)
    for one, other in zip(at_once, in_lockstep, strict=True):
        assert one.tobytes() == other.tobytes()


def repaired(fields: dict[str, Value]) -> Rules | None:
    """Classic with these fields, and with what they need beside them; None where two of them contradict each other."""
    needs: dict[str, Value] = {}
    if fields.get("sported") or fields.get("naming") == "after":
        needs["kitty"] = "exchange"
    sizes = {2: 6, 1: 5, 0: 4}
    if fields.get("kitty") == "none" or fields.get("kitty_size") == 0:
        needs |= {"jokers": 0, "kitty_size": 0, "kitty": "none"}
    elif "kitty_size" in fields:
        needs["jokers"] = next(jokers for jokers, size in sizes.items() if size == fields["kitty_size"])
    elif "jokers" in fields:
        needs["kitty_size"] = sizes[int(fields["jokers"])]
    try:
        return replace(CLASSIC, **(needs | fields))
    except RulesError:
        return None


def option_pairs() -> list[tuple[str, Value, str, Value]]:
    values = {name: option.values[:4] for name, option in OPTIONS.items()}
    return [
        (first, a, second, b)
        for first, second in itertools.combinations(OPTIONS, 2)
        for a, b in itertools.product(values[first], values[second])
    ]


def test_every_pair_of_options_is_played() -> None:
    drawn = [repaired({first: a, second: b}) for first, a, second, b in option_pairs()]
    played = {rules for rules in drawn if rules}
    seen = {(name, value) for rules in played for name, value in rules.differences().items()}
    assert seen >= {(name, value) for name, option in OPTIONS.items() for value in option.values[1:4]}
    assert len(played) > 350
    for rules in played:
        columns = play(rules, "heuristic", "random", 2)
        assert len(columns["board"]) == 4, rules
