"""Bid Whist: an engine, bots, and tournaments between them.

The names below are loaded when they are first used, so that importing the package costs nothing.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from bidwhist import _moved
from bidwhist._version import __version__

if TYPE_CHECKING:
    from bidwhist import replay, results
    from bidwhist._jit import shared as compiled
    from bidwhist.observation import Obs
    from bidwhist.play import play_board, run_tournament
    from bidwhist.rules import Rules, preset
    from bidwhist.table import Table

_HOMES = {
    "Obs": "bidwhist.observation",
    "Rules": "bidwhist.rules",
    "Table": "bidwhist.table",
    "compiled": "bidwhist._jit",
    "play_board": "bidwhist.play",
    "preset": "bidwhist.rules",
    "replay": "bidwhist.replay",
    "results": "bidwhist.results",
    "run_tournament": "bidwhist.play",
}

_moved.install()

_NAMES = {"compiled": "shared"}  # what stands under another name in its home

__all__ = [
    "Obs",
    "Rules",
    "Table",
    "__version__",
    "compiled",
    "play_board",
    "preset",
    "replay",
    "results",
    "run_tournament",
]


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'bidwhist' has no attribute {name!r}")
    module = import_module(_HOMES[name])
    return module if module.__name__ == f"bidwhist.{name}" else getattr(module, _NAMES.get(name, name))


def __dir__() -> list[str]:
    return sorted(__all__)
