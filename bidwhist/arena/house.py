"""House bots behind the engine's interface: the one place that imports their code."""

from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from bidwhist._jit import jit, shared
from bidwhist.bot.spec import Spec
from bidwhist.errors import BotSpecError
from bidwhist.observation import private_of
from bidwhist.public import CALLING, PLAYING
from bidwhist.rules import known_or_nearest
from bidwhist.streams import new_stream
from bidwhist_bots import HOUSE_BOTS, heuristic, random

# A house bot with its parameters is a number to the kernel.
_RANDOM, _RANDOM_PASS, _HEURISTIC = range(3)
_NUMBERS: Final = {
    ("random", (("calls", "uniform"),)): _RANDOM,
    ("random", (("calls", "pass"),)): _RANDOM_PASS,
    ("heuristic", ()): _HEURISTIC,
}


@shared
def _call(bot: int, private: Any, public: Any, stream: Any) -> int:
    if bot == _HEURISTIC:
        return heuristic.call(private, public, stream)
    if bot == _RANDOM_PASS:
        return random.call_pass(private, public, stream)
    return random.call(private, public, stream)


@shared
def _prepare(bot: int, private: Any, public: Any, stream: Any) -> int:
    if bot == _HEURISTIC:
        return heuristic.prepare(private, public, stream)
    return random.prepare(private, public, stream)


@shared
def _play(bot: int, private: Any, public: Any, stream: Any) -> int:
    if bot == _HEURISTIC:
        return heuristic.play(private, public, stream)
    return random.play(private, public, stream)


@jit
def _decide(bot: int, rows: Any, actions: Any, stream: Any) -> None:
    for place in range(len(rows)):
        private = private_of(rows[place])
        public = rows[place]["public"]
        stream[0] = rows[place]["key"]
        if public["phase"] == PLAYING:
            actions[place] = _play(bot, private, public, stream)
        elif public["phase"] == CALLING:
            actions[place] = _call(bot, private, public, stream)
        else:
            actions[place] = _prepare(bot, private, public, stream)


class HouseDecider:
    """A house bot as the engine asks it."""

    def __init__(self, spec: Spec, name: str) -> None:
        """Raises BotSpecError for an unknown bot or parameter."""
        self._name = name
        self._number = _NUMBERS[house_parameters(spec)]
        self._stream = new_stream(0)

    @property
    def name(self) -> str:
        """The bot's name in messages."""
        return self._name

    def decide(self, rows: NDArray[np.void], sequences: NDArray[np.int64]) -> NDArray[np.int64]:
        """An action for each OBSERVATION row."""
        actions = np.empty(len(rows), np.int64)
        _decide(self._number, rows, actions, self._stream)
        return actions

    def finish(self, sequences: NDArray[np.int64]) -> None:
        """Nothing to forget: a house bot remembers nothing."""


def house_parameters(spec: Spec) -> tuple[str, tuple[tuple[str, str], ...]]:
    """A house spec's bot and all its parameters, defaults filled in. Raises BotSpecError."""
    wrong = known_or_nearest(spec.target, list(HOUSE_BOTS))
    if wrong:
        raise BotSpecError(f"bot {spec.text!r}: there is no house bot {spec.target!r}; {wrong}")
    known = HOUSE_BOTS[spec.target].parameters
    given = dict(spec.parameters)
    for key, value in given.items():
        if key not in known:
            choice = f"it has {', '.join(known)}" if known else "it has none"
            raise BotSpecError(f"bot {spec.text!r}: {spec.target} has no parameter {key!r}; {choice}")
        if value not in known[key]:
            raise BotSpecError(f"bot {spec.text!r}: parameter {key}: {value!r} is none of {', '.join(known[key])}")
    return spec.target, tuple((key, given.get(key, values[0])) for key, values in known.items())
