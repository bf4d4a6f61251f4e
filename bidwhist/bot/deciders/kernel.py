"""The kernel: plays compiled bots, house bots and users' own, without leaving compiled code.

House bots are compiled into it, and chosen by their number: a call that the compiler knows is cheaper than one through
a pointer. This is the one place that imports their code.
"""

from collections.abc import Callable, Sequence
from importlib import import_module
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from bidwhist._jit import int64, jit, shared
from bidwhist.bits import lowest
from bidwhist.bot.deciders.compiled import OWN, PLAYER, WORKSPACE, KernelDecider, which
from bidwhist.bot.deciders.entry import ask
from bidwhist.cards import SEATS
from bidwhist.engine.decider import Decider, DecisionFailed
from bidwhist.engine.fault import bot_fault, illegal, observed
from bidwhist.engine.sequence import ENDED, TABLE, Played, begin_hand, end_hand, in_order, take_up
from bidwhist.errors import BotFault
from bidwhist.observation import OBSERVATION, private_of, private_of_seat, private_part
from bidwhist.public import CALLING, PLAYING
from bidwhist.rules import Rules
from bidwhist.state import first_action, is_among, legal, play_card, play_decision, step
from bidwhist.streams import Key, decision_key, use_key
from bidwhist.trick import legal_plays
from bidwhist_bots import COMPILED
from bidwhist_bots.parameters import Values, parameters_of

_TABLES: Final = 16

# To the kernel a bot is a code: its place among the players, and above that the number of a house bot, or else _OWN.
_PLACES: Final = 16

_MODULES: Final = {bot.name: import_module(f"bidwhist_bots.{bot.module}") for bot in COMPILED}
_NUMBERS: Final = {name: number for number, name in enumerate(_MODULES)}
_OWN: Final = _PLACES * len(_MODULES)  # the first code of a user's bot

Choose = Callable[[int, Any, Any, Any, Any], int]


def _house(function: str) -> Choose:
    """The function of that name of all house bots in one: (code, private, public, stream, values) -> action."""
    first, *others = [_with_values(module, function) for module in _MODULES.values()]

    @shared
    def of_first(code: int, private: Any, public: Any, stream: Any, values: Any) -> int:
        return int64(first(private, public, stream, values))

    chosen: Choose = of_first
    for number, each in enumerate(others, 1):
        chosen = _either(_PLACES * number, each, chosen)
    return chosen


def _either(begin: int, function: Any, others: Choose) -> Any:
    """A function for codes from `begin` on, and others for those below."""

    @shared
    def choose(code: int, private: Any, public: Any, stream: Any, values: Any) -> int:
        if code >= begin:
            return int64(function(private, public, stream, values))
        return others(code, private, public, stream, values)

    return choose


def _with_values(module: Any, name: str) -> Any:
    function = getattr(module, name)
    if hasattr(module, "PARAMETERS"):
        return function

    @shared
    def without(private: Any, public: Any, stream: Any, values: Any) -> int:
        return int64(function(private, public, stream))

    return without


_call, _prepare, _play = _house("call"), _house("prepare"), _house("play")


@shared
def _call_or_prepare(code: int, private: Any, public: Any, stream: Any, values: Any) -> int:
    if public["phase"] == CALLING:
        return _call(code, private, public, stream, values)
    return _prepare(code, private, public, stream, values)


@jit
def _decide(player: Any, rows: Any, actions: Any, workspace: Any) -> None:
    stream, code, values = workspace[0]["stream"], _PLACES * player[0]["number"], player[0]["values"]
    for place in range(len(rows)):
        private, public = private_of(rows[place]), rows[place]["public"]
        stream[0] = private.key
        if public["phase"] == PLAYING:
            actions[place] = _play(code, private, public, stream, values)
        else:
            actions[place] = _call_or_prepare(code, private, public, stream, values)


