"""Runs on disk: their manifest, their parts in Parquet, and the frames and standings made from them."""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from bidwhist.results.frame import chunks, load

__all__ = ["chunks", "load"]


def __getattr__(name: str) -> Any:
    # pandas is heavy: only who loads a frame pays for it
    if name in __all__:
        from bidwhist.results import frame

        return getattr(frame, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
