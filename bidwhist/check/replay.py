"""A bot is asked once more for decisions that it has taken before."""

import random
import time
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path
from typing import Any, Final

import numpy as np
import psutil

from bidwhist._jit import jit
from bidwhist.bot.chance import Chance
from bidwhist.bot.loading import load_bot
from bidwhist.check.task import Integers, Positions, Replay, Replayed
from bidwhist.check.watch import Watch
from bidwhist.engine.decider import Decider, DecisionFailed
from bidwhist.observation import private_of
from bidwhist.rules import PRESETS
from bidwhist.streams import new_stream
from bidwhist.worlds.front import world_state
from bidwhist.worlds.sample import draw, prepare
from bidwhist.worlds.view import new_worlds

_FAILED: Final = -1
_QUARTERS: Final = 4

Layouts = tuple[Integers, Integers]


def replay(task: Replay, watch: Watch) -> Replayed:
    """Ask for all decisions."""
    layouts = [_dealt_anew(each) if task.anew else (each.hands, each.dead) for each in task.positions]
    _lie_open(task.positions[0], layouts[0], 0)  # compiled before the watch is set
    random.seed(1)
    np.random.seed(1)  # noqa: NPY002  # the global source is what is watched
    before = own_memory()
    chance = Chance()
    drawn: set[str] = set()
    start = 0.0
    bots: dict[str, Decider] = {}
    for preset in dict.fromkeys(each.preset for each in task.positions):
        watch.start()
        began = time.perf_counter()
        bots[preset] = load_bot(task.bot, PRESETS[preset], task.limits)
        start = max(start, time.perf_counter() - began + bots[preset].ready())
    watch.rest()
    drawn.update(chance.drawn())
    result = Replayed(
        answers=[np.full(len(each.rows), _FAILED, np.int64) for each in task.positions],
        seconds=[np.full(len(each.rows), np.inf) for each in task.positions],
        memory=[_held(before, bots.values())],
        peak=0,
        start=start,
        chance=[],
    )
    every = list(enumerate(task.positions))
    known: set[str] = set()  # where the bot has been asked for something
    total, done = sum(len(each.rows) for each in task.positions), 0
    for number, positions in reversed(every) if task.backward else every:
        watch.note(f"in {positions.preset}")
        bot = bots[positions.preset]
        timed = positions.tables if task.timed is None else task.timed[number]
        for table in _tables(positions, backward=task.backward):
            singly = positions.preset not in known or positions.tables[table[0]] in timed
            known.add(positions.preset)
            for places in _questions(bot, positions, table, singly=singly):
                watch.ask(len(places))
                _ask(bot, positions, places, layouts[number], result, number)
                done += len(places)
                if done * _QUARTERS // total > len(result.memory) - 1:
                    result.memory.append(_held(before, bots.values()))
            bot.finish(positions.tables[table[:1]])
    watch.rest()
    drawn.update(chance.drawn(), *(bot.drawn_from() for bot in bots.values()))
    result.peak = max(result.memory)
    result.chance = sorted(drawn, reverse=True)
    return result


def _tables(positions: Positions, *, backward: bool) -> list[Integers]:
    """The places of each table's decisions."""
    ends = np.flatnonzero(np.diff(positions.tables)) + 1
    tables = np.split(np.arange(len(positions.tables)), ends)
    return tables[::-1] if backward else tables


def _questions(bot: Decider, positions: Positions, table: Integers, *, singly: bool) -> list[Integers]:
    """The places of a table's decisions, by questions.

    A bot that has a process for each seat, and there takes one decision after the other, may be asked for all of a seat
    at once: what it does is the same, and the processes need not wait for each other at every decision. That it takes
    them so is known when it has been asked for something, so those of the first table are asked for `singly`.
    """
    if singly or not bot.is_apart or bot.answers_together:
        return list(table.reshape(-1, 1))
    seats = positions.rows["seat"][table]
    return [table[seats == seat] for seat in np.unique(seats)]


def _dealt_anew(positions: Positions) -> Layouts:
    """Other layouts that agree with what was seen, one for each decision."""
    hands, dead = np.zeros_like(positions.hands), np.zeros_like(positions.dead)
    _deal_anew(positions.rows, new_worlds(), new_stream(1), hands, dead)
    return hands, dead


@jit
def _deal_anew(rows: Any, ws: Any, stream: Any, hands: Any, dead: Any) -> None:
    for place in range(len(rows)):
        prepare(ws, private_of(rows[place]), rows[place]["public"])
        dead[place] = draw(ws, stream, hands[place])


def _lie_open(positions: Positions, layouts: Layouts, place: int) -> Any:
    """The STATE of a decision in one of the layouts."""
    return world_state(positions.rows[place], layouts[0][place], int(layouts[1][place]))


def _ask(bot: Decider, positions: Positions, places: Integers, layouts: Layouts, result: Replayed, number: int) -> None:
    """Ask for decisions, in one question. What fails stays marked as failed."""
    if len(places) == 1:
        _ask_openly(bot, positions, int(places[0]), layouts, result, number)
        return
    answers = result.answers[number]
    while len(places):
        try:
            answers[places] = bot.decide(positions.rows[places], positions.tables[places])
            return
        except DecisionFailed as failure:  # those after it are still asked
            answers[places[: failure.place]] = failure.answers[: failure.place]
            places = places[failure.place + 1 :]


def _ask_openly(
    bot: Decider, positions: Positions, place: int, layouts: Layouts, result: Replayed, number: int
) -> None:
    """Ask for one decision. The hand lies open in `state`, as it does in the engine: an honest bot does not look."""
    rows = positions.rows[place : place + 1].copy()
    state = _lie_open(positions, layouts, place)
    began = time.perf_counter()
    with suppress(DecisionFailed):
        result.answers[number][place] = bot.decide(rows, positions.tables[place : place + 1].copy())[0]
    result.seconds[number][place] = time.perf_counter() - began
    del state


def held_memory(before: int) -> int:
    """Bytes of the process that holds most: this one, without those that it held `before`, or one that it has started.

    Of a started one those count that it shares with no other.
    """
    return max([own_memory() - before, *(_memory_alone(each) for each in psutil.Process().children(recursive=True))])


def _held(before: int, bots: Iterable[Decider]) -> int:
    """Bytes of the process that holds most, whoever has started it."""
    return max([held_memory(before), *(bot.memory() for bot in bots)])


def own_memory() -> int:
    """Bytes that this process holds."""
    return int(psutil.Process().memory_info().rss)


def _memory_alone(process: psutil.Process) -> int:
    """Bytes that a process shares with no other, where the system tells, else all that it holds; 0 if it has ended."""
    try:
        lines = Path(f"/proc/{process.pid}/smaps_rollup").read_text(encoding="ascii").splitlines()
        return 1024 * sum(int(line.split()[1]) for line in lines if line.startswith("Private_"))
    except (OSError, ValueError):
        with suppress(psutil.Error):
            return int(process.memory_info().rss)
    return 0
