"""Compiled bots, house bots and users' own: a kernel that plays them without leaving compiled code.

The one place that imports the code of house bots.
"""

from collections.abc import Sequence
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from bidwhist._jit import int64, jit, shared
from bidwhist.arena.house_specs import house_parameters
from bidwhist.bits import lowest
from bidwhist.bot.compiled import WORKSPACE, CompiledBot, which
from bidwhist.bot.entry import ask
from bidwhist.bot.found import FUNCTIONS
from bidwhist.bot.spec import Spec
from bidwhist.cards import SEATS
from bidwhist.engine.batch import Decider, DecisionFailed
from bidwhist.engine.fault import bot_fault, illegal, observed
from bidwhist.engine.sequence import ENDED, TABLE, Played, begin_hand, end_hand, in_order, take_up
from bidwhist.errors import BotFault
from bidwhist.observation import OBSERVATION, private_of, private_of_seat, private_part
from bidwhist.public import CALLING, PLAYING
from bidwhist.rules import Rules
from bidwhist.state import first_action, is_among, legal, play_card, play_decision, step
from bidwhist.streams import Key, decision_key, use_key
from bidwhist.trick import legal_plays
from bidwhist_bots import heuristic, random

# To the kernel a house bot with its parameters is a number; a user's bot is _OWN plus its place among `entries`, which
# are the addresses of its functions.
_RANDOM, _RANDOM_PASS, _HEURISTIC, _OWN = range(4)
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
def _call_or_prepare(bot: int, private: Any, public: Any, stream: Any) -> int:
    if public["phase"] == CALLING:
        return _call(bot, private, public, stream)
    return _prepare(bot, private, public, stream)


@jit
def _decide(bot: int, rows: Any, actions: Any, workspace: Any) -> None:
    stream = workspace[0]["stream"]
    for place in range(len(rows)):
        private, public = private_of(rows[place]), rows[place]["public"]
        stream[0] = private.key
        if public["phase"] == PLAYING:
            actions[place] = _play(bot, private, public, stream)
        else:
            actions[place] = _call_or_prepare(bot, private, public, stream)


class _Casino(NamedTuple):
    """What a kernel plays with: `numbers` of the bots, `entries` of users' bots (int64[n, 3]), `ended` hands."""

    tables: NDArray[np.void]
    sequences: NDArray[np.void]
    numbers: NDArray[np.int64]
    entries: NDArray[np.int64]
    rules: Any
    deal_key: Key
    bot_key: Key
    ended: NDArray[np.void]


@jit
def _play_sequences(casino: Any) -> tuple[int, int]:
    """Play all sequences; returns how many hands ended, and the table at which a bot's answer is illegal, or -1.

    The tables are played in turn, card by card: what happens at one does not wait for what has just happened at
    another, so the processor works on several at once.
    """
    tables, sequences, rules = casino.tables, casino.sequences, casino.rules
    seated, ends = min(len(tables), len(sequences)), 0
    taken = seated
    for place in range(seated):
        take_up(tables[place], place, sequences, casino.numbers)
    while seated > 0:
        for place in range(seated):
            sequence = sequences[tables[place]["sequence"]]
            begin_hand(tables[place], rules, sequence, casino.deal_key, casino.bot_key)
        wrong = _call_and_prepare(tables, seated, casino.entries)
        if wrong < 0:
            wrong = _play_cards(tables, seated, casino.entries, int64(rules["hand_size"]))
        if wrong >= 0:
            return ends, wrong
        kept = 0
        for place in range(seated):
            table = tables[place]
            goes_on = end_hand(table, rules, sequences[table["sequence"]]["hands"], casino.ended[ends])
            ends += 1
            if not goes_on and taken < len(sequences):
                take_up(table, taken, sequences, casino.numbers)
                taken += 1
                goes_on = True
            if goes_on:
                if kept < place:
                    tables[kept] = table
                kept += 1
        seated = kept
    return ends, -1


@shared
def _call_and_prepare(tables: Any, seated: int, entries: Any) -> int:
    """All decisions before the play; the table at which one is illegal, or -1."""
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
                seat, stream = public["turn"] & 3, table["stream"]
                bot = table["lineup"][seat]
                private = private_part(state, options, table["seat_keys"][seat])
                stream[0] = private.key
                if bot < _OWN:
                    action = _call_or_prepare(bot, private, public, stream)
                else:
                    action = _ask(table, entries[bot - _OWN, which(public["phase"])], private)
                    if not is_among(options, action, public["phase"]):
                        return place
            step(state, action)
    return -1


