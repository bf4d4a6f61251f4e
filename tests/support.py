"""What several tests share: random hands recorded by the engine, the twin's view of cards, rule sets to draw from."""

from collections.abc import Iterable
from typing import Any

import numpy as np
import pytest
from hypothesis import settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from bidwhist._jit import jit
from bidwhist.actions import NONE, PASS, WORDS
from bidwhist.bits import count, lowest, nth
from bidwhist.cards import CARDS, SEATS, cards_of
from bidwhist.deal import deal, deck
from bidwhist.public import CALLING, DONE, PLAYING
from bidwhist.rules import OPTIONS, PRESETS, Rules
from bidwhist.score import UNDECIDED, game_winner
from bidwhist.state import STATE, first_action, is_made, legal, score_change, set_game, start, step
from bidwhist.streams import below, new_stream
from twin.actions import id_card
from twin.hand import TwinHand
from twin.rules import TwinRules

settings.register_profile("no deadline", deadline=None)  # a first call may compile
settings.load_profile("no deadline")

every_preset = pytest.mark.parametrize("name", list(PRESETS))

# --------------------------------------------------------------------------------------------------- states to step


def new_state(rules: Rules, hands: Iterable[int], kitty: int, dealer: int) -> Any:
    """A STATE record of a hand about to begin."""
    state = np.zeros(1, STATE)[0]
    state["hands"] = list(hands)
    state["kitty"] = kitty
    start(state, rules.record(), dealer)
    return state


def copied(record: Any) -> Any:
    """A copy of a NumPy record with zeros as padding between its fields, so that its bytes can be compared."""
    copy = np.zeros(1, record.dtype)
    copy[0] = record
    return copy[0]


def random_deal(rules: Rules, seed: int) -> tuple[list[int], int]:
    """Four hands and a kitty, dealt from a stream that starts at `seed`."""
    hands: NDArray[np.int64] = np.zeros(SEATS, np.int64)
    kitty = deal(rules.record(), new_stream(seed), hands)
    return [int(hand) for hand in hands], int(kitty)


def legal_actions(state: Any) -> list[int]:
    """Ids of the legal actions, lowest first."""
    first = int(first_action(state["public"]["phase"]))
    return [first + bit for bit in cards_of(int(legal(state)))]


def ending(rules: Rules, hands: list[int], leader: int, naming: int) -> Any:
    """A STATE record in which `leader` leads to these equally long hands, the earlier tricks played."""
    state = new_state(rules, hands, 0, (leader + 3) % SEATS)
    public = state["public"]
    tricks = rules.hand_size - count(hands[0])
    public["phase"], public["turn"], public["naming"] = PLAYING, leader, naming
    public["declarer"], public["bid"] = leader, PASS + 1
    public["left"], public["played"] = count(hands[0]), SEATS * tricks
    public["leaders"][tricks] = leader
    public["gone"] = int(deck(rules.record())) & ~sum(hands)
    return state


@jit
def count_leaves(states: Any, last_phase: int) -> int:
    """Number of ways to go on from `states[0]` until `last_phase`; `states` is a stack that is deep enough."""
    options = np.zeros(len(states), np.int64)
    options[0] = legal(states[0])
    depth, leaves = 0, 0
    while depth >= 0:
        if states[depth]["public"]["phase"] == last_phase:
            leaves += 1
            depth -= 1
        elif options[depth] == 0:
            depth -= 1
        else:
            action = first_action(states[depth]["public"]["phase"]) + lowest(options[depth])
            options[depth] &= options[depth] - 1
            states[depth + 1] = states[depth]
            depth += 1
            step(states[depth], action)
            options[depth] = legal(states[depth])
    return leaves


def leaves_below(state: Any, last_phase: int, depth: int) -> int:
    """`count_leaves` from a state that is at most `depth` actions from `last_phase`."""
    states = np.zeros(depth + 1, STATE)
    states[0] = state
    return int(count_leaves(states, last_phase))


# ---------------------------------------------------------------------------------------------------- recorded hands

# What is recorded before each action, and once more when the hand is done (with action NONE).
COLUMNS = (
    *("action", "phase", "turn", "legal", "declarer", "tricks NS", "tricks EW", "kitty side"),
    *("void N", "void E", "void S", "void W", "sported"),
)
_MOST_ROWS = 64  # a hand's 4 calls, naming, 6 discards, 52 cards and its end


@jit
def _choose(options: int, phase: int, stream: Any) -> int:
    """A random legal action; half of the calls are passes, or most contracts would be at level 7."""
    if phase == CALLING and options & 1 != 0 and below(stream, 2) == 0:
        return PASS
    return first_action(phase) + nth(options, below(stream, count(options)))


@jit
def _write_row(row: Any, state: Any, action: int) -> None:
    public = state["public"]
    row[0] = action
    row[1] = public["phase"]
    row[2] = public["turn"]
    row[3] = legal(state)
    row[4] = public["declarer"]
    row[5] = public["tricks"][0]
    row[6] = public["tricks"][1]
    row[7] = public["kitty_side"]
    for seat in range(SEATS):
        row[8 + seat] = public["void"][seat]
    row[12] = public["sported"]


