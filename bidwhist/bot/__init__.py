"""Bots: from a spec to something that decides, and tools for their authors."""

from bidwhist.bot.dump import dump_observation, load_observation, replay_observation

__all__ = ["dump_observation", "load_observation", "replay_observation"]
