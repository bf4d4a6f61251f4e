"""Numbers."""

from typing import Final

import numpy as np

# weights: leads, by kind of suit (side suit, trumps, no trump)
LEAD: Final = 0
LEAD_KIND: Final = 256
TOP: Final = 0  # [owner of top 4][class 4]
SECOND: Final = 16  # [owner of second 5][class 4]
PARTNER_RUFFS: Final = 36
LEFT_RUFFS: Final = 37
RIGHT_RUFFS: Final = 38
SINGLETON: Final = 39
LENGTH: Final = 40
PARTNER_LENGTH: Final = 41
OPPONENT_LENGTH: Final = 42
HEIGHT: Final = 43
# following, by trump kind 2, position 3: [situation 4][class 4] and height by class
FOLLOW: Final = 768
FOLLOW_SIZE: Final = 20
VOID: Final = FOLLOW + 6 * FOLLOW_SIZE
VOID_SIZE: Final = 32
DISCARD: Final = 20
WEIGHTS: Final = VOID + 6 * VOID_SIZE


def first_guess():
    w = np.zeros(WEIGHTS + 4, np.int64)
    for kind in range(2):
        for position in range(3):
            b = FOLLOW + (3 * kind + position) * FOLLOW_SIZE
            # class: 0 loses, 1 -, 2 wins for sure, 3 wins so far
            for sit in range(4):
                w[b + 4 * sit : b + 4 * sit + 4] = (20, 15, 40, 25)
            w[b + 16 : b + 20] = (-1, -1, -1, 1)
            if position == 1:
                w[b + 0: b + 4] = (20, 15, 40, 25)
                w[b + 4: b + 8] = (20, 15, 40, 25)
                w[b + 8: b + 12] = (30, 25, 10, 10)
                w[b + 12: b + 16] = (20, 15, 40, 25)
            if position == 2:
                w[b + 0: b + 4] = (20, 15, 40, 25)
                w[b + 4: b + 8] = (30, 25, 20, 10)
            if position == 0:
                w[b + 4: b + 8] = (40, 15, 25, 25)
            b = VOID + (3 * kind + position) * VOID_SIZE
            for sit in range(4):
                w[b + 4 * sit : b + 4 * sit + 4] = (40, 25, 0, 20)
            w[b + 16 : b + 20] = (-1, -1, -1, -1)
            w[b + DISCARD : b + DISCARD + 6] = (1, -5, -5, 2, 0, 0)
            if position == 1:
                w[b + 8: b + 12] = (10, 5, 0, 30)
            if position == 2:
                w[b + 4: b + 8] = (10, 5, 0, 30)
    return w


