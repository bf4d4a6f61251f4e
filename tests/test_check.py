"""`check`: each planted fault is named, and no other."""

from pathlib import Path
from textwrap import dedent
from typing import Any

import pytest

from bidwhist.bot.context import Limits
from bidwhist.check import Report, check
from bidwhist.check.report import TITLES
from bidwhist.rules import PRESETS

TWO = ("classic", "sported")
PATIENT = Limits(decision=2.0, start=60)  # where a machine that is busy shall not be taken for a slow bot


def written(folder: Path, text: str, name: str = "own.py") -> str:
    path = folder / name
    path.write_text(dedent(text), encoding="utf-8")
    return str(path)


def report_of(spec: str, **options: Any) -> Report:
    return check(spec, **{"presets": TWO, "limits": PATIENT, "boards": 0, "positions": 6, **options})


def line(report: Report, key: str) -> Any:
    return next(each for each in report.lines if each.key == key)


HONEST = """
    def act(obs):
        return obs.legal[obs.random.below(len(obs.legal))]
"""


@pytest.mark.parametrize("spec", ["random", "random?calls=pass", "heuristic"])
def test_house_bots_pass_in_every_preset(spec: str) -> None:
    report = check(spec, limits=PATIENT, boards=30)
    assert report.passed, report.lines
    assert report.presets == tuple(PRESETS)
    assert [each.key for each in report.lines] == list(TITLES)
    assert [each.passed for each in report.lines] == [True] * (len(TITLES) - 1) + [None]


KINDS = {
    "function": HONEST,
    "class": """
        class Own:
            def __init__(self, ctx):
                self.ctx, self.asked = ctx, 0
            def act(self, obs):
                self.asked += 1
                return obs.legal[(self.asked + self.ctx.random.below(9)) % len(obs.legal)]
        """,
    "batch": """
        from bidwhist.rows import actions, below, count, nth
        def act_batch(rows):
            return actions(rows, nth(rows["legal"], below(rows, count(rows["legal"]))))
        """,
    "compiled": """
        from bidwhist.bits import lowest
        from bidwhist.state import first_action
        def call(private, public, stream):
            return first_action(public["phase"]) + lowest(private.legal)
        prepare = call
        play = call
        """,
}


@pytest.mark.parametrize("kind", KINDS)
def test_honest_bots_of_every_kind_pass(tmp_path: Path, kind: str) -> None:
    report = report_of(written(tmp_path, KINDS[kind]), boards=20)
    assert report.passed, report.lines
    assert {each.opponent for each in report.strengths} == {"random", "heuristic"}
    assert all(each.boards == 20 and each.preset == "classic" for each in report.strengths)


FAULTS = {
    "legal": """
        def act(obs):
            if obs.rules["sported"] and obs.phase == "play":
                return next(card for card in range(54) if card not in obs.legal)
            return obs.legal[0]
        """,
    "time": """
        import time
        def act(obs):
            if obs.random.below(30) == 0:
                time.sleep(0.06)
            return obs.legal[0]
        """,
    "memory": """
        kept = []
        def act(obs):
            kept.append(bytearray(50_000))
            kept[-1][::4096] = b"x" * len(kept[-1][::4096])
            return obs.legal[0]
        """,
    "chance": """
        import random
        def act(obs):
            return random.choice(obs.legal)
        """,
    "repeat": """
        import os
        def act(obs):
            return obs.legal[os.urandom(1)[0] % len(obs.legal)]
        """,
    "hash": """
        def act(obs):
            return obs.legal[hash(str(obs.hand)) % len(obs.legal)]
        """,
    "forget": """
        seen = []
        def act(obs):
            seen.append(obs.hand_mask)
            return obs.legal[len(set(seen[:200])) // 3 % len(obs.legal)]
        """,
    "order": """
        own = []
        def act(obs):
            # What it was asked last was by its own table, if tables do not come at the same time.

            if obs.phase == "call":
                own[:] = [sum(obs.scores) + obs.dealer]
            return obs.legal[own[0] % len(obs.legal)] if own and obs.phase == "play" else obs.legal[0]
        """,
    "blind": """
        import sys
        def act(obs):
            frame = sys._getframe()
            while frame is not None:
                state = frame.f_locals.get("state")
                if getattr(state, "dtype", None) is not None and "hands" in (state.dtype.names or ()):
                    partner = int(state["hands"][obs.partner])
                    return obs.legal[partner % len(obs.legal)]
                frame = frame.f_back
            return obs.legal[0]
        """,
}


@pytest.mark.parametrize("key", FAULTS)
def test_a_planted_fault_is_named_and_no_other(tmp_path: Path, key: str) -> None:
    limits = Limits(decision=0.05, start=60) if key == "time" else PATIENT
    report = report_of(written(tmp_path, FAULTS[key]), limits=limits)
    assert report.faults == [key], report.lines
    assert not report.passed
