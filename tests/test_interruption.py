"""Ctrl-C and SIGTERM end long compiled code soon, and leave what it works on fit for further use."""

import os
import signal
import subprocess
import sys
import threading
import time
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from bidwhist.bot.deciders.search import OracleDecider, SearchDecider
from bidwhist.bot.sources.find import find_bot
from bidwhist.errors import LimitReached
from bidwhist.interruptible import interruptible
from bidwhist.notation import parse_deal
from bidwhist.observation import OBSERVATION
from bidwhist.rules import CLASSIC, PRESETS
from bidwhist.solver.contracts import par, table
from bidwhist.solver.front import score_cards, solve, workspace
from bidwhist.solver.position import Position
from bidwhist.solver.worlds import score_worlds
from bidwhist.state import STATE
from bidwhist.table import Table
from bidwhist.worlds import front
from bidwhist.worlds.front import sample_worlds
from bidwhist.worlds.sample import draw_many

compiled_code = pytest.mark.skipif(
    bool(os.environ.get("NUMBA_DISABLE_JIT")), reason="plain Python is interrupted anyway"
)

# Every strain takes the solver seconds: each seat has every fourth card of each suit.
HARD = "N:AT62.K95.Q84.J73 J73.AT62.K95.Q84 Q84.J73.AT62.K95 K95.Q84.J73.AT62"
HANDS = (lambda hands: (hands[0], hands[1], hands[2], hands[3]))(parse_deal(HARD)[0])
NO_KITTY = PRESETS["no-kitty"]
POSITION = Position(HANDS, 95, 0)
EASY = Position((1 << 3, 1 << 4, 1 << 5, 1 << 6), 83, 0)
FAR_TOO_LONG = 20.0
ONE = np.zeros(1, np.int64)  # a sequence


class Alarm(Exception):
    """Raised by a signal, as KeyboardInterrupt is."""


@contextmanager
def alarm_after(seconds: float, again: float = 0.0) -> Iterator[None]:
    """Raise Alarm in the main thread after so many seconds, and again and again after so many more."""

    def ring(number: int, frame: Any) -> None:
        raise Alarm

    before = signal.signal(signal.SIGALRM, ring)
    signal.setitimer(signal.ITIMER_REAL, seconds, again)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


# Each takes more nodes than any machine searches in a tenth of a second. Only the first of the same worlds takes long.
SEARCHES: dict[str, Callable[[int | None], object]] = {
    "solve": lambda limit: solve(POSITION, max_nodes=limit),
    "score_cards": lambda limit: score_cards(POSITION, max_nodes=limit),
    "table": lambda limit: table(HANDS, NO_KITTY, max_nodes=limit),
    "par": lambda limit: par(HANDS, NO_KITTY, max_nodes=limit),
    "score_worlds": lambda limit: score_worlds([HANDS] * 2, 95, 0, max_nodes=limit),
    "score_worlds for so long": lambda limit: score_worlds([HANDS] * 2, 95, 0, max_nodes=limit, max_seconds=3600),
}
LARGE, MANY = 30_000_000, 6_000_000


def warm_up() -> None:
    """Have everything compiled."""
    solve(EASY)
    score_cards(EASY)
    table(EASY.hands, NO_KITTY)
    score_worlds([EASY.hands], 83, 0)


@compiled_code
@pytest.mark.parametrize("name", SEARCHES)
def test_a_signal_ends_a_search(name: str) -> None:
    warm_up()
    with suppress(LimitReached):
        SEARCHES[name](LARGE)
    nodes, threads = int(workspace()["nodes"]), threading.active_count()
    assert nodes > MANY
    with pytest.raises(Alarm), alarm_after(0.1):
        SEARCHES[name](None)
    assert 0 < workspace()["nodes"] < nodes
    assert threading.active_count() == threads


def test_worlds_are_drawn_in_slices(monkeypatch: pytest.MonkeyPatch) -> None:
    """Between them Python handles signals; the worlds are those of a single slice."""
    obs, lengths = Table.deal(1, 0).observe(), []
    expected = sample_worlds(obs, 10_000, 3)

    def noting(ws: Any, stream: Any, hands: Any, dead: Any) -> None:
        lengths.append(len(dead))
        draw_many(ws, stream, hands, dead)

    monkeypatch.setattr(front, "draw_many", noting)
    hands, dead = sample_worlds(obs, 25_000, 3)
    assert lengths == [10_000, 10_000, 5_000]
    assert (hands[:10_000].tolist(), dead[:10_000].tolist()) == (expected[0].tolist(), expected[1].tolist())
    monkeypatch.setattr(front, "_SLICE", 1 << 40)
    assert sample_worlds(obs, 25_000, 3)[0].tolist() == hands.tolist()


@compiled_code
def test_a_workspace_can_be_used_after_an_interruption() -> None:
    warm_up()
    rest = Position((1 << 0 | 1 << 20, 1 << 1 | 1 << 21, 1 << 2 | 1 << 22, 1 << 3 | 1 << 23), 83, 0)
    expected = solve(rest)
    with pytest.raises(Alarm), alarm_after(0.2):
        table(HANDS, NO_KITTY)
    assert solve(rest) == expected


@compiled_code
def test_a_handler_that_raises_nothing_stops_nothing() -> None:
    warm_up()
    heard: list[int] = []
    before = signal.signal(signal.SIGALRM, lambda number, frame: heard.append(number))
    position = Position(HANDS, 83, 0)
    expected = solve(position)
    signal.setitimer(signal.ITIMER_REAL, 0.005, 0.005)
    try:
        assert [solve(position) for _ in range(3)] == [expected] * 3
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
    assert heard


