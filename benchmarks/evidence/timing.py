"""How long a bot takes for a decision: the CPU time of its answers while it plays boards, by phase."""

import time
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from bidwhist.arena.part import Setting
from bidwhist.bot.sources.find import find_bot
from bidwhist.engine.batch import Batch
from bidwhist.engine.decider import Decider
from bidwhist.public import CALLING, PLAYING
from bidwhist.results.schema import Part
from bidwhist.rules import Rules
from evidence.plan import BASE

PHASES: Final = ("calls", "namings and discards", "cards")


class Clocked(Decider):
    """A decider whose answers are timed: `decisions` (those that leave a choice) and CPU `seconds`, by phase."""

    def __init__(self, inner: Decider) -> None:
        super().__init__(inner.name)
        self._inner = inner
        self.decisions, self.seconds = np.zeros(3, np.int64), np.zeros(3)

    def decide(self, rows: NDArray[np.void], sequences: NDArray[np.int64]) -> NDArray[np.int64]:
        """The bot's answers; those of a phase are asked for together."""
        phases = rows["public"]["phase"]
        kinds = np.where(phases == CALLING, 0, np.where(phases == PLAYING, 2, 1))
        actions = np.empty(len(rows), np.int64)
        for kind in range(3):
            places = np.flatnonzero(kinds == kind)
            if len(places):
                began = time.process_time()
                actions[places] = self._inner.decide(rows[places], sequences[places])
                self.seconds[kind] += time.process_time() - began
                self.decisions[kind] += len(places)
        return actions

    def finish(self, sequences: Any) -> None:
        """Pass it on."""
        self._inner.finish(sequences)


def time_decisions(spec: str, rules: Rules, seed: int, *, seconds: float = 5.0, most: int = 256) -> Clocked:
    """Let a bot play boards against the heuristic for some seconds, at most so many; the first one is not counted."""
    bot, opponent = (find_bot(each, each, []).load(rules) for each in (spec, BASE))
    _play(rules, seed, [bot, opponent], 0, 1)
    clocked, first, units = Clocked(bot), 1, 1
    while clocked.seconds.sum() < seconds and first < most:
        _play(rules, seed, [clocked, opponent], first, units)
        first, units = first + units, units * 2
    return clocked


def _play(rules: Rules, seed: int, deciders: list[Any], first: int, units: int) -> None:
    sequences = Setting(rules, seed, games=False).sequences(Part(0, 0, 1, first, units))
    Batch(rules, seed).play(sequences, deciders)
