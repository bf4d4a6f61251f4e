"""What a seat sees when it has to decide: private fields and the public part.

A compiled bot is handed a `Private` and a pointer to the public record. Every other bot gets both joined in one
OBSERVATION row that is a copy of its own, or `Obs`, a thin view of such a row for people. Nothing in it tells of
another hand, of the board's number or of the seed.
"""

import struct
from collections.abc import Callable, Iterator
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from bidwhist._jit import int64, jit, shared
from bidwhist.actions import NONE, Action, direction_of, level_of, strain_of, trump_of
from bidwhist.bits import lowest
from bidwhist.cards import CARDS, SEATS, Card, Mask, Seat, cards_of, is_number
from bidwhist.layout import dense
from bidwhist.notation import format_action, format_contract, format_hand, format_seat
from bidwhist.public import FIELDS, PHASES, PUBLIC
from bidwhist.rules import RULES
from bidwhist.state import decision_number, first_action, legal
from bidwhist.streams import below, decision_key, mixed_key, new_stream, real

# name, type, meaning of the private fields
PRIVATE_FIELDS: Final = (
    ("seat", "i1", "own seat"),
    ("hand", "i8", "mask of the cards held"),
    ("legal", "i8", "mask of legal actions: of cards in discard and play, of words (bit k: action 54 + k) before"),
    ("kitty", "i8", "mask of the kitty, for the declarer who has taken it up; else 0"),
    ("buried", "i8", "mask of the own discards; else 0"),
    ("key", "u8", "key of this decision's random stream"),
)

OBSERVATION: Final = dense([*((name, kind) for name, kind, _ in PRIVATE_FIELDS), ("public", PUBLIC)])


class Private(NamedTuple):
    """The private fields as a compiled bot gets them; meanings in PRIVATE_FIELDS."""

    seat: int
    hand: int
    legal: int
    kitty: int
    buried: int
    key: int


@shared
def private_part(state: Any, options: Mask, seat_key: Any) -> Private:
    """What only the seat to act knows: its legal actions are `options`, its key for this board (uint64) `seat_key`."""
    public = state["public"]
    return private_of_seat(state, public["turn"] & 3, options, decision_key(seat_key, decision_number(public)))


@shared
def private_of_seat(state: Any, seat: Seat, legal: Mask, key: Any) -> Private:
    """`private_part` for a caller that knows the seat and the key of its decision, too."""
    return Private(seat, state["hands"][seat], legal, state["taken"][seat], state["buried"][seat], key)


@jit
def write_observation(state: Any, seat_key: Any, row: Any) -> None:
    """Copy what the seat to act sees into `row` (an OBSERVATION record)."""
    write_row(state, legal(state), seat_key, row)


@shared
def write_row(state: Any, options: Mask, seat_key: Any, row: Any) -> None:
    """`write_observation` for a caller that knows the seat's legal actions. Every field but `unused` is written."""
    private = private_part(state, options, seat_key)
    row["seat"] = private.seat
    row["hand"] = private.hand
    row["legal"] = private.legal
    row["kitty"] = private.kitty
    row["buried"] = private.buried
    row["key"] = private.key
    row["public"] = state["public"]


@shared
def private_of(row: Any) -> Private:
    """The private fields of an OBSERVATION record."""
    return Private(int64(row["seat"]), row["hand"], row["legal"], row["kitty"], row["buried"], row["key"])


class Random:
    """The random stream of one decision: the same numbers for the same decision, whatever else happens.

    `Random(key)` is a stream of its own, for a number that a person has chosen, as in tests; `Random.from_key(key)` the
    stream of a decision.
    """

    __slots__ = ("_stream",)

    def __init__(self, key: int) -> None:
        """`key`: an integer 0 to 2**64 - 1. Raises ValueError for another one."""
        self._stream = new_stream(mixed_key(key))

    @classmethod
    def from_key(cls, key: int) -> "Random":
        """The stream of the decision with this key, the field `key` of an observation."""
        made = cls.__new__(cls)
        made._stream = new_stream(key)
        return made

    def below(self, n: int) -> int:
        """A uniform integer 0 .. n - 1. Raises ValueError unless `n` is an integer from 1 to 2**31 - 1."""
        if not is_number(n, 1 << 31) or n < 1:
            raise ValueError(f"below({n!r}): n must be 1 to {(1 << 31) - 1}")
        return int(below(self._stream, n))

    def random(self) -> float:
        """A uniform float in [0, 1)."""
        return float(real(self._stream))

    def choice(self, items: list[Any]) -> Any:
        """One of the items, each as likely."""
        return items[self.below(len(items))]

    def shuffle(self, items: list[Any]) -> None:
        """Put a list in a uniformly random order, in place."""
        for place in range(len(items) - 1, 0, -1):
            other = self.below(place + 1)
            items[place], items[other] = items[other], items[place]


