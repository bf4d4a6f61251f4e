"""Many tables in lockstep: at every round each bot is asked once, for all decisions that wait for it.

The engine holds a fixed number of tables; a table whose sequence has ended takes up the next one, so memory does not
grow with the number of sequences, and no bot learns at which table it sits.

A round is one pass over the tables in compiled code. What it does for every decision gets records, not arrays: a
function that is not inlined counts a reference to each array it is given, and that costs more than a card.
"""

from collections.abc import Sequence
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from bidwhist._jit import int64, jit, shared
from bidwhist.actions import Action
from bidwhist.engine.decider import Decider, DecisionFailed, Seer
from bidwhist.engine.fault import bot_fault, illegal
from bidwhist.engine.sequence import ENDED, TABLE, Played, begin_hand, end_hand, take_up
from bidwhist.errors import BotFault
from bidwhist.interrupts import user_interrupts
from bidwhist.memory import prefetch
from bidwhist.observation import OBSERVATION, write_row
from bidwhist.rules import Rules
from bidwhist.state import advance, is_among, step
from bidwhist.streams import Key, use_key

_IDLE: Final = -1
_TABLES: Final = 4096
_TABLES_APART: Final = 12288  # of bots in processes of their own: a question costs them little more for many tables
_AHEAD: Final = 8  # tables, or rows, that are on their way while one is worked on

# What a table waits for: the mask of legal actions, 0 before the first question; the bot; its row with the question.
_QUESTION: Final = np.dtype([("legal", "i8"), ("bot", "i4"), ("row", "i4")])


class _Hall(NamedTuple):
    """Everything a round works on.

    `questions`: one for each table. By bot: `rows` (OBSERVATION), `of` (the rows' sequences), `actions` (its answers)
    and `waiting` (how many rows wait). `ended`: room for every hand that may be played, those of a sequence from
    `first` on. `over`: the sequences that a round has ended, at most one a table. `numbers`: of the bots of lineups,
    which here are their places.
    """

    tables: NDArray[np.void]
    questions: NDArray[np.void]
    rows: tuple[NDArray[np.void], ...]
    of: NDArray[np.int64]
    actions: NDArray[np.int64]
    waiting: NDArray[np.int64]
    ended: NDArray[np.void]
    first: NDArray[np.int64]
    over: NDArray[np.int64]
    sequences: NDArray[np.void]
    numbers: NDArray[np.int64]
    rules: Any
    deal_key: Key
    bot_key: Key


@jit
def _seat(hall: Any) -> None:
    """Begin the first sequences, one at each table."""
    for place in range(len(hall.tables)):
        take_up(hall.tables[place], place, hall.sequences, hall.numbers)
        _begin_hand(hall, hall.tables[place])


@jit
def _play_round(hall: Any, taken: int) -> tuple[int, int, int]:
    """Take the answers of the bots, run every table to its next decision and show it to the bot that has to take it.

    `taken`: how many sequences have been taken up before. Returns how many have been then, how many the round has
    ended, and the table whose answer is illegal, or -1; after an illegal one the round is not finished.
    """
    tables, questions, rows = hall.tables, hall.questions, hall.rows
    of, actions, waiting = hall.of, hall.actions, hall.waiting
    waiting[:] = 0
    overs = 0
    for place in range(len(tables)):
        table, question = tables[place], questions[place]
        prefetch(tables, place + _AHEAD)
        if table["sequence"] == _IDLE:
            continue
        if question["legal"] != 0:
            action = actions[question["bot"], question["row"]]
            if not _act(table["state"], question["legal"], action):
                return taken, overs, place
        options = advance(table["state"])
        if options == 0:
            if not _end_hand(hall, table):
                hall.over[overs] = table["sequence"]
                overs += 1
                taken = _take_up_next(hall, table, taken)
            if table["sequence"] == _IDLE:
                continue
            options = _begin_hand(hall, table)
        turn = table["state"]["public"]["turn"] & 3
        bot = int64(table["lineup"][turn])
        row = waiting[bot]
        waiting[bot] = row + 1
        question["legal"], question["bot"], question["row"] = options, bot, row
        of[bot, row] = table["sequence"]
        prefetch(rows[bot], row + _AHEAD)
        write_row(table["state"], options, table["seat_keys"][turn], rows[bot][row])
    return taken, overs, -1


@shared
def _act(state: Any, legal: int, action: Action) -> bool:
    """Take an action; False if it is illegal."""
    if not is_among(legal, action, state["public"]["phase"]):
        return False
    step(state, action)
    return True


@shared
def _end_hand(hall: Any, table: Any) -> bool:
    """Note the hand that is done; True if the table's sequence goes on."""
    sequence = table["sequence"]
    ended = hall.ended[hall.first[sequence] + table["hand"]]
    return end_hand(table, hall.rules, hall.sequences[sequence]["hands"], ended)


