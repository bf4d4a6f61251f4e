"""The public part of a hand: what everybody at the table sees, as one record that the engine keeps up to date.

A compiled bot is handed a pointer to it; every other bot gets a copy of it in its observation.
"""

from typing import Final

from bidwhist.layout import dense
from bidwhist.rules import RULES

OBSERVATION_VERSION: Final = 2

CALLING, NAMING, DISCARDING, PLAYING, DONE = range(5)
PHASES: Final = ("call", "name", "discard", "play", "done")

NOBODY: Final = -1

# name, type, shape, meaning. Seats 0-3 are N E S W, sides 0-1 are NS and EW, actions the ids of bidwhist.actions,
# masks the bit layout of bidwhist.cards; -1 stands for "none yet".
FIELDS: Final = (
    ("version", "i2", (), "OBSERVATION_VERSION"),
    ("phase", "i1", (), "0 call, 1 name, 2 discard, 3 play, 4 done"),
    ("turn", "i1", (), "seat to act"),
    ("dealer", "i1", (), "seat that dealt; the auction starts on its left"),
    ("declarer", "i1", (), "seat of the highest bid so far; after the auction the declarer"),
    ("bid", "i1", (), "the highest bid so far; after the auction the contract's"),
    ("naming", "i1", (), "trump and direction named by the declarer, an action 83-97"),
    ("winning", "i1", (), "card that wins the current trick so far"),
    ("winner", "i1", (), "seat that played it"),
    ("played", "i1", (), "number of cards played in the hand"),
    ("kitty_side", "i1", (), "side that has the kitty's book"),
    ("calls", "i1", (4,), "by seat: the call it made"),
    ("left", "i1", (4,), "by seat: cards it holds"),
    ("tricks", "i1", (2,), "by side: tricks won"),
    ("scores", "i2", (2,), "by side: score before this hand"),
    ("sets", "i2", (2,), "by side: times it was set in this game"),
    ("hand_number", "i2", (), "hands of this game played before this one"),
    ("leaders", "i1", (13,), "by trick: seat that led it"),
    ("plays", "i1", (52,), "cards in the order played; those of trick t at 4 t .. 4 t + 3, clockwise from its leader"),
    ("gone", "i8", (), "mask of the cards played"),
    ("led", "i8", (), "mask of the cards that follow suit in this trick; 0 while no suit is set"),
    ("void", "i8", (4,), "by seat: mask of the cards that it has shown not to hold by not following suit"),
    ("sported", "i8", (), "mask of the kitty where it was shown to everybody"),
    ("rules", RULES, (), "the rule fields"),
)

PUBLIC: Final = dense((name, kind, shape) for name, kind, shape, _ in FIELDS)
