"""mybot: passes when it can, leads its strongest card, wins a trick with the weakest card that does."""

from bidwhist.actions import PASS
from bidwhist.bits import count
from bidwhist.trick import beaters, beats


def act(obs):
    """The answer to one question: one of obs.legal, integers, lowest first. There are always two or more.

    obs.phase tells what is asked for. obs.hand, obs.calls, obs.contract, obs.trick, obs.played and more have what your
    seat knows; cards are integers, too. Chance comes from obs.random alone, as in obs.random.choice(obs.legal).
    """
    if obs.phase == "call":
        return PASS if PASS in obs.legal else obs.legal[0]  # a dealer after three passes has to bid
    if obs.phase != "play":
        return obs.legal[0]  # "name" and "discard": you have won the auction

    def strength(card):
        return -count(beaters(obs.naming, card))  # the fewer cards beat it in this contract, the stronger it is

    if not obs.trick:
        return max(obs.legal, key=strength)
    winning = [card for card in obs.legal if beats(obs.naming, card, obs.winning)]
    if winning and obs.winner != obs.partner:
        return min(winning, key=strength)
    return min(obs.legal, key=strength)
