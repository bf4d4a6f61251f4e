"""The house bot `belief`: likelihoods against plain Python, its chain of worlds against all worlds of small endings."""

from collections import Counter
from collections.abc import Iterator
from itertools import combinations
from math import log
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from bidwhist._jit import jit
from bidwhist.actions import NO_SUIT, PASS, level_of, strain_of, trump_of
from bidwhist.bot.sources.find import find_bot
from bidwhist.cards import HEARTS, JOKERS, SEATS, SUIT_MASKS, cards_of, mask_of
from bidwhist.deal import deck
from bidwhist.observation import OBSERVATION, Obs, private_of, private_part, write_observation
from bidwhist.public import CALLING, DONE, NAMING, PLAYING
from bidwhist.rules import PRESETS, Rules
from bidwhist.state import STATE, is_among, legal, set_game, start, step
from bidwhist.streams import new_stream
from bidwhist.trick import suit_order
from bidwhist.worlds.sample import prepare
from bidwhist.worlds.whole import write_world
from bidwhist_bots import chain, heuristic
from bidwhist_bots.likelihood import distance, log_likelihood, recall
from bidwhist_bots.search import new_search
from support import copied, every_preset, legal_actions, new_state, random_deal
from test_search_situations import come_to

CALLS, PLAYS = 0.05, 0.4


def positions(rules: Rules, seed: int) -> Iterator[Any]:
    """The STATE before each decision of a hand in which half of the actions are the heuristic's, half random."""
    rng = np.random.default_rng(seed)
    state = new_state(rules, *random_deal(rules, seed), seed % SEATS)
    while state["public"]["phase"] != DONE:
        options = legal_actions(state)
        if len(options) > 1:
            yield state
        step(state, model(state) if rng.integers(2) else options[rng.integers(len(options))])


def model(state: Any) -> int:
    """What the heuristic does, asked in plain Python."""
    options, stream = int(legal(state)), new_stream(0)
    private, phase = private_part(state, options, np.uint64(0)), state["public"]["phase"]
    if options & (options - 1) == 0:
        return legal_actions(state)[0]
    if phase == CALLING:
        return int(heuristic.call(private, state["public"], stream))
    decide = heuristic.play if phase == PLAYING else heuristic.prepare
    return int(decide(private, state["public"], stream))


def row_of(state: Any, key: int = 1) -> Any:
    """The observation of the seat to act, as a row."""
    row = np.zeros(1, OBSERVATION)[0]
    write_observation(state, np.uint64(key), row)
    return row


def searching(calls: float = CALLS, plays: float = PLAYS, steps: int = 4) -> Any:
    ws = new_search()[0]
    ws["calls_weight"], ws["plays_weight"], ws["steps"] = -log(calls), -log(plays), steps
    return ws


@jit
def _begin(ws: Any, row: Any) -> None:
    ws["stream"][0] = row["key"]
    prepare(ws["view"], private_of(row), row["public"])
    chain.begin(ws, private_of(row), row["public"])


@jit
def _next(ws: Any, row: Any) -> None:
    chain.imagine_likely(ws, private_of(row), row["public"])


@jit
def _chain(ws: Any, row: Any, hands: Any) -> None:
    """The hands of as many worlds as there are rows in `hands`."""
    for place in range(len(hands)):
        chain.imagine_likely(ws, private_of(row), row["public"])
        hands[place] = ws["world"]["hands"]


@jit
def _logs_of(ws: Any, row: Any, hands: Any, dead: Any, logs: Any) -> None:
    """Logarithms of the likelihoods of layouts."""
    for place in range(len(dead)):
        write_world(private_of(row), row["public"], hands[place], dead[place], ws["stream"], ws["world"])
        logs[place] = 0.0
        for seat in range(SEATS):
            if seat != row["seat"]:
                logs[place] += log_likelihood(ws, seat)


# ------------------------------------------------------------------------------------------- likelihoods, a second time


