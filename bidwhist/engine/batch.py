"""Many tables in lockstep: at every round each bot is asked once, for all decisions that wait for it.

The engine holds a fixed number of tables; a table whose sequence has ended takes up the next one, so memory does not
grow with the number of sequences, and no bot learns at which table it sits.
"""

from collections.abc import Sequence
from typing import Any, Final, Protocol

import numpy as np
from numpy.typing import NDArray

from bidwhist._jit import jit
from bidwhist.cards import SEATS
from bidwhist.engine.sequence import ENDED, TABLE, Played, begin_hand, end_hand, in_order, take_up
from bidwhist.errors import BotFault
from bidwhist.notation import format_seat
from bidwhist.observation import OBSERVATION, Obs, write_observation
from bidwhist.public import PHASES
from bidwhist.rules import Rules
from bidwhist.state import advance, is_legal, step
from bidwhist.streams import use_key
from bidwhist.table import explain_illegal

_IDLE: Final = -1
_TABLES: Final = 4096


class DecisionFailed(Exception):
    """A bot gave no action: `place` is the row it failed on, `reason` says what happened."""

    def __init__(self, place: int, reason: str) -> None:
        super().__init__(reason)
        self.place = place
        self.reason = reason


class Decider(Protocol):
    """Where a bot's answers come from, whatever kind of bot it is."""

    @property
    def name(self) -> str:
        """The bot's name in messages."""

    def decide(self, rows: NDArray[np.void], sequences: NDArray[np.int64]) -> NDArray[np.int64]:
        """Actions for OBSERVATION rows. (sequence, seat) tells apart the players that may remember something.

        Raises DecisionFailed.
        """

    def finish(self, sequences: NDArray[np.int64]) -> None:
        """These sequences are over: forget their players."""


@jit
def _seat(tables: Any, rules: Any, sequences: Any, numbers: Any, deal_key: Any, bot_key: Any) -> None:
    """Begin the first sequences, one at each table."""
    for i in range(len(tables)):
        take_up(tables[i], i, sequences, numbers)
        begin_hand(tables[i], rules, sequences[i], deal_key, bot_key)


@jit
def _advance(
    tables: Any,
    rules: Any,
    sequences: Any,
    numbers: Any,
    taken: int,
    deal_key: Any,
    bot_key: Any,
    waiting: Any,
    ended: Any,
) -> tuple[int, int, int]:
    """Run every table to its next decision.

    `waiting` gets the tables that wait, `ended` the hands that are done: at most one a table, since a fresh hand
    always waits for its first call. Returns how many wait, how many ended, how many sequences have been taken up.
    """
    waits, ends = 0, 0
    for i in range(len(tables)):
        table = tables[i]
        if table["sequence"] == _IDLE:
            continue
        if not advance(table["state"]):
            ends += 1
            if not end_hand(table, rules, sequences[table["sequence"]]["hands"], ended[ends - 1]):
                if taken == len(sequences):
                    table["sequence"] = _IDLE
                    continue
                take_up(table, taken, sequences, numbers)
                taken += 1
            begin_hand(table, rules, sequences[table["sequence"]], deal_key, bot_key)
            advance(table["state"])
        waiting[waits] = i
        waits += 1
    return waits, ends, taken


@jit
def _find_bots(tables: Any, waiting: Any, sequences: Any, bots: Any) -> None:
    """Fill `bots` with the indices of those who have to decide at the waiting tables."""
    for k in range(len(waiting)):
        table = tables[waiting[k]]
        bots[k] = table["lineup"][table["state"]["public"]["turn"]]


@jit
def _observe(tables: Any, waiting: Any, rows: Any, of: Any) -> None:
    """Fill `rows` with what the waiting seats see, `of` with their sequences."""
    for k in range(len(waiting)):
        table = tables[waiting[k]]
        write_observation(table["state"], table["seat_keys"][table["state"]["public"]["turn"]], rows[k])
        of[k] = table["sequence"]


@jit
def _act(tables: Any, waiting: Any, actions: Any) -> int:
    """Take the actions; the first place whose action is illegal, or -1. Nothing after an illegal one is taken."""
    for k in range(len(waiting)):
        state = tables[waiting[k]]["state"]
        if not is_legal(state, actions[k]):
            return k
        step(state, actions[k])
    return -1


class Batch:
    """Plays sequences for a run's rules and seed."""

    def __init__(self, rules: Rules, seed: int, tables: int = _TABLES) -> None:
        """`tables`: how many are played at once; the outcome does not depend on it."""
        self._rules = rules.record()
        self._keys = (use_key(seed, "deals"), use_key(seed, "bots"))
        self._tables = tables

    def play(self, sequences: NDArray[np.void], deciders: Sequence[Decider]) -> Played:
        """Play SEQUENCE records; lineups are indices into `deciders`. Raises BotFault."""
        numbers = np.arange(len(deciders))
        tables = np.zeros(min(self._tables, len(sequences)), TABLE)
        _seat(tables, self._rules, sequences, numbers, *self._keys)
        room, taken = len(tables), len(tables)
        waiting = np.zeros(room, np.int64)
        ended = np.zeros(room, ENDED)
        parts = []
        while True:
            waits, ends, taken = _advance(tables, self._rules, sequences, numbers, taken, *self._keys, waiting, ended)
            if ends:
                parts.append(ended[:ends].copy())
                last = parts[-1]["sequence"][parts[-1]["last"]]
                for decider in deciders:
                    decider.finish(last)
            if not waits:
                break
            self._decide(tables, waiting[:waits], sequences, deciders)
        return in_order(np.concatenate(parts))

    def _decide(
        self,
        tables: NDArray[np.void],
        waiting: NDArray[np.int64],
        sequences: NDArray[np.void],
        deciders: Sequence[Decider],
    ) -> None:
        bots = np.empty(len(waiting), np.int64)
        _find_bots(tables, waiting, sequences, bots)
        for index, decider in enumerate(deciders):
            mine = waiting[bots == index]
            if len(mine):
                self._ask(tables, mine, sequences, decider)

    def _ask(
        self, tables: NDArray[np.void], waiting: NDArray[np.int64], sequences: NDArray[np.void], decider: Decider
    ) -> None:
        # The rows of a bot are an array of their own, of fresh zeros: through a view it could see those of others, and
        # through a byte that is not written what the memory held before.
        rows = np.zeros(len(waiting), OBSERVATION)
        of = np.empty(len(waiting), np.int64)
        _observe(tables, waiting, rows, of)
        try:
            actions = decider.decide(rows, of)
        except DecisionFailed as failure:
            raise _fault(decider, rows[failure.place], sequences[of[failure.place]], failure.reason) from failure
        wrong = _act(tables, waiting, actions)
        if wrong >= 0:
            reason = f"answered {actions[wrong]}: {explain_illegal(Obs(rows[wrong]), int(actions[wrong]))}"
            raise _fault(decider, rows[wrong], sequences[of[wrong]], reason)


def _fault(decider: Decider, row: Any, sequence: Any, reason: str) -> BotFault:
    public = row["public"]
    board = sequence["first_board"] + public["hand_number"]
    trick = f", trick {public['played'] // SEATS + 1}" if public["played"] or public["naming"] >= 0 else ""
    return BotFault(
        f"bot {decider.name!r} failed on board {board}, seat {format_seat(int(row['seat']))}, "
        f"decision {PHASES[public['phase']]}{trick}: {reason}"
    )
