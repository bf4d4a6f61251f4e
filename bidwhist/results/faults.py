"""The faults of the bots of a run, counted, and when they are too many."""

from dataclasses import dataclass
from typing import Final

from bidwhist.results.statistics import TableColumn

FEWEST_FAULTS: Final = 3
"""Tables at which a bot must have failed to be disqualified, however few it has played."""


@dataclass(frozen=True)
class FaultCount:
    """The faults of one kind of a bot: how many, and the first of them, on the board with the lowest number.

    `fault`: the kind, as `crash`; `opponent`: whom the bot met at that table; `decision`: as `call` or `play:5`.
    """

    bot: str
    fault: str
    incidents: int
    board: int
    opponent: str
    seat: str
    decision: str


FAULTS_COLUMNS: Final = (
    TableColumn("bot", "string", "name of the bot"),
    TableColumn("fault", "string", "kind of fault: `crash`, `time`, `illegal`, `message`, `limit` or `unasked`"),
    TableColumn("incidents", "int64", "seats and hands with such a fault"),
    TableColumn("board", "int64", "board of the first one"),
    TableColumn("opponent", "string", "whom the bot met there"),
    TableColumn("seat", "string", "its seat: N, E, S or W"),
    TableColumn("decision", "string", "the decision: `call`, `name`, `discard:2` or `play:5`"),
)


def is_disqualified(faulty: int, tables: int, most_faults: float) -> bool:
    """Whether a bot is, that has failed at `faulty` of its tables, of which it may at the share `most_faults`."""
    return faulty >= FEWEST_FAULTS and faulty > most_faults * tables
