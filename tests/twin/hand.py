"""One hand of Bid Whist, from the first call to the score, as plainly as it can be written.

Seats are 0-3 clockwise (N E S W); side 0 is NS (seats 0 and 2), side 1 is EW (seats 1 and 3). A trump is a suit
letter or ``"N"`` for no trump; a direction is ``"U"`` (up), ``"D"`` (down, aces good) or ``"L"`` (down, aces bad).
Every action is asked for, a forced one too.
"""

from collections.abc import Iterable, Sequence

from twin.actions import PASS, SUITS, call_id, card_id, id_call, id_card, id_name, name_id
from twin.rules import TwinRules

JOKERS = ("JR", "JB")
RANK_ORDER = {"U": "AKQJT98765432", "D": "A23456789TJQK", "L": "23456789TJQKA"}  # high to low, C8

# ---------------------------------------------------------------------------------------------------------- the cards


def suit_of(card: str, trump: str) -> str | None:
    """The suit a card belongs to: a joker is a trump (C9), or has no suit when there is no trump (C10)."""
    if card in JOKERS:
        return None if trump == "N" else trump
    return card[0]


def suit_order(suit: str, trump: str, direction: str) -> list[str]:
    """The cards of a suit from high to low (C8); the trump suit has both jokers on top, the red one first (C9)."""
    jokers = list(JOKERS) if suit == trump else []
    return jokers + [suit + rank for rank in RANK_ORDER[direction]]


def led_suit(trick: Sequence[str], trump: str) -> str | None:
    """The suit to be followed: that of the first card that has one (C12, C13); None while no card has."""
    for card in trick:
        suit = suit_of(card, trump)
        if suit is not None:
            return suit
    return None


def trick_winner(cards: Sequence[str], trump: str, direction: str) -> int:
    """Index of the winning card: the highest trump, else the highest of the suit led (C12); in NT no joker (C10)."""
    led = led_suit(cards, trump)
    if led is None:
        raise ValueError("a trick of no cards, or of nothing but jokers in no trump, has no winner")
    for suit in (trump, led):
        if suit != "N":
            for card in suit_order(suit, trump, direction):
                if card in cards:
                    return list(cards).index(card)
    raise AssertionError("the suit led was not played")


def legal_cards(hand: Iterable[str], trick_so_far: Sequence[str], trump: str, direction: str) -> set[str]:
    """The cards that may be played: those of the suit led if there are any, else all (C12, C13, C14).

    The direction makes no difference; it is taken so that all questions about a trick are asked alike.
    """
    assert direction in RANK_ORDER
    led = led_suit(trick_so_far, trump)
    following = {card for card in hand if led is not None and suit_of(card, trump) == led}
    return following or set(hand)


def shown_void(trick_so_far: Sequence[str], card: str, trump: str) -> set[str]:
    """The cards a player shows not to hold by playing ``card``: all of the suit led, jokers with trumps (C9, C12)."""
    led = led_suit(trick_so_far, trump)
    if led is None or suit_of(card, trump) == led:
        return set()
    return set(suit_order(led, trump, "U"))


# -------------------------------------------------------------------------------------------------------- the auction


def all_bids(rules: TwinRules) -> list[str]:
    """C3: every bid there is, as text: a level and a strain, or a bare number."""
    strains = [""] if rules.bids == "number" else ["U", "D", "N"]
    return [f"{level}{strain}" for level in range(rules.min_level, 8) for strain in strains]


def beats(rules: TwinRules, bid: str, other: str) -> bool:
    """C4: a higher level, or the same level with a harder strain: U < D < NT, or U = D < NT."""
    hardness = {"": 0, "U": 0, "D": 1, "N": 2} if rules.same_level == "ranked" else {"": 0, "U": 0, "D": 0, "N": 1}
    if bid[0] != other[0]:
        return int(bid[0]) > int(other[0])
    return hardness[bid[1:]] > hardness[other[1:]]


def highest_bid(calls: Sequence[str]) -> str | None:
    """The highest bid so far, which is the last one: each has beaten (or, the dealer's, matched) the one before."""
    bids = [call for call in calls if call != "P"]
    return bids[-1] if bids else None


def legal_calls(rules: TwinRules, calls: Sequence[str]) -> set[str]:
    """The calls open to the next speaker, given the calls before (C3, C4, C5); the fourth to speak is the dealer."""
    is_dealer = len(calls) == 3
    high = highest_bid(calls)
    if high is None:
        return set(all_bids(rules)) | (set() if is_dealer else {"P"})
    legal = {"P"} | {bid for bid in all_bids(rules) if beats(rules, bid, high)}
    if is_dealer and rules.dealer_may_match:
        legal.add(high)
    return legal


