"""The house bots. Each is a module of three compiled functions on the observation: `call`, `prepare`, `play`.

What stands here is plain data, so that listing the bots loads no compiler.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType


@dataclass(frozen=True)
class HouseBot:
    """A house bot's entry in the list: what it does, and its parameters with their values, the default first."""

    about: str
    parameters: Mapping[str, tuple[str, ...]] = field(default_factory=lambda: MappingProxyType({}))


HOUSE_BOTS: Mapping[str, HouseBot] = MappingProxyType(
    {
        "random": HouseBot(
            "any legal action, all as likely; calls=pass: passes unless forced",
            MappingProxyType({"calls": ("uniform", "pass")}),
        ),
        "heuristic": HouseBot("values its hand for every strain, bids what it expects to make, counts the cards"),
    }
)
