"""The house bot `pimc`: what it need not find out makes no difference, and who is clearly behind is dropped."""

import gc
import time
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from bidwhist._jit import jit
from bidwhist.actions import BARE, bid, level_of
from bidwhist.cards import CARDS, SEATS
from bidwhist.notation import format_action
from bidwhist.observation import private_of
from bidwhist.public import PLAYING
from bidwhist.rules import CLASSIC, PRESETS
from bidwhist.score import ALL_BOOKS
from bidwhist.solver.front import score_cards
from bidwhist.solver.position import Position
from bidwhist.solver.values import NO_LIMIT
from bidwhist.solver.workspace import WORKSPACE
from bidwhist.state import books, is_no_trump
from bidwhist_bots import mc, pimc
from bidwhist_bots.racing import begin_race, drop_those_behind, note_world
from bidwhist_bots.search import imagine, new_search
from bidwhist_bots.standing import BOOK, value_results
from support import every_preset
from test_search_bots import in_play, met_at_random, row_of, seated

NONE = np.zeros(1, np.int64)


@jit
def _weigh(search: Any, solver: Any, rows: Any, worlds: int) -> None:
    private, public = private_of(rows[0]), rows[0]["public"]
    mc.begin(search[0], private, public)
    pimc.begin(search[0], solver[0], private, public)
    pimc.extend(search[0], solver[0], private, public, worlds)


@jit
def _imagine(search: Any, rows: Any, hands: Any) -> None:
    private, public = private_of(rows[0]), rows[0]["public"]
    mc.begin(search[0], private, public)
    for world in range(len(hands)):
        imagine(search[0], private, public)
        hands[world] = search[0]["world"]["hands"]


def weighed(row: NDArray[np.void], worlds: int) -> tuple[Any, int]:
    """The SEARCH record after so many worlds, and the nodes that it took."""
    search, solver = new_search(), np.zeros(1, WORKSPACE)
    search["most_cards"], solver["limit"] = CARDS, NO_LIMIT
    _weigh(search, solver, row, worlds)
    return search[0], int(solver[0]["nodes"])


def exact_books(row: NDArray[np.void], worlds: int) -> NDArray[np.int64]:
    """Books of the declaring side by world and candidate, with the exact tricks of each card."""
    search, public = new_search(), row[0]["public"]
    hands = np.zeros((worlds, SEATS), np.int64)
    _imagine(search, row, hands)
    actions = search[0]["actions"][: search[0]["candidates"]]
    on_table, declaring = int(public["played"]) % SEATS, int(public["declarer"]) & 1
    trick = tuple(int(card) for card in public["plays"][: public["played"]][int(public["played"]) - on_table :])
    leader = (int(public["turn"]) - on_table) % SEATS
    found = np.zeros((worlds, len(actions)), np.int64)
    for world, (n, e, s, w) in enumerate(hands):
        position = Position((int(n), int(e), int(s), int(w)), int(public["naming"]), leader, trick)
        tricks = {card: score.least for score in score_cards(position) for card in (score.card, *score.alike)}
        mine = np.array([tricks[int(action)] for action in actions])
        found[world] = books(public, declaring)
        found[world] += mine if position.turn & 1 == declaring else position.size - mine
    return found


@every_preset
def test_it_chooses_as_by_exact_values_of_the_points(name: str) -> None:
    """Results of the same points are not told apart; a book counts beside points only where these differ."""
    rows = met_at_random("pimc?worlds=1", PRESETS[name], 4)[0]
    rows = rows[(rows["public"]["phase"] == PLAYING) & (rows["public"]["played"] >= 20)][::3]
    told_apart = 0
    for place in range(len(rows)):
        row = rows[place : place + 1].copy()
        public = row[0]["public"]
        declaring, is_nt = int(public["declarer"]) & 1, int(is_no_trump(int(public["naming"])))
        won = exact_books(row, 3)
        ws, _ = weighed(row, 3)
        value = ws["value"][declaring, level_of(int(public["bid"])), is_nt]
        kept = BOOK * np.arange(ALL_BOOKS + 1) * (1 if int(row[0]["seat"]) & 1 == declaring else -1)
        points = value - kept
        clipped = np.clip(won, ws["least"], ws["most"])
        assert (points[clipped] == points[won]).all()
        action = ws["actions"][np.argmax(ws["sums"][: ws["candidates"]])]
        sums = value[clipped].sum(axis=0)
        assert action == new_candidates(row)[np.argmax(sums)]
        told_apart += len(set(sums)) > 1
    assert told_apart > 0


def new_candidates(row: NDArray[np.void]) -> NDArray[np.int64]:
    """The candidates, none dropped."""
    search = new_search()
    _imagine(search, row, np.zeros((0, SEATS), np.int64))
    found: NDArray[np.int64] = search[0]["actions"].copy()
    return found