def replayed(world: Any) -> Iterator[tuple[Any, int]]:
    """The STATE before each action that led to a world, from its deal on, and the action; each is legal."""
    obs = Obs(row_of(world))
    public = world["public"]
    declarer = int(public["declarer"])
    taken, buried = int(world["taken"].sum()), int(world["buried"].sum())
    hands = [
        int(hand) | mask_of(card for who, card in obs.played if who == seat) for seat, hand in enumerate(world["hands"])
    ]
    if taken:
        hands[declarer] = (hands[declarer] | buried) & ~taken
    state = np.zeros(1, STATE)[0]
    state["hands"], state["kitty"] = hands, world["kitty"]
    start(state, public["rules"], int(public["dealer"]))
    set_game(state, int(public["hand_number"]), public["scores"], public["sets"])
    actions = [*obs.calls.values(), *([obs.naming] if obs.naming is not None else [])]
    actions += [*cards_of(buried), *(card for _, card in obs.played)]
    for action in actions:
        assert is_among(int(legal(state)), action, state["public"]["phase"])
        yield state, action
        step(state, action)
    assert copied(state["public"]).tobytes() == copied(public).tobytes()
    assert state["hands"].tolist() == world["hands"].tolist()


def as_good(state: Any, card: int, other: int) -> bool:
    """True if no card of another player, nor the one that wins the trick, lies between two cards of a hand."""
    public, seat = state["public"], int(state["public"]["turn"])
    others = int(deck(public["rules"])) & ~int(public["gone"] | state["hands"][seat] | state["buried"][seat])
    if public["winning"] >= 0:
        others |= 1 << int(public["winning"])
    if {card, other} == set(cards_of(JOKERS)) and trump_of(int(public["naming"])) == NO_SUIT:
        return True
    for suit in range(len(SUIT_MASKS)):
        order = suit_order(int(public["naming"]), suit)
        if card in order and other in order:
            first, last = sorted((order.index(card), order.index(other)))
            return not others & mask_of(order[first + 1 : last])
    return False


def plain_log(world: Any, own: int) -> float:
    """The likelihood of what the others did in a world, by playing it again."""
    total = 0.0
    for state, action in replayed(world):
        phase, wanted = state["public"]["phase"], model(state)
        if state["public"]["turn"] == own or phase not in (CALLING, NAMING, PLAYING) or wanted == action:
            continue
        if phase == PLAYING:
            total += 0.0 if as_good(state, wanted, action) else log(PLAYS)
        else:
            total += log(CALLS) * (plain_distance(action, wanted) if phase == CALLING else 1.0)
    return total


def plain_distance(call: int, other: int) -> float:
    if PASS in (call, other):
        return 1.0
    levels = abs(level_of(call) - level_of(other))
    return min(1.0, 0.25 * levels + (0.4 if strain_of(call) != strain_of(other) else 0.0))


@every_preset
def test_likelihoods_are_those_of_the_hand_played_again(name: str) -> None:
    """In worlds of the chain, each of which leads to what was seen."""
    ws, seen = searching(), 0.0
    for place, state in enumerate(positions(PRESETS[name], 5)):
        if place % 3 == 0:
            row, own = row_of(state, place), int(state["public"]["turn"])
            _begin(ws, row)
            for _ in range(2):
                _next(ws, row)
                world = copied(ws["world"])
                found = sum(log_likelihood(ws, seat) for seat in range(SEATS) if seat != own)
                assert found == pytest.approx(plain_log(world, own))
                assert (
                    found == pytest.approx(sum(ws["logs"][seat] for seat in range(SEATS) if seat != own)) or not found
                )
                seen += found
    assert seen < 0


@pytest.mark.parametrize(
    ("call", "other", "apart"),
    [(54, 54, 0.0), (54, 55, 1.0), (55, 54, 1.0), (59, 63, 0.25), (59, 60, 0.4), (59, 64, 0.65), (55, 82, 1.0)],
)
def test_calls_are_farther_apart_by_level_and_strain(call: int, other: int, apart: float) -> None:
    assert distance(call, other) == pytest.approx(apart)


def test_with_floors_of_100_percent_nothing_is_noted() -> None:
    state = list(map(copied, positions(PRESETS["classic"], 1)))[20]
    for calls, plays, phases in ((1.0, 1.0, set()), (1.0, PLAYS, {PLAYING}), (CALLS, 1.0, {CALLING, NAMING})):
        ws, row = searching(calls, plays), row_of(state)
        recall(ws, private_of(row), row["public"])
        assert {int(ws["seen"][event]["phase"]) for event in range(int(ws["events"]))} <= phases
        assert (int(ws["events"]) > 0) == bool(phases)


# ------------------------------------------------------------------------------------------------- the chain of worlds