@jit
def _play_hand(state: Any, stream: Any, rows: Any) -> int:
    """Finish a hand at random; returns the number of rows written."""
    used = 0
    while state["public"]["phase"] != DONE:
        action = _choose(legal(state), state["public"]["phase"], stream)
        _write_row(rows[used], state, action)
        step(state, action)
        used += 1
    _write_row(rows[used], state, NONE)
    return used + 1


@jit
def _play_games(rules: Any, stream: Any, begun: Any, done: Any, winners: Any, ends: Any, rows: Any) -> None:
    scores, sets, number = np.zeros(2, np.int64), np.zeros(2, np.int64), 0
    used = 0
    for hand in range(len(done)):
        state = done[hand]
        state["kitty"] = deal(rules, stream, state["hands"])
        start(state, rules, hand % SEATS)
        set_game(state, number, scores, sets)
        begun[hand] = state
        used += _play_hand(state, stream, rows[used:])
        ends[hand] = used
        number += 1
        side = state["public"]["declarer"] & 1
        for each in range(2):
            scores[each] += score_change(state["public"], each)
        if not is_made(state["public"]):
            sets[side] += 1
        winners[hand] = game_winner(rules, scores, sets, number, side)
        if winners[hand] != UNDECIDED:
            scores[:] = 0
            sets[:] = 0
            number = 0


class Record:
    """`hands` random hands by the engine, in games one after another; hand h is dealt by seat h mod 4.

    `begun` and `done` are their STATE records at the start and at the end, `winners` what `game_winner` said after
    each, and `rows(h)` lists of the COLUMNS at every step of hand h.
    """

    def __init__(self, rules: Rules, seed: int, hands: int) -> None:
        self.begun = np.zeros(hands, STATE)
        self.done = np.zeros(hands, STATE)
        self.winners: NDArray[np.int64] = np.zeros(hands, np.int64)
        self._ends: NDArray[np.int64] = np.zeros(hands, np.int64)
        self._rows: NDArray[np.int64] = np.zeros((hands * _MOST_ROWS, len(COLUMNS)), np.int64)
        arrays = (self.begun, self.done, self.winners, self._ends, self._rows)
        _play_games(rules.record(), new_stream(seed), *arrays)

    def rows(self, hand: int) -> list[list[int]]:
        """The recorded steps of one hand."""
        first = self._ends[hand - 1] if hand else 0
        rows: list[list[int]] = self._rows[first : self._ends[hand]].tolist()
        return rows

    def all_rows(self) -> list[list[int]]:
        """The recorded steps of all hands."""
        rows: list[list[int]] = self._rows[: self._ends[-1]].tolist()
        return rows


# ----------------------------------------------------------------------------------------------------------- the twin


def twin_rules(rules: Rules) -> TwinRules:
    """The same rules for the twin, which checks them by itself."""
    return TwinRules(**rules.as_dict())  # type: ignore[arg-type]


_BITS = {id_card(card): 1 << card for card in range(CARDS)}


def texts(mask: int) -> list[str]:
    """Cards of a mask as the twin writes them."""
    return [id_card(card) for card in cards_of(mask)]


def mask(cards: Iterable[str]) -> int:
    """Mask of cards as the twin writes them."""
    return sum([_BITS[card] for card in cards])


def hand_of(text: str) -> int:
    """Mask of cards written with spaces between, as in `SA HT JR`."""
    return mask(text.split())


def words(*actions: int) -> int:
    """Mask of words with exactly these calls or namings."""
    return sum(1 << action - WORDS for action in actions)


class RememberingTwin(TwinHand):
    """The twin, which works out its legal actions once a step: nearly half of its time goes there."""

    _legal: set[int] | None = None

    def legal(self) -> set[int]:
        """As the twin's own."""
        if self._legal is None:
            self._legal = super().legal()
        return self._legal

    def act(self, action: int) -> None:
        """As the twin's own."""
        super().act(action)
        self._legal = None


# ------------------------------------------------------------------------------------------------- rule sets to draw


@st.composite
def rule_sets(draw: st.DrawFn) -> Rules:
    """Any playable combination of rule fields; half of the targets and caps are small, so that games end."""
    chosen: dict[str, Any] = {name: draw(st.sampled_from(option.values)) for name, option in OPTIONS.items()}
    chosen["jokers"], chosen["kitty_size"] = draw(st.sampled_from([(2, 6), (1, 5), (0, 4), (0, 0)]))
    kitties = ["book", "exchange", "exchange-first-trick"] if chosen["kitty_size"] else ["none"]
    chosen["kitty"] = draw(st.sampled_from(kitties))
    if not chosen["kitty"].startswith("exchange"):
        chosen["sported"], chosen["naming"] = False, "before"
    if chosen["bids"] == "number":
        chosen["same_level"] = "ranked"
    if draw(st.booleans()):
        chosen["target"], chosen["cap"] = draw(st.integers(1, 9)), draw(st.integers(1, 9))
    return Rules(**chosen)
