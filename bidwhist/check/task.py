"""What the processes of a check are asked for, and what they answer: plain values that go through a pipe."""

from dataclasses import dataclass, field
from typing import NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from bidwhist.bot.limits import Limits
from bidwhist.bot.metadata import Metadata
from bidwhist.bot.sources.source import BotSource

Floats: TypeAlias = NDArray[np.float64]
Integers: TypeAlias = NDArray[np.int64]
Records: TypeAlias = NDArray[np.void]


@dataclass(frozen=True)
class Meet:
    """Load the bot and let it play hands in its presets (or in `presets`), as long as it takes `seconds`."""

    bot: BotSource
    limits: Limits
    presets: tuple[str, ...]
    seconds: float
    boards: int


@dataclass
class Positions:
    """What a bot was asked in a preset, a table after the other, and what it answered.

    `rows`: OBSERVATION records; `tables`: the numbers of their tables; `hands` (int64[n, 4]) and `dead`: how the cards
    truly lay. All have n entries.
    """

    preset: str
    rows: Records
    tables: Integers
    answers: Integers
    hands: Integers
    dead: Integers


class Failed(NamedTuple):
    """A fault of the bot: in words with its place, why alone, and whether it gave no answer in time."""

    words: str
    reason: str
    late: bool = False


@dataclass
class Met:
    """The bot has started, or has not (`failure`). `faults`: by preset what it did wrong there; `output`: what its own
    processes printed, the same text once."""

    failure: str | None = None
    output: str = ""
    metadata: Metadata = field(default_factory=Metadata)
    positions: list[Positions] = field(default_factory=list)
    faults: dict[str, Failed] = field(default_factory=dict)
    seconds: float = 0.0  # a decision, on the average


@dataclass(frozen=True)
class Replay:
    """Ask the bot once more for the same decisions, a table after the other.

    `timed`: by preset the numbers of the tables of which each decision is asked for by itself, and timed (None: all);
    `backward`: the last table first; `anew`: with hidden hands that are dealt anew.
    """

    bot: BotSource
    limits: Limits
    positions: list[Positions]
    timed: list[Integers] | None = None
    backward: bool = False
    anew: bool = False


@dataclass
class Replayed:
    """What was answered now (a list for each preset, -1 where the bot failed) and how long each answer took, in s, or
    infinity if it was not timed.

    `memory`: bytes that the bot holds when it has been loaded, and after each quarter of its decisions; `peak`: the
    most that it has held; `chance`: the global random sources that have been drawn from.
    """

    answers: list[Integers]
    seconds: list[Floats]
    memory: list[int]
    peak: int
    start: float
    chance: list[str]


@dataclass(frozen=True)
class Contest:
    """Play against the opponents on so many boards of a preset."""

    bot: BotSource
    limits: Limits
    opponents: tuple[str, ...]
    boards: int
    preset: str


Task: TypeAlias = Meet | Replay | Contest
