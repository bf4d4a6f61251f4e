"""The transposition table: what was proved of positions at the start of a trick.

A key is the leader and the number of cards that each seat holds of each suit. Below a key, entries say which seats
own the top cards of each suit, as far down as it mattered for the proof: partition search (M. Ginsberg, "Partition
search", AAAI 1996). Owners are kept *gathered*: two words with a bit for each card that is left, all suits side by
side, so that one masked comparison tells whether an entry holds. Nothing in an entry depends on the deal.
"""

from typing import Any

from bidwhist._jit import int64, shared
from bidwhist.bits import count, gather
from bidwhist.solver.strength import FIELDS, and_above
from bidwhist.solver.workspace import ENTRIES, HEADS

_MIX = 0x1E37_79B9_7F4A_7C15


@shared
def find_head(state: Any, heads: Any, leader: int) -> int:
    """Place of the head of this key, made if there is none."""
    key = (int64(state["lengths"]) << 2) | leader
    place = (key * _MIX >> 40) & (HEADS - 1)
    age = int64(state["age"])
    while True:
        head = heads[place]
        if head["age"] != age:
            head["key"], head["first"], head["age"] = key, 0, age
            state["keys"] += 1
            return place
        if head["key"] == key:
            return place
        place = (place + 1) & (HEADS - 1)


@shared
def forget(state: Any) -> None:
    """Empty the table."""
    state["age"] += 1
    state["used"] = 0
    state["keys"] = 0


@shared
def store(state: Any, heads: Any, entries: Any, frame: Any, relevant: int, won: bool, move: int) -> None:
    """Keep that side 0 takes at least (`won`) or less than the tricks needed at this lead, by the relevant places."""
    cards, need = int64(frame["all"]), int64(frame["need"])
    mask = gather((and_above(relevant & FIELDS) | int64(state["loose"])) & cards, cards)
    low, high = int64(frame["low"]), int64(frame["high"])
    head = heads[int64(frame["head"])]
    if int64(state["used"]) + 1 >= ENTRIES:
        forget(state)
    if int64(head["age"]) != int64(state["age"]):
        return  # the table was emptied since this node was entered
    if move >= 0:
        move = count(cards & ((1 << move) - 1))
    place = int64(head["first"])
    while place != 0:
        entry = entries[place]
        if int64(entry["mask"]) == mask and ((int64(entry["low"]) ^ low) | (int64(entry["high"]) ^ high)) & mask == 0:
            if won:
                entry["least"] = max(int64(entry["least"]), need)
            else:
                entry["most"] = min(int64(entry["most"]), need - 1)
            entry["move"] = move
            return
        place = int64(entry["next"])
    place = int64(state["used"]) + 1
    state["used"] = place
    entry = entries[place]
    entry["mask"], entry["low"], entry["high"] = mask, low & mask, high & mask
    entry["next"] = head["first"]
    entry["least"] = need if won else 0
    entry["most"] = 13 if won else need - 1
    entry["move"] = move
    head["first"] = place