def layouts(row: Any) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """All layouts of an ending, as hands and dead cards, from the rules' masks of voids."""
    public, own = row["public"], int(row["seat"])
    hidden = int(deck(public["rules"])) & ~int(public["gone"] | row["hand"])
    others = [seat for seat in range(SEATS) if seat != own]
    found: list[tuple[list[int], int]] = []

    def deal(seats: list[int], rest: int, hands: list[int]) -> None:
        if not seats:
            found.append((hands, rest))
            return
        free = cards_of(rest & ~int(public["void"][seats[0]]))
        for chosen in combinations(free, int(public["left"][seats[0]])):
            cards = mask_of(chosen)
            deal(seats[1:], rest & ~cards, [*hands[: seats[0]], cards, *hands[seats[0] + 1 :]])

    deal(others, hidden, [int(row["hand"]) if seat == own else 0 for seat in range(SEATS)])
    return np.array([hands for hands, _ in found]), np.array([dead for _, dead in found])


@pytest.mark.parametrize(("name", "played"), [("no-kitty", 40), ("no-kitty", 42), ("classic", 43)])
def test_worlds_come_as_often_as_they_are_likely(name: str, played: int) -> None:
    """Total variation between the worlds of the chain and all worlds of an ending, each with its likelihood."""
    states = (state for seed in range(100) for state in positions(PRESETS[name], seed))
    row = next(row_of(state) for state in states if state["public"]["played"] == played)
    hands, dead = layouts(row)
    ws, logs, drawn = searching(), np.zeros(len(dead)), np.zeros((400_000, SEATS), np.int64)
    _begin(ws, row)
    _logs_of(ws, row, hands, dead, logs)
    exact = np.exp(logs) / np.exp(logs).sum()
    _chain(ws, row, drawn)
    often = Counter(map(tuple, drawn.tolist()))
    assert often.keys() <= set(map(tuple, hands.tolist()))
    off = (
        sum(abs(often[tuple(each)] / len(drawn) - share) for each, share in zip(hands.tolist(), exact, strict=True)) / 2
    )
    uniform = np.abs(exact - 1 / len(exact)).sum() / 2
    assert off < 0.04 < 0.1 < uniform


def test_row_45_who_failed_to_follow_trumps_has_no_trump_and_no_joker() -> None:
    """Nor in the chain, where cards are swapped: East and West have not followed the ace of trumps."""
    state = come_to("UH", [".AK..2", "98...7", ".3.4..R", "76...8"], "HA S8 H3 S7", 0)
    row, ws, drawn, trumps = row_of(state), searching(), np.zeros((500, SEATS), np.int64), SUIT_MASKS[HEARTS] | JOKERS
    _begin(ws, row)
    _chain(ws, row, drawn)
    assert not (drawn[:, [1, 3]] & trumps).any()
    assert 0 < ((drawn[:, 2] & JOKERS) != 0).sum() < 500


# ------------------------------------------------------------------------------------------------------------- the bot


def answers(spec: str, rows: NDArray[np.void]) -> list[int]:
    decider = find_bot(spec).load(PRESETS["classic"])
    return [int(action) for action in decider.decide(rows, np.zeros(len(rows), np.int64))]


def rows_of(name: str, seeds: range) -> NDArray[np.void]:
    return np.array(
        [row_of(state, seed + 1) for seed in seeds for state in positions(PRESETS[name], seed)], OBSERVATION
    )


@every_preset
def test_it_is_legal_with_one_world(name: str) -> None:
    rows = rows_of(name, range(6))
    for spec in ("belief?worlds=1&steps=1", "belief?worlds=2&calls_floor=1&plays_floor=1"):
        for row, action in zip(rows, answers(spec, rows), strict=True):
            assert action in Obs(row).legal


@every_preset
def test_with_floors_of_100_percent_it_is_mc(name: str) -> None:
    rows = rows_of(name, range(2))
    free = answers("belief?worlds=5&calls_floor=100&plays_floor=100", rows)
    assert free == answers("mc?worlds=5", rows)
    assert free != answers("belief?worlds=5", rows)


def test_an_answer_does_not_depend_on_those_before() -> None:
    for name in ("classic", "traditional"):
        rows = rows_of(name, range(2))
        assert answers("belief?worlds=5", rows) == answers("belief?worlds=5", rows[::-1].copy())[::-1]
