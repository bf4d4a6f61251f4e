"""mybot: bids with a long suit, wins a trick with its lowest card that does, and can say why."""

from bidwhist.actions import PASS, level_of, trump_of
from bidwhist.bits import count
from bidwhist.cards import SUIT_MASKS
from bidwhist.trick import beats


class Bot:
    """A new object is made for each seat of each table, so it may remember what it saw there, and nothing else."""

    name = "mybot"
    version = "1"
    # presets = ["classic", "traditional"]  # what it plays; all seven if you do not say

    def __init__(self, ctx, length=6):
        """ctx has rules and limits, and as ctx.random chance. What follows is a parameter: mybot.py?length=5."""
        self.length = length
        self.most = 3 if ctx.rules.kitty_size else 2
        self.reason = ""

    def act(self, obs):
        """The answer to one question: one of obs.legal, integers, lowest first. docs/bots.md lists what obs has."""
        lengths = [count(obs.hand_mask & suit) for suit in SUIT_MASKS]
        if obs.phase == "call":
            bids = [action for action in obs.legal if action != PASS]
            if PASS not in obs.legal or (max(lengths) >= self.length and bids and level_of(bids[0]) <= self.most):
                return self.because(f"my longest suit has {max(lengths)} cards", bids[0])
            return self.because("no suit is long enough to bid", PASS)
        if obs.phase == "name":
            longest = [action for action in obs.legal if trump_of(action) == lengths.index(max(lengths))]
            return self.because("trumps are my longest suit, if they may be", (longest or obs.legal)[0])
        if obs.phase == "play" and obs.trick and obs.winner != obs.partner:
            winning = [card for card in obs.legal if beats(obs.naming, card, obs.winning)]
            if winning:
                return self.because("this wins the trick so far", winning[0])
        return self.because("my lowest card", obs.legal[0])

    def because(self, reason, action):
        """Remember the reason for an action."""
        self.reason = reason
        return action

    def explain(self, obs):
        """Why the last answer was given: `bw-arena ask` shows it."""
        return self.reason
