"""Compiled bots: three functions `call`, `prepare`, `play`, each (private, public, stream) -> action.

`prepare` names and discards, by phase. The functions are handed the private fields, a pointer to the public part and
the decision's random stream; nothing is copied. The kernel (`bidwhist.bot.deciders.kernel`) calls their machine code by
its address.
"""

import re
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from bidwhist._jit import jit, shared
from bidwhist.bot.deciders.answers import explanation
from bidwhist.bot.deciders.digest import digest_of
from bidwhist.bot.deciders.entry import RAISED, Function, ask, entry_of
from bidwhist.bot.deciders.scalar import ScalarBot
from bidwhist.bot.python.errors import describe_error
from bidwhist.bot.python.found import FUNCTIONS
from bidwhist.engine.decider import Decider, DecisionFailed
from bidwhist.errors import BotSpecError, Stopped
from bidwhist.faults import Fault
from bidwhist.interrupts import UserInterrupt
from bidwhist.observation import Obs, private_of
from bidwhist.process.machine import machine_limits
from bidwhist.public import CALLING, PLAYING
from bidwhist.streams import new_stream

WORKSPACE: Final = np.dtype([("stream", "u8", (1,))])

MOST_VALUES: Final = 8  # parameters of a compiled house bot
OWN: Final = -1
"""Number of a user's bot, which is no house bot."""

# A bot as the kernel has it. number: of a house bot, or OWN; values: of a house bot's parameters; entries: addresses of
# the functions of a user's bot.
PLAYER: Final = np.dtype([("number", "i8"), ("values", "i8", (MOST_VALUES,)), ("entries", "i8", (len(FUNCTIONS),))])


class KernelDecider(Decider):
    """A bot that a kernel can play without leaving compiled code. `player` is its PLAYER record, in an array of one."""

    player: NDArray[np.void]


@shared
def which(phase: int) -> int:
    """Place in FUNCTIONS of the function that decides in a phase."""
    if phase == PLAYING:
        return 2
    return 0 if phase == CALLING else 1


@jit
def _answer(player: Any, rows: Any, actions: Any, workspace: Any) -> None:
    stream = workspace[0]["stream"]
    for place in range(len(rows)):
        row = rows[place]
        stream[0] = row["key"]
        actions[place] = ask(
            player[0]["entries"][which(row["public"]["phase"])], private_of(row), row["public"], stream
        )


class CompiledBot(KernelDecider):
    """A user's compiled bot."""

    def __init__(self, name: str, functions: tuple[Function, ...], file: str, thing: Any = None) -> None:
        """`functions`: in the order of FUNCTIONS; `thing`, where they were found, may explain.

        Raises BotSpecError if one cannot be compiled.
        """
        identity = digest_of(functions)[:16]
        super().__init__(name, file)
        self._functions = functions
        self._thing = thing
        self._workspace = np.zeros(1, WORKSPACE)
        self.player = np.zeros(1, PLAYER)
        self.player["number"] = OWN
        entries = [_entry(name, title, each, identity) for title, each in zip(FUNCTIONS, functions, strict=True)]
        self.player["entries"][0] = entries

    def in_python(self) -> Decider:
        """The functions, not compiled."""
        return ScalarBot(self.name, lambda: self._act, str(self.file))

    def _act(self, obs: Obs) -> Any:
        row = obs.row
        function = self._functions[which(int(row["public"]["phase"]))]
        return function(private_of(row), row["public"], new_stream(int(row["key"])))

    def decide(self, rows: NDArray[np.void], sequences: NDArray[np.int64]) -> NDArray[np.int64]:
        """An action for each OBSERVATION row. Raises DecisionFailed."""
        actions = np.empty(len(rows), np.int64)
        _answer(self.player, rows, actions, self._workspace)
        raised = np.flatnonzero(actions == RAISED)
        if len(raised):
            place = int(raised[0])
            reason = self._what_it_raised(Obs(rows[place]))
            raise DecisionFailed(place, reason, Fault.CRASH, actions[:place])
        return actions

    def explain(self, obs: Obs) -> str | None:
        """The reasons of its module."""
        return explanation((self._thing,), obs)

    def _what_it_raised(self, obs: Obs) -> str:
        # Compiled code tells that it raised, not where; the same function in plain Python does.
        try:
            self._act(obs)
        except UserInterrupt:
            raise
        except BaseException as error:
            return describe_error(error, str(self.file))
        return f"{self.file}: it raised an exception when compiled, and does not in plain Python"


def _entry(name: str, title: str, function: Function, identity: str) -> int:
    try:
        with machine_limits(f"bot {name!r}: {title} cannot be compiled"):
            return entry_of(function, identity)
    except Stopped:
        raise
    except Exception as error:  # Numba has many ways to say no
        raise BotSpecError(f"bot {name!r}: {title} cannot be compiled: {_reason(str(error))}") from error


_LOCATION: Final = re.compile(r'File "(?P<file>.*)", line (?P<line>\d+)')
_CAUSE: Final = re.compile(
    r"(Untyped global|NameError|Unknown attribute|Cannot |Invalid use|Missing|self-recursion|not supported|missing a|"
    r"No implementation of function)"
)


def _reason(text: str) -> str:
    """The cause in what Numba says, which has it at the end, inside of what it made impossible, and where it is."""
    lines = [line.strip(" -*") for line in text.splitlines() if line.strip(" -*")]
    causes = [line for line in lines if _CAUSE.search(line)]
    reason = re.sub(r" at 0x[0-9a-f]+", "", (causes or lines or ["no reason was given"])[-1 if causes else 0])
    places = _LOCATION.findall(text)
    if "Cannot determine Numba type of <class 'function'>" in reason:
        reason += " (a helper has to be marked @compiled)"
    return reason + (f" ({places[-1][0]}, line {places[-1][1]})" if places else "")
