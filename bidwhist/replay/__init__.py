"""Hands of a run once more: their cards, and the decisions that their players took."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from bidwhist.replay.opened import open_hand
    from bidwhist.replay.played import tricks

_HOMES = {"open_hand": "opened", "tricks": "played"}

__all__ = ["open_hand", "tricks"]


def __getattr__(name: str) -> Any:
    # the engine, and pandas, are loaded when they are first needed
    if name in _HOMES:
        return getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
