"""House bots: behind the engine's interface, and inside a kernel that plays them without leaving compiled code.

The one place that imports their code.
"""

from collections.abc import Sequence
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from bidwhist._jit import int64, jit, shared
from bidwhist.actions import NONE
from bidwhist.arena.house_specs import house_parameters
from bidwhist.bits import lowest
from bidwhist.bot.spec import Spec
from bidwhist.cards import SEATS
from bidwhist.engine.batch import Decider
from bidwhist.engine.sequence import ENDED, TABLE, Played, begin_hand, end_hand, in_order, take_up
from bidwhist.observation import play_private, private_of, private_part
from bidwhist.public import CALLING, NOBODY, PLAYING
from bidwhist.rules import Rules
from bidwhist.state import end_trick, first_action, lay_card, legal, show_trick, step
from bidwhist.streams import new_stream, use_key
from bidwhist.trick import leads_trick, legal_plays, suit_to_follow
from bidwhist_bots import heuristic, random

# A house bot with its parameters is a number to the kernel.
_RANDOM, _RANDOM_PASS, _HEURISTIC = range(3)
_NUMBERS: Final = {
    ("random", (("calls", "uniform"),)): _RANDOM,
    ("random", (("calls", "pass"),)): _RANDOM_PASS,
    ("heuristic", ()): _HEURISTIC,
}


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
    tables: Any, rules: Any, sequences: Any, numbers: Any, deal_key: Any, bot_key: Any, stream: Any, ended: Any
) -> int:
    """Play sequences one after the other at one table, bots by their numbers; returns how many hands ended."""
    table, ends = tables[0], 0
    for place in range(len(sequences)):
        sequence = sequences[place]
        take_up(table, place)
        goes_on = True
        while goes_on:
            begin_hand(table, rules, sequence, deal_key, bot_key, stream)
            _play_hand(table, sequence["lineup"], numbers, stream)
            goes_on = end_hand(table, rules, sequence["hands"], ended[ends])
            ends += 1
    return ends


@shared
def _play_hand(table: Any, lineup: Any, numbers: Any, stream: Any) -> None:
    state = table["state"]
    public = state["public"]
    while public["phase"] != PLAYING:
        options = legal(state)
        action = first_action(public["phase"]) + lowest(options)
        if options & (options - 1) != 0:
            seat = int64(public["turn"])
            private = private_part(state, table["seat_keys"][seat])
            action = _answer(numbers[lineup[seat]], private, public, stream)
        step(state, action)
    _play_cards(table, lineup, numbers, stream)


@shared
def _play_cards(table: Any, lineup: Any, numbers: Any, stream: Any) -> None:
    """The tricks of a hand, with what a trick needs kept in registers: the same steps as in bidwhist.state."""
    state = table["state"]
    public = state["public"]
    naming = int64(public["naming"])
    for trick in range(public["rules"]["hand_size"]):
        seat, led, winning, winner = int64(public["turn"]), 0, NONE, int64(NOBODY)
        for _ in range(SEATS):
            hand = state["hands"][seat]
            options = legal_plays(hand, led)
            private = play_private(state, seat, options, trick, table["seat_keys"][seat])
            stream[0] = private.key
            # Not by `_play`: a function with all bots in it is too large to be inlined, and the call would cost more
            # than the card. `random` is asked with one card to play, too: that is cheaper than a jump.
            card = (
                random.play(private, public, stream)
                if numbers[lineup[seat]] != _HEURISTIC
                else lowest(options)
                if options & (options - 1) == 0
                else heuristic.play(private, public, stream)
            )
            lay_card(state, seat, card, led)
            winning, winner = leads_trick(naming, winning, winner, card, seat)
            led = suit_to_follow(naming, led, card)
            seat = (seat + 1) % SEATS
            show_trick(public, seat, led, winning, winner)
        end_trick(public)


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
    numbers = np.array([bot.number for bot in bots], np.int64)
    ended = np.zeros(int(sequences["hands"].sum()), ENDED)
    keys = use_key(seed, "deals"), use_key(seed, "bots")
    ends = _play_sequences(np.zeros(1, TABLE), rules.record(), sequences, numbers, *keys, new_stream(0), ended)
    return in_order(ended[:ends])
