"""Searching bots: the interface `Search`, and the SEARCH record on which they weigh actions in imagined worlds."""

from abc import ABC, abstractmethod
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from bidwhist._jit import jit
from bidwhist.actions import NAMINGS
from bidwhist.cards import SEATS
from bidwhist.public import PUBLIC
from bidwhist.score import ALL_BOOKS
from bidwhist.state import STATE
from bidwhist.worlds.sample import draw
from bidwhist.worlds.view import WORLDS
from bidwhist.worlds.whole import write_world
from bidwhist_bots.parameters import Number, Parameter

SHARES: Final[dict[str, Parameter]] = {"calls": ("own", "heuristic"), "cards": ("own", "heuristic")}
"""Parameters of a bot that may leave a share of its decisions to the heuristic."""


def effort(worlds: int) -> dict[str, Parameter]:
    """Parameters of a bot that weighs in so many worlds, or else for so long."""
    return {
        "worlds": Number(worlds, 1, 1_000_000),
        "ms": Number(None, 1, 1_000_000, instead_of="worlds", is_clock=True),
    }


class Search(ABC):
    """How a bot weighs a decision: begin it, extend it by worlds as often as there is time, take the best action.

    Decisions are OBSERVATION rows, handed over as their array and a place: the type of a single record takes Python
    long to tell. A search keeps nothing between decisions.
    """

    record: NDArray[np.void]
    """An array of one SEARCH record."""

    @abstractmethod
    def begin(self, rows: NDArray[np.void], place: int) -> int:
        """Begin to weigh a decision: the action, if there is nothing to weigh, else -1."""

    @abstractmethod
    def extend(self, rows: NDArray[np.void], place: int, worlds: int) -> None:
        """Weigh the candidates in so many more worlds; in none, what that needs is compiled."""

    @abstractmethod
    def extend_for(self, rows: NDArray[np.void], place: int, worlds: int, seconds: float) -> float:
        """Weigh them in so many more worlds, or fewer if that would take longer than `seconds`.

        Returns the seconds that another call will take at least.
        """

    @abstractmethod
    def best(self, rows: NDArray[np.void], place: int) -> int:
        """The action that has done best."""

    def is_long(self, rows: NDArray[np.void], place: int, worlds: int) -> bool:
        """True if to weigh in so many worlds may take longer than a tenth of a second."""
        return worlds > _MANY_WORLDS

    def stop(self) -> None:
        """Make `extend` end soon, in whatever state; for another thread, which calls this until it has ended."""
        self.record["candidates"][0] = 1

    @property
    def is_open(self) -> bool:
        """True while there is more than one candidate."""
        return bool(self.record["candidates"][0] > 1)

    def reveal(self, state: Any) -> None:
        """Take the hands of a STATE record for the only world there is; for bots that cheat."""
        self.record["knows"] = 1
        self.record["truth"][0] = state


_MANY_WORLDS: Final = 1000

CANDIDATES: Final = 32  # of a decision: at most 28 bids and a pass
EVENTS: Final = SEATS + 1 + 52  # of a hand: calls, a naming, cards
LANES: Final = SEATS * NAMINGS + 1  # hands that are played out at a time: of each contract of a world, and one to spare

# world: the one imagined last. knows: 1 if that is always the `truth`, which a bot that cheats is shown. lanes: hands
# on their way to the end. By candidate: its action, what it is worth in the last world (`worths`), and the sum of that
# in the worlds `drawn` so far. value: what a contract is worth by declaring side, level, no trump and books.
#
# Of `bidwhist_bots.calling`: by candidate the sum of only those worlds in which the naming is not the own choice, of
# the others by naming (`stands`), and both together (`totals`); the namings tried; worlds to be drawn before candidates
# are dropped again (`look`). Of the last world, by candidate: the contract that it led to; by declarer and naming: its
# lane. past: what everybody saw before each of the calls `heard`.
#
# Of `bidwhist_bots.racing`: the worlds before, and the standard errors by which a candidate is dropped; by two
# candidates the sum of the squares of their differences. Of `bidwhist_bots.pimc`: the most cards of a hand that the
# solver is asked for, and whether it is asked now; the cards on the table; the fewest and the most books of the
# declaring side that are worth telling apart; what books are worth.
#
# Of `bidwhist_bots.likelihood`: how much an unlikely call and card weigh; before each of the `events` that are weighed
# what was seen, and the legal words, what was done and the cards that the seat has played since. Of
# `bidwhist_bots.belief`: the world before a change; by seat the logarithms of its likelihood; what may be swapped.
SEARCH: Final = np.dtype(
    [
        ("view", WORLDS),
        ("world", STATE),
        ("knows", "i8"),
        ("truth", STATE),
        ("lanes", STATE, (LANES,)),
        ("stream", "u8", (1,)),
        ("hands", "i8", (SEATS,)),
        ("scores", "i8", (2,)),
        ("sets", "i8", (2,)),
        ("value", "f8", (2, 8, 2, ALL_BOOKS + 1)),
        ("candidates", "i8"),
        ("actions", "i8", (CANDIDATES,)),
        ("sums", "f8", (CANDIDATES,)),
        ("totals", "f8", (CANDIDATES,)),
        ("drawn", "i8"),
        ("look", "i8"),
        ("stands", "f8", (CANDIDATES, NAMINGS)),
        ("tried", "i8"),
        ("declarers", "i8", (CANDIDATES,)),
        ("bids", "i8", (CANDIDATES,)),
        ("namings", "i8", (CANDIDATES,)),
        ("lane_of", "i8", (SEATS, NAMINGS)),
        ("heard", "i8"),
        ("past", PUBLIC, (SEATS,)),
        ("most_cards", "i8"),
        ("is_solved", "i8"),
        ("trick", "i8", (SEATS,)),
        ("least", "i8"),
        ("most", "i8"),
        ("worth", "f8", (ALL_BOOKS + 1,)),
        ("worths", "f8", (CANDIDATES,)),
        ("patience", "i8"),
        ("errors", "f8"),
        ("apart", "f8", (CANDIDATES, CANDIDATES)),
        ("calls_weight", "f8"),
        ("plays_weight", "f8"),
        ("steps", "i8"),
        ("goes_on", "i8"),
        ("before", STATE),
        ("logs", "f8", (SEATS,)),
        ("new_logs", "f8", (SEATS,)),
        ("own", "i8"),
        ("declarer", "i8"),
        ("is_taken", "i8"),
        ("guesses", "i8"),
        ("hidden", "i8"),
        ("barred", "i8", (SEATS,)),
        ("declared", "i8"),
        ("events", "i8"),
        ("seen", PUBLIC, (EVENTS,)),
        ("options", "i8", (EVENTS,)),
        ("done", "i8", (EVENTS,)),
        ("later", "i8", (EVENTS,)),
    ],
    align=True,
)


def new_search() -> Any:
    """An array of one SEARCH record, about a quarter of a megabyte; made once, used for any number of decisions."""
    return np.zeros(1, SEARCH)


@jit
def imagine(ws: Any, private: Any, public: Any) -> None:
    """Draw a world that agrees with what a seat sees into `ws["world"]`; `bidwhist.worlds` is prepared for it.

    Who knows the truth imagines nothing else.
    """
    if ws["knows"] != 0:
        ws["world"] = ws["truth"]
        return
    dead = draw(ws["view"], ws["stream"], ws["hands"])
    write_world(private, public, ws["hands"], dead, ws["stream"], ws["world"])
