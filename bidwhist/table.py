"""A hand of Bid Whist as an object for people: it checks every action and says what is wrong with it.

One check, three uses: `why_not` tells what forbids an action, `can` asks, `act` acts or raises.
"""

from collections.abc import Sequence
from numbers import Integral
from typing import Any

import numpy as np

from bidwhist.actions import ACTIONS, FIRST_NAMING, PASS, WORDS, Action, is_action, is_bid
from bidwhist.bits import count, lowest
from bidwhist.cards import CARDS, SEATS, SUIT_MASKS, Card, Mask, Seat, cards_of, is_number
from bidwhist.deal import board_cards, deck
from bidwhist.errors import IllegalAction, RulesError
from bidwhist.notation import SUIT_NAMES, format_action, format_call, format_card, format_deal, format_seat, parse_deal
from bidwhist.observation import OBSERVATION, Obs, write_observation
from bidwhist.public import DISCARDING, DONE, NAMING, PHASES, PLAYING, PUBLIC
from bidwhist.rules import CLASSIC, Rules
from bidwhist.state import STATE, advance, books, first_action, is_made, legal, score_change, set_game, start, step
from bidwhist.streams import mixed_key


def _check_deal(rules: Rules, hands: Sequence[Mask], kitty: Mask) -> None:
    for seat, hand in enumerate(hands):
        if count(hand) != rules.hand_size:
            raise RulesError(
                f"deal: {format_seat(seat)} has {count(hand)} cards; these rules deal {rules.hand_size} to each player"
            )
    together = kitty
    for hand in hands:
        together |= hand
    missing = int(deck(rules.record())) ^ together
    if missing or count(kitty) != rules.kitty_size:
        names = " ".join(map(format_card, cards_of(missing))) or "the kitty's size"
        raise RulesError(f"deal: it is not the deck of these rules: {names} missing or too many")


def _check_game(rules: Rules, scores: tuple[int, int], sets: tuple[int, int], hand_number: int) -> None:
    largest = int(np.iinfo(PUBLIC["scores"].base).max)
    for score in scores:
        if not isinstance(score, Integral) or isinstance(score, bool) or abs(int(score)) > largest:
            raise RulesError(f"scores: {score!r} is no integer from -{largest} to {largest}")
    for number in sets:
        if not is_number(number, rules.cap + 1):
            raise RulesError(f"sets: {number!r} is no integer from 0 to {rules.cap}, the cap of hands")
    if not is_number(hand_number, rules.cap):
        raise RulesError(f"hand_number: {hand_number!r} is no integer from 0 to {rules.cap - 1}")