def test_where_no_points_are_left_to_win_the_heuristics_card_is_played_unsearched() -> None:
    state = in_play("UH", ["A2.3...", "43.5...", "65.7...", ".A4.6.."])
    for taken, is_searched in ((0, True), (9, False)):
        state["public"]["tricks"] = 9 - taken, taken
        ws, nodes = weighed(row_of(state), 3)
        assert (nodes > 0) == is_searched == (ws["candidates"] > 1)
    assert format_action(int(ws["actions"][0])) == format_action(
        int(seated("heuristic").decide(row_of(state), NONE)[0])
    )


def test_a_kitty_that_goes_with_the_first_trick_may_still_make_the_contract() -> None:
    """Of a bid of seven all 12 tricks and the kitty are needed."""
    rows = met_at_random("random", PRESETS["no-jokers-52"], 2)[0]
    row = rows[(rows["public"]["phase"] == PLAYING) & (rows["public"]["played"] == 0)][:1]
    assert len(row) == 1
    row["public"]["bid"] = bid(7, BARE)
    ws, _ = weighed(row, 0)
    assert (ws["least"], ws["most"]) == (12, 13)


@every_preset
def test_what_is_worth_the_same_has_equal_sums(name: str) -> None:
    """All values are whole sixteenths, so that sums are exact."""
    row = met_at_random("random", PRESETS[name], 1)[0][-1]
    search = new_search()[0]
    for level in range(1, 8):
        value_results(search, row["public"], 0, level, 1)
    sixteenths = search["value"] * 16
    assert (sixteenths == np.round(sixteenths)).all()


# --------------------------------------------------------------------------------------------------------- the race


def raced(worths: NDArray[np.float64]) -> Any:
    """The SEARCH record after a race; `worths` by world and candidate, whose actions are 0, 1, 2 …"""
    ws = new_search()[0]
    ws["candidates"], ws["drawn"] = worths.shape[1], 0
    ws["actions"][: worths.shape[1]] = np.arange(worths.shape[1])
    begin_race(ws, 4, 1.5)
    for row in worths:
        ws["worths"][: ws["candidates"]] = row[ws["actions"][: ws["candidates"]]]
        note_world(ws)
        drop_those_behind(ws)
    return ws


def left_in(ws: Any) -> list[int]:
    return [int(action) for action in ws["actions"][: ws["candidates"]]]


def test_equals_stay_in_the_race_and_in_order() -> None:
    assert left_in(raced(np.ones((50, 5)))) == [0, 1, 2, 3, 4]


def test_who_is_always_behind_is_dropped_but_not_at_once() -> None:
    worths = np.array([[1.0, 0.0, 1.0, 0.5]] * 20)
    assert left_in(raced(worths[:3])) == [0, 1, 2, 3]
    assert left_in(raced(worths)) == [0, 2]


def test_a_difference_within_the_noise_drops_nobody() -> None:
    worths = np.zeros((40, 2))
    worths[::2, 0], worths[1::2, 1] = 1.0, 0.9
    assert left_in(raced(worths)) == [0, 1]


@pytest.mark.parametrize("seed", range(20))
def test_who_is_left_has_the_sums_and_differences_of_all_worlds(seed: int) -> None:
    random = np.random.default_rng(seed)
    worths = np.round(random.normal(size=(30, 6)) * 4 + random.normal(size=6)) / 16
    ws = raced(worths)
    left = left_in(ws)
    assert left == sorted(left)
    best = max(range(6), key=lambda place: worths.sum(axis=0)[place])
    assert len(left) < 6 or best in left
    for place, one in enumerate(left):
        assert ws["sums"][place] == worths[:, one].sum()
        for at, other in enumerate(left):
            assert ws["apart"][place, at] == ((worths[:, one] - worths[:, other]) ** 2).sum()


# ----------------------------------------------------------------------------------------------------------- the clock


@pytest.mark.parametrize("bot", ["mc", "belief", "pimc"])
def test_a_decision_keeps_to_its_time(bot: str) -> None:
    """In time of the processor, since other programs may hold it up; one in fifty may be held up all the same."""
    rows = met_at_random("mc?worlds=1", CLASSIC, 2)[0]
    assert len(rows) > 100
    decider = seated(f"{bot}?ms=10")
    spent = []
    for place in range(len(rows)):
        began = time.process_time()
        decider.decide(rows[place : place + 1], NONE)
        spent.append(time.process_time() - began)
    assert np.quantile(spent[1:], 0.98) < 0.012


def test_no_garbage_is_collected_while_it_decides(monkeypatch: pytest.MonkeyPatch) -> None:
    rows, decider = met_at_random("mc?worlds=1", CLASSIC, 1)[0][:3], seated("mc?ms=1")
    seen = []

    def clock() -> float:
        seen.append(gc.isenabled())
        return now()

    now = time.perf_counter
    monkeypatch.setattr(time, "perf_counter", clock)
    decider.decide(rows, NONE)
    assert len(seen) > 3
    assert not any(seen)
    assert gc.isenabled()
