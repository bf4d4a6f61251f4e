"""How many layouts agree with what a seat has seen: counted by classes of cards, exactly below 2**53.

Only numbers matter: how many cards of each class each holder gets. `ways[level, state]` is the number of ways to deal
the first `level` classes so that they fill the rooms as in `state`; it grows from the empty state, class by class, over
the states that can be reached. The last class has to fill what is left, so it needs no table.

Numbers by holder are packed, a byte each, in the lower half of an int64; the upper half is the place in the tables, a
sum over holders as well. So a spread is added in one addition, and one subtraction, with a guard bit above each number,
tells whether every holder has room for it.
"""

from typing import Any, Final

import numpy as np

from bidwhist._jit import int64, shared
from bidwhist.bits import count
from bidwhist.cards import CARDS, SEATS
from bidwhist.worlds.view import GUIDE, STATES, of_holder

GUARD: Final = 0x80808080
_PLACE: Final = 32  # bits that the place in the tables is moved up by


def _binomials() -> Any:
    table = np.zeros((CARDS + 1, CARDS + 1))
    table[:, 0] = 1
    for n in range(1, CARDS + 1):
        table[n, 1:] = table[n - 1, 1:] + table[n - 1, :-1]
    return table


_CHOOSE: Final = _binomials()  # exact: all are below 2**53


@shared
def count_layouts(ws: Any) -> float:
    """Number of layouts of what `look` has entered, and the tables to draw them by; 0 if there is none."""
    ws["total"] = 0.0
    if not _number_states(ws):
        return 0.0
    for level in range(ws["classes"] - 1):
        _list_spreads(ws, level)
        _deal_class(ws, level)
    _end(ws)
    return float(ws["total"])


@shared
def fits(filled: int, spread: int) -> bool:
    """True if `spread` is no more than `filled` with any holder."""
    return ((filled | GUARD) - spread) & GUARD == GUARD


@shared
def place_of(state: int) -> int:
    """Place of a state in the tables."""
    return state >> _PLACE


@shared
def _number_states(ws: Any) -> bool:
    """Give every state a place in the tables: rooms as digits, without the largest, which follows from the others."""
    largest = 0
    for holder in range(SEATS):
        if ws["room"][holder] < 0:
            return False
        if ws["room"][holder] > ws["room"][largest]:
            largest = holder
    stride, full = 1, 0
    for holder in range(SEATS):
        ws["unit"][holder] = 1 << (8 * holder)
        if holder != largest:
            ws["unit"][holder] |= stride << _PLACE
            stride *= ws["room"][holder] + 1
        full += ws["room"][holder] * ws["unit"][holder]
    if stride > STATES:
        return False
    ws["start"] = full
    for level in range(1, ws["classes"]):
        for place in range(stride):
            ws["ways"][level, place] = 0.0
    ws["states"][0], ws["state"][0, 0], ws["ways"][0, 0] = 1, 0, 1.0
    return True


@shared
def _most(ws: Any, level: int, holder: int, size: int) -> int:
    """The most cards of a class that a holder can take."""
    return min(size, int64(ws["room"][holder])) if (ws["holders"][level] >> holder) & 1 != 0 else 0


@shared
def _list_spreads(ws: Any, level: int) -> None:
    """List the numbers of cards in which a class may go to its holders, and in how many ways each."""
    size, used = count(int64(ws["cards"][level])), 0
    most_2, most_3 = _most(ws, level, 2, size), _most(ws, level, 3, size)
    for a in range(_most(ws, level, 0, size) + 1):
        for b in range(min(_most(ws, level, 1, size), size - a) + 1):
            rest = size - a - b
            ways = _CHOOSE[size, a] * _CHOOSE[size - a, b]
            for c in range(max(0, rest - most_3), min(rest, most_2) + 1):
                unit = ws["unit"]
                ws["spread"][level, used] = a * unit[0] + b * unit[1] + c * unit[2] + (rest - c) * unit[3]
                ws["spread_ways"][level, used] = ways * _CHOOSE[rest, c]
                used += 1
    ws["options"][level] = used


@shared
def _deal_class(ws: Any, level: int) -> None:
    """From the ways to deal the classes before, those with one class more."""
    found = 0
    for number in range(ws["states"][level]):
        state = ws["state"][level, number]
        ways, room = ws["ways"][level, place_of(state)], ws["start"] - state
        for option in range(ws["options"][level]):
            spread = ws["spread"][level, option]
            if fits(room, spread):
                after = state + spread
                place = place_of(after)
                if ws["ways"][level + 1, place] == 0.0:
                    ws["state"][level + 1, found] = after
                    found += 1
                ws["ways"][level + 1, place] += ways * ws["spread_ways"][level, option]
    ws["states"][level + 1] = found


@shared
def _end(ws: Any) -> None:
    """List the states that the last class can fill up, with the layouts up to each, and a guide into the list."""
    level, used, total = ws["classes"] - 1, 0, 0.0
    for number in range(ws["states"][max(level, 0)]):
        state = ws["state"][max(level, 0), number]
        ways = _fillings(ws, level, ws["start"] - state)
        if ways > 0.0:
            total += ways * ws["ways"][max(level, 0), place_of(state)]
            ws["last"][used], ws["up_to"][used] = state, total
            used += 1
    ws["lasts"], ws["total"] = used, total
    entry = 0
    for mark in range(GUIDE):
        while entry < used - 1 and ws["up_to"][entry] * GUIDE <= total * mark:
            entry += 1
        ws["guide"][mark] = entry


@shared
def _fillings(ws: Any, level: int, room: int) -> float:
    """Ways to fill `room` with the last class; without any class, 1 if there is no room."""
    size = 0 if level < 0 else count(int64(ws["cards"][level]))
    ways = 1.0
    for holder in range(SEATS):
        number = of_holder(room, holder)
        if number > size or (number > 0 and (ws["holders"][level] >> holder) & 1 == 0):
            return 0.0
        ways *= _CHOOSE[size, number]
        size -= number
    return ways