_blank: Final = object.__new__  # past __init__, which starts from a record
_EACH_ROW: Final = struct.Struct(f"{OBSERVATION.itemsize}s")
_CODES: Final = {"i1": "b", "i2": "h", "i8": "q", "u8": "Q"}


def _reader(*path: str) -> Callable[[bytes], tuple[int, ...]]:
    """A function that reads a field of an OBSERVATION from its bytes; reading through NumPy takes ten times as long."""
    kind, offset = OBSERVATION, 0
    for name in path:
        fields = kind.fields
        assert fields is not None
        kind, offset = fields[name][0], offset + fields[name][1]
    base, shape = kind.subdtype or (kind, ())
    unpack = struct.Struct(f"={shape[0] if shape else 1}{_CODES[base.str[1:]]}").unpack_from
    return lambda data: unpack(data, offset)


_READ_PRIVATE: Final = {name: _reader(name) for name, *_ in PRIVATE_FIELDS}
_READ: Final = {name: _reader("public", name) for name, *_ in FIELDS if name != "rules"}
_READ_RULES: Final = {name: _reader("public", "rules", name) for name in RULES.names or () if name != "unused"}


@jit
def _list_legal(rows: Any, actions: Any, ends: Any) -> None:
    """Write the legal actions of all rows into `actions`, one row's after the other's, and where each row's end."""
    used = 0
    for place in range(len(rows)):
        first, rest = first_action(rows[place]["public"]["phase"]), rows[place]["legal"]
        while rest != 0:
            actions[used] = first + lowest(rest)
            rest &= rest - 1
            used += 1
        ends[place] = used


def _legal_actions(rows: NDArray[np.void]) -> tuple[bytes, list[int]]:
    """The legal actions of all rows, a byte each, one row's after the other's, and where each row's end."""
    actions, ends = np.empty(CARDS * len(rows), np.uint8), np.empty(len(rows), np.int64)
    _list_legal(rows, actions, ends)
    return actions[: ends[-1]].tobytes(), ends.tolist()


def observations(rows: NDArray[np.void]) -> "Iterator[Obs]":
    """Each of the OBSERVATION rows as an Obs with a copy of its own, much faster than by `Obs(row)`."""
    actions, ends = _legal_actions(rows)
    begin = 0
    for (data,), end in zip(_EACH_ROW.iter_unpack(rows.tobytes()), ends, strict=True):
        obs = _blank(Obs)
        obs._data = data
        obs._legal = actions[begin:end]
        begin = end
        yield obs