@shared
def _play_cards(tables: Any, seated: int, entries: Any, hand_size: int) -> int:
    """All tricks; the table at which a card is illegal, or -1."""
    for number in range(SEATS * hand_size):
        for place in range(seated):
            if not _play_card(tables[place], entries, number >> 2):
                return place
    return -1


@shared
def _play_card(table: Any, entries: Any, trick: int) -> bool:
    state, stream = table["state"], table["stream"]
    public = state["public"]
    seat = public["turn"] & 3
    bot = table["lineup"][seat]
    options = legal_plays(state["hands"][seat], public["led"])
    private = private_of_seat(state, seat, options, decision_key(table["seat_keys"][seat], play_decision(trick)))
    stream[0] = private.key
    # House bots are asked with one card to play, too: that is cheaper than a jump.
    if bot < _OWN:
        card = _play(bot, private, public, stream)
    elif options & (options - 1) == 0:
        card = lowest(options)
    else:
        card = _ask(table, entries[bot - _OWN, which(PLAYING)], private)
        if not is_among(options, card, PLAYING):
            return False
    play_card(state, card)
    return True


@shared
def _ask(table: Any, entry: int, private: Any) -> int:
    """The answer of a user's bot, which sees a copy."""
    table["shown"] = table["state"]["public"]
    return ask(entry, private, table["shown"], table["stream"])


class HouseDecider:
    """A house bot as the engine asks it."""

    def __init__(self, spec: Spec, name: str) -> None:
        """Raises BotSpecError for an unknown bot or parameter."""
        self._name = name
        self.number = _NUMBERS[house_parameters(spec)]
        self._workspace = np.zeros(1, WORKSPACE)

    @property
    def name(self) -> str:
        """The bot's name in messages."""
        return self._name

    def decide(self, rows: NDArray[np.void], sequences: NDArray[np.int64]) -> NDArray[np.int64]:
        """An action for each OBSERVATION row."""
        actions = np.empty(len(rows), np.int64)
        _decide(self.number, rows, actions, self._workspace)
        return actions

    def finish(self, sequences: NDArray[np.int64]) -> None:
        """Nothing to forget: a house bot remembers nothing."""


def play_compiled(rules: Rules, seed: int, sequences: NDArray[np.void], deciders: Sequence[Decider]) -> Played | None:
    """Play SEQUENCE records in one kernel, if all `deciders` are compiled bots; else None. Raises BotFault."""
    bots = [decider for decider in deciders if isinstance(decider, HouseDecider | CompiledBot)]
    if len(bots) < len(deciders):
        return None
    own = [bot for bot in bots if isinstance(bot, CompiledBot)]
    casino = _Casino(
        tables=np.zeros(_TABLES, TABLE),
        sequences=sequences,
        numbers=np.array([bot.number if isinstance(bot, HouseDecider) else _OWN + own.index(bot) for bot in bots]),
        entries=np.array([bot.entries for bot in own], np.int64).reshape(-1, len(FUNCTIONS)),
        rules=rules.record(),
        deal_key=use_key(seed, "deals"),
        bot_key=use_key(seed, "bots"),
        ended=np.zeros(int(sequences["hands"].sum()), ENDED),
    )
    ends, wrong = _play_sequences(casino)
    if wrong >= 0:
        table = casino.tables[wrong]
        lineup = sequences[table["sequence"]]["lineup"]
        raise _fault(bots[lineup[table["state"]["public"]["turn"]]], table, sequences)
    return in_order(casino.ended[:ends])


def _fault(bot: Decider, table: Any, sequences: NDArray[np.void]) -> BotFault:
    """The error of a bot whose answer at a table is illegal: it is asked again, to learn what it said."""
    rows = np.zeros(1, OBSERVATION)
    rows[0] = observed(table)
    try:
        reason = illegal(table, int(bot.decide(rows, np.zeros(1, np.int64))[0]))
    except DecisionFailed as failure:
        reason = failure.reason
    return bot_fault(bot.name, table, sequences, reason)
