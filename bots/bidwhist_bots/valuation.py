"""How many of the 13 books a declarer's hand expects with each trump suit and in no trump.

A hand is counted suit by suit: a suit is worth something by its top four cards in the order of the direction, and
something by its length; the trump suit has a scale of its own, to which the jokers are added. The scales are a least
squares fit to the books won in 500,000 hands of `classic` that the heuristic played with itself, a random seat being
declarer in a random strain. Under other kitties the books are, to 0.1, a straight line of the same count.
"""

from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from bidwhist._jit import jit
from bidwhist.cards import BLACK_JOKER, RANKS, SUIT, SUITS, Mask
from bidwhist.trick import rank_strength

# Worth in books by the top cards held: 8 for the ace (or what stands for it), 4 king, 2 queen, 1 jack.
_SIDE_TOPS: Final = (0.0, 0.09, 0.18, 0.29, 0.45, 0.59, 0.68, 0.70, 0.63, 0.74, 0.85, 0.94, 1.13, 1.23, 1.35, 1.36)
_TRUMP_TOPS: Final = (0.0, 0.12, 0.21, 0.33, 0.33, 0.45, 0.52, 0.62, 0.51, 0.63, 0.73, 0.77, 0.88, 0.93, 1.00, 1.12)
_NO_TRUMP_TOPS: Final = (0.0, 0.15, 0.35, 0.56, 0.64, 0.86, 1.14, 1.37, 0.68, 0.80, 1.02, 1.20, 1.30, 1.71, 2.13, 2.63)

# Worth by length 0-13, the jokers not counted.
_SIDE_LENGTH: Final = (0.75, 0.30, 0.0, -0.15, -0.23, -0.33, -0.50, -0.8, -1.0, -1.2, -1.4, -1.6, -1.8, -2.0)
_TRUMP_LENGTH: Final = (-1.06, -0.98, -0.78, -0.47, 0.0, 0.47, 0.89, 1.26, 1.59, 1.9, 2.4, 3.0, 3.5, 4.0)
_NO_TRUMP_LENGTH: Final = (-0.11, -0.10, -0.04, 0.0, 0.04, 0.12, 0.26, 0.40, 0.45, 0.5, 0.6, 0.7, 0.8, 1.0)

SIDE_WORTH, TRUMP_GAIN, NO_TRUMP_WORTH = range(3)  # columns of SCALES


def _scales() -> NDArray[np.float32]:
    """By direction and 13-bit suit: worth as a side suit, gain when it is made trumps, worth in no trump."""
    scales = np.zeros((3, SUIT + 1, 4), np.float32)
    for direction in range(3):
        strength = [rank_strength(rank, direction) for rank in range(RANKS)]
        for suit in range(SUIT + 1):
            turned = sum(1 << strength[rank] for rank in range(RANKS) if suit >> rank & 1)
            tops, length = turned >> 9, suit.bit_count()
            side = _SIDE_TOPS[tops] + _SIDE_LENGTH[length]
            scales[direction, suit, SIDE_WORTH] = side
            scales[direction, suit, TRUMP_GAIN] = _TRUMP_TOPS[tops] + _TRUMP_LENGTH[length] - side
            scales[direction, suit, NO_TRUMP_WORTH] = _NO_TRUMP_TOPS[tops] + _NO_TRUMP_LENGTH[length]
    return scales


SCALES: Final = _scales()

# The jokers with a trump suit: none, black, red, both; and in no trump, where they are worse than nothing.
_JOKERS: Final = np.array((5.94, 7.00, 7.06, 8.19), np.float32)
_NO_TRUMP_JOKERS: Final = np.array((5.39, 5.31, 5.31, 5.23), np.float32)

# By kind of kitty and number of jokers in the game: slope and value at 7.5 of the line from the count to books, with
# trumps and in no trump.
_LINES: Final = np.array(
    (
        ((1.19, 8.15, 1.01, 7.37), (1.08, 7.79, 0.97, 7.44), (1.00, 7.50, 1.00, 7.50)),
        ((1.01, 9.26, 1.03, 7.77), (0.91, 9.14, 1.00, 7.97), (0.83, 9.07, 1.00, 8.16)),
        ((1.15, 8.88, 1.17, 7.62), (1.03, 8.68, 1.13, 7.83), (0.93, 8.60, 1.12, 8.05)),
        ((1.32, 7.58, 1.04, 6.68), (1.32, 7.58, 1.04, 6.68), (1.32, 7.58, 1.04, 6.68)),
    ),
    np.float32,
)


@jit
def books(rules: Any, hand: Mask, direction: int) -> tuple[float, int, float]:
    """Books expected with the best trump suit, that suit, and books expected in no trump.

    `hand` is the declarer's before it has seen a kitty. The kitty's book counts where there is one.
    """
    side, no_trump, gain, trump = 0.0, 0.0, -9.0, 0
    for suit in range(SUITS):
        worth = SCALES[direction, (hand >> RANKS * suit) & SUIT]
        side += worth[SIDE_WORTH]
        no_trump += worth[NO_TRUMP_WORTH]
        if worth[TRUMP_GAIN] > gain:
            gain, trump = worth[TRUMP_GAIN], suit
    jokers = hand >> BLACK_JOKER
    line = _LINES[rules["kitty"], rules["jokers"]]
    with_trump = line[1] + line[0] * (side + gain + _JOKERS[jokers] - 7.5)
    return with_trump, trump, line[3] + line[2] * (no_trump + _NO_TRUMP_JOKERS[jokers] - 7.5)
