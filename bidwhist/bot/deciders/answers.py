"""Answers of a stranger's bot that are no actions, and the bot's reasons for its answers."""

from collections.abc import Iterable
from typing import Any

from bidwhist.actions import ACTIONS
from bidwhist.observation import Obs
from bidwhist.text import shown


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
