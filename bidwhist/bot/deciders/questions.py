"""The questions of a message of version 2 as JSON, written by compiled code.

An observation has the fields and values that `protocol.observation` gives it; to make them there, as Python objects,
takes twenty times as long.
"""

from collections.abc import Iterable
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from bidwhist._jit import int64, jit, prepare, shared
from bidwhist.actions import FIRST_NAMING, NAMINGS, NONE, direction_of, level_of, strain_of, trump_of
from bidwhist.bits import lowest
from bidwhist.bot.deciders.protocol import FIELDS, RANDOM_NUMBERS
from bidwhist.cards import SEATS, Mask
from bidwhist.notation import LEVELS, format_contract
from bidwhist.observation import OBSERVATION
from bidwhist.public import DISCARDING, DONE, PHASES
from bidwhist.state import first_action
from bidwhist.streams import word

_MOST_BYTES: Final = 4096  # of one question; the longest have less than half of that

(_PHASE, _LEGAL, _SEAT, _PARTNER, _HAND, _KITTY, _BURIED, _DEALER, _DECLARER, _BID, _LEVEL, _STRAIN) = range(12)
(_NAMING, _TRUMP, _DIRECTION, _CONTRACT, _PLAYED, _TRICK, _WINNING, _WINNER, _LEFT, _TRICKS, _SCORES) = range(12, 23)
(_SETS, _TARGET, _CALLS, _GONE, _LED, _VOID, _RANDOM, _TO_DISCARD) = range(23, 31)

# Texts that are copied: the names of the fields, in their order, and then these.
_WORDS: Final = (
    *(f'"{name}":' for name in FIELDS),
    *(f'"{phase}"' for phase in PHASES[:DONE]),
    *(f'"{format_contract(1 + k // NAMINGS, FIRST_NAMING + k % NAMINGS)}"' for k in range(LEVELS * NAMINGS)),
    *("null", '{"player":', ',"observation":{', "}}", "0.0"),
)
_FIRST_PHASE: Final = len(FIELDS)
_FIRST_CONTRACT: Final = _FIRST_PHASE + DONE
_NULL: Final = _FIRST_CONTRACT + LEVELS * NAMINGS
_PLAYER, _OBSERVATION, _CLOSE, _ZERO = range(_NULL + 1, _NULL + 5)
_LETTERS: Final = np.frombuffer("".join(_WORDS).encode(), np.uint8)
_ENDS: Final = np.cumsum([0, *map(len, _WORDS)])

_COMMA, _OPEN, _SHUT, _DIGIT, _MINUS, _POINT = b",[]0-."


def places_of(fields: Iterable[str]) -> int:
    """Names of fields of an observation as a mask of their places in FIELDS."""
    return sum(1 << FIELDS.index(name) for name in set(fields))


def write_questions(rows: NDArray[np.void], players: NDArray[np.int64], places: int) -> bytes:
    """The JSON objects of the list `questions`, with commas between them.

    `rows`: n OBSERVATION records; `players`: int64[n]; `places`: which fields, as `places_of` has them.
    """
    out = np.empty(_MOST_BYTES * len(rows), np.uint8)
    return out[: _write(rows, players, places, out)].tobytes()


def prepare_writing() -> None:
    """Load or compile what `write_questions` needs."""
    prepare(_write, np.zeros(0, OBSERVATION), np.zeros(0, np.int64), 0, np.zeros(0, np.uint8))


@jit
def _write(rows: Any, players: Any, places: int, out: Any) -> int:
    """Write the questions into `out`; how many bytes they have."""
    at = 0
    for place in range(len(rows)):
        at = _copy(out, at, _PLAYER)
        at = _number(out, at, players[place])
        at = _copy(out, at, _OBSERVATION)
        rest = places
        while rest != 0:
            field = lowest(rest)
            rest &= rest - 1
            at = _copy(out, at, field)
            at = _value(out, at, rows[place], field)
            at = _byte(out, at, _COMMA)
        if places != 0:
            at -= 1
        at = _copy(out, at, _CLOSE)
        at = _byte(out, at, _COMMA)
    return at - 1


