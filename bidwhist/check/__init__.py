"""Whether a bot is fit to play: `check(spec)` gives its report card."""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from bidwhist.check.examine import check
    from bidwhist.check.report import Line, Report

__all__ = ["Line", "Report", "check"]


def __getattr__(name: str) -> Any:
    # Loaded when used: a check runs in processes of its own, and who reads a report needs none of it.
    if name == "check":
        from bidwhist.check.examine import check

        return check
    if name in __all__:
        from bidwhist.check import report

        return getattr(report, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
