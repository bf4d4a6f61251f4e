"""A hand of Bid Whist, stepped by one action at a time: auction, kitty, naming, discards, play, books.

The state is one STATE record: the public part and what lies hidden. All functions are compiled; `step` assumes a
legal action (`is_among` asks), `bidwhist.table.Table` is the object for people that checks and explains.
"""

from typing import Any, Final

import numpy as np

from bidwhist._jit import int64, jit, shared
from bidwhist.actions import FIRST_NAMING, NO_SUIT, NONE, PASS, WORDS, Action, level_of, trump_of
from bidwhist.auction import legal_calls, legal_namings
from bidwhist.bits import choose, index, lowest
from bidwhist.cards import SEATS, Card, Mask, Seat
from bidwhist.public import (
    CALLING,
    DISCARDING,
    DONE,
    NAMING,
    NOBODY,
    OBSERVATION_VERSION,
    PLAYING,
    PUBLIC,
)
from bidwhist.rules import (
    AFTER,
    LEAD_DECLARER,
)
from bidwhist.score import books_of, hand_scores, is_enough, is_kitty_taken_up, side_with_kitty
from bidwhist.trick import leads_trick, legal_plays, suit_to_follow

# Masks: hands, the cards held; kitty, as dealt; taken, the kitty that a seat has taken up; buried, its discards. Only a
# declarer has those two; they stand by seat because to look up is cheaper than to ask who declares.
STATE: Final = np.dtype(
    [
        ("hands", "i8", (SEATS,)),
        ("kitty", "i8"),
        ("taken", "i8", (SEATS,)),
        ("buried", "i8", (SEATS,)),
        ("public", PUBLIC),
    ],
    align=True,
)

# A seat's own decisions in a hand are numbered: its call 0, its naming 1, its discards from 2, its card to trick t
# PLAY_DECISION + t. (Decisions that the engine takes keep their number.)
_NAME_DECISION: Final = 1
_DISCARD_DECISION: Final = 2
_PLAY_DECISION: Final = 16


@jit
def start(state: Any, rules: Any, dealer: Seat) -> None:
    """Make the hands and kitty in `state` a hand about to begin, first of a game at 0-0.

    `state["hands"]` and `state["kitty"]` have been dealt; everything else is set here.
    """
    public = state["public"]
    public["rules"] = rules
    public["version"] = OBSERVATION_VERSION
    public["phase"] = CALLING
    public["dealer"] = dealer
    public["turn"] = (dealer + 1) & 3
    public["declarer"] = NOBODY
    public["bid"] = NONE
    public["naming"] = NONE
    public["winning"] = NONE
    public["winner"] = NOBODY
    public["played"] = 0
    public["kitty_side"] = NOBODY
    public["hand_number"] = 0
    public["gone"] = 0
    public["led"] = 0
    public["sported"] = 0
    for seat in range(SEATS):
        public["calls"][seat] = NONE
        public["left"][seat] = rules["hand_size"]
        public["void"][seat] = 0
        state["taken"][seat] = 0
        state["buried"][seat] = 0
    for side in range(2):
        public["tricks"][side] = 0
        public["scores"][side] = 0
        public["sets"][side] = 0
    for trick in range(len(public["leaders"])):
        public["leaders"][trick] = NOBODY
    for place in range(len(public["plays"])):
        public["plays"][place] = NONE


@shared
def set_game(state: Any, hand_number: int, scores: Any, sets: Any) -> None:
    """Make a hand that has just been started the `hand_number`-th (from 0) of a game with these scores and sets."""
    public = state["public"]
    public["hand_number"] = hand_number
    for side in range(2):
        public["scores"][side] = scores[side]
        public["sets"][side] = sets[side]


@jit
def legal(state: Any) -> Mask:
    """Legal actions of the seat to act: a mask of cards in discard and play, of words in call and naming."""
    public = state["public"]
    phase, seat = public["phase"], public["turn"] & 3
    if phase == PLAYING:
        return legal_plays(state["hands"][seat], public["led"])
    if phase == CALLING:
        return legal_calls(public["rules"], int64(public["bid"]), seat == public["dealer"])
    if phase == NAMING:
        return legal_namings(public["rules"], int64(public["bid"]))
    return state["hands"][seat] if phase == DISCARDING else 0


@shared
def first_action(phase: int) -> Action:
    """Action that bit 0 of the mask of legal actions stands for in this phase."""
    return WORDS if phase <= NAMING else 0


@shared
def is_among(options: Mask, action: Action, phase: int) -> bool:
    """True if `action` is one of the legal actions of this phase in the mask `options`."""
    bit = action - first_action(phase)
    return 0 <= bit < 64 and (options >> bit) & 1 != 0


@shared
def play_decision(trick: int) -> int:
    """Number of the decision what to play to `trick`, from 0."""
    return _PLAY_DECISION + trick


@shared
def decision_number(public: Any) -> int:
    """Number of the decision that the seat to act has before it, among its own in this hand."""
    phase = public["phase"]
    if phase == PLAYING:
        return play_decision(int64(public["played"] >> 2))
    if phase == DISCARDING:
        held = public["left"][public["turn"]] - public["rules"]["hand_size"]
        return _DISCARD_DECISION + int64(public["rules"]["kitty_size"] - held)
    return _NAME_DECISION if phase == NAMING else 0