class Table:
    """One hand, from the deal to the score.

    `Table.deal(seed, board)` deals a board, `Table.from_text(...)` sets up a deal that is written down. Decisions
    without a choice are taken at once unless `auto` is false.
    """

    def __init__(
        self,
        hands: Sequence[Mask],
        kitty: Mask,
        dealer: Seat,
        rules: Rules = CLASSIC,
        *,
        scores: tuple[int, int] = (0, 0),
        sets: tuple[int, int] = (0, 0),
        hand_number: int = 0,
        auto: bool = False,
    ) -> None:
        """`scores`, `sets` and `hand_number`: of a game before this hand, which begins at (0, 0), (0, 0) and 0.

        Raises RulesError if the cards are not a deal under `rules`, if there is no such dealer, or if no game of at
        most `rules.cap` hands comes to these scores, sets and hands.
        """
        _check_deal(rules, hands, kitty)
        if not is_number(dealer, SEATS):
            raise RulesError(f"dealer: {dealer!r} is no seat 0-{SEATS - 1}")
        _check_game(rules, scores, sets, hand_number)
        self.rules = rules
        self._dealt = ([int(hand) for hand in hands], int(kitty))
        self._auto = auto
        self._states = np.zeros(1, STATE)
        self._state: Any = self._states[0]
        self._state["hands"] = hands
        self._state["kitty"] = kitty
        start(self._state, rules.record(), dealer)
        set_game(self._state, hand_number, np.array(scores), np.array(sets))
        self._settle()

    @classmethod
    def deal(cls, seed: int, board: int, rules: Rules = CLASSIC, *, auto: bool = False) -> "Table":
        """Board number `board` of a run with this seed."""
        hands, kitty, dealer = board_cards(rules, seed, board)
        return cls(hands, kitty, dealer, rules, auto=auto)

    @classmethod
    def from_text(cls, deal: str, dealer: Seat, rules: Rules = CLASSIC, *, auto: bool = False) -> "Table":
        """A deal in text. Raises NotationError or RulesError."""
        hands, kitty = parse_deal(deal)
        return cls(hands, kitty, dealer, rules, auto=auto)

    def _settle(self) -> None:
        if self._auto:
            advance(self._state)

    @property
    def public(self) -> Any:
        """A copy of the public part (numpy.void)."""
        return self._state["public"].copy()

    @property
    def state(self) -> Any:
        """A copy of the whole STATE, what lies hidden included (numpy.void)."""
        return self._state.copy()

    @property
    def phase(self) -> str:
        """'call', 'name', 'discard', 'play' or 'done'."""
        return PHASES[self._state["public"]["phase"]]

    @property
    def is_done(self) -> bool:
        """True when all cards are played."""
        return bool(self._state["public"]["phase"] == DONE)

    @property
    def turn(self) -> Seat:
        """Seat to act."""
        return int(self._state["public"]["turn"])

    @property
    def buried(self) -> Mask:
        """Mask of the declarer's discards so far."""
        return int(self._state["buried"].sum())

    @property
    def hands(self) -> list[Mask]:
        """Masks of the cards that each seat holds now."""
        return [int(hand) for hand in self._state["hands"]]

    @property
    def deal_text(self) -> str:
        """The deal as text, as it was dealt."""
        return format_deal(*self._dealt)

    @property
    def legal(self) -> list[Action]:
        """Legal actions of the seat to act, lowest id first; empty when the hand is done."""
        first = first_action(self._state["public"]["phase"])
        return [int(first) + bit for bit in cards_of(int(legal(self._state)))]

    def observe(self, seat_key: int = 0) -> Obs:
        """What the seat to act sees. `seat_key`, any integer 0 to 2**64 - 1, seeds its random streams in this hand.

        Raises ValueError for another key.
        """
        return self.observe_in_run(mixed_key(seat_key))

    def observe_in_run(self, seat_key: int) -> Obs:
        """What the seat to act saw in a run, its random stream included. `seat_key`: its key for the board."""
        row = np.zeros(1, OBSERVATION)
        write_observation(self._state, np.uint64(seat_key), row[0])
        return Obs(row[0])

    def can(self, action: Action) -> bool:
        """True if the seat to act may take `action`."""
        return self.why_not(action) is None

    def act(self, action: Action) -> None:
        """Take an action for the seat to act. Raises IllegalAction with the reason."""
        reason = self.why_not(action)
        if reason is not None:
            raise IllegalAction(reason)
        step(self._state, action)
        self._settle()

    def why_not(self, action: Action) -> str | None:
        """None if `action` is legal; else the reason why not, as in 'hearts were led and you hold H4'."""
        if is_action(action) and action in self.legal:
            return None
        return explain_illegal(self.observe(), action)

    def books(self, side: int) -> int:
        """Books of a side so far, with the kitty where it counts for it. Raises ValueError for what is no side 0-1."""
        if not is_number(side, 2):
            raise ValueError(f"{side!r} is no side: NS is 0, EW is 1")
        return int(books(self._state["public"], side))

    def score(self) -> tuple[int, int]:
        """Change of the scores of NS and EW by the hand. Raises IllegalAction while it is being played."""
        if not self.is_done:
            raise IllegalAction("the hand is not played to its end")
        return int(score_change(self._state["public"], 0)), int(score_change(self._state["public"], 1))

    def is_made(self) -> bool:
        """True if the contract was made. Raises IllegalAction while the hand is being played."""
        self.score()
        return bool(is_made(self._state["public"]))


def explain_illegal(obs: Obs, action: object) -> str:
    """Why `action` is no legal answer to `obs`, in words."""
    if not isinstance(action, Integral) or isinstance(action, bool):
        return f"{action!r} is no action: an action is an integer 0-{ACTIONS - 1}"
    if not is_action(action):
        return f"{action} is no action: actions are 0-{ACTIONS - 1}"
    action = int(action)
    phase = obs.row["public"]["phase"]
    if phase == DONE:
        return "the hand is over"
    text = format_action(action)
    if action < CARDS:
        if phase not in (DISCARDING, PLAYING):
            return f"{text} is a card, and it is time to {obs.phase}"
        return _explain_card(obs, action)
    if phase in (DISCARDING, PLAYING):
        return f"{text} is no card, and it is time to {obs.phase}"
    if phase == NAMING:
        return _explain_naming(obs, action)
    return _explain_call(obs, action)


def _explain_card(obs: Obs, card: Card) -> str:
    if not obs.hand_mask >> card & 1:
        return f"you do not hold {format_card(card)}"
    led = obs.led_mask
    held = format_card(cards_of(obs.hand_mask & led)[-1])
    return f"{_suit_name(led)} were led and you hold {held}"


def _suit_name(led: Mask) -> str:
    return next(name for name, mask in zip(SUIT_NAMES, SUIT_MASKS, strict=True) if led & mask)


def _explain_naming(obs: Obs, action: Action) -> str:
    if action < FIRST_NAMING:
        return f"{format_action(action)} is a call, and it is time to name"
    bid = format_call(obs.bid) if obs.bid is not None else "?"
    return f"{format_action(action)} cannot be named after a bid of {bid}"


def _explain_call(obs: Obs, action: Action) -> str:
    text = format_action(action)
    if action >= FIRST_NAMING:
        return f"{text} is a naming, and it is time to call"
    if action == PASS:
        return "all others have passed: the dealer must bid"
    if is_bid(action) and obs.bid is not None and action <= obs.bid:
        return f"{text} does not beat {format_call(obs.bid)}"
    bids = int(obs.row["legal"]) & ~1  # all legal words but pass
    if not bids:
        return "no bid is higher than the last one"
    lowest_bid = WORDS + lowest(bids)
    return f"{text} is no bid under these rules now; the lowest is {format_action(lowest_bid)}"
