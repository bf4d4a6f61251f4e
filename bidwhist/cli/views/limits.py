"""The options of commands that examine a bot: its limits."""

import math
from collections.abc import Callable
from typing import Any

import click

from bidwhist.bot.limits import LEAST, Limits


class _Number(click.FloatRange):
    """A number of at least `least`, which is above 0, and not one without end."""

    def __init__(self, least: float = 0) -> None:
        super().__init__(min=least, min_open=not least, max=1e9)

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> float:
        number = float(super().convert(value, param, ctx))
        if not math.isfinite(number):
            self.fail(f"{value!r} is no number above 0", param, ctx)
        return number


def limit_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Give a command the options `--time`, `--memory` and `--start`, as time_ms, memory and start."""
    for option in (
        click.option("--start", type=_Number(LEAST.start), default=10, help="Seconds to start (10)."),
        click.option("--memory", type=click.IntRange(LEAST.memory, 1 << 30), default=512, help="Megabytes (512)."),
        click.option(
            "--time", "time_ms", type=_Number(), default=50, help="Milliseconds for 99 in 100 decisions (50)."
        ),
    ):
        command = option(command)
    return command


def limits_of(time_ms: float, memory: int, start: float) -> Limits:
    """The limits that these options stand for."""
    return Limits(time_ms / 1000, memory, start)