def legal_names(rules: TwinRules, strain: str) -> set[tuple[str, str]]:
    """C6: the (trump, direction) pairs open to the declarer after a bid of this strain (``""`` for a bare number)."""
    down = ["D", "L"] if rules.downtown_ace == "choice" else ["D"]
    trumps = {"U": list(SUITS), "D": list(SUITS), "N": ["N"], "": [*SUITS, "N"]}[strain]
    directions = {"U": ["U"], "D": down, "N": ["U", *down], "": ["U", *down]}[strain]
    return {(trump, direction) for trump in trumps for direction in directions}


# ---------------------------------------------------------------------------------------------------------- the score


def score_change(
    rules: TwinRules, level: int, trump: str, declaring_side: int, books: Sequence[int]
) -> tuple[int, int]:
    """C16: what (NS, EW) gain or lose, given the contract and the books of each side, the kitty's included."""
    mine, theirs = books[declaring_side], books[1 - declaring_side]
    no_trump = trump == "N"
    if mine == 13 and rules.boston == "fixed-13":
        declaring = 26 if no_trump else 13
    else:
        if mine - 6 < level:
            declaring = -level
        elif rules.made == "level":
            declaring = level
        else:
            declaring = mine - 6
        if no_trump:
            declaring *= rules.nt_factor
        if mine == 13 and rules.boston == "factor-4":
            declaring *= 4
    defending = max(0, theirs - 6) if rules.defenders == "books" else 0
    return (declaring, defending) if declaring_side == 0 else (defending, declaring)


# ----------------------------------------------------------------------------------------------------------- the hand


