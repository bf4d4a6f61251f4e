"""The compiled functions that a run calls, as `module:name`, and whether they are compiled; they are not loaded."""

from collections.abc import Iterable
from typing import Final

from bidwhist._cache import is_compiled
from bidwhist.arena.house_specs import house_parameters
from bidwhist.arena.players import Player
from bidwhist.bot.spec import Spec

KERNEL: Final = ("bidwhist.arena.house:_play_sequences",)
"""Plays compiled bots among themselves."""

LOCKSTEP: Final = ("bidwhist.engine.batch:_seat", "bidwhist.engine.batch:_play_round")
"""Plays all others."""

_SEARCHING: Final = "bidwhist.arena.searching:"
_ROLLOUTS: Final = ("_begin", "_extend_by_rollouts", "_best")
_SOLVER: Final = ("_begin", "_begin_solver", "_extend_by_solver", "_best")
_TRUTH: Final = ("_begin", "_begin_solver", "_extend_by_truth", "_best")
_FUNCTIONS: Final = {
    "mc": _ROLLOUTS,
    "pimc": _SOLVER,
    "belief": _ROLLOUTS,
    "oracle": _TRUTH,
    "oracle-rollout": _ROLLOUTS,
}


def of_searching(spec: Spec) -> list[str]:
    """The entry points of a house bot that searches."""
    bot, parameters = house_parameters(spec)
    functions = _SOLVER if dict(parameters).get("leaf") in ("solver", "both") else _FUNCTIONS[bot]
    return [_SEARCHING + name for name in functions]


def engine_compiles(players: Iterable[Player]) -> bool:
    """True if the engine has to be compiled for these bots.

    Which engine plays a user's bot in Python is not known before it is loaded: one of the two will do for it.
    """
    kinds = [_engine_of(player) for player in players]
    engines = [engine for engine in (KERNEL, LOCKSTEP) if engine in kinds]
    if kinds.count(KERNEL) == 1 and len(kinds) > 1:
        engines.remove(KERNEL)  # it meets others only
    if not engines:
        return not any(all(map(is_compiled, engine)) for engine in (KERNEL, LOCKSTEP))
    return not all(is_compiled(entry_point) for engine in engines for entry_point in engine)


def _engine_of(player: Player) -> tuple[str, ...] | None:
    if player.is_house and not player.searches:
        return KERNEL
    return LOCKSTEP if player.is_house or player.spec.kind == "command" else None


def bots_that_compile(players: Iterable[Player]) -> list[str]:
    """The house bots that search whose code has to be compiled, sorted by name."""
    cold = {
        player.spec.target
        for player in players
        if player.searches and not all(map(is_compiled, of_searching(player.spec)))
    }
    return sorted(cold)
