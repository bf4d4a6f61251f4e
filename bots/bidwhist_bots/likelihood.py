"""How likely it is, in an imagined world, that the others called, named and played as they did.

The model of a player is the heuristic, believed softly: what it would have done with the imagined hand counts 1; other
things count less the farther they are from it, down to a *floor* for a call or a naming and one for a card. The floors
are what keeps a player who is unlike the model from making the true world impossible.

What everybody saw before each action is the same in all worlds: it is noted once a decision, by playing the hand again.
A world adds the hands: those of now with the cards played since, and without a kitty that was not taken up yet.
"""

from typing import Any

from bidwhist._jit import int64, jit, shared
from bidwhist.actions import FIRST_NAMING, NONE, PASS, Action, level_of, strain_of
from bidwhist.bits import index
from bidwhist.cards import SEATS, Card, Mask, Seat
from bidwhist.observation import Private
from bidwhist.public import DISCARDING, NAMING, PLAYING
from bidwhist.state import legal, set_game, start, step
from bidwhist.trick import BEATERS, FOLLOWS, legal_plays
from bidwhist_bots import bidding, cardplay, preparing
from bidwhist_bots.order import DECKS

# How far a call is from that of the model, 1 being as far as can be; between bids by levels and strain.
_LEVEL_APART = 0.25
_STRAIN_APART = 0.4


@jit
def recall(ws: Any, private: Private, public: Any) -> None:
    """Note what everybody saw before each action of another seat in this hand, as far as it is weighed."""
    ws["events"] = 0
    if ws["calls_weight"] == 0.0 and ws["plays_weight"] == 0.0:
        return
    state = ws["lanes"][0]  # what its hands are does not matter
    start(state, public["rules"], public["dealer"])
    set_game(state, public["hand_number"], public["scores"], public["sets"])
    state["kitty"] = public["sported"]
    _recall_auction(ws, private.seat, public)
    while state["public"]["phase"] == DISCARDING and public["phase"] == PLAYING:
        step(state, 0)
    for place in range(public["played"]):
        _recall(ws, private.seat, int64(public["plays"][place]))


@shared
def _recall_auction(ws: Any, own: Seat, public: Any) -> None:
    for place in range(1, SEATS + 1):
        call = int64(public["calls"][(public["dealer"] + place) & 3])
        if call == NONE:
            return
        _recall(ws, own, call)
    if public["naming"] != NONE:
        _recall(ws, own, int64(public["naming"]))


@shared
def _recall(ws: Any, own: Seat, action: Action) -> None:
    """Take the next action; note what was seen before it if it is another seat's and was one of several."""
    state = ws["lanes"][0]
    public = state["public"]
    if public["turn"] != own:
        is_card = public["phase"] == PLAYING
        options = 0 if is_card else legal(state)
        weight = ws["plays_weight"] if is_card else ws["calls_weight"]
        if weight != 0.0 and (is_card or options & (options - 1) != 0):
            _note(ws, public, options, action)
        if is_card:
            _note_card(ws, public["turn"], action)
    step(state, action)


@shared
def _note(ws: Any, public: Any, options: Mask, action: Action) -> None:
    event = ws["events"]
    ws["seen"][event] = public
    ws["options"][event], ws["done"][event], ws["later"][event] = options, action, 0
    ws["events"] = event + 1


@shared
def _note_card(ws: Any, seat: Seat, card: Card) -> None:
    """Note that a seat still held this card before all its actions so far."""
    for event in range(ws["events"]):
        if ws["seen"][event]["turn"] == seat:
            ws["later"][event] |= 1 << card


@jit
def log_likelihood(ws: Any, seat: Seat) -> float:
    """Of what was noted of a seat, in `ws["world"]`: its logarithm, up to a constant that is the same in all worlds."""
    log = 0.0
    for event in range(ws["events"]):
        public = ws["seen"][event]
        if public["turn"] == seat:
            if public["phase"] == PLAYING:
                log -= ws["plays_weight"] * _distance_of_card(ws, event)
            else:
                log -= ws["calls_weight"] * _distance_of_word(ws, event)
    return log


@shared
def _distance_of_word(ws: Any, event: int) -> float:
    """How far a call or naming is from the model's."""
    public, world, done = ws["seen"][event], ws["world"], ws["done"][event]
    seat = public["turn"] & 3
    hand = world["hands"][seat] | world["buried"][seat] | ws["later"][event]
    if public["left"][seat] == public["rules"]["hand_size"]:
        hand &= ~world["taken"][seat]
    private = Private(seat, hand, ws["options"][event], 0, 0, 0)
    if public["phase"] == NAMING:
        return 0.0 if preparing.name(private, public) == done else 1.0
    return distance(done, bidding.call(private, public))


@shared
def distance(call: Action, model: Action) -> float:
    """How far a call is from the model's, 0 to 1."""
    if call == model:
        return 0.0
    if call == PASS or model == PASS:
        return 1.0
    apart = _LEVEL_APART * abs(level_of(call) - level_of(model))
    return min(1.0, apart if strain_of(call) == strain_of(model) else apart + _STRAIN_APART)


@shared
def _distance_of_card(ws: Any, event: int) -> float:
    """0 if the model plays this card or one that is as good, else 1."""
    public, world, done = ws["seen"][event], ws["world"], ws["done"][event]
    seat = public["turn"] & 3
    hand, buried = world["hands"][seat] | ws["later"][event], world["buried"][seat]
    options = legal_plays(hand, int64(public["led"]))
    card = cardplay.play(Private(seat, hand, options, 0, buried, 0), public)
    if card == done:
        return 0.0
    others = DECKS[index(public["rules"]["jokers"])] & ~(public["gone"] | hand | buried)
    return 0.0 if are_equal(int64(public["naming"]), card, done, others, int64(public["winning"])) else 1.0


@shared
def are_equal(naming: Action, card: Card, other: Card, others: Mask, winning: Card) -> bool:
    """True if two cards of a hand are as good: neither one of the `others` nor the one winning lies between them."""
    row = index(naming - FIRST_NAMING)
    if FOLLOWS[row, index(card)] != FOLLOWS[row, index(other)]:
        return False
    matters = others if winning < 0 else others | 1 << winning
    return (BEATERS[row, index(card)] ^ BEATERS[row, index(other)]) & matters == 0
