"""Coverage of the 95% intervals: `python benchmarks/interval_coverage.py`.

Real points, resampled: a run of house bots is played once and taken for the whole truth; of its boards some are drawn
again and again, with all pairings that played them, and every interval of the product's own functions is held against
the value of all boards. With `--rounds N` other than 2000.
"""

import argparse
import math
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Final

import numpy as np
from numpy.typing import NDArray

from bidwhist.play import run_tournament
from bidwhist.results.manifest import read_manifest
from bidwhist.results.parts import present_parts
from bidwhist.results.tally import tally_run
from bidwhist.stats.ranks import differences
from bidwhist.stats.ratings import point_ratings, share_ratings
from bidwhist.stats.sample import Estimates, Meeting, Sample

BOTS: Final = (
    "heuristic",
    "random",
    "random?calls=pass",
    "mc?worlds=1",
)
BOARDS: Final = 3000
SIZES: Final = (30, 100, 400)


def played(bots: list[str], *, games: bool) -> Sample:
    """All duplicates of a run of these bots."""
    fields = {"seed": 11, "bots": bots, **({"format": "games", "games": BOARDS // 5} if games else {"boards": BOARDS})}
    with tempfile.TemporaryDirectory() as folder:
        run = run_tournament(fields, out=Path(folder) / "run", trust=True)
        manifest = read_manifest(run)
        return tally_run(run, manifest, present_parts(run, manifest)).sample


def drawn(whole: Sample, random: np.random.Generator, number: int, *, unequal: bool) -> Sample:
    """A sample of `number` boards, drawn with replacement. If `unequal`, every third pairing has only half of them."""
    chosen = random.integers(0, len(whole.units_played), number)
    sample = Sample(whole.bots, whole.quantities, whole.aside, whole.most, whole.by_table)
    for place, (pair, each) in enumerate(whole.meetings.items()):
        taken = chosen[: number // 2] if unequal and place % 3 == 1 else chosen
        sample.add(
            Meeting(
                *pair,
                np.arange(len(taken)),
                {name: values[taken] for name, values in each.values.items()},
                each.boards[taken],
                each.tables[taken],
                each.bids[taken],
            )
        )
    return sample


def held(found: Estimates, truth: NDArray[np.float64]) -> list[float]:
    """Of every interval, whether it holds the truth; NaN for a value without one."""
    hits = []
    for place, true in enumerate(truth):
        estimate = found.estimate(place)
        assert estimate is not None
        interval = estimate.interval
        hits.append(math.nan if interval is None else float(interval[0] <= true <= interval[1]))
    return hits


KINDS: Final[dict[str, Callable[[Sample], Estimates]]] = {
    "points": lambda sample: sample.of_bots("points"),
    "won": lambda sample: sample.of_bots("won"),
    "rating by points": lambda sample: point_ratings(sample, range(sample.bots)).estimates,
    "rating": lambda sample: share_ratings(sample, range(sample.bots)).estimates,
}


def main() -> None:
    """Print the coverage of every kind of interval."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=2000)
    rounds = parser.parse_args().rounds
    error = 200 * math.sqrt(0.05 * 0.95 / rounds)
    print(f"coverage in %, lowest and highest of all bots; two standard errors {error:.1f}")
    for games in (False, True):
        for bots in (list(BOTS[:2]), list(BOTS[:4])):
            whole = played(bots, games=games)
            truths = {name: kind(whole).values for name, kind in KINDS.items()}
            for number in SIZES:
                for unequal in (False, True) if len(bots) > 2 else (False,):
                    random = np.random.default_rng(number)
                    hits: dict[str, list[list[float]]] = {}
                    joint = []
                    for _ in range(rounds):
                        sample = drawn(whole, random, number, unequal=unequal)
                        for name, kind in KINDS.items():
                            hits.setdefault(name, []).append(held(kind(sample), truths[name]))
                        found = differences(point_ratings(sample, range(whole.bots)).estimates, range(whole.bots))
                        rated = truths["rating by points"]
                        joint.append(
                            all(
                                each.joint is not None
                                and each.joint[0] <= rated[each.one] - rated[each.other] <= each.joint[1]
                                for each in found
                            )
                        )
                    told = [
                        f"{'games' if games else 'boards'}, {whole.bots} bots, {number}{' unequal' if unequal else ''}:"
                    ]
                    for name, rows in hits.items():
                        with_one = [column[~np.isnan(column)] for column in np.array(rows).T]
                        shares = [100 * column.mean() for column in with_one if 2 * len(column) > rounds]
                        told.append(f"{name} {min(shares):.1f} to {max(shares):.1f};" if shares else f"{name} none;")
                    print(*told, f"all differences together {100 * np.mean(joint):.1f}")


if __name__ == "__main__":
    main()
