"""Global sources of chance, from which a bot must not draw: all bots of a process share them."""

import random
from typing import Any, Final

import numpy as np

_NAMES: Final = ("random", "numpy.random")


class Chance:
    """The sources as they are now, to be compared with later."""

    def __init__(self) -> None:
        self._before = _states()

    def drawn(self) -> list[str]:
        """Names of the sources that have been drawn from since."""
        return [name for name, before, now in zip(_NAMES, self._before, _states(), strict=True) if before != now]


def _states() -> tuple[Any, Any]:
    state: Any = np.random.get_state(legacy=True)  # noqa: NPY002  # the global source is what is watched
    return random.getstate(), repr(state[2:]).encode() + state[1].tobytes()
