"""How many of the 13 books a declarer's hand expects with each trump suit and in no trump.

A hand is counted suit by suit: a suit is worth something by its top four cards in the order of the direction, and
something by its length; the trump suit has a scale of its own, to which the jokers are added. The scales are a least
squares fit to the books won in 700,000 hands of `classic` that the heuristic played with itself, a random seat being
declarer in a random strain. Under other kitties the books are, to 0.1, a straight line of the same count.
"""

from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from bidwhist._jit import shared
from bidwhist.bits import index
from bidwhist.cards import BLACK_JOKER, RANKS, SUIT, SUITS, Mask
from bidwhist.rules import OPTIONS
from bidwhist.trick import rank_strength

# Worth in books by the top cards held: 8 for the ace (or what stands for it), 4 king, 2 queen, 1 jack.
_SIDE_TOPS: Final = (0.0, 0.09, 0.18, 0.29, 0.45, 0.59, 0.68, 0.70, 0.63, 0.74, 0.85, 0.94, 1.13, 1.23, 1.35, 1.36)
_TRUMP_TOPS: Final = (0.0, 0.12, 0.21, 0.33, 0.33, 0.45, 0.52, 0.62, 0.51, 0.63, 0.73, 0.77, 0.88, 0.93, 1.00, 1.12)
_NO_TRUMP_TOPS: Final = (0.0, 0.15, 0.35, 0.56, 0.64, 0.86, 1.14, 1.37, 0.68, 0.80, 1.02, 1.20, 1.30, 1.71, 2.13, 2.63)

# Worth by length 0-13, the jokers not counted.
_SIDE_LENGTH: Final = (0.75, 0.30, 0.0, -0.15, -0.23, -0.33, -0.50, -0.8, -1.0, -1.2, -1.4, -1.6, -1.8, -2.0)
_TRUMP_LENGTH: Final = (-1.06, -0.98, -0.78, -0.47, 0.0, 0.47, 0.89, 1.26, 1.59, 1.9, 2.4, 3.0, 3.5, 4.0)
_NO_TRUMP_LENGTH: Final = (-0.11, -0.10, -0.04, 0.0, 0.04, 0.12, 0.26, 0.40, 0.45, 0.5, 0.6, 0.7, 0.8, 1.0)

# Deducted in no trump from a hand with a suit of six or more and no more than one suit with ace or king (or what stands
# for them). It costs 0.15 to 0.7 books by the fit; the rest keeps such a hand out of no trump at any price.
_LONG: Final = 6
_LONE_SUIT: Final = 3.0

# A suit's worths are packed in one number, so that four suits are added at once. Fields of 16 bits count thousandths
# of a book from -_BIAS up: as a side suit, in no trump, and what it gains when it is made trumps. Above them stand
# 1 for a suit with ace or king and _LONG_SUIT for a long suit.
_FIELD: Final = 16
_LONG_SUIT: Final = 8
_UNIT: Final = 0.001
_BIAS: Final = 3.0
_MASK: Final = (1 << _FIELD) - 1


def _packed(*worths: float) -> int:
    return sum(round((worth + _BIAS) / _UNIT) << _FIELD * place for place, worth in enumerate(worths))


def _suit_worth(turned: int) -> int:
    """Packed worths of a suit whose bits are in order of strength."""
    tops, length = turned >> 9, turned.bit_count()
    side = _SIDE_TOPS[tops] + _SIDE_LENGTH[length]
    trump = _TRUMP_TOPS[tops] + _TRUMP_LENGTH[length]
    shape = (1 if tops >= 4 else 0) + (_LONG_SUIT if length >= _LONG else 0)
    return _packed(side, _NO_TRUMP_TOPS[tops] + _NO_TRUMP_LENGTH[length], trump - side) | shape << 3 * _FIELD


def _suit_worths() -> NDArray[np.int64]:
    """Packed worths by direction and 13-bit suit."""
    by_strength = np.array([_suit_worth(turned) for turned in range(SUIT + 1)], np.int64)
    worths = np.zeros((3, SUIT + 1), np.int64)
    for direction in range(3):
        turned = [0]
        for rank in range(RANKS):  # of the suits with no higher rank, once without and once with this one
            turned += [suit | 1 << rank_strength(rank, direction) for suit in turned]
        worths[direction] = by_strength[turned]
    return worths


_SUIT_WORTHS: Final = _suit_worths()

# The jokers with a trump suit: none, black, red, both; and in no trump, where they are worse than nothing.
_JOKERS: Final = np.array((5.94, 7.00, 7.06, 8.19))
_NO_TRUMP_JOKERS: Final = np.array((5.39, 5.31, 5.31, 5.23))

# By kind of kitty and number of jokers in the game: slope and value at 7.5 of the line from the count to books, with
# trumps and in no trump.
_LINES: Final = np.array(
    (
        ((1.19, 8.15, 1.01, 7.37), (1.08, 7.79, 0.97, 7.44), (1.00, 7.50, 1.00, 7.50)),
        ((1.01, 9.26, 1.03, 7.77), (0.91, 9.14, 1.00, 7.97), (0.83, 9.07, 1.00, 8.16)),
        ((1.15, 8.88, 1.17, 7.62), (1.03, 8.68, 1.13, 7.83), (0.93, 8.60, 1.12, 8.05)),
        ((1.32, 7.58, 1.04, 6.68), (1.32, 7.58, 1.04, 6.68), (1.32, 7.58, 1.04, 6.68)),
    )
)
assert len(_LINES) == len(OPTIONS["kitty"].values)  # a value more needs a row more


@shared
def books(rules: Any, hand: Mask, direction: int) -> tuple[float, int, float]:
    """Books expected with the best trump suit, that suit, and books expected in no trump.

    `hand` is the declarer's before it has seen a kitty. The kitty's book counts where there is one.
    """
    total, best = 0, 0
    for suit in range(SUITS):
        worth = _SUIT_WORTHS[index(direction), index((hand >> RANKS * suit) & SUIT)]
        total += worth
        best = max(best, ((worth >> 2 * _FIELD) & _MASK) << 2 | suit)
    jokers, line = index(hand >> BLACK_JOKER), _LINES[index(rules["kitty"]), index(rules["jokers"])]
    with_trump = ((total & _MASK) + (best >> 2)) * _UNIT - (SUITS + 1) * _BIAS + _JOKERS[jokers]
    no_trump = ((total >> _FIELD) & _MASK) * _UNIT - SUITS * _BIAS + _NO_TRUMP_JOKERS[jokers]
    shape = total >> 3 * _FIELD
    if shape == _LONG_SUIT or shape == _LONG_SUIT + 1:
        no_trump -= _LONE_SUIT
    return line[1] + line[0] * (with_trump - 7.5), best & 3, line[3] + line[2] * (no_trump - 7.5)


@shared
def loss(direction: int, is_no_trump: bool, suit: Mask, card: Mask) -> int:
    """Thousandths of a book that a suit (13 bits) other than trumps loses with one of its cards."""
    shift = _FIELD if is_no_trump else 0
    return _worth(direction, suit, shift) - _worth(direction, suit ^ card, shift)


@shared
def _worth(direction: int, suit: Mask, shift: int) -> int:
    return int((_SUIT_WORTHS[index(direction), index(suit)] >> shift) & _MASK)