@shared
def _take_up_next(hall: Any, table: Any, taken: int) -> int:
    """Give the table the next sequence, if one is left; returns how many have been taken up then."""
    if taken == len(hall.sequences):
        table["sequence"] = _IDLE
        return taken
    take_up(table, taken, hall.sequences, hall.numbers)
    return taken + 1


@shared
def _begin_hand(hall: Any, table: Any) -> int:
    """Deal the table's next hand; the legal actions of the first who has a choice."""
    begin_hand(table, hall.rules, hall.sequences[table["sequence"]], hall.deal_key, hall.bot_key)
    return advance(table["state"])


class Batch:
    """Plays sequences for a run's rules and seed."""

    def __init__(self, rules: Rules, seed: int, tables: int | None = None) -> None:
        """`tables`: how many are played at once; the outcome does not depend on it."""
        self._rules = rules.record()
        self._keys = (use_key(seed, "deals"), use_key(seed, "bots"))
        self._tables = tables

    def play(self, sequences: NDArray[np.void], deciders: Sequence[Decider]) -> Played:
        """Play SEQUENCE records; lineups are indices into `deciders`. Raises BotFault."""
        tables = _TABLES_APART if any(decider.is_apart for decider in deciders) else _TABLES
        hall = self._hall(sequences, len(deciders), self._tables or tables)
        _seat(hall)
        with user_interrupts():
            return _play_rounds(hall, deciders)

    def _hall(self, sequences: NDArray[np.void], bots: int, tables: int) -> _Hall:
        room = min(tables, len(sequences))
        most_hands = sequences["hands"].astype(np.int64)
        return _Hall(
            tables=np.zeros(room, TABLE),
            questions=np.zeros(room, _QUESTION),
            # The rows of a bot are an array of their own: through a view it could see those of others.
            rows=tuple(np.zeros(room, OBSERVATION) for _ in range(bots)),
            of=np.zeros((bots, room), np.int64),
            actions=np.zeros((bots, room), np.int64),
            waiting=np.zeros(bots, np.int64),
            ended=np.zeros(int(most_hands.sum()), ENDED),
            first=np.cumsum(most_hands) - most_hands,
            over=np.zeros(room, np.int64),
            sequences=sequences,
            numbers=np.arange(bots),
            rules=self._rules,
            deal_key=self._keys[0],
            bot_key=self._keys[1],
        )


def _play_rounds(hall: _Hall, deciders: Sequence[Decider]) -> Played:
    """Play until every sequence has ended. Raises BotFault."""
    taken = len(hall.tables)
    while True:
        taken, overs, wrong = _play_round(hall, taken)
        if wrong >= 0:
            raise _illegal(hall, deciders, wrong)
        if overs:
            for decider in deciders:
                decider.finish(hall.over[:overs])
        if not _ask(hall, deciders):
            return _played(hall.ended)


def _played(ended: NDArray[np.void]) -> Played:
    """The hands that were played: a game may end before its last possible hand, and leaves blanks, without calls."""
    is_played = ended["outcome"]["calls"][:, 0] != 0
    hands = ended if is_played.all() else ended[is_played]
    return Played(hands["sequence"], hands["hand"], hands["outcome"])


def _ask(hall: _Hall, deciders: Sequence[Decider]) -> bool:
    """Get the answers of every bot that has to decide; False if none has."""
    waiting = hall.waiting.tolist()
    for bot, number in enumerate(waiting):
        if number:
            deciders[bot].begin(hall.rows[bot][:number], hall.of[bot, :number])
    for bot, number in enumerate(waiting):
        if number:
            decider = deciders[bot]
            if isinstance(decider, Seer):
                decider.see(hall.tables["state"][_tables_of(hall, bot)])
            try:
                hall.actions[bot, :number] = decider.decide(hall.rows[bot][:number], hall.of[bot, :number])
            except DecisionFailed as failure:
                table = hall.tables[_tables_of(hall, bot)[failure.place]]
                raise bot_fault(decider.name, table, hall.sequences, failure.reason) from failure
    return any(waiting)


def _tables_of(hall: _Hall, bot: int) -> NDArray[np.intp]:
    """The tables that a bot's rows show: rows are written in the order of tables."""
    return np.flatnonzero((hall.questions["bot"] == bot) & (hall.tables["sequence"] != _IDLE))


def _illegal(hall: _Hall, deciders: Sequence[Decider], place: int) -> BotFault:
    bot, row = hall.questions["bot"][place], hall.questions["row"][place]
    reason = illegal(hall.tables[place], int(hall.actions[bot, row]))
    return bot_fault(deciders[bot].name, hall.tables[place], hall.sequences, reason)
