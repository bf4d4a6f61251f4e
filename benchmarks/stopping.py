"""Early stopping by simulation: `python benchmarks/stopping.py`.

Real points: the boards of two house bots are played once, and drawn again with replacement. Shifted by their mean they
are those of equal bots, with any other shift those of bots that differ by it. With `--rounds N` other than 1000.
"""

import argparse
import math
import tempfile
from collections import Counter
from pathlib import Path
from typing import Final

import numpy as np
from numpy.typing import NDArray

from bidwhist.play import run_tournament
from bidwhist.results.manifest import read_manifest
from bidwhist.results.parts import present_parts
from bidwhist.results.tally import tally_run
from bidwhist.rules import preset
from bidwhist.score import most_points
from bidwhist.stats.intervals import clustered_mean
from bidwhist.stats.planning import boards_needed
from bidwhist.stats.sequential import ConfidenceSequence

BOARDS: Final = 4000
LOOKS: Final = 64
ALPHA: Final = 0.05
SOUGHT: Final = 0.2
PAIRS: Final = (("heuristic", "random"), ("heuristic", "mc?worlds=1"), ("mc?worlds=2", "mc?worlds=4"))


def points_of(one: str, other: str) -> NDArray[np.float64]:
    """The points of the first bot on every board."""
    bots = [{"spec": one, "name": "one"}, {"spec": other, "name": "other"}]
    with tempfile.TemporaryDirectory() as folder:
        run = run_tournament({"seed": 11, "bots": bots, "boards": BOARDS}, out=Path(folder) / "run", trust=True)
        manifest = read_manifest(run)
        sample = tally_run(run, manifest, present_parts(run, manifest)).sample
    return sample.meeting(0, 1).values["points"]


def main() -> None:
    """Print a line for each pair of bots and true difference."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=1000)
    rounds = parser.parse_args().rounds
    most = float(most_points(preset("classic").record()))
    print(f"alpha {ALPHA}, sought {SOUGHT} points a board, {LOOKS} looks up to twice the fixed plan, {rounds} rounds")
    print("pair; true difference / sought: fixed plan; mean boards; verdicts; wrong by an interval looked at as often")
    for one, other in PAIRS:
        points = points_of(one, other)
        fixed = boards_needed(float(points.var()), SOUGHT)
        look = max(1, 2 * fixed // LOOKS)
        for times in (0.0, 0.5, 1.0, 2.0):
            random, verdicts, boards, wrong = np.random.default_rng(20), Counter[str](), 0, 0
            # Shifted, and drawn in towards 0 where the rules allow no more: the mean is then set right.
            values = np.clip(points - points.mean() + times * SOUGHT, -most, most)
            truth = values.mean()
            for _ in range(rounds):
                drawn = values[random.integers(0, len(values), look * LOOKS)]
                sequence = ConfidenceSequence(SOUGHT, ALPHA, most)
                for begin in range(0, len(drawn), look):
                    sequence.add(drawn[begin : begin + look])
                    if sequence.verdict is not None:
                        break
                verdicts[sequence.verdict or "none"] += 1
                boards += sequence.boards
                wrong += _misled(drawn, truth, look) if times == 0 else 0
            shares = ", ".join(f"{name} {count / rounds:.1%}" for name, count in sorted(verdicts.items()))
            naive = f"; {wrong / rounds:.1%}" if times == 0 else ""
            print(f"{one} - {other}; {times}: {fixed:,}; {boards / rounds:,.0f}; {shares}{naive}", flush=True)
    print(f"two standard errors at {ALPHA}: {2 * math.sqrt(ALPHA * (1 - ALPHA) / rounds):.1%}")


def _misled(drawn: NDArray[np.float64], truth: float, look: int) -> bool:
    """Whether an ordinary 95% interval ever leaves out the truth, when it is looked at just as often."""
    for end in range(look, len(drawn) + 1, look):
        interval = clustered_mean(drawn[:end]).interval
        if interval is not None and not interval[0] <= truth <= interval[1]:
            return True
    return False


if __name__ == "__main__":
    main()
