"""What remains of a hand that is done: one OUTCOME record, holding only what cannot be derived from the board."""

from typing import Any, Final

from bidwhist._jit import shared
from bidwhist.cards import SEATS
from bidwhist.layout import dense

# calls: in the order spoken, from the dealer's left; tricks: won by the declaring side; kitty_side: the side that has
# the kitty's book, -1 for none; discards: mask of the declarer's discards; plays: cards in order, -1 after the last.
OUTCOME: Final = dense(
    [
        ("calls", "i1", (SEATS,)),
        ("naming", "i1"),
        ("tricks", "i1"),
        ("kitty_side", "i1"),
        ("discards", "i8"),
        ("plays", "i1", (52,)),
    ]
)


@shared
def write_outcome(state: Any, outcome: Any) -> None:
    """Note in `outcome` how the hand in `state`, which is done, went."""
    public = state["public"]
    for place in range(SEATS):
        outcome["calls"][place] = public["calls"][(public["dealer"] + 1 + place) % SEATS]
    outcome["naming"] = public["naming"]
    outcome["tricks"] = public["tricks"][public["declarer"] & 1]
    outcome["kitty_side"] = public["kitty_side"]
    outcome["discards"] = state["buried"][public["declarer"] & 3]
    for place in range(len(outcome["plays"])):
        outcome["plays"][place] = public["plays"][place]
