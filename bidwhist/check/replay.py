"""A bot is asked once more for decisions that it has taken before."""

import os
import random
import time
from collections.abc import Callable
from contextlib import suppress
from typing import Any, Final

import numpy as np
import psutil

from bidwhist.arena.players import seat_player
from bidwhist.check.task import Positions, Replay, Replayed
from bidwhist.engine.batch import Decider, DecisionFailed
from bidwhist.rules import PRESETS
from bidwhist.worlds.front import sample_worlds, world_state

_FAILED: Final = -1
_QUARTERS: Final = 4

Guard = Callable[[float], None]


def replay(task: Replay, guard: Guard, patience: float) -> Replayed:
    """Ask for all decisions; the arguments are those of `meet`."""
    random.seed(1)
    np.random.seed(1)  # noqa: NPY002  # the global source is what is watched
    before = held_memory()
    sources = [_sources()]
    guard(3 * task.limits.start)
    began = time.perf_counter()
    bots = {each.preset: seat_player(task.player, PRESETS[each.preset], task.limits) for each in task.positions}
    start = time.perf_counter() - began
    guard(0)
    sources.append(_sources())
    result = Replayed(
        answers=[np.full(len(each.rows), _FAILED, np.int64) for each in task.positions],
        seconds=[np.zeros(len(each.rows)) for each in task.positions],
        memory=[held_memory() - before],
        peak=0,
        start=start,
        chance=[],
    )
    every = list(enumerate(task.positions))
    total, done = sum(len(each.rows) for each in task.positions), 0
    for number, positions in reversed(every) if task.backward else every:
        for table in _tables(positions, backward=task.backward):
            for place in table:
                guard(patience)
                _ask(bots[positions.preset], positions, place, task.anew, result, number)
                done += 1
                if done * _QUARTERS // total > len(result.memory) - 1:
                    result.memory.append(held_memory() - before)
            bots[positions.preset].finish(positions.tables[table[:1]])
    guard(0)
    sources.append(_sources())
    result.peak = max(result.memory)
    result.chance = _drawn(sources)
    return result


def _tables(positions: Positions, *, backward: bool) -> list[list[int]]:
    """The places of each table's decisions."""
    ends = np.flatnonzero(np.diff(positions.tables)) + 1
    tables = [each.tolist() for each in np.split(np.arange(len(positions.tables)), ends)]
    return tables[::-1] if backward else tables


def _ask(bot: Decider, positions: Positions, place: int, anew: bool, result: Replayed, number: int) -> None:
    """Ask for one decision. The hand lies open in `state`, as it does in the engine: an honest bot does not look."""
    rows = positions.rows[place : place + 1].copy()
    hands, dead = positions.hands[place], int(positions.dead[place])
    if anew:
        sampled, unseen = sample_worlds(rows[0], 1, place)
        hands, dead = sampled[0], int(unseen[0])
    state = world_state(rows[0], hands, dead)
    began = time.perf_counter()
    with suppress(DecisionFailed):  # then it stays marked as failed
        result.answers[number][place] = bot.decide(rows, positions.tables[place : place + 1].copy())[0]
    result.seconds[number][place] = time.perf_counter() - began
    del state


def held_memory() -> int:
    """Bytes that this process and all that it has started hold."""
    own = psutil.Process(os.getpid())
    total = 0
    for each in [own, *own.children(recursive=True)]:
        try:
            total += int(each.memory_info().rss)
        except psutil.Error:  # it has just ended
            continue
    return total


def _sources() -> tuple[Any, bytes]:
    state: Any = np.random.get_state(legacy=True)  # noqa: NPY002
    return random.getstate(), repr(state[2:]).encode() + state[1].tobytes()


def _drawn(sources: list[tuple[Any, bytes]]) -> list[str]:
    """Names of the global sources whose state has changed."""
    names = ("random", "numpy.random")
    return [name for place, name in enumerate(names) if any(each[place] != sources[0][place] for each in sources)]