class TwinHand:
    """One hand, from the deal to the score.

    ``phase`` goes from "call" to "name", then "discard" where the kitty is exchanged, then "play" and "done"; ``turn``
    is the seat to act. ``kitty`` stays the cards dealt to it; ``taken_up`` says whether the declarer took them up.
    """

    def __init__(
        self,
        rules: TwinRules,
        hands: Sequence[Sequence[str]],
        kitty: Sequence[str],
        dealer: int,
        scores: tuple[int, int] = (0, 0),
    ) -> None:
        """C1, C2: four hands, the kitty and the dealer; the cards must be exactly those of the deck."""
        if [len(hand) for hand in hands] != [rules.hand_size] * 4 or len(kitty) != rules.kitty_size:
            raise ValueError("wrong number of cards")
        if sorted([card for hand in hands for card in hand] + list(kitty)) != sorted(rules.deck()):
            raise ValueError("not the cards of this deck")
        self.rules = rules
        self.hands: list[list[str]] = [list(hand) for hand in hands]
        self.kitty: list[str] = list(kitty)
        self.dealer = dealer
        self.scores = scores
        self.phase = "call"
        self.turn = (dealer + 1) % 4  # C3
        self.calls: list[str] = []
        self.declarer: int | None = None
        self.level: int | None = None
        self.strain: str | None = None
        self.trump: str | None = None
        self.direction: str | None = None
        self.taken_up = False
        self.discards: list[str] = []
        self.plays: list[tuple[int, str]] = []
        self.leaders: list[int] = []
        self.winners: list[int] = []

    # -- what can be asked at any time

    def current_trick(self) -> list[str]:
        """The cards of the unfinished trick, in order of play."""
        return [card for _, card in self.plays[len(self.plays) // 4 * 4 :]]

    @property
    def tricks(self) -> list[int]:
        """Tricks won in play by [NS, EW], the kitty's book not counted."""
        return [sum(winner % 2 == side for winner in self.winners) for side in (0, 1)]

    @property
    def kitty_side(self) -> int | None:
        """The side that has the kitty's (or the discards') book; None if nobody has it, yet or at all (C7)."""
        if self.rules.kitty in ("book", "exchange"):
            return None if self.declarer is None else self.declarer % 2
        if self.rules.kitty == "exchange-first-trick":
            return self.winners[0] % 2 if self.winners else None
        return None

    def books(self, side: int) -> int:
        """C7, C15: the tricks a side has won, and the kitty's book if that is its own."""
        return self.tricks[side] + (1 if self.kitty_side == side else 0)

    def kitty_seen_by(self) -> set[int]:
        """The seats that have seen the kitty: none (C7), the declarer who took it up, or all where it is sported."""
        if not self.taken_up:
            return set()
        assert self.declarer is not None
        return {0, 1, 2, 3} if self.rules.sported else {self.declarer}

    def shown_voids(self, seat: int) -> set[str]:
        """All cards a seat's plays have shown it not to hold any more (C12)."""
        assert self.trump is not None
        missing: set[str] = set()
        for number, (player, card) in enumerate(self.plays):
            if player == seat:
                before = [other for _, other in self.plays[number // 4 * 4 : number]]
                missing |= shown_void(before, card, self.trump)
        return missing

    def contract_text(self) -> str:
        """The contract as text: ``4US``, ``3DH``, ``4LC``; in no trump ``5NU``, ``5ND``, ``5NL``."""
        assert self.trump is not None
        assert self.direction is not None
        parts = f"N{self.direction}" if self.trump == "N" else f"{self.direction}{self.trump}"
        return f"{self.level}{parts}"

    # -- actions

    def legal(self) -> set[int]:
        """The ids of all legal actions of the seat to act; none when the hand is done."""
        if self.phase == "call":
            return {call_id(call) for call in legal_calls(self.rules, self.calls)}
        if self.phase == "name":
            assert self.strain is not None
            return {name_id(trump, direction) for trump, direction in legal_names(self.rules, self.strain)}
        if self.phase == "discard":
            return {card_id(card) for card in self.hands[self.turn]}
        if self.phase == "play":
            assert self.trump is not None
            assert self.direction is not None
            cards = legal_cards(self.hands[self.turn], self.current_trick(), self.trump, self.direction)
            return {card_id(card) for card in cards}
        return set()

    def act(self, action: int) -> None:
        """Take one legal action for the seat to act."""
        assert action in self.legal(), f"{action} is not legal for seat {self.turn} ({self.phase})"
        if self.phase == "call":
            self._call(id_call(action))
        elif self.phase == "name":
            self._name(*id_name(action))
        elif self.phase == "discard":
            self._discard(id_card(action))
        else:
            self._play(id_card(action))

    def _call(self, call: str) -> None:
        """C3: each player speaks once; the last bid wins the auction, and its bidder is next to act."""
        self.calls.append(call)
        if call_id(call) != PASS:
            self.declarer, self.level, self.strain = self.turn, int(call[0]), call[1:]
        if len(self.calls) < 4:
            self.turn = (self.turn + 1) % 4
            return
        assert self.declarer is not None  # C5
        self.turn = self.declarer
        if self.rules.exchanged and self.rules.naming == "after":
            self._take_up()
        self.phase = "name"

    def _name(self, trump: str, direction: str) -> None:
        """C6: trump and direction are named; the kitty is taken up now unless it was before."""
        self.trump, self.direction = trump, direction
        if not self.rules.exchanged:
            self._start_play()
            return
        if self.rules.naming == "before":
            self._take_up()
        self.phase = "discard"

    def _take_up(self) -> None:
        """Exchange: the whole kitty goes into the declarer's hand."""
        assert self.declarer is not None
        self.hands[self.declarer] += self.kitty
        self.taken_up = True

    def _discard(self, card: str) -> None:
        """Exchange: one card away, any card, until as many are gone as the kitty had."""
        self.hands[self.turn].remove(card)
        self.discards.append(card)
        if len(self.discards) == self.rules.kitty_size:
            self._start_play()

    def _start_play(self) -> None:
        """C11: left of the dealer leads, or the declarer."""
        assert self.declarer is not None
        self.phase = "play"
        self.turn = self.declarer if self.rules.first_lead == "declarer" else (self.dealer + 1) % 4
        self.leaders.append(self.turn)

    def _play(self, card: str) -> None:
        """C12, C15: play goes clockwise, the winner of a trick leads to the next, until no cards are left."""
        assert self.trump is not None
        assert self.direction is not None
        self.hands[self.turn].remove(card)
        self.plays.append((self.turn, card))
        if len(self.plays) % 4 != 0:
            self.turn = (self.turn + 1) % 4
            return
        trick = [played for _, played in self.plays[-4:]]
        winner = (self.leaders[-1] + trick_winner(trick, self.trump, self.direction)) % 4
        self.winners.append(winner)
        self.turn = winner
        if len(self.winners) == self.rules.hand_size:
            self.phase = "done"
        else:
            self.leaders.append(winner)

    # -- the result

    def declarer_set(self) -> bool:
        """C16: whether the declaring side fell short of its level; asked when the hand is done."""
        assert self.phase == "done"
        assert self.declarer is not None
        assert self.level is not None
        return self.books(self.declarer % 2) - 6 < self.level

    def score(self) -> tuple[int, int]:
        """C16: the change of the scores of (NS, EW); asked when the hand is done."""
        assert self.phase == "done"
        assert self.declarer is not None
        assert self.level is not None
        assert self.trump is not None
        books = (self.books(0), self.books(1))
        return score_change(self.rules, self.level, self.trump, self.declarer % 2, books)