@shared
def _value(out: Any, at: int, row: Any, field: int) -> int:
    """Write a field's value; where it ends."""
    public = row["public"]
    if field == _PHASE:
        return _copy(out, at, _FIRST_PHASE + public["phase"])
    if field == _CONTRACT:
        return _copy(out, at, _contract(public))
    if field == _LEGAL:
        return _cards(out, at, row["legal"], first_action(public["phase"]))
    if field in (_HAND, _KITTY, _BURIED, _GONE, _LED):
        return _cards(out, at, _mask(row, field), 0)
    if field == _VOID:
        at = _byte(out, at, _OPEN)
        for seat in range(SEATS):
            at = _byte(out, _cards(out, at, public["void"][seat], 0), _COMMA)
        return _byte(out, at - 1, _SHUT)
    if field in (_PLAYED, _TRICK):
        played = int64(public["played"])
        return _plays(out, at, public, played // SEATS * SEATS if field == _TRICK else 0, played)
    if field == _CALLS:
        return _calls(out, at, public)
    if field == _LEFT:
        return _numbers(out, at, public["left"])
    if field == _TRICKS:
        return _numbers(out, at, public["tricks"])
    if field == _SCORES:
        return _numbers(out, at, public["scores"])
    if field == _SETS:
        return _numbers(out, at, public["sets"])
    if field == _RANDOM:
        at = _byte(out, at, _OPEN)
        for place in range(RANDOM_NUMBERS):
            at = _byte(out, _fraction(out, at, int64(word(row["key"], place) >> np.uint64(11))), _COMMA)
        return _byte(out, at - 1, _SHUT)
    number = _single(row, field)
    return _copy(out, at, _NULL) if number == NONE else _number(out, at, number)


@shared
def _mask(row: Any, field: int) -> Mask:
    """The value of a field that is one set of cards."""
    public = row["public"]
    if field == _HAND:
        return int64(row["hand"])
    if field == _KITTY:
        return int64(row["kitty"] | public["sported"])
    if field == _BURIED:
        return int64(row["buried"])
    return int64(public["gone"] if field == _GONE else public["led"])


@shared
def _single(row: Any, field: int) -> int:
    """The value of a field that is one number; NONE for null."""
    public = row["public"]
    seat, bid, naming = int64(row["seat"]), int64(public["bid"]), int64(public["naming"])
    if field == _SEAT:
        return seat
    if field == _PARTNER:
        return (seat + 2) % SEATS
    if field == _DEALER:
        return int64(public["dealer"])
    if field == _DECLARER:
        return int64(public["declarer"])
    if field == _BID:
        return bid
    if field == _LEVEL:
        return NONE if bid == NONE else level_of(bid)
    if field == _STRAIN:
        return NONE if bid == NONE else strain_of(bid)
    if field == _NAMING:
        return naming
    if field == _TRUMP:
        return NONE if naming == NONE else trump_of(naming)
    if field == _DIRECTION:
        return NONE if naming == NONE else direction_of(naming)
    if field == _WINNING:
        return int64(public["winning"])
    if field == _WINNER:
        return int64(public["winner"])
    if field == _TARGET:
        return int64(public["rules"]["target"])
    return int64(public["left"][seat] - public["rules"]["hand_size"]) if public["phase"] == DISCARDING else 0


@shared
def _contract(public: Any) -> int:
    """Place of the contract's text among the words."""
    bid, naming = int64(public["bid"]), int64(public["naming"])
    if bid == NONE or naming == NONE:
        return _NULL
    return _FIRST_CONTRACT + NAMINGS * (level_of(bid) - 1) + naming - FIRST_NAMING


@shared
def _plays(out: Any, at: int, public: Any, first: int, end: int) -> int:
    """Write the cards played from `first` on, each with its seat."""
    at = _byte(out, at, _OPEN)
    for place in range(first, end):
        seat = (public["leaders"][place // SEATS] + place) % SEATS
        at = _byte(out, _pair(out, at, seat, public["plays"][place]), _COMMA)
    return _byte(out, at - 1 if end > first else at, _SHUT)


@shared
def _calls(out: Any, at: int, public: Any) -> int:
    at = _byte(out, at, _OPEN)
    start = at
    for place in range(1, SEATS + 1):
        seat = (public["dealer"] + place) % SEATS
        if public["calls"][seat] != NONE:
            at = _byte(out, _pair(out, at, seat, public["calls"][seat]), _COMMA)
    return _byte(out, at - 1 if at > start else at, _SHUT)


@shared
def _pair(out: Any, at: int, seat: int, action: int) -> int:
    at = _byte(out, _number(out, _byte(out, at, _OPEN), seat), _COMMA)
    return _byte(out, _number(out, at, action), _SHUT)


@shared
def _cards(out: Any, at: int, mask: Mask, first: int) -> int:
    """Write the numbers of the bits of a mask, where `first` is the number of bit 0."""
    at = _byte(out, at, _OPEN)
    rest = mask
    while rest != 0:
        at = _byte(out, _number(out, at, first + lowest(rest)), _COMMA)
        rest &= rest - 1
    return _byte(out, at - 1 if mask != 0 else at, _SHUT)


@shared
def _numbers(out: Any, at: int, values: Any) -> int:
    """Write a list of numbers that is not empty."""
    at = _byte(out, at, _OPEN)
    for place in range(len(values)):
        at = _byte(out, _number(out, at, values[place]), _COMMA)
    return _byte(out, at - 1, _SHUT)


@shared
def _number(out: Any, at: int, value: int) -> int:
    """Write an integer in decimal."""
    rest = int64(value)
    if rest < 0:
        at = _byte(out, at, _MINUS)
        rest = -rest
    digits = 1
    bound = 10
    while rest >= bound and digits < 19:
        digits += 1
        bound *= 10
    for place in range(digits - 1, -1, -1):
        out[at + place] = _DIGIT + rest % 10
        rest //= 10
    return at + digits


@shared
def _fraction(out: Any, at: int, share: int) -> int:
    """Write the number share / 2**53, for 0 <= share < 2**53, with enough decimals that no other float is meant.

    Three decimals at a time come exactly: 1000 * 2**53 is less than 2**63. A float is told by its first 17 significant
    digits if they are rounded, and by 18 if the rest is cut off.
    """
    if share == 0:
        return _copy(out, at, _ZERO)
    out[at] = _DIGIT
    at = _byte(out, at + 1, _POINT)
    rest, significant = share, 0
    while rest != 0 and significant < 18:
        rest *= 1000
        three = rest >> 53
        rest &= (1 << 53) - 1
        out[at] = _DIGIT + three // 100
        out[at + 1] = _DIGIT + three // 10 % 10
        out[at + 2] = _DIGIT + three % 10
        at += 3
        if significant > 0:
            significant += 3
        elif three > 0:
            significant = 3 if three >= 100 else 2 if three >= 10 else 1
    return at


@shared
def _copy(out: Any, at: int, text: int) -> int:
    """Write one of the words."""
    begin, end = int64(_ENDS[text]), int64(_ENDS[text + 1])
    for place in range(begin, end):
        out[at + place - begin] = _LETTERS[place]
    return at + end - begin


@shared
def _byte(out: Any, at: int, byte: int) -> int:
    out[at] = byte
    return at + 1
