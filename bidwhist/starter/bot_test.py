"""Tests of mybot: `pytest test_mybot.py`."""

from pathlib import Path

import pytest

from bidwhist import play_board
from bidwhist.check import check
from bidwhist.reporting import pytest_reporter
from bidwhist.rules import PRESETS

BOT = str(Path(__file__).with_name("mybot.py"))


@pytest.fixture(autouse=True, scope="session")
def reporter(pytestconfig):
    """Tells what the tests wait for: the first time, the engine is compiled."""
    with pytest_reporter(pytestconfig):
        yield


@pytest.mark.parametrize("rules", PRESETS)
def test_it_plays_by_the_rules(rules):
    """An illegal answer or an exception is a BotFault, which names the board, the decision and the line."""
    for board in range(10):
        play_board(BOT, "random", seed=1, board=board, rules=rules, trust=True)  # your own code, in this process


def test_it_is_fit_to_play():
    """As `bw-arena check` says, in a jail: time, memory, the same play again, nothing remembered, and more."""
    assert check(BOT, boards=0, positions=4).faults == []


def test_it_beats_random():
    """Every board is played twice, so that both bots hold the same cards once."""
    points = 0
    for board in range(40):
        own, theirs = play_board(BOT, "random", seed=1, board=board, trust=True).score()
        points += own - theirs
        theirs, own = play_board("random", BOT, seed=1, board=board, trust=True).score()
        points += own - theirs
    assert points > 0
