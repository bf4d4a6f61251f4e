"""Runs on disk: their manifest, their parts in Parquet, and the frames and standings made from them."""

import sys
from importlib import import_module
from types import ModuleType
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from bidwhist.results.auction import calls, contracts
    from bidwhist.results.frame import chunks, load
    from bidwhist.results.incidents import faults
    from bidwhist.results.summaries import differences, pairings, standings, timings

_HOMES = {
    "calls": "auction",
    "chunks": "frame",
    "contracts": "auction",
    "differences": "summaries",
    "faults": "incidents",
    "load": "frame",
    "pairings": "summaries",
    "standings": "summaries",
    "timings": "summaries",
}

__all__ = ["calls", "chunks", "contracts", "differences", "faults", "load", "pairings", "standings", "timings"]


def __getattr__(name: str) -> Any:
    # pandas is heavy: only who loads a frame pays for it
    if name in _HOMES:
        return getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


class _Package(ModuleType):
    """This package, in which `standings` and `faults` are the functions, also when modules of these names, which other
    modules import names from, have been loaded."""

    def __setattr__(self, name: str, value: Any) -> None:
        if name not in _HOMES or not isinstance(value, ModuleType):
            super().__setattr__(name, value)


sys.modules[__name__].__class__ = _Package
