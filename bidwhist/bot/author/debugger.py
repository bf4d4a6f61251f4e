"""Python's debugger, which passes by this program on its way to a bot."""

import pdb
from bdb import BdbQuit
from types import FrameType
from typing import Any, Final

from bidwhist.interrupts import UserInterrupt

_OURS: Final = ("bidwhist", "bidwhist.*", "numba", "numba.*", "llvmlite.*", "numpy", "numpy.*", "namedtuple_*")


class Debugger(pdb.Pdb):
    """Stops at the first line of the bot that is called with `runcall`. To quit raises UserInterrupt."""

    def __init__(self) -> None:
        super().__init__(skip=_OURS, nosigint=True)

    def user_call(self, frame: FrameType, argument_list: Any) -> None:
        """Not at the call, which shows no line that is about to run."""

    def trace_dispatch(self, frame: FrameType, event: str, arg: Any) -> Any:
        """As pdb's own, but for the exception, which what is debugged would take for one of the bot."""
        try:
            return super().trace_dispatch(frame, event, arg)
        except BdbQuit:
            raise UserInterrupt from None
