"""What a search works on, one record: one a thread, made once, used for any number of positions."""

from typing import Any, Final

import numpy as np

from bidwhist.layout import dense

DEPTHS: Final = 54  # cards of 13 tricks, and the node behind the last one
HEADS: Final = 1 << 16
ENTRIES: Final = 1 << 19
MOST_AGE: Final = (1 << 31) - 1  # of what was proved: the largest that a head holds

# A node: one player to play one card. Places and masks of places; tricks are those of side 0.
FRAME: Final = dense(
    [
        ("seat", "i8"),
        ("led", "i8"),  # field to follow, 0: none yet
        ("best", "i8"),  # place of the card that wins so far, -1: none
        ("winner", "i8"),
        ("table", "i8"),  # cards of this trick
        ("need", "i8"),  # tricks that side 0 must still win
        ("relevant", "i8"),  # places whose rank mattered in what was searched
        ("dead", "i8"),  # places that failed, or are as good as one that did
        ("hint", "i8"),  # at a lead: gathered index of the move to try first, -1: none
        ("count", "i8"),
        ("move", "i8"),  # place of the card that is tried
        ("all", "i8"),  # at a lead: all cards but loose jokers
        ("low", "i8"),  # at a lead: owners, first bit, gathered
        ("high", "i8"),  # owners, second bit
        ("key", "i8"),  # of the transposition table
        ("moves", "i8", (16,)),  # what they promise, and in the lowest 6 bits their places
    ]
)
# What holds in all positions in which `mask` of the gathered owners is as here.
ENTRY: Final = dense(
    [
        ("mask", "i8"),
        ("low", "i8"),
        ("high", "i8"),
        ("least", "i1"),
        ("most", "i1"),
        ("move", "i1"),
    ]
)
# The entries of a key stand in a block, one after the other, with room for a power of two of them; a full one moves to
# one of twice the room. `move` is the gathered index of the lead that was best last, -1: none yet.
HEAD: Final = dense([("key", "i8"), ("age", "i4"), ("start", "i4"), ("size", "i4"), ("move", "i4")])
# One record and no arrays in a tuple: Numba counts references of arrays, which took a third of the time.
WORKSPACE: Final = dense(
    [
        ("hands", "i8", (4,)),
        ("lengths", "i8"),  # cards by seat and field, four bits each; no loose jokers
        ("loose", "i8"),  # LOOSE in no trump, else 0
        ("trumps", "i8"),  # the field of trumps, 0 in no trump
        ("first", "i8"),  # cards on the table at depth 0
        ("nodes", "i8"),
        ("limit", "i8"),
        ("used", "i8"),  # entries in use
        ("keys", "i8"),  # heads in use
        ("age", "i8"),  # what heads of this table carry
        ("relevant", "i8"),
        ("killers", "i8", (64,)),  # by cards left and seat: the lead that was best last
        ("frames", FRAME, (DEPTHS,)),
        ("heads", HEAD, (HEADS,)),
        ("entries", ENTRY, (ENTRIES,)),
    ]
)


def new_workspace() -> Any:
    """A fresh workspace (numpy.void of type WORKSPACE), about 18.4 MB; memory is used as it is needed."""
    return np.zeros(1, WORKSPACE)[0]
