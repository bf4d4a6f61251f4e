"""A bot meets others in its presets: what it is asked there, what it answers, where it fails."""

import functools
import time
from typing import Final

import numpy as np

from bidwhist.bot.loading import blaming, load_bot
from bidwhist.bot.playing import play_one_hand
from bidwhist.bot.sources.find import find_bot
from bidwhist.cards import SEATS
from bidwhist.check.task import Failed, Integers, Meet, Met, Positions, Records
from bidwhist.check.watch import Watch
from bidwhist.deal import board_cards
from bidwhist.engine.batch import Batch
from bidwhist.engine.decider import Decider, DecisionFailed
from bidwhist.engine.sequence import SEQUENCE, Played
from bidwhist.errors import BidWhistError, BotFault, BotSpecError
from bidwhist.faults import Fault
from bidwhist.process.output import Output
from bidwhist.public import PLAYING
from bidwhist.rules import CLASSIC, PRESETS, Rules
from bidwhist.text import shown
from bidwhist.worlds.whole import is_taken_up

SEED: Final = 5
"""Of all hands that are played in a check."""

_HANDS: Final = 3  # a sequence in four is so many hands of a game
_MOST_OUTPUT: Final = 64 * 1024  # bytes
# Who sits where: the bot is 0, the bot `random` 1. Partners and opponents of both kinds.
_LINEUPS: Final = ((0, 1, 0, 1), (1, 0, 1, 0), (0, 0, 0, 0), (0, 1, 1, 1))


class _Recorder(Decider):
    """A bot whose questions and answers are kept."""

    def __init__(self, bot: Decider, watch: Watch) -> None:
        super().__init__(bot.name)
        self._bot, self._watch = bot, watch
        self.seconds = 0.0
        self.rows: list[Records] = []
        self.tables: list[Integers] = []
        self.answers: list[Integers] = []

    def decide(self, rows: Records, sequences: Integers) -> Integers:
        self.rows.append(rows.copy())
        self.tables.append(sequences.copy())
        self._watch.ask(len(rows))
        began = time.perf_counter()
        answers = self._bot.decide(rows, sequences)
        self.seconds += time.perf_counter() - began
        self._watch.rest()
        self.answers.append(np.array(answers, np.int64))
        return answers

    def finish(self, sequences: Integers) -> None:
        self._bot.finish(sequences)


def meet(task: Meet, watch: Watch) -> Met:
    """Load the bot and let it play; more and more hands, as long as there is time."""
    met = Met()
    task.bot.warm_up(CLASSIC)
    watch.start()
    bots: dict[str, Decider] = {}
    try:
        with blaming(task.bot):
            met.metadata = task.bot.metadata()
        for name in task.presets or met.metadata.presets:
            watch.start()
            bots[name] = load_bot(task.bot, PRESETS[name], task.limits)
            bots[name].ready()
        watch.rest()
        _play_waves(task, met, bots, watch)
    except BotSpecError as error:
        met.failure = str(error)
    for bot in bots.values():
        bot.close()
    output = Output(_MOST_OUTPUT)
    for text in dict.fromkeys(text for bot in bots.values() for text in bot.errors.values()):
        output.add(text.encode())
    met.output = output.text
    return met


def warm_up() -> None:
    """Have the engine compiled, and loaded, before a bot is measured."""
    play_one_hand(_random_bot(CLASSIC), CLASSIC)


def _random_bot(rules: Rules) -> Decider:
    return find_bot("random").load(rules)


def _play_waves(task: Meet, met: Met, bots: dict[str, Decider], watch: Watch) -> None:
    """Play one board in every preset, then two more, then four more ..."""
    first, size, used, asked = 0, 1, 0.0, 0
    while first < task.boards and used < task.seconds / 2:
        units = min(size, task.boards - first)
        for preset, bot in bots.items():
            if preset in met.faults:
                continue
            watch.note(f"in {preset}, boards {first} to {first + units - 1}")
            recorder = _Recorder(bot, watch)
            try:
                positions = _play(PRESETS[preset], first, units, recorder)
            except BotFault as fault:
                cause = fault.__cause__
                reason, late = str(fault), False
                if isinstance(cause, DecisionFailed):
                    reason, late = cause.reason, cause.fault == Fault.TIME
                met.faults[preset] = Failed(str(fault), reason, late)
            except BidWhistError:  # of the machine, say
                raise
            except BaseException as error:  # whatever a bot may raise; nobody else interrupts this
                words = f"{type(error).__name__}: {shown(str, error)}"
                met.faults[preset] = Failed(words, words)
            else:
                met.positions.append(positions)
                used += recorder.seconds
                asked += len(positions.rows)
        first, size = first + units, 2 * size
    met.seconds = used / max(asked, 1)


def _play(rules: Rules, first: int, units: int, recorder: _Recorder) -> Positions:
    sequences = np.zeros((units, len(_LINEUPS)), SEQUENCE)
    numbers = first + np.arange(units)
    sequences["first_board"] = numbers[:, None] * _HANDS
    sequences["hands"] = np.where(numbers % 4 == 3, _HANDS, 1)[:, None]
    sequences["dealer"] = numbers[:, None] % SEATS
    for place, number in enumerate(numbers.tolist()):
        sequences["lineup"][place] = [np.roll(seats, number) for seats in _LINEUPS]
    flat = sequences.reshape(-1)
    played = Batch(rules, SEED).play(flat, [recorder, _random_bot(rules)])
    rows, tables = np.concatenate(recorder.rows), np.concatenate(recorder.tables)
    order = np.argsort(tables, kind="stable")
    rows, tables = rows[order], tables[order]
    hands, dead = _true_layouts(rules, rows, tables, flat, played)
    return Positions(rules.preset, rows, tables, np.concatenate(recorder.answers)[order], hands, dead)


def _true_layouts(
    rules: Rules, rows: Records, tables: Integers, sequences: Records, played: Played
) -> tuple[Integers, Integers]:
    """How the cards lay at each row: the hands as held then, and the kitty or what has been buried."""
    ended = {
        (table, hand): int(discards)
        for table, hand, discards in zip(
            played.sequence.tolist(), played.hand.tolist(), played.outcome["discards"], strict=True
        )
    }
    hands, dead = np.zeros((len(rows), SEATS), np.int64), np.zeros(len(rows), np.int64)
    cards = functools.cache(lambda board: board_cards(rules, SEED, board))
    for place, (row, table) in enumerate(zip(rows, tables.tolist(), strict=True)):
        public = row["public"]
        number = int(public["hand_number"])
        dealt, kitty, _ = cards(int(sequences[table]["first_board"]) + number)
        hands[place], dead[place] = dealt, kitty
        if is_taken_up(public):
            declarer = int(public["declarer"])
            dead[place] = ended[table, number] if public["phase"] == PLAYING else int(row["buried"])
            hands[place, declarer] |= kitty & ~dead[place]
            hands[place, declarer] &= ~dead[place]
        hands[place] &= ~int(public["gone"])
    return hands, dead