class Obs:
    """What your seat sees now. All values are plain Python, made when asked for; cards and actions are ids.

    `legal[0]` is always a legal answer.
    """

    __slots__ = ("_data", "_legal", "_random")

    _data: bytes
    _legal: bytes  # the legal actions, a byte each
    _random: Random

    def __init__(self, row: Any) -> None:
        """`row`: one OBSERVATION record, which is copied."""
        rows = np.array([row], OBSERVATION)
        self._data, self._legal = rows.tobytes(), _legal_actions(rows)[0]

    @property
    def row(self) -> Any:
        """The observation as an OBSERVATION record of its own (numpy.void)."""
        return np.frombuffer(bytearray(self._data), OBSERVATION)[0]

    def _private(self, name: str) -> int:
        return _READ_PRIVATE[name](self._data)[0]

    def _one(self, name: str) -> int:
        return _READ[name](self._data)[0]

    def _all(self, name: str) -> list[int]:
        return list(_READ[name](self._data))

    @property
    def phase(self) -> str:
        """'call', 'name', 'discard' or 'play'."""
        return PHASES[self._one("phase")]

    @property
    def seat(self) -> Seat:
        """Your seat, 0-3 for N E S W. Your partner sits at (seat + 2) % 4."""
        return self._private("seat")

    @property
    def partner(self) -> Seat:
        """Your partner's seat."""
        return (self.seat + 2) % SEATS

    @property
    def hand_mask(self) -> Mask:
        """Your cards as a mask."""
        return self._private("hand")

    @property
    def hand(self) -> list[Card]:
        """Your cards, lowest id first."""
        return cards_of(self.hand_mask)

    @property
    def legal(self) -> list[Action]:
        """Your legal actions, lowest id first; never empty."""
        return [*self._legal]

    @property
    def kitty(self) -> list[Card]:
        """The kitty you took up as declarer, or that was shown to everybody; else empty."""
        return cards_of(self._private("kitty") | self._one("sported"))

    @property
    def buried(self) -> list[Card]:
        """Your own discards."""
        return cards_of(self._private("buried"))

    @property
    def random(self) -> Random:
        """This decision's random stream: the only source of chance a bot may use."""
        try:
            return self._random
        except AttributeError:
            self._random = Random.from_key(self._private("key"))
            return self._random

    @property
    def dealer(self) -> Seat:
        """Seat that dealt; the auction starts on its left."""
        return self._one("dealer")

    @property
    def calls(self) -> dict[Seat, Action]:
        """The calls made so far by seat, in the order they were made."""
        calls = self._all("calls")
        order = [(self.dealer + 1 + i) % SEATS for i in range(SEATS)]
        return {seat: calls[seat] for seat in order if calls[seat] != NONE}

    @property
    def declarer(self) -> Seat | None:
        """Seat of the highest bid so far; after the auction the declarer."""
        return _some(self._one("declarer"))

    @property
    def bid(self) -> Action | None:
        """The highest bid so far; after the auction the contract's."""
        return _some(self._one("bid"))

    @property
    def level(self) -> int | None:
        """Level of that bid."""
        return None if self.bid is None else level_of(self.bid)

    @property
    def strain(self) -> int | None:
        """Strain of that bid: 0 up, 1 down, 2 no trump, 3 bare number."""
        return None if self.bid is None else strain_of(self.bid)

    @property
    def naming(self) -> Action | None:
        """What the declarer named, an action 83-97."""
        return _some(self._one("naming"))

    @property
    def trump(self) -> int | None:
        """Trump suit 0-3, 4 for no trump; None before it is named."""
        return None if self.naming is None else trump_of(self.naming)

    @property
    def direction(self) -> int | None:
        """0 up, 1 down with aces good, 2 down with aces bad; None before it is named."""
        return None if self.naming is None else direction_of(self.naming)

    @property
    def contract(self) -> str | None:
        """The contract as text, such as `4US`; None before it is named."""
        return None if self.naming is None or self.bid is None else format_contract(level_of(self.bid), self.naming)

    @property
    def tricks(self) -> list[int]:
        """Tricks won by NS and by EW."""
        return self._all("tricks")

    @property
    def played(self) -> list[tuple[Seat, Card]]:
        """Every card played, in order, with the seat that played it."""
        leaders, plays = self._all("leaders"), self._all("plays")
        return [((leaders[p // SEATS] + p) % SEATS, plays[p]) for p in range(self._one("played"))]

    @property
    def trick(self) -> list[tuple[Seat, Card]]:
        """The cards of the current trick, in order, with the seat that played each; empty when you lead."""
        played = self.played
        return played[len(played) // SEATS * SEATS :]

    @property
    def gone_mask(self) -> Mask:
        """Mask of all cards played."""
        return self._one("gone")

    @property
    def led_mask(self) -> Mask:
        """Mask of the cards that follow suit in this trick; 0 while no suit is set."""
        return self._one("led")

    @property
    def winning(self) -> Card | None:
        """The card that wins the current trick so far."""
        return _some(self._one("winning"))

    @property
    def winner(self) -> Seat | None:
        """The seat that wins the current trick so far."""
        return _some(self._one("winner"))

    @property
    def void_masks(self) -> list[Mask]:
        """By seat: the cards it has shown not to hold by not following suit."""
        return self._all("void")

    @property
    def left(self) -> list[int]:
        """By seat: how many cards it holds."""
        return self._all("left")

    @property
    def scores(self) -> list[int]:
        """Scores of NS and EW before this hand."""
        return self._all("scores")

    @property
    def sets(self) -> list[int]:
        """How often NS and EW have been set in this game."""
        return self._all("sets")

    @property
    def target(self) -> int:
        """Score that wins the game."""
        return _READ_RULES["target"](self._data)[0]

    @property
    def rules(self) -> dict[str, int]:
        """The rule fields as numbers, coded as in `bidwhist.rules`."""
        return {name: read(self._data)[0] for name, read in _READ_RULES.items()}

    def __repr__(self) -> str:
        words = [f"{format_seat(self.seat)} to {self.phase}, holding {format_hand(self.hand_mask)}"]
        if self.contract and self.declarer is not None:
            words.append(f"{self.contract} by {format_seat(self.declarer)}")
        words.append("legal " + " ".join(map(format_action, self.legal)))
        return f"<Obs {'; '.join(words)}>"


def _some(value: int) -> int | None:
    return None if value == NONE else value
