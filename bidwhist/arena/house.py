"""House bots: behind the engine's interface, and inside a kernel that plays them without leaving compiled code.

The one place that imports their code.
"""

from collections.abc import Sequence
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from bidwhist._jit import int64, jit, shared
from bidwhist.arena.house_specs import house_parameters
from bidwhist.bits import lowest
from bidwhist.bot.spec import Spec
from bidwhist.cards import SEATS
from bidwhist.engine.batch import Decider
from bidwhist.engine.sequence import ENDED, TABLE, Played, begin_hand, end_hand, in_order, take_up
from bidwhist.observation import private_of, private_of_seat, private_part
from bidwhist.public import CALLING, PLAYING
from bidwhist.rules import Rules
from bidwhist.state import first_action, legal, play_card, play_decision, step
from bidwhist.streams import decision_key, new_stream, use_key
from bidwhist.trick import legal_plays
from bidwhist_bots import heuristic, random

# A house bot with its parameters is a number to the kernel.
_RANDOM, _RANDOM_PASS, _HEURISTIC = range(3)
_NUMBERS: Final = {
    ("random", (("calls", "uniform"),)): _RANDOM,
    ("random", (("calls", "pass"),)): _RANDOM_PASS,
    ("heuristic", ()): _HEURISTIC,
}

_TABLES: Final = 16


@shared
def _call(bot: int, private: Any, public: Any, stream: Any) -> int:
    if bot == _HEURISTIC:
        return heuristic.call(private, public, stream)
    if bot == _RANDOM_PASS:
        return random.call_pass(private, public, stream)
    return random.call(private, public, stream)


@shared
def _prepare(bot: int, private: Any, public: Any, stream: Any) -> int:
    if bot == _HEURISTIC:
        return heuristic.prepare(private, public, stream)
    return random.prepare(private, public, stream)


@shared
def _play(bot: int, private: Any, public: Any, stream: Any) -> int:
    if bot == _HEURISTIC:
        return heuristic.play(private, public, stream)
    return random.play(private, public, stream)


@shared
def _answer(bot: int, private: Any, public: Any, stream: Any) -> int:
    stream[0] = private.key
    if public["phase"] == PLAYING:
        return _play(bot, private, public, stream)
    if public["phase"] == CALLING:
        return _call(bot, private, public, stream)
    return _prepare(bot, private, public, stream)


@jit
def _decide(bot: int, rows: Any, actions: Any, stream: Any) -> None:
    for place in range(len(rows)):
        actions[place] = _answer(bot, private_of(rows[place]), rows[place]["public"], stream)


@jit
def _play_sequences(
    tables: Any, rules: Any, sequences: Any, numbers: Any, deal_key: Any, bot_key: Any, ended: Any
) -> int:
    """Play sequences, `numbers` being those of the bots in lineups; returns how many hands ended.

    The tables are played in turn, card by card: what happens at one does not wait for what has just happened at
    another, so the processor works on several at once.
    """
    seated, ends = min(len(tables), len(sequences)), 0
    taken = seated
    for place in range(seated):
        take_up(tables[place], place, sequences, numbers)
    while seated > 0:
        for place in range(seated):
            begin_hand(tables[place], rules, sequences[tables[place]["sequence"]], deal_key, bot_key)
        _call_and_prepare(tables, seated)
        _play_cards(tables, seated, int64(rules["hand_size"]))
        kept = 0
        for place in range(seated):
            table = tables[place]
            goes_on = end_hand(table, rules, sequences[table["sequence"]]["hands"], ended[ends])
            ends += 1
            if not goes_on and taken < len(sequences):
                take_up(table, taken, sequences, numbers)
                taken += 1
                goes_on = True
            if goes_on:
                if kept < place:
                    tables[kept] = table
                kept += 1
        seated = kept
    return ends


@shared
def _call_and_prepare(tables: Any, seated: int) -> None:
    waits = True
    while waits:
        waits = False
        for place in range(seated):
            table = tables[place]
            state = table["state"]
            public = state["public"]
            if public["phase"] == PLAYING:
                continue
            waits = True
            options = legal(state)
            action = first_action(public["phase"]) + lowest(options)
            if options & (options - 1) != 0:
                seat = public["turn"] & 3
                private = private_part(state, options, table["seat_keys"][seat])
                action = _answer(table["lineup"][seat], private, public, table["stream"])
            step(state, action)


@shared
def _play_cards(tables: Any, seated: int, hand_size: int) -> None:
    for card in range(SEATS * hand_size):
        for place in range(seated):
            _play_card(tables[place], card >> 2)


@shared
def _play_card(table: Any, trick: int) -> None:
    state, stream = table["state"], table["stream"]
    public = state["public"]
    seat = public["turn"] & 3
    options = legal_plays(state["hands"][seat], public["led"])
    private = private_of_seat(state, seat, options, decision_key(table["seat_keys"][seat], play_decision(trick)))
    stream[0] = private.key
    # They are asked with one card to play, too: that is cheaper than a jump.
    if table["lineup"][seat] == _HEURISTIC:
        card = heuristic.play(private, public, stream)
    else:
        card = random.play(private, public, stream)
    play_card(state, card)


class HouseDecider:
    """A house bot as the engine asks it."""

    def __init__(self, spec: Spec, name: str) -> None:
        """Raises BotSpecError for an unknown bot or parameter."""
        self._name = name
        self.number = _NUMBERS[house_parameters(spec)]
        self._stream = new_stream(0)

    @property
    def name(self) -> str:
        """The bot's name in messages."""
        return self._name

    def decide(self, rows: NDArray[np.void], sequences: NDArray[np.int64]) -> NDArray[np.int64]:
        """An action for each OBSERVATION row."""
        actions = np.empty(len(rows), np.int64)
        _decide(self.number, rows, actions, self._stream)
        return actions

    def finish(self, sequences: NDArray[np.int64]) -> None:
        """Nothing to forget: a house bot remembers nothing."""


def play_house(rules: Rules, seed: int, sequences: NDArray[np.void], deciders: Sequence[Decider]) -> Played | None:
    """Play SEQUENCE records in one kernel, if all `deciders` are house bots; else None."""
    bots = [decider for decider in deciders if isinstance(decider, HouseDecider)]
    if len(bots) < len(deciders):
        return None
    numbers = np.array([bot.number for bot in bots])
    ended = np.zeros(int(sequences["hands"].sum()), ENDED)
    keys = use_key(seed, "deals"), use_key(seed, "bots")
    ends = _play_sequences(np.zeros(_TABLES, TABLE), rules.record(), sequences, numbers, *keys, ended)
    return in_order(ended[:ends])
