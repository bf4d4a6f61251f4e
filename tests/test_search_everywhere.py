"""The house bots that search, in every preset: they are legal wherever random play may lead, and do not peek."""

from collections import Counter
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

from bidwhist.actions import WORDS
from bidwhist.cards import SEATS
from bidwhist.engine.batch import Batch
from bidwhist.engine.decider import Decider, Seer
from bidwhist.engine.sequence import SEQUENCE
from bidwhist.observation import OBSERVATION
from bidwhist.public import CALLING, DISCARDING, NAMING, PLAYING
from bidwhist.rules import PRESETS, Rules
from bidwhist.state import STATE
from bidwhist.worlds.front import sample_worlds, world_state
from support import copied, every_preset
from test_belief import positions, row_of
from test_search_bots import Recorder, seated

NOBODY = np.zeros(1, np.int64)
QUICK = ("mc?worlds=1", "mc?worlds=2", "pimc?worlds=1", "pimc?worlds=2", "belief?worlds=1", "belief?worlds=2")

# ------------------------------------------------------------------------------------------------------------- legal

# Bot 0 is the one examined. Bots 1 and 2 call and play at random, the latter after passing as long as it may: else
# nearly all contracts are at seven.
LINEUPS = ((0, 1, 0, 1), (0, 2, 0, 2), (2, 0, 2, 0), (0, 0, 0, 0), (0, 1, 2, 1), (2, 1, 0, 2))


def asked_beside_random(spec: str, rules: Rules, boards: int) -> Counter[int]:
    """Decisions by phase of a bot beside partners and opponents that act at random; each answer is legal.

    One board in two is three hands of a game. The engine stops at an illegal answer; here it is looked at once more.
    """
    sequences = np.zeros((boards, len(LINEUPS)), SEQUENCE)
    sequences["first_board"] = 3 * np.arange(boards)[:, None]
    sequences["hands"] = np.where(np.arange(boards) % 2 == 1, 3, 1)[:, None]
    sequences["dealer"] = np.arange(boards)[:, None] % SEATS
    sequences["lineup"] = LINEUPS
    recorder = Recorder(seated(spec, rules))
    bots = [recorder, seated("random", rules), seated("random?calls=pass", rules)]
    Batch(rules, 46).play(sequences.reshape(-1), bots)
    rows, answers = np.concatenate(recorder.rows), np.concatenate(recorder.answers)
    phases = rows["public"]["phase"]
    first = np.where(np.isin(phases, (DISCARDING, PLAYING)), 0, WORDS)
    assert (rows["legal"] >> (answers - first) & 1 == 1).all()
    return Counter(phases.tolist())


def phases_of(rules: Rules) -> set[int]:
    """Phases in which a player of these rules may have a choice."""
    return {CALLING, NAMING, PLAYING} | ({DISCARDING} if rules.kitty.startswith("exchange") else set())


@pytest.mark.parametrize("spec", QUICK)
@every_preset
def test_it_is_legal_in_hundreds_of_random_positions(name: str, spec: str) -> None:
    asked = asked_beside_random(spec, PRESETS[name], 2)
    assert asked.keys() == phases_of(PRESETS[name])
    assert asked.total() >= 300


@pytest.mark.long
@pytest.mark.parametrize("spec", QUICK)
@every_preset
def test_it_is_legal_in_ten_thousand_random_positions(name: str, spec: str) -> None:
    asked = asked_beside_random(spec, PRESETS[name], 64)
    assert asked.keys() == phases_of(PRESETS[name])
    assert asked.total() >= 10_000


# ----------------------------------------------------------------------------------------------------------- peeking


def answers_in(bot: Decider, states: list[Any]) -> set[int]:
    """What a bot answers to the seat to act, if the hands truly lie as in each of the states."""
    rows = np.array([row_of(state, 46) for state in states], OBSERVATION)
    if isinstance(bot, Seer):
        bot.see(np.array(states, STATE))
    return set(bot.decide(rows, np.zeros(len(rows), np.int64)).tolist())


def dealt_anew(state: Any, number: int) -> Iterator[Any]:
    """Other hands that agree with what the seat to act sees."""
    row = row_of(state)
    hands, dead = sample_worlds(row, number, key=number)
    for layout, last in zip(hands, dead, strict=True):
        yield world_state(row, layout, last)


def changed_by_hidden_cards(spec: str, rules: Rules, hands: int) -> dict[int, int]:
    """By phase: in how many decisions of some hands the answer depends on cards that the seat does not see."""
    bot, changed = seated(spec, rules), dict.fromkeys(phases_of(rules), 0)
    for seed in range(hands):
        for place, state in enumerate(positions(rules, seed)):
            phase = int(state["public"]["phase"])
            if phase != PLAYING or place % 4 == 0:
                changed[phase] += len(answers_in(bot, [copied(state), *dealt_anew(state, 3)])) > 1
    return changed


@pytest.mark.parametrize("spec", ["mc?worlds=3", "pimc?worlds=1", "belief?worlds=3"])
@every_preset
def test_hidden_cards_dealt_anew_change_no_call_naming_discard_or_card(name: str, spec: str) -> None:
    changed = changed_by_hidden_cards(spec, PRESETS[name], 6)
    assert changed == dict.fromkeys(phases_of(PRESETS[name]), 0)


@every_preset
def test_who_peeks_is_found_out_in_every_phase(name: str) -> None:
    assert min(changed_by_hidden_cards("oracle-rollout", PRESETS[name], 6).values()) > 0
