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
from bidwhist.bits import count
from bidwhist.cards import BLACK_JOKER, RANKS, SUIT, SUITS, Mask
from bidwhist.trick import rank_strength

# Worth in books by which of the four top cards are held: + 8 for the ace (or what stands for it), 4 king, 2 queen, 1 jack.
_SIDE_TOPS: Final = (0.0, 0.07, 0.14, 0.23, 0.39, 0.49, 0.57, 0.61, 0.64, 0.70, 0.79, 0.87, 1.04, 1.06, 1.20, 1.24)
_TRUMP_TOPS: Final = (0.0, 0.11, 0.19, 0.35, 0.23, 0.41, 0.50, 0.68, 0.38, 0.53, 0.65, 0.75, 0.81, 0.93, 1.09, 1.19)
_NO_TRUMP_TOPS: Final = (0.0, 0.15, 0.35, 0.56, 0.63, 0.86, 1.14, 1.37, 0.67, 0.80, 1.03, 1.21, 1.29, 1.72, 2.12, 2.68)

# Worth by length 0-13, the jokers not counted.
_SIDE_LENGTH: Final = (0.89, 0.39, 0.0, -0.17, -0.22, -0.25, -0.37, -0.5, -0.6, -0.6, -0.6, -0.6, -0.6, -0.6)
_TRUMP_LENGTH: Final = (-0.87, -0.64, -0.43, -0.27, 0.0, 0.35, 0.74, 1.13, 1.54, 2.0, 2.6, 3.0, 3.5, 4.0)
_NO_TRUMP_LENGTH: Final = (-1.14, -0.79, -0.39, 0.0, 0.38, 0.80, 1.29, 1.76, 2.09, 2.5, 3.0, 3.5, 4.0, 4.5)

_SIDE, _TRUMP, _NO_TRUMP = range(3)


def _scales() -> NDArray[np.float32]:
    """By direction and 13-bit suit: worth as a side suit, gain when it is made trumps, worth in no trump."""
    scales = np.zeros((3, SUIT + 1, 4), np.float32)
    for direction in range(3):
        strength = [rank_strength(rank, direction) for rank in range(RANKS)]
        for suit in range(SUIT + 1):
            turned = sum(1 << strength[rank] for rank in range(RANKS) if suit >> rank & 1)
            tops, length = turned >> 9, suit.bit_count()
            side = _SIDE_TOPS[tops] + _SIDE_LENGTH[length]
            scales[direction, suit, _SIDE] = side
            scales[direction, suit, _TRUMP] = _TRUMP_TOPS[tops] + _TRUMP_LENGTH[length] - side
            scales[direction, suit, _NO_TRUMP] = _NO_TRUMP_TOPS[tops] + _NO_TRUMP_LENGTH[length]
    return scales


SCALES: Final = _scales()

# The jokers with a trump suit: none, black, red, both; and in no trump, where each makes the suits one card shorter.
_JOKERS: Final = np.array((5.94, 6.87, 7.02, 8.12), np.float32)
_NO_TRUMP_JOKERS: Final = np.array((5.40, 5.67, 5.67, 5.94), np.float32)

# By kind of kitty and number of jokers in the game: slope and value at 7.5 of the line from the count to books, with
# trumps and in no trump.
_LINES: Final = np.array(
    (
        ((1.21, 8.19, 1.01, 7.38), (1.10, 7.83, 0.98, 7.49), (1.03, 7.50, 1.00, 7.50)),
        ((1.04, 9.32, 1.04, 7.76), (0.94, 9.21, 1.01, 7.98), (0.87, 9.18, 1.01, 8.12)),
        ((1.17, 8.98, 1.18, 7.59), (1.07, 8.75, 1.13, 7.79), (0.98, 8.72, 1.13, 8.04)),
        ((1.36, 7.68, 1.04, 6.32), (1.36, 7.68, 1.04, 6.32), (1.36, 7.68, 1.04, 6.32)),
    ),
    np.float32,
)


@jit
def books(rules: Any, hand: Mask, direction: int) -> tuple[float, int, float]:
    """Books expected with the best trump suit, that suit, and books expected in no trump.

    `hand` is the declarer's before it has seen a kitty. The kitty's book counts where there is one.
    """
    side, no_trump, gain, trump = np.float32(0.0), np.float32(0.0), np.float32(-9.0), 0
    for suit in range(SUITS):
        worth = SCALES[direction, (hand >> RANKS * suit) & SUIT]
        side += worth[_SIDE]
        no_trump += worth[_NO_TRUMP]
        if worth[_TRUMP] > gain:
            gain, trump = worth[_TRUMP], suit
    jokers = hand >> BLACK_JOKER
    line = _LINES[rules["kitty"], rules["jokers"]]
    with_trump = line[1] + line[0] * (side + gain + _JOKERS[jokers] - np.float32(7.5))
    return with_trump, trump, line[3] + line[2] * (no_trump + _NO_TRUMP_JOKERS[jokers] - np.float32(7.5))
