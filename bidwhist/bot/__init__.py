"""Bots: where they come from (`sources`), what decides for them (`deciders`), and tools for authors (`author`)."""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from bidwhist.bot.author.dump import dump_observation, load_observation, replay_observation

__all__ = ["dump_observation", "load_observation", "replay_observation"]


def __getattr__(name: str) -> Any:
    # The tools load the compiler, which who only reads a spec does not need.
    if name in __all__:
        from bidwhist.bot.author import dump

        return getattr(dump, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