@jit
def step(state: Any, action: Action) -> None:
    """Take a legal action for the seat to act."""
    phase = state["public"]["phase"]
    if phase == PLAYING:
        play_card(state, action)
    elif phase == CALLING:
        _call(state, action)
    elif phase == NAMING:
        _name(state, action)
    elif phase == DISCARDING:
        _discard(state, action)


@jit
def advance(state: Any) -> Mask:
    """Take all decisions that leave no choice; the legal actions of the player who now has to decide, 0 if the hand is
    done."""
    while state["public"]["phase"] != DONE:
        options = legal(state)
        if options & (options - 1) != 0:
            return options
        step(state, first_action(state["public"]["phase"]) + lowest(options))
    return 0


@shared
def _call(state: Any, action: Action) -> None:
    public = state["public"]
    seat = public["turn"] & 3
    public["calls"][seat] = action
    if action != PASS:
        public["bid"] = action
        public["declarer"] = seat
    if seat != public["dealer"]:
        public["turn"] = (seat + 1) & 3
        return
    public["turn"] = public["declarer"]
    public["kitty_side"] = side_with_kitty(public["rules"], public["declarer"], NOBODY)
    if public["rules"]["naming"] == AFTER:
        _take_up_kitty(state)
    public["phase"] = NAMING


@shared
def _take_up_kitty(state: Any) -> None:
    public = state["public"]
    declarer = public["declarer"] & 3
    state["taken"][declarer] = state["kitty"]
    state["hands"][declarer] |= state["kitty"]
    public["left"][declarer] += public["rules"]["kitty_size"]
    if public["rules"]["sported"] != 0:
        public["sported"] = state["kitty"]


@shared
def _name(state: Any, action: Action) -> None:
    public = state["public"]
    public["naming"] = action
    if not is_kitty_taken_up(public["rules"]):
        _start_play(public)
        return
    if public["rules"]["naming"] != AFTER:
        _take_up_kitty(state)
    public["phase"] = DISCARDING


@shared
def _discard(state: Any, card: Action) -> None:
    public = state["public"]
    declarer = public["declarer"] & 3
    state["hands"][declarer] ^= 1 << card
    state["buried"][declarer] |= 1 << card
    public["left"][declarer] -= 1
    if public["left"][declarer] == public["rules"]["hand_size"]:
        _start_play(public)


@shared
def first_leader(rules: Any, dealer: Seat, declarer: Seat) -> Seat:
    """Seat that leads to the first trick (C11)."""
    return declarer if rules["first_lead"] == LEAD_DECLARER else (dealer + 1) & 3


@shared
def _start_play(public: Any) -> None:
    leads = first_leader(public["rules"], public["dealer"], public["declarer"])
    public["phase"] = PLAYING
    public["turn"] = leads
    public["leaders"][0] = leads


@shared
def play_card(state: Any, card: Card) -> None:
    """Take a legal action for the seat to act, in the phase PLAYING."""
    public = state["public"]
    seat, naming, led, bit = public["turn"] & 3, int64(public["naming"]), int64(public["led"]), 1 << card
    state["hands"][seat] ^= bit
    public["left"][seat] -= 1
    public["gone"] |= bit
    public["plays"][index(public["played"])] = card
    public["played"] += 1
    public["void"][seat] |= choose(led & bit == 0, led, 0)  # C12, C14: not to follow is to show that one cannot
    winning, winner = leads_trick(naming, int64(public["winning"]), int64(public["winner"]), card, seat)
    _show_trick(public, (seat + 1) & 3, suit_to_follow(naming, led, card), winning, winner)
    if public["played"] & 3 == 0:
        _end_trick(public)


@shared
def _show_trick(public: Any, turn: Seat, led: Mask, winning: Card, winner: Seat) -> None:
    public["turn"] = turn
    public["led"] = led
    public["winning"] = winning
    public["winner"] = winner


@shared
def _end_trick(public: Any) -> None:
    """Give the trick that is complete to its winner, who leads to the next one (C15)."""
    winner, trick = public["winner"], int64(public["played"] >> 2)
    public["tricks"][winner & 1] += 1
    if trick == 1:
        public["kitty_side"] = side_with_kitty(public["rules"], public["declarer"], winner)
    _show_trick(public, winner, 0, NONE, NOBODY)
    if trick == public["rules"]["hand_size"]:
        public["phase"] = DONE
    else:
        public["leaders"][index(trick)] = winner


@shared
def is_no_trump(naming: Action) -> bool:
    """True if a naming has no trump suit."""
    return naming >= FIRST_NAMING and trump_of(naming) == NO_SUIT


@shared
def books(public: Any, side: int) -> int:
    """Books of a side so far: tricks, and the kitty where it counts for it."""
    return books_of(int64(public["tricks"][side]), side, public["kitty_side"])


@shared
def score_change(public: Any, side: int) -> int:
    """Change of a side's score by a hand that is done (C16)."""
    declaring = public["declarer"] & 1
    level, is_nt = level_of(int64(public["bid"])), is_no_trump(int64(public["naming"]))
    won, others = books(public, declaring), books(public, 1 - declaring)
    declarers, defenders = hand_scores(public["rules"], level, is_nt, won, others)
    return declarers if side == declaring else defenders


@shared
def is_made(public: Any) -> bool:
    """True if the declaring side of a hand that is done took as many books as it promised."""
    return is_enough(level_of(int64(public["bid"])), books(public, public["declarer"] & 1))
