"""Playing hands between bots, by the fastest engine that takes them."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from bidwhist.bot.deciders.kernel import play_compiled
from bidwhist.engine.batch import Batch
from bidwhist.engine.decider import Decider
from bidwhist.engine.sequence import SEQUENCE, Played
from bidwhist.rules import Rules


def play(rules: Rules, seed: int, sequences: NDArray[np.void], deciders: Sequence[Decider]) -> Played:
    """Play SEQUENCE records; lineups are indices into `deciders`. Raises BotFault."""
    played = play_compiled(rules, seed, sequences, deciders)
    return Batch(rules, seed).play(sequences, deciders) if played is None else played


def play_one_hand(decider: Decider, rules: Rules) -> None:
    """Have a bot play a hand in lockstep, in all seats, so that all it needs is compiled."""
    sequences = np.zeros(1, SEQUENCE)
    sequences["hands"] = 1
    Batch(rules, 0).play(sequences, [decider])