def open_decision(bot: str, phase: str) -> NDArray[np.void]:
    """The row of a decision that the bot has not made after thousands of worlds: it would go on for many more."""
    probe = find_bot(f"{bot}?worlds={20_000 if bot == 'mc' else 200}").load(CLASSIC)
    assert isinstance(probe, SearchDecider)
    for board in range(100):
        deal = Table.deal(1, board, auto=True)
        while deal.phase != phase:
            deal.act(deal.legal[0])
        row = np.array([deal.observe().row], OBSERVATION)
        probe.decide(row, ONE)
        if probe._search.is_open:
            return row
    raise AssertionError("every decision is clear")


@compiled_code
@pytest.mark.parametrize("phase", ["call", "play"])
@pytest.mark.parametrize("bot", ["mc", "pimc", "belief"])
def test_a_signal_ends_a_bot_that_searches(bot: str, phase: str) -> None:
    row = open_decision(bot, phase)
    few, many = (find_bot(f"{bot}?worlds={worlds}").load(CLASSIC) for worlds in (20, 1_000_000))
    expected = few.decide(row, ONE)
    began = time.monotonic()
    with pytest.raises(Alarm), alarm_after(0.02):
        deque((many.decide(row, ONE) for _ in range(10_000)), maxlen=0)  # one decision, if it takes long
    assert time.monotonic() - began < FAR_TOO_LONG
    assert few.decide(row, ONE).tolist() == expected.tolist()


@compiled_code
@pytest.mark.parametrize("bot", ["mc?worlds=1001", "pimc?worlds=5", "oracle"])
def test_a_thread_weighs_as_its_caller_does(bot: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """By threads: more than 1,000 worlds, and hands of nine cards and more to solve."""
    decider = find_bot(bot).load(CLASSIC)
    assert isinstance(decider, SearchDecider)
    states = np.zeros(1, STATE)
    for board in range(3):
        deal = Table.deal(2, board, auto=True)
        while deal.phase != "play":
            deal.act(deal.legal[0])
        row, states[0] = np.array([deal.observe().row], OBSERVATION), deal.state
        answers = []
        for is_long in (True, False):
            monkeypatch.setattr(type(decider._search), "is_long", lambda *_, is_long=is_long: is_long)
            if isinstance(decider, OracleDecider):
                decider.see(states)
            answers.append(decider.decide(row, ONE).tolist())
        assert answers[0] == answers[1]


# ------------------------------------------------------------------------------------------------------- the mechanism


def test_the_result_and_the_exception_of_work_are_handed_on() -> None:
    assert interruptible(lambda: 42, lambda: None) == 42
    with pytest.raises(ZeroDivisionError):
        interruptible(lambda: 1 // 0, lambda: None)


def test_work_is_done_where_it_is_asked_for_in_another_thread() -> None:
    found: list[threading.Thread] = []
    thread = threading.Thread(target=lambda: found.append(interruptible(threading.current_thread, lambda: None)))
    thread.start()
    thread.join()
    assert found == [thread]
    assert interruptible(threading.current_thread, lambda: None) != threading.main_thread()


@pytest.mark.parametrize("is_started", [True, False])
def test_nothing_is_left_running_by_an_interruption_while_the_thread_starts(
    is_started: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    start, stopped, ended = threading.Thread.start, threading.Event(), threading.Event()

    def interrupted(thread: threading.Thread) -> None:
        if is_started:
            start(thread)
            time.sleep(0.05)
        raise Alarm

    def work() -> None:
        stopped.wait(FAR_TOO_LONG)
        ended.set()

    monkeypatch.setattr(threading.Thread, "start", interrupted)
    began = time.monotonic()
    with pytest.raises(Alarm):
        interruptible(work, stopped.set)
    assert time.monotonic() - began < FAR_TOO_LONG
    assert ended.is_set() == is_started


def test_interruptions_while_the_work_ends_do_not_leave_it_running() -> None:
    ended = threading.Event()

    def work() -> None:
        time.sleep(0.3)
        ended.set()

    with pytest.raises(Alarm), alarm_after(0.05, again=0.05):
        interruptible(work, lambda: None)
    assert ended.is_set()


def test_stop_is_called_until_the_work_has_ended() -> None:
    enough, calls = threading.Event(), []

    def stop() -> None:
        calls.append(1)
        if len(calls) == 3:
            enough.set()

    with pytest.raises(Alarm), alarm_after(0.05):
        interruptible(lambda: enough.wait(FAR_TOO_LONG), stop)
    assert len(calls) >= 3


# ---------------------------------------------------------------------------------------------------- the command line


@compiled_code
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
@pytest.mark.parametrize("options", [("--table",), ("--par", "--json")])
def test_solve_is_interrupted(options: tuple[str, ...], number: signal.Signals) -> None:
    warm_up()
    script = (
        "import threading, time, sys, bidwhist.solver.contracts\n"
        "from bidwhist.cli import main\n"
        "def tell():\n"
        "    while not any(each.name == 'compiled code' for each in threading.enumerate()): time.sleep(0.01)\n"
        "    print('searching', file=sys.stderr, flush=True)\n"
        "threading.Thread(target=tell, daemon=True).start()\n"
        "main(sys.argv[1:])\n"
    )
    process = subprocess.Popen(
        [sys.executable, "-c", script, "solve", HARD, "--rules", "no-kitty", *options],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert process.stderr is not None
    assert process.stderr.readline() == "searching\n"
    time.sleep(0.2)
    process.send_signal(number)
    output, errors = process.communicate(timeout=FAR_TOO_LONG)
    assert (process.returncode, output, errors) == (130, "", "interrupted\n")
