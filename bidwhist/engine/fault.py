"""What is said of a bot that failed, and where in a run it was."""

from typing import Any

import numpy as np

from bidwhist.cards import SEATS
from bidwhist.errors import BotFault
from bidwhist.notation import format_seat
from bidwhist.observation import OBSERVATION, Obs, write_observation
from bidwhist.public import PHASES
from bidwhist.table import explain_illegal


def observed(table: Any) -> Any:
    """What the seat to act at a TABLE sees, from its state: a bot may have written into what it was shown."""
    row = np.zeros(1, OBSERVATION)
    write_observation(table["state"], table["seat_keys"][table["state"]["public"]["turn"]], row[0])
    return row[0]


def illegal(table: Any, action: int) -> str:
    """Why `action` is no answer at a TABLE, in words."""
    return f"answered {action}: {explain_illegal(Obs(observed(table)), action)}"


def bot_fault(name: str, table: Any, sequences: Any, reason: str) -> BotFault:
    """The error of a bot that failed at a TABLE at which one of the SEQUENCE records is played."""
    place = where(table["state"]["public"], sequences[table["sequence"]])
    return BotFault(f"{failed(name, place)}: {reason}", name)


def failed(name: str, place: str) -> str:
    """The beginning of the message about a bot that failed; `place`: as `where` has it."""
    return f"bot {name!r} failed {place}"


def where(public: Any, sequence: Any) -> str:
    """The decision that a PUBLIC record of a SEQUENCE waits for, as in 'on board 3, seat N, decision call'."""
    board = sequence["first_board"] + public["hand_number"]
    trick = f", trick {public['played'] // SEATS + 1}" if public["played"] or public["naming"] >= 0 else ""
    return f"on board {board}, seat {format_seat(int(public['turn']))}, decision {PHASES[public['phase']]}{trick}"
