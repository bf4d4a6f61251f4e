"""Two bots of a run compared by the boards on which they met, with the luck of these boards taken out on demand."""

from dataclasses import dataclass
from pathlib import Path

import numpy as np

from bidwhist.errors import RunError
from bidwhist.results.encounter import Encounter, encounter
from bidwhist.stats.control import Controlled, controlled
from bidwhist.stats.intervals import Estimate
from bidwhist.text import echo


@dataclass(frozen=True)
class Comparison:
    """The points a board (in `games` a hand) of a bot against another one, and how likely it is that the first is truly
    better; duplicates that it won, tied and lost. `control`: the same with the luck of the boards taken out.
    `stopped_early`: whether the run has stopped by itself, so that all this leans towards its verdict."""

    one: str
    other: str
    format: str
    points: Estimate
    superiority: float
    won: int
    tied: int
    lost: int
    control: Controlled | None
    stopped_early: bool


def compare(run: Path, one: str, other: str, control: tuple[Path, str, str] | None = None) -> Comparison:
    """Compare two bots, by name, that have met in a run.

    `control`: another run of the same seed and rules, and two bots of it that have met on these boards and on more.
    Raises RunError.
    """
    met = encounter(run, one, other)
    leads = np.sign(2 * met.values("won") - 1)
    won, tied, lost = (int((leads == sign).sum()) for sign in (1, 0, -1))
    return Comparison(
        one,
        other,
        met.manifest.format,
        met.points,
        met.against().superiority(0),
        won,
        tied,
        lost,
        None if control is None else _controlled(met, control),
        met.manifest.stopped is not None,
    )


def _controlled(met: Encounter, control: tuple[Path, str, str]) -> Controlled:
    folder, one, other = control
    known = encounter(folder, one, other)
    if met.manifest.is_games or known.manifest.is_games:
        raise RunError(f"{met.run}: a control is for boards, and not for games")
    if known.manifest.seed_commitment != met.manifest.seed_commitment:
        raise RunError(f"{folder}: has another seed than {met.run}, and so other boards")
    if known.manifest.rule_set().as_dict() != met.manifest.rule_set().as_dict():
        raise RunError(f"{folder}: has other rules than {met.run}")
    boards, theirs = met.meeting.units, known.meeting.units
    missing = np.setdiff1d(boards, theirs)
    if len(missing):
        raise RunError(f"{folder}: {echo(one)} and {echo(other)} have not played board {missing[0]} of {met.run}")
    try:
        return controlled(met.values("points"), np.searchsorted(theirs, boards), known.values("points"))
    except ValueError as error:
        raise RunError(f"{folder}: {echo(one)} and {echo(other)} are no control: {error}") from None
