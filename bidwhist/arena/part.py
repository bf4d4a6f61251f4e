"""Playing one part of a schedule: pure, from the part to the columns of its rows.

The engine is loaded when it is first needed: a process that leaves the play to others is spared the compiler.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from bidwhist.results.columns import part_columns
from bidwhist.results.schedule import lineup
from bidwhist.results.schema import Part
from bidwhist.rules import Rules

if TYPE_CHECKING:
    from bidwhist.engine.decider import Decider


@dataclass(frozen=True)
class Setting:
    """What the play of a run depends on beside its bots."""

    rules: Rules
    seed: int
    games: bool

    @property
    def hands_a_unit(self) -> int:
        """Hands that a unit (board or game) has at most."""
        return self.rules.cap if self.games else 1

    def sequences(self, part: Part) -> NDArray[np.void]:
        """SEQUENCE records of a part: for each unit, orientation 0 and 1. Lineups hold bot indices."""
        from bidwhist.deal import first_dealers
        from bidwhist.engine.sequence import SEQUENCE
        from bidwhist.streams import use_key

        first_boards = (part.first + np.arange(part.units)) * self.hands_a_unit
        sequences = np.zeros((part.units, 2), SEQUENCE)
        sequences["first_board"] = first_boards[:, None]
        sequences["hands"] = self.hands_a_unit
        sequences["dealer"] = first_dealers(use_key(self.seed, "deals"), first_boards, self.games)[:, None]
        sequences["lineup"] = [lineup(part, 0), lineup(part, 1)]
        return sequences.reshape(-1)


def play_part(setting: Setting, part: Part, deciders: "Mapping[int, Decider]") -> dict[str, NDArray[Any]]:
    """The columns of a part's rows (see bidwhist.results.columns), cards included.

    Rows are in the order of unit, orientation and hand. `deciders`: by bot index. Raises BotFault.
    """
    from bidwhist.bot.playing import play
    from bidwhist.outcome import OUTCOME

    sequences = setting.sequences(replace(part, a=0, b=1))
    asked = [deciders[part.a], deciders[part.b]]
    played = play(setting.rules, setting.seed, sequences, asked)
    sequence = played.sequence.copy()  # out of the engine's records, which are wide
    unit, orientation = part.first + (sequence >> 1), sequence & 1
    fields = {
        "unit": unit,
        "board": unit * setting.hands_a_unit + played.hand,
        "lineup": np.array([lineup(part, 0), lineup(part, 1)], np.int16).take(orientation, axis=0),
        "hand": played.hand,
        "orientation": orientation,
        **{name: played.outcome[name] for name in OUTCOME.names or ()},
    }
    return {column.name: column.of(fields) for column in part_columns(games=setting.games)}
