"""Which experiments there are: who plays whom, on how many boards or games. Plays nothing.

All are played from one seed, so that experiments of the format `boards` have their boards in common: a bot that is
slow plays the first of them in an experiment of its own. What a bot is needed for that is not there, is left out.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

from bidwhist_bots import HOUSE_BOTS

SEED: Final = 20261130
BASE: Final = "heuristic"  # the opponent that all have in common
RANDOM: Final = "random"
RUNG: Final = (RANDOM, BASE, "mc", "belief")
SLOW: Final = "pimc?worlds=40"
BEST: Final = "belief?worlds=1000"  # the strongest known
ORACLES: Final = ("oracle-rollout", "oracle")
STRANGERS: Final = ("random?calls=pass", "benchmarks/bots/passer.py", "benchmarks/bots/overbidder.py")
WORLDS: Final = (10, 30, 100, 300, 1000)
MILLISECONDS: Final = (1, 3, 10, 30)
AGAIN: Final = " again"  # the name of a bot's second self


@dataclass(frozen=True)
class Experiment:
    """A tournament to be played: specs of bots, and the boards (`games`: games) of a quick and of a full round.

    With one bot it plays against itself. `challengers` play all others, without any all play all.
    """

    name: str
    bots: tuple[str, ...]
    quick: int
    full: int
    challengers: tuple[str, ...] = ()
    games: bool = False
    plays: bool = False

    def fields(self, seed: int, units: int) -> dict[str, Any]:
        """The fields of its tournament file."""
        alone = [{"spec": self.bots[0], "name": self.bots[0] + AGAIN}] if len(self.bots) == 1 else []
        kind = "games" if self.games else "boards"
        fields = {"name": self.name, "seed": seed, "bots": [*self.bots, *alone], "format": kind, kind: units}
        if self.challengers:
            fields |= {"pairing": "gauntlet", "challengers": list(self.challengers)}
        return fields | ({"record": "plays"} if self.plays else {})


@dataclass(frozen=True)
class Plan:
    """The experiments to be played, and by the names of experiments the bots that they lack."""

    experiments: tuple[Experiment, ...]
    missing: dict[str, tuple[str, ...]]


def alike(spec: str) -> str:
    """Name of the experiment in which a bot plays against itself."""
    return "alike-" + spec.partition("?")[0]


def calls_of(spec: str) -> str:
    """The bot with the heuristic's cards."""
    return _with(spec, "cards=heuristic")


def cards_of(spec: str) -> str:
    """The bot with the heuristic's calls, namings and discards."""
    return _with(spec, "calls=heuristic")


def _with(spec: str, parameter: str) -> str:
    return f"{spec}{'&' if '?' in spec else '?'}{parameter}"


def experiments() -> Iterator[Experiment]:
    """All experiments, whether their bots are there or not."""
    searching = [bot for bot in RUNG if bot not in (RANDOM, BASE)]
    yield Experiment("pairings", RUNG, 300, 1500)
    yield Experiment("slow", (BASE, SLOW), 60, 1500)
    yield Experiment("best", (BASE, BEST), 60, 1500)
    yield Experiment("cards", (BASE, *map(cards_of, searching)), 300, 2000)
    yield Experiment("calls", (BASE, calls_of("mc")), 600, 6000)
    yield Experiment("oracles", (BASE, *ORACLES), 300, 1500, challengers=(BASE,))
    yield Experiment("games", RUNG, 60, 300, games=True)
    yield Experiment("games-slow", (BASE, SLOW), 6, 150, games=True)
    yield Experiment("games-best", (BASE, BEST), 6, 150, games=True)
    yield Experiment("cards-slow", (BASE, cards_of(SLOW)), 60, 1000)
    for bot in RUNG[:3]:
        yield Experiment(alike(bot), (bot,), 250, 1500, plays=True)
    yield Experiment("worlds", (BASE, *(f"mc?worlds={worlds}" for worlds in WORLDS)), 100, 1000, challengers=(BASE,))
    yield Experiment("time", (BASE, *(f"mc?ms={ms}" for ms in MILLISECONDS)), 24, 200, challengers=(BASE,))
    yield Experiment("strangers", (*STRANGERS, *searching), 100, 600, challengers=tuple(searching))
    yield Experiment("pairings-slow", (*(bot for bot in RUNG if bot != BASE), SLOW), 8, 150, challengers=(SLOW,))


def plan(wanted: Sequence[Experiment] | None = None, is_there: Callable[[str], bool] | None = None) -> Plan:
    """The experiments (default: all) with the bots that are there; `is_there` tells of a spec."""
    found = is_there or _is_there
    ready, missing = [], {}
    for experiment in wanted if wanted is not None else experiments():
        bots = tuple(bot for bot in experiment.bots if found(bot))
        challengers = tuple(bot for bot in experiment.challengers if found(bot))
        if bots == experiment.bots or _makes_sense(experiment, bots, challengers):
            ready.append(replace(experiment, bots=bots, challengers=challengers))
        absent = tuple(bot for bot in experiment.bots if bot not in bots)
        if absent:
            missing[experiment.name] = absent
    return Plan(tuple(ready), missing)


def _makes_sense(experiment: Experiment, bots: Sequence[str], challengers: Sequence[str]) -> bool:
    """True if what an experiment is about can be seen without the bots that are not there."""
    if experiment.challengers:
        return bool(challengers) and len(bots) > len(challengers)
    return len(bots) > 1


def _is_there(spec: str) -> bool:
    name = spec.partition("?")[0]
    return "/" in name or name in HOUSE_BOTS
