"""Playing one part of a schedule: pure, from the part to the columns of its rows.

The engine is loaded when it is first needed: a process that leaves the play to others is spared the compiler.
"""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

import numpy as np
from numpy.typing import NDArray

from bidwhist.cards import SEATS
from bidwhist.errors import BotFault
from bidwhist.results.columns import part_columns
from bidwhist.results.faults import FEWEST_FAULTS
from bidwhist.results.manifest import Manifest
from bidwhist.results.reasons import FaultReason
from bidwhist.results.schedule import LINEUPS, lineups
from bidwhist.results.schema import Part
from bidwhist.rules import Rules
from bidwhist.text import printable

if TYPE_CHECKING:
    from bidwhist.engine.decider import Decider
    from bidwhist.engine.sequence import Played

_MOST_REASON: Final = 1_000  # characters of the reason of a fault that are kept


@dataclass(frozen=True)
class Setting:
    """What the play of a run depends on beside its bots."""

    rules: Rules
    seed: int
    games: bool
    pairing: str = "round-robin"

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
        found = sequences.reshape(-1)
        found["lineup"] = _seated(self.lineups(part), np.arange(len(found)))
        return found

    def lineups(self, part: Part) -> NDArray[np.int16]:
        """Bots at N E S W (int16[LINEUPS, 4]) of the sequences of a part, until they sit as before."""
        return np.array(lineups(self.pairing, part), np.int16)


def _seated(lineups_of_part: NDArray[Any], sequences: NDArray[np.int64]) -> NDArray[Any]:
    """The lineups of sequences, by their places in a part."""
    return lineups_of_part.take(sequences % LINEUPS, axis=0)


def refereed(part: Part, deciders: "Mapping[int, Decider]", manifest: Manifest) -> "dict[int, Decider]":
    """The bots of a part, by bot index, with referees for those whose faults are not to stop the run."""
    from bidwhist.engine.referee import Referee

    tables = 2 * part.units
    most = max(FEWEST_FAULTS, int(manifest.most_faults * tables))  # as of a whole run, see `is_disqualified`
    return {
        bot: decider if manifest.bots[bot].on_fault == "stop" else Referee(decider, tables, most)
        for bot, decider in deciders.items()
    }


def play_part(setting: Setting, part: Part, deciders: "Mapping[int, Decider]") -> dict[str, NDArray[Any]]:
    """The columns of a part's rows (see bidwhist.results.columns), cards included.

    Rows are in the order of unit, orientation and hand. `deciders`: by bot index, perhaps with referees, which note
    faults. Raises BotFault for those of a bot without one.
    """
    from bidwhist.outcome import OUTCOME

    sequences, lineups_of_part = setting.sequences(part), setting.lineups(part)
    bots, places = np.unique(lineups_of_part, return_inverse=True)
    sequences["lineup"] = _seated(places.reshape(lineups_of_part.shape), np.arange(len(sequences)))
    asked = [deciders[bot] for bot in bots.tolist()]
    played = _play(setting, sequences, asked)
    faults, faults_at = _faults(setting, played, asked)
    sequence = played.sequence.copy()  # out of the engine's records, which are wide
    unit, orientation = part.first + (sequence >> 1), sequence & 1
    fields = {
        "unit": unit,
        "board": unit * setting.hands_a_unit + played.hand,
        "lineup": _seated(lineups_of_part, sequence),
        "hand": played.hand,
        "orientation": orientation,
        "faults": faults,
        "faults_at": faults_at,
        **{name: played.outcome[name] for name in OUTCOME.names or ()},
    }
    return {column.name: column.of(fields) for column in part_columns(games=setting.games)}


def _play(setting: Setting, sequences: NDArray[np.void], asked: "Sequence[Decider]") -> "Played":
    """Play SEQUENCE records; lineups are indices into `asked`.

    Compiled bots play in their kernel, without a referee, unless it turns out that one of them fails.
    """
    from bidwhist.bot.deciders.kernel import play_compiled
    from bidwhist.bot.playing import play
    from bidwhist.engine.batch import Batch
    from bidwhist.engine.referee import Referee

    if not any(isinstance(each, Referee) for each in asked):
        return play(setting.rules, setting.seed, sequences, asked)
    bots = [each.bot if isinstance(each, Referee) else each for each in asked]
    with suppress(BotFault):
        played = play_compiled(setting.rules, setting.seed, sequences, bots)
        if played is not None:
            return played
    return Batch(setting.rules, setting.seed).play(sequences, asked)


def _faults(
    setting: Setting, played: "Played", asked: "Sequence[Decider]"
) -> tuple[NDArray[np.int8], NDArray[np.int8]]:
    """Of hands played, by seat, the codes of the faults that referees have noted, and their moments."""
    from bidwhist.engine.referee import Referee

    codes = np.zeros((len(played.hand), SEATS), np.int8)
    moments = np.full((len(played.hand), SEATS), -1, np.int8)
    numbers = played.sequence * setting.hands_a_unit + played.hand
    for referee in asked:
        if isinstance(referee, Referee):
            noted = referee.noted
            rows = np.searchsorted(numbers, noted["sequence"] * setting.hands_a_unit + noted["hand"])
            codes[rows, noted["seat"]] = noted["fault"]
            moments[rows, noted["seat"]] = noted["moment"]
    return codes, moments


def reasons_of(
    setting: Setting, part: Part, deciders: "Mapping[int, Decider]", manifest: Manifest
) -> Iterator[FaultReason]:
    """Why the bots of a part that has been played have failed: of each kind of fault the first one."""
    from bidwhist.engine.moment import decision_name
    from bidwhist.engine.referee import Referee
    from bidwhist.notation import SEAT_LETTERS

    for bot, referee in deciders.items():
        for fault, reason in referee.reasons.items() if isinstance(referee, Referee) else ():
            yield FaultReason(
                bot=manifest.bots[bot].name,
                fault=fault.word,
                board=(part.first + reason.sequence // 2) * setting.hands_a_unit + reason.hand,
                opponent=manifest.side_name(part.a if bot in manifest.side(part.b) else part.b),
                seat=SEAT_LETTERS[reason.seat],
                decision=decision_name(reason.moment),
                reason=printable(reason.text[:_MOST_REASON]),
            )
