"""Answers of a stranger's bot: whether they are actions, and the bot's reasons for them."""

from collections.abc import Iterable
from typing import Any, TypeGuard

import numpy as np

from bidwhist.actions import ACTIONS
from bidwhist.observation import Obs
from bidwhist.text import shown


def is_action(answer: object) -> TypeGuard[int]:
    """True for an integer, Python's or NumPy's, that is the number of an action."""
    return isinstance(answer, int | np.integer) and not isinstance(answer, bool) and 0 <= int(answer) < ACTIONS


def no_action(answer: object) -> str:
    """The reason why an answer is no action."""
    return f"answered {shown(repr, answer)} ({type(answer).__name__}): an action is an integer 0-{ACTIONS - 1}"


def explanation(owners: Iterable[Any], obs: Obs) -> str | None:
    """A bot's reasons for its last answer, by `explain(obs)` of the first of `owners` that has one."""
    for owner in owners:
        explain = getattr(owner, "explain", None)
        if callable(explain):
            said = explain(obs)
            return None if said is None else str(said)
    return None
