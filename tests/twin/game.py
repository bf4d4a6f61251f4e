"""A game of hands: scores, sets and the end (C17, C18)."""

from twin.hand import TwinHand
from twin.rules import TwinRules

SIDES = ("NS", "EW")


def game_result(
    rules: TwinRules,
    scores_before: tuple[int, int],
    change: tuple[int, int],
    declaring_side: int,
    sets_before: tuple[int, int],
    was_set: bool,
    hands_played: int,
) -> str | None:
    """How the game stands after a hand: ``"NS"`` or ``"EW"`` has won, ``"draw"``, or None when it goes on.

    C17: the target, its negative and (where two sets lose) a second set end the game; the declaring side is counted
    first. C18: after the cap the higher score wins. ``hands_played`` includes the hand just played;
    all pairs are (NS, EW).
    """
    scores = (scores_before[0] + change[0], scores_before[1] + change[1])
    defending_side = 1 - declaring_side
    if rules.two_sets and was_set and sets_before[declaring_side] + 1 >= 2:
        return SIDES[defending_side]
    for side in (declaring_side, defending_side):
        if scores[side] >= rules.target:
            return SIDES[side]
        if rules.negative_end and scores[side] <= -rules.target:
            return SIDES[1 - side]
    if hands_played >= rules.cap:
        if scores[0] == scores[1]:
            return "draw"
        return SIDES[0] if scores[0] > scores[1] else SIDES[1]
    return None


class TwinGame:
    """The state between hands; ``dealer`` is the dealer of the next hand (C2: the deal passes left)."""

    def __init__(self, rules: TwinRules, dealer: int) -> None:
        """Start a game at 0-0 with this first dealer."""
        self.rules = rules
        self.dealer = dealer
        self.scores: tuple[int, int] = (0, 0)
        self.sets: tuple[int, int] = (0, 0)
        self.hands_played = 0
        self.result: str | None = None

    def deal(self, hands: list[list[str]], kitty: list[str]) -> TwinHand:
        """The next hand, with these cards."""
        assert self.result is None
        return TwinHand(self.rules, hands, kitty, self.dealer, self.scores)

    def finish(self, hand: TwinHand) -> None:
        """Count a hand that is done."""
        assert self.result is None
        assert hand.declarer is not None
        assert hand.dealer == self.dealer
        self.count(hand.score(), hand.declarer % 2, hand.declarer_set())

    def count(self, change: tuple[int, int], declaring_side: int, was_set: bool) -> None:
        """Count the outcome of one hand: scores, sets, the end of the game, the next dealer."""
        assert self.result is None
        self.hands_played += 1
        self.result = game_result(
            self.rules, self.scores, change, declaring_side, self.sets, was_set, self.hands_played
        )
        self.scores = (self.scores[0] + change[0], self.scores[1] + change[1])
        if was_set:
            ns, ew = self.sets
            self.sets = (ns + 1, ew) if declaring_side == 0 else (ns, ew + 1)
        self.dealer = (self.dealer + 1) % 4
