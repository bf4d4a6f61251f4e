"""The transposition table: what was proved of positions at the start of a trick.

A key is the leader and the number of cards that each seat holds of each suit. Below a key, entries say which seats
own the top cards of each suit, as far down as it mattered for the proof: partition search (M. Ginsberg, "Partition
search", AAAI 1996). Owners are kept *gathered*: two words with a bit for each card that is left, all suits side by
side, so that one masked comparison tells whether an entry holds. Nothing in an entry depends on the deal.
"""

from typing import Any, Final

from bidwhist._jit import int64, shared
from bidwhist.bits import count, gather, index, scatter
from bidwhist.cards import RANKS
from bidwhist.solver.quick import OPEN
from bidwhist.solver.strength import FIELDS, and_above
from bidwhist.solver.techniques import TABLE
from bidwhist.solver.workspace import ENTRIES, HEADS, MOST_AGE

_MIX: Final = 0x1E37_79B9_7F4A_7C15
_FULL: Final = HEADS * 3 // 4
_FIRST_ROOM: Final = 2


@shared
def forget(ws: Any) -> None:
    """Empty the table and what killers remember, so that nodes do not depend on what was searched before."""
    for at in range(len(ws["killers"])):
        ws["killers"][at] = 0
    if ws["age"] == MOST_AGE:
        for place in range(HEADS):
            ws["heads"][place]["age"] = 0
        ws["age"] = 0
    ws["age"] += 1
    ws["used"] = 0
    ws["keys"] = 0


@shared
def key_of(ws: Any, leader: int) -> int:
    """The leader and the cards of each suit by seat.

    All hands are of one size, so who has a loose joker follows from the lengths, and so do the two bits that fall off.
    """
    return (int64(ws["lengths"]) << 2) | leader


@shared
def find(ws: Any, key: int) -> int:
    """Place of the head of this key, or the free place that it may take."""
    place = (key * _MIX >> 40) & (HEADS - 1)
    age = int64(ws["age"])
    while int64(ws["heads"][index(place)]["age"]) == age and int64(ws["heads"][index(place)]["key"]) != key:
        place = (place + 1) & (HEADS - 1)
    return place


@shared
def head_of(ws: Any, key: int) -> int:
    """Place of the head of this key, made if there is none."""
    place = find(ws, key)
    if int64(ws["heads"][place]["age"]) == int64(ws["age"]):
        return place
    if int64(ws["keys"]) >= _FULL:
        forget(ws)
        place = find(ws, key)
    ws["keys"] += 1
    head = ws["heads"][place]
    head["key"], head["age"] = key, ws["age"]
    head["size"], head["move"] = 0, -1
    return place


@shared
def look_up(ws: Any, frame: Any) -> int:
    """1 or 0 if an entry tells whether side 0 takes what it needs at this lead, else OPEN.

    The frame is left with what `store` will want. The hint is the lead that was best last, in the like position of an
    entry that holds, or else with the same suit lengths.
    """
    hands = ws["hands"]
    second, third, fourth = int64(hands[1]), int64(hands[2]), int64(hands[3])
    cards = (int64(hands[0]) | second | third | fourth) & FIELDS
    low, high = gather(second | fourth, cards), gather(third | fourth, cards)
    key = key_of(ws, int64(frame["seat"]))
    frame["all"], frame["low"], frame["high"], frame["key"], frame["hint"] = cards, low, high, key, -1
    need = int64(frame["need"])
    head = ws["heads"][find(ws, key)]
    if not TABLE or int64(head["age"]) != int64(ws["age"]):
        return OPEN
    start = int64(head["start"])
    frame["hint"] = int64(head["move"])
    for at in range(start, start + int64(head["size"])):
        entry = ws["entries"][index(at)]
        mask = int64(entry["mask"])
        if ((low ^ int64(entry["low"])) | (high ^ int64(entry["high"]))) & mask != 0:
            continue
        if need <= int64(entry["least"]) or need > int64(entry["most"]):
            ws["relevant"] = scatter(mask, cards)
            return 1 if need <= int64(entry["least"]) else 0
        if int64(entry["move"]) >= 0:
            frame["hint"] = int64(entry["move"])
    return OPEN


@shared
def new_entry(ws: Any, head: Any) -> int:
    """Room for one more entry below a head; -1 if the table was full and is now empty."""
    size, start = int64(head["size"]), int64(head["start"])
    if size == 0 or (size >= _FIRST_ROOM and size & (size - 1) == 0):
        room = max(2 * size, _FIRST_ROOM)
        target = int64(ws["used"])
        if target + room > ENTRIES:
            forget(ws)
            return -1
        ws["used"] = target + room
        for step in range(size):
            ws["entries"][target + step] = ws["entries"][start + step]
        head["start"] = target
        start = target
    head["size"] = size + 1
    return start + size


@shared
def store(ws: Any, frame: Any, relevant: int, won: bool, move: int) -> None:
    """Keep that side 0 takes what it needs at this lead (`won`) or not, by the relevant places; `move` or -1 did it."""
    cards, need = int64(frame["all"]), int64(frame["need"])
    mask = gather(and_above(relevant & FIELDS) & cards, cards)
    low, high = int64(frame["low"]), int64(frame["high"])
    head = ws["heads"][head_of(ws, int64(frame["key"]))]
    hint = count(cards & ((1 << move) - 1)) if move >= 0 and (cards >> move) & 1 != 0 else -1
    if hint >= 0:
        head["move"] = hint
    start = int64(head["start"])
    for at in range(start, start + int64(head["size"])):
        entry = ws["entries"][index(at)]
        if int64(entry["mask"]) == mask and ((int64(entry["low"]) ^ low) | (int64(entry["high"]) ^ high)) & mask == 0:
            if won:
                entry["least"] = max(int64(entry["least"]), need)
            else:
                entry["most"] = min(int64(entry["most"]), need - 1)
            entry["move"] = hint
            return
    at = new_entry(ws, head)
    if at < 0:
        return
    entry = ws["entries"][at]
    entry["mask"], entry["low"], entry["high"] = mask, low & mask, high & mask
    entry["least"], entry["most"] = need if won else 0, RANKS if won else need - 1
    entry["move"] = hint
