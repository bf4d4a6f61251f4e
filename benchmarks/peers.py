"""Random deals a second of other simulators that Python can reach, beside ours and plain C in the same run.

Command: python benchmarks/peers.py [repeats]. It needs two packages that are no part of the project:
pip install open_spiel rlcard. The peers have no Bid Whist; bridge and spades are the games nearest to it: 52 cards, an
auction, thirteen tricks. All but our Python bot play uniformly random legal actions, from the deal to the score; only
the rollouts of OpenSpiel's tree search begin with a dealt hand. Every figure is a median of CPU time on one core, taken
in turns.
"""

import random
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

from bidwhist.bench.figures import Rate, measure_rates
from bidwhist.bench.rates import RANDOM, C, kernel, lockstep
from bidwhist.bench.yardstick import yardstick

try:
    import pyspiel
    import rlcard
    from rlcard.agents import RandomAgent
except ImportError as missing:
    sys.exit(f"{missing}. The peers have to be installed first: pip install open_spiel rlcard")

_SPIEL: Final = {
    # Bridge is played out here; by default its tricks are looked up in a double-dummy table.
    "bridge": {"use_double_dummy_result": False},
    "spades": {},
}


def peer(name: str, play: Callable[[int], None], deals: int) -> Rate:
    """The rate of a function that plays a number of deals."""

    def sample() -> float:
        began = time.process_time()
        play(deals)
        return deals / (time.process_time() - began)

    return Rate(name, "deals", lambda: sample, C)


def spiel_rollouts(name: str) -> Callable[[int], None]:
    """OpenSpiel without leaving C++, at its fastest: rollouts of one dealt hand, all in one step of its tree search."""
    game = pyspiel.load_game(name, _SPIEL[name])
    dealt = game.new_initial_state()
    while dealt.is_chance_node():
        dealt.apply_action(random.choice(dealt.legal_actions()))

    def play(deals: int) -> None:
        evaluator = pyspiel.RandomRolloutEvaluator(deals, 1)
        pyspiel.MCTSBot(game, evaluator, 1.0, 1, 1, False, 1, False).mcts_search(dealt)

    return play


def spiel_bots(name: str) -> Callable[[int], None]:
    """Deals of OpenSpiel played by its own random bots, all of it in C++."""
    game = pyspiel.load_game(name, _SPIEL[name])
    bots = [pyspiel.make_uniform_random_bot(player, player) for player in range(game.num_players())]

    def play(deals: int) -> None:
        for deal in range(deals):
            pyspiel.evaluate_bots(game.new_initial_state(), bots, deal)

    return play


def spiel_loop(name: str) -> Callable[[int], None]:
    """Deals of OpenSpiel from a loop in Python; in both games chance knows only outcomes that are all as likely."""
    game = pyspiel.load_game(name, _SPIEL[name])

    def play(deals: int) -> None:
        for _ in range(deals):
            state = game.new_initial_state()
            while not state.is_terminal():
                state.apply_action(random.choice(state.legal_actions()))

    return play


def rlcard_bridge() -> Callable[[int], None]:
    """Deals of RLCard's bridge with its own random agents."""
    environment: Any = rlcard.make("bridge", config={"seed": 1})
    environment.set_agents([RandomAgent(environment.num_actions) for _ in range(environment.num_players)])

    def play(deals: int) -> None:
        for _ in range(deals):
            environment.run(is_training=False)

    return play


def main(repeats: int) -> None:
    """Print the table."""
    with tempfile.TemporaryDirectory() as folder:
        listed = [
            Rate(C, "deals", lambda: yardstick(Path(folder))),
            Rate(RANDOM, "deals", lambda: kernel("random", 20_000), C),
            Rate("Python bot, obs.legal[0]", "deals", lambda: lockstep("first:act", 512), C),
            *(peer(f"OpenSpiel, {name}, C++ rollouts", spiel_rollouts(name), 4000) for name in _SPIEL),
            *(peer(f"OpenSpiel, {name}, C++ bots", spiel_bots(name), 1000) for name in _SPIEL),
            *(peer(f"OpenSpiel, {name}, Python", spiel_loop(name), 200) for name in _SPIEL),
            peer("RLCard, bridge", rlcard_bridge(), 20),
        ]
        rates = {rate.name: rate for rate in listed}
        for figure in measure_rates(rates, list(rates), repeats, lambda text: print(text, file=sys.stderr)):
            share = "" if figure.ratio is None else f"{figure.ratio:10.5f} of C"
            print(f"{figure.name:36}{figure.value:12,.0f} deals/s{share}")


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 7)
