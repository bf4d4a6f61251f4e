"""Every strain of a deal, and its par: the result of best calls by all."""

from typing import Any, Final, NamedTuple

import numpy as np

from bidwhist._jit import jit
from bidwhist.actions import FIRST_NAMING, NAMINGS, NONE, PASS, WORDS, Action, direction_of, level_of
from bidwhist.auction import legal_calls, legal_namings
from bidwhist.bits import count
from bidwhist.cards import SEATS, Mask, Seat, cards_of, is_number
from bidwhist.errors import PositionError
from bidwhist.public import NOBODY
from bidwhist.rules import CLASSIC, Rules
from bidwhist.score import books_of, hand_scores, side_with_kitty
from bidwhist.solver.front import check_limit, search_by, set_limit, workspace
from bidwhist.solver.position import Position, set_position
from bidwhist.solver.values import UNKNOWN, tricks_of
from bidwhist.state import first_leader, is_no_trump

Hands = tuple[Mask, Mask, Mask, Mask]
# By naming and declarer: tricks that the declaring side wins.
Tricks = dict[tuple[Action, Seat], int]

_DIRECTIONS: Final = {"high": 2, "choice": 3}  # downtown_ace: how many directions there are to name


class Par(NamedTuple):
    """Points of NS (their change of score minus that of EW), the calls left of the dealer on, and the naming."""

    points: int
    calls: tuple[Action, ...]
    declarer: Seat
    naming: Action


@jit
def tricks_by_lead(ws: Any, hands: Any, namings: Any, leaders: Any) -> Any:
    """Tricks of NS, int64[namings, leaders], of the hands int64[4]; UNKNOWN once the limit of nodes is reached.

    What is proved with one leader of a strain is kept for the others. Between strains nothing is: their tables have
    next to nothing in common.
    """
    found = np.full((len(namings), len(leaders)), UNKNOWN)
    trick = np.empty(0, np.int64)
    for row in range(len(namings)):
        guess = UNKNOWN
        for column in range(len(leaders)):
            set_position(ws, namings[row], hands, leaders[column], trick, column > 0)
            guess = tricks_of(ws, -1, guess)
            if guess == UNKNOWN:
                return found
            found[row, column] = guess
    return found


def table(
    hands: Hands, rules: Rules = CLASSIC, dealer: Seat = 0, ws: Any = None, *, max_nodes: int | None = None
) -> Tricks:
    """Tricks of the declaring side for every naming and declarer, led by whom the rules give.

    Hands of any equal size. Raises PositionError, and LimitReached after `max_nodes` nodes, all strains together.
    """
    own = workspace() if ws is None else ws
    namings, leads = _namings(rules), _leads(rules, dealer)
    size = Position(hands, namings[0], leads[0][0]).size  # checked once: a naming or a leader makes no difference
    leaders = np.array([leader for leader, _ in leads], np.int64)
    dealt, named = np.array(hands, np.int64), np.array(namings, np.int64)
    found = search_by(lambda: set_limit(own, max_nodes), lambda: tricks_by_lead(own, dealt, named, leaders), own)
    check_limit(bool((found == UNKNOWN).any()), max_nodes)
    tricks: Tricks = {}
    for row, naming in zip(found, namings, strict=True):
        for north_south, (_, declarers) in zip(row, leads, strict=True):
            for declarer in declarers:
                tricks[naming, declarer] = int(size - north_south if declarer & 1 else north_south)
    return tricks


def _namings(rules: Rules) -> list[Action]:
    """All namings that the rules know."""
    every = range(FIRST_NAMING, FIRST_NAMING + NAMINGS)
    return [naming for naming in every if direction_of(naming) < _DIRECTIONS[rules.downtown_ace]]


def _leads(rules: Rules, dealer: Seat) -> list[tuple[Seat, list[Seat]]]:
    """Who leads, and for which declarers. Raises PositionError for a dealer that is no seat."""
    if not is_number(dealer, SEATS):
        raise PositionError(f"dealer: {dealer!r} is no seat 0-{SEATS - 1}")
    record, leads = rules.record(), dict[Seat, list[Seat]]()
    for declarer in range(SEATS):
        leads.setdefault(first_leader(record, dealer, declarer), []).append(declarer)
    return list(leads.items())


def par(hands: Hands, rules: Rules = CLASSIC, dealer: Seat = 0, ws: Any = None, *, max_nodes: int | None = None) -> Par:
    """The result of best calls by all four, each speaking once, then best naming and best play.

    By backward induction over the calls under the rules' scoring, at no score. Of calls that are worth the same, the
    lowest is made, a pass first. Raises PositionError under exchange rules, and for hands that are not full, and
    LimitReached after `max_nodes` nodes.
    """
    if rules.exchanges:
        raise PositionError("par: under exchange rules the hands depend on the discards, so a deal has no par")
    if count(hands[0]) != rules.hand_size:
        raise PositionError(f"par: hands of {count(hands[0])} cards; these rules deal {rules.hand_size}")
    auction = _Auction(rules, dealer, table(hands, rules, dealer, ws, max_nodes=max_nodes))
    return auction.best(0, NONE, 0, ())


class _Auction:
    """The four calls of a deal whose tricks are known."""

    def __init__(self, rules: Rules, dealer: Seat, tricks: Tricks) -> None:
        self._rules, self._record, self._dealer, self._tricks = rules, rules.record(), dealer, tricks
        self._outcomes: dict[tuple[Action, Seat], tuple[int, Action]] = {}

    def best(self, spoken: int, highest: Action, bidder: Seat, calls: tuple[Action, ...]) -> Par:
        """What comes of the auction when `spoken` players have spoken."""
        if spoken == SEATS:
            points, naming = self._outcome(highest, bidder)
            return Par(points, calls, bidder, naming)
        seat = (self._dealer + 1 + spoken) % SEATS
        words = legal_calls(self._record, highest, spoken == SEATS - 1)
        results = []
        for call in (WORDS + word for word in cards_of(words)):
            is_pass = call == PASS
            results.append(
                self.best(spoken + 1, highest if is_pass else call, bidder if is_pass else seat, (*calls, call))
            )
        sign = -1 if seat & 1 else 1
        return max(results, key=lambda result: sign * result.points)  # the first of equals

    def _outcome(self, bid: Action, declarer: Seat) -> tuple[int, Action]:
        """Points of NS and the naming when this bid wins."""
        if (bid, declarer) not in self._outcomes:
            namings = [WORDS + word for word in cards_of(legal_namings(self._record, bid))]
            naming = max(namings, key=lambda each: self._points(bid, declarer, each))
            points = self._points(bid, declarer, naming)
            self._outcomes[bid, declarer] = (-points if declarer & 1 else points), naming
        return self._outcomes[bid, declarer]

    def _points(self, bid: Action, declarer: Seat, naming: Action) -> int:
        """Points of the declaring side."""
        side, tricks = declarer & 1, self._tricks[naming, declarer]
        kitty_side = side_with_kitty(self._record, declarer, NOBODY)
        books = books_of(tricks, side, kitty_side)
        others = books_of(self._rules.hand_size - tricks, 1 - side, kitty_side)
        declarers, defenders = hand_scores(self._record, level_of(bid), is_no_trump(naming), books, others)
        return declarers - defenders
