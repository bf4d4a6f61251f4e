"""The interface of whatever answers for a bot, whatever kind of bot it is."""

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from types import TracebackType
from typing import TYPE_CHECKING, Self

import numpy as np
from numpy.typing import NDArray

from bidwhist.cards import SEATS, Seat
from bidwhist.errors import BotSpecError
from bidwhist.faults import Fault

if TYPE_CHECKING:
    from bidwhist.observation import Obs


class DecisionFailed(Exception):
    """A bot gave no action: `place` is the row it failed on, `reason` says what happened, `fault` of what kind that is.

    `answers`: the actions that it gave all the same, by row (int64): -1, or the end of the array, where there is none.
    """

    def __init__(
        self, place: int, reason: str, fault: Fault = Fault.CRASH, answers: Sequence[int] | NDArray[np.int64] = ()
    ) -> None:
        super().__init__(reason)
        self.place = place
        self.reason = reason
        self.fault = fault
        self.answers = np.asarray(answers, np.int64)


class Decider(ABC):
    """A bot that has been loaded to play. It is closed by whoever loaded it, or by leaving its context.

    Only `decide` has to be there; the rest is for bots that remember, explain themselves or hold something open.
    """

    is_apart: bool = False
    """True if it answers in processes of its own, which do not see the memory of the rows. A question about many rows
    costs little more than one about few then."""

    answers_together: bool = False
    """True if the bot itself is asked for several decisions at once, so that it may matter which."""

    def __init__(self, name: str, file: str | None = None) -> None:
        """`name`: the bot's name in messages; `file`: where the lines of a bot written in Python are reported from."""
        self.name = name
        self.file = file

    @abstractmethod
    def decide(self, rows: NDArray[np.void], sequences: NDArray[np.int64]) -> NDArray[np.int64]:
        """Actions (int64[n]) for n OBSERVATION rows. (sequence, seat) tells apart the players that may remember.

        Both arrays are filled anew for the next question. Raises DecisionFailed.
        """

    def begin(self, rows: NDArray[np.void], sequences: NDArray[np.int64]) -> None:
        """Begin to answer, in processes of its own, if it has some; `decide` is called with the same next."""

    def finish(self, sequences: NDArray[np.int64]) -> None:
        """Forget the players of these sequences, which are over."""

    def reset(self) -> None:
        """Forget all that was asked, and let go of whatever may hold a trace of it: what comes next is another game,
        or the same hands once more."""

    def ready(self, seats: Sequence[Seat] = range(SEATS)) -> float:
        """Start what the bot would start when these seats are first asked; the processor time (s) of the slowest start.

        Raises BotSpecError.
        """
        return 0.0

    def restart(self, sequence: int, seat: Seat) -> None:
        """Forget the player of a seat in a sequence, which has failed: a new one is asked next.

        A bot that remembers nothing, or begins anew by itself after a fault, has nothing to do.
        """

    def memory(self) -> int:
        """Most bytes that one of its own processes holds, beyond those with which it began; 0 without any."""
        return 0

    def drawn_from(self) -> list[str]:
        """Names of the global sources of chance that its own processes have drawn from."""
        return []

    def close(self) -> None:
        """End what the bot holds open."""

    def explain(self, obs: "Obs") -> str | None:
        """The bot's reasons for the answer that it has just given to `obs`; None without any.

        Raises whatever the bot raises.
        """
        return None

    @property
    def errors(self) -> Mapping[Seat, str]:
        """What the bot has written to its standard error so far, by seat, if it is a program of its own."""
        return {}

    def in_python(self) -> "Decider":
        """A new player of the bot, asked by its functions as they are written, so that a debugger can show their lines.

        Raises BotSpecError for a bot that has no such lines.
        """
        raise BotSpecError(f"bot {self.name!r}: is none written in Python, whose lines a debugger could show")

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


class Seer(Decider):
    """A decider that sees all hands. House bots that are marked as cheating inherit from it, and no others.

    It goes by inheritance, since a user's bot could have a method of any name.
    """

    @abstractmethod
    def see(self, states: NDArray[np.void]) -> None:
        """STATE records, copies: how the hands truly stand at the rows that `decide` is asked about next."""
