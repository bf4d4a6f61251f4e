"""A figure, and rates that are measured beside one another."""

import statistics
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

Say = Callable[[str], None]
"""Is told what is being measured."""


@dataclass(frozen=True)
class Figure:
    """What was measured: `value` in `unit`, for a rate a second of CPU time; its `ratio` to the figure `against`."""

    name: str
    value: float
    unit: str
    is_rate: bool = False
    ratio: float | None = None
    against: str | None = None

    def as_json(self) -> dict[str, Any]:
        """The row of the machine output; `per_s` is null unless the figure is a rate."""
        return {
            "name": self.name,
            "per_s": self.value if self.is_rate else None,
            "value": self.value,
            "unit": self.unit,
            "ratio": self.ratio,
            "against": self.against,
        }


@dataclass(frozen=True)
class Rate:
    """A rate to be measured: `prepare` gives a function that takes it once, or None where it cannot be had."""

    name: str
    unit: str
    prepare: Callable[[], Callable[[], float] | None]
    against: str | None = None


def measure_rates(rates: Mapping[str, Rate], wanted: Sequence[str], repeats: int, say: Say) -> list[Figure]:
    """Those of `rates` (by name) that are `wanted`: medians of `repeats`.

    The rates take turns, so that what else the machine does slows all of them alike. A ratio is the median of those of
    the single repeats.
    """
    needed = [name for name in rates if name in wanted or any(rates[each].against == name for each in wanted)]
    samples: dict[str, Callable[[], float]] = {}
    for name in needed:
        say(f"{name}: getting ready")
        sample = rates[name].prepare()
        if sample is not None:
            sample()  # compiles, and fills the caches
            samples[name] = sample
    taken: dict[str, list[float]] = {name: [] for name in samples}
    for repeat in range(repeats):
        for name, sample in samples.items():
            say(f"{repeat + 1} of {repeats}: {name}")
            taken[name].append(sample())
    return [_figure(rates[name], taken) for name in samples if name in wanted]


def _figure(rate: Rate, taken: Mapping[str, Sequence[float]]) -> Figure:
    others = taken.get(rate.against or "", [])
    ratios = [own / other for own, other in zip(taken[rate.name], others, strict=False)]
    ratio = statistics.median(ratios) if ratios else None
    return Figure(rate.name, statistics.median(taken[rate.name]), rate.unit, True, ratio, rate.against)
