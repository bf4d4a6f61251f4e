"""The house bots. Each is a module of three compiled functions on the observation: `call`, `prepare`, `play`.

What stands here is plain data, so that listing the bots loads no compiler.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType


@dataclass(frozen=True)
class Number:
    """A parameter that is a whole number: its bounds, and its default; None: it is left out."""

    default: int | None
    least: int
    most: int


Values = tuple[str, ...] | Number


@dataclass(frozen=True)
class HouseBot:
    """A house bot's entry in the list: what it does, and its parameters with their values, the default first.

    `searches`: it weighs its actions by imagined worlds, and works on a record of its own. `cheats`: it sees all hands,
    and is a reference that others are measured by: no standings have a place for it.
    """

    about: str
    parameters: Mapping[str, Values] = field(default_factory=lambda: MappingProxyType({}))
    searches: bool = False
    cheats: bool = False


# What may be left to the heuristic.
_SHARES: Mapping[str, Values] = MappingProxyType({"calls": ("own", "heuristic"), "cards": ("own", "heuristic")})


def _search(worlds: int) -> Mapping[str, Values]:
    """Parameters of a bot that searches: how many worlds, or how long; its shares."""
    return MappingProxyType({"worlds": Number(worlds, 1, 1_000_000), "ms": Number(None, 1, 1_000_000), **_SHARES})


HOUSE_BOTS: Mapping[str, HouseBot] = MappingProxyType(
    {
        "random": HouseBot(
            "any legal action, all as likely; calls=pass: passes unless forced",
            MappingProxyType({"calls": ("uniform", "pass")}),
        ),
        "heuristic": HouseBot("values its hand for every strain, bids what it expects to make, counts the cards"),
        "mc": HouseBot(
            "imagines the hidden hands and plays each of its actions out in them, as the heuristic plays; "
            "ms=50 instead of worlds: as many worlds as fit into 50 ms",
            _search(200),
            searches=True,
        ),
        "pimc": HouseBot(
            "as mc, but a solver tells what each card is worth in the worlds, as if all hands lay open",
            _search(40),
            searches=True,
        ),
        "belief": HouseBot(
            "mc in worlds that come as often as the others' calls and cards make them likely; steps: between two; "
            "floors: likelihood in percent of a call or card as unlike the heuristic's as can be, 100: as good as any",
            MappingProxyType(
                {
                    **_search(200),
                    "calls_floor": Number(5, 1, 100),
                    "plays_floor": Number(20, 1, 100),
                    "steps": Number(30, 1, 1000),
                    "leaf": ("rollout", "solver", "both"),
                }
            ),
            searches=True,
        ),
        "oracle-rollout": HouseBot(
            "sees all hands, and plays each of its actions out in them, as the heuristic plays",
            _SHARES,
            searches=True,
            cheats=True,
        ),
        "oracle": HouseBot(
            "as oracle-rollout, but a solver tells what each card is worth",
            _SHARES,
            searches=True,
            cheats=True,
        ),
    }
)