class _Casino(NamedTuple):
    """All that a kernel plays with. `codes`: of the bots in lineups; `players`: PLAYER records; `ended`: hands."""

    tables: NDArray[np.void]
    sequences: NDArray[np.void]
    codes: NDArray[np.int64]
    players: NDArray[np.void]
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
        take_up(tables[place], place, sequences, casino.codes)
    while seated > 0:
        for place in range(seated):
            sequence = sequences[tables[place]["sequence"]]
            begin_hand(tables[place], rules, sequence, casino.deal_key, casino.bot_key)
        wrong = _call_and_prepare(tables, seated, casino.players)
        if wrong < 0:
            wrong = _play_cards(tables, seated, casino.players, int64(rules["hand_size"]))
        if wrong >= 0:
            return ends, wrong
        kept = 0
        for place in range(seated):
            table = tables[place]
            goes_on = end_hand(table, rules, sequences[table["sequence"]]["hands"], casino.ended[ends])
            ends += 1
            if not goes_on and taken < len(sequences):
                take_up(table, taken, sequences, casino.codes)
                taken += 1
                goes_on = True
            if goes_on:
                if kept < place:
                    tables[kept] = table
                kept += 1
        seated = kept
    return ends, -1


@shared
def _call_and_prepare(tables: Any, seated: int, players: Any) -> int:
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
                code = int64(table["lineup"][seat])
                player = players[code & (_PLACES - 1)]
                private = private_part(state, options, table["seat_keys"][seat])
                stream[0] = private.key
                if code < _OWN:
                    action = _call_or_prepare(code, private, public, stream, player["values"])
                else:
                    action = _ask(table, player["entries"][which(public["phase"])], private)
                    if not is_among(options, action, public["phase"]):
                        return place
            step(state, action)
    return -1


@shared
def _play_cards(tables: Any, seated: int, players: Any, hand_size: int) -> int:
    """All tricks; the table at which a card is illegal, or -1."""
    for number in range(SEATS * hand_size):
        for place in range(seated):
            if not _play_card(tables[place], players, number >> 2):
                return place
    return -1


@shared
def _play_card(table: Any, players: Any, trick: int) -> bool:
    state, stream = table["state"], table["stream"]
    public = state["public"]
    seat = public["turn"] & 3
    code = int64(table["lineup"][seat])
    player = players[code & (_PLACES - 1)]
    options = legal_plays(state["hands"][seat], public["led"])
    private = private_of_seat(state, seat, options, decision_key(table["seat_keys"][seat], play_decision(trick)))
    stream[0] = private.key
    # House bots are asked with one card to play, too: that is cheaper than a jump.
    if code < _OWN:
        card = _play(code, private, public, stream, player["values"])
    elif options & (options - 1) == 0:
        card = lowest(options)
    else:
        card = _ask(table, player["entries"][which(PLAYING)], private)
        if not is_among(options, card, PLAYING):
            return False
    play_card(state, card)
    return True


@shared
def _ask(table: Any, entry: int, private: Any) -> int:
    """The answer of a user's bot, which sees a copy."""
    table["shown"] = table["state"]["public"]
    return ask(entry, private, table["shown"], table["stream"])


class HouseDecider(KernelDecider):
    """A compiled house bot."""

    def __init__(self, name: str, bot: str, values: Values) -> None:
        """`bot`: its name in the list; `values`: of all its parameters."""
        super().__init__(name)
        codes = parameters_of(_MODULES[bot]).codes(values)
        self.player = np.zeros(1, PLAYER)
        self.player["number"] = _NUMBERS[bot]
        self.player["values"][0, : len(codes)] = codes
        self._workspace = np.zeros(1, WORKSPACE)

    def decide(self, rows: NDArray[np.void], sequences: NDArray[np.int64]) -> NDArray[np.int64]:
        """An action for each OBSERVATION row."""
        actions = np.empty(len(rows), np.int64)
        _decide(self.player, rows, actions, self._workspace)
        return actions


def play_compiled(rules: Rules, seed: int, sequences: NDArray[np.void], deciders: Sequence[Decider]) -> Played | None:
    """Play SEQUENCE records in one kernel, if all `deciders` are compiled bots; else None. Raises BotFault."""
    bots = [decider for decider in deciders if isinstance(decider, KernelDecider)]
    if len(bots) < len(deciders):
        return None
    players = np.concatenate([bot.player for bot in bots])
    casino = _Casino(
        tables=np.zeros(_TABLES, TABLE),
        sequences=sequences,
        codes=_PLACES * np.where(players["number"] == OWN, len(_MODULES), players["number"]) + np.arange(len(bots)),
        players=players,
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
