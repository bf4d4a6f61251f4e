"""A report card: what was examined of a bot, and in plain words what came out."""

from dataclasses import asdict, dataclass, field
from typing import Any, Final

# What is examined, in this order: key and title.
TITLES: Final = {
    "start": "starts",
    "legal": "legal actions only",
    "time": "time for a decision",
    "memory": "memory",
    "chance": "no global random sources",
    "repeat": "same seed, same play",
    "hash": "hash seed changes nothing",
    "forget": "nothing remembered between tables",
    "blind": "hidden cards dealt anew, same play",
    "order": "tables interleaved, same play",
    "strength": "strength",
}


@dataclass(frozen=True)
class Line:
    """One examination. `passed` is None where it told nothing, or where there is nothing to pass."""

    key: str
    passed: bool | None
    words: str

    @property
    def title(self) -> str:
        """What is examined."""
        return TITLES[self.key]


@dataclass(frozen=True)
class Strength:
    """Points a board against an opponent, with a 95% interval, on some boards."""

    opponent: str
    points_per_board: float
    ci95: tuple[float, float] | None
    boards: int
    preset: str


@dataclass
class Report:
    """The report card of a bot. `output` is what it printed or wrote to standard error, up to a limit."""

    spec: str
    sha256: str
    name: str
    version: str | None = None
    presets: tuple[str, ...] = ()
    lines: list[Line] = field(default_factory=list)
    strengths: list[Strength] = field(default_factory=list)
    output: str = ""

    @property
    def passed(self) -> bool:
        """True if no examination found a fault."""
        return all(line.passed is not False for line in self.lines)

    @property
    def faults(self) -> list[str]:
        """Keys of the examinations that found one."""
        return [line.key for line in self.lines if line.passed is False]

    def as_dict(self) -> dict[str, Any]:
        """The report as plain values."""
        lines = [{"title": line.title, **asdict(line)} for line in self.lines]
        return {**asdict(self), "lines": lines, "passed": self.passed, "faults": self.faults}
