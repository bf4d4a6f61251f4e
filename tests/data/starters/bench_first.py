"""A scalar bot: the first legal action."""

from bidwhist.observation import Obs


def act(obs: Obs) -> int:
    """The legal action with the lowest id."""
    return obs.legal[0]
