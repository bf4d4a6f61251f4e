"""mybot: passes when it can, wins a trick with its lowest card that does. Compiled, it is a hundred times as fast."""

from bidwhist.actions import WORDS
from bidwhist.bits import lowest
from bidwhist.public import NAMING
from bidwhist.trick import beaters

# private has what only your seat knows: seat, hand, legal, kitty, buried, key. hand and legal are masks: bit k is card
# k, or in calls and namings action 54 + k. public["..."] has what everybody sees, where -1 stands for "none yet".
# stream is for chance: below(stream, n) and real(stream) of bidwhist.streams. A helper of yours is marked @compiled,
# from bidwhist import compiled.


def call(private, public, stream):
    """A call: the lowest bit is to pass, or for a dealer who has to bid the lowest bid."""
    return WORDS + lowest(private.legal)


def prepare(private, public, stream):
    """A naming or a discard, once the auction is won."""
    return lowest(private.legal) + (WORDS if public["phase"] == NAMING else 0)


def play(private, public, stream):
    """A card."""
    partner = (private.seat + 2) % 4
    if public["winning"] >= 0 and public["winner"] != partner:
        winning = private.legal & beaters(public["naming"], public["winning"])
        if winning != 0:
            return lowest(winning)
    return lowest(private.legal)
