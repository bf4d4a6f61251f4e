"""The worth of duplicate boards, and of a control: `python benchmarks/duplicates.py`.

By pair of bots: the variance of a board's points when it is played at both tables with the same cards, and when the
two tables have cards of their own; and the boards that a difference of 0.1 points needs. Then `mc` against `heuristic`
with the luck taken out that cheaper bots had on the same boards. With `--boards N` other than 2000.
"""

import argparse
import tempfile
from pathlib import Path
from typing import Any, Final

import numpy as np

from bidwhist.play import run_tournament
from bidwhist.results import load
from bidwhist.results.compared import compare
from bidwhist.results.pilot import pilot_of
from bidwhist.stats.planning import boards_needed

PAIRS: Final = (("heuristic", "random"), ("mc", "heuristic"), ("mc?worlds=100", "mc?worlds=200"))
CONTROLS: Final = ("heuristic", "mc?worlds=5", "mc?worlds=20", "mc?worlds=60", "mc?worlds=100", "mc?worlds=400")
SOUGHT: Final = 0.1
MORE: Final = 4  # times as many boards of a control


def main() -> None:
    """Print a line for each pair, and for each control."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--boards", type=int, default=2000)
    boards = parser.parse_args().boards
    with tempfile.TemporaryDirectory() as folder:
        print(f"{boards} boards of classic")
        print(f"pair; variance of a board: duplicate, independent, ratio; boards for {SOUGHT}: duplicate, independent")
        for number, (one, other) in enumerate(PAIRS):
            run = played(Path(folder) / f"pair-{number}", one, other, boards)
            own = pilot_of(run, "one", "other").pilot.variance
            rows = load(run, columns=["bot_ns", "points"])
            tables = np.where(rows["bot_ns"] == "one", rows["points"], -rows["points"])
            apart = float(tables.var(ddof=1)) / 2
            needed = [boards_needed(variance, SOUGHT) for variance in (own, apart)]
            print(
                f"{one} - {other}; {own:.2f}, {apart:.2f}, {apart / own:.2f}; {needed[0]:,}, {needed[1]:,}", flush=True
            )
        print(
            f"control of mc - heuristic on {MORE} times as many boards: correlation; worth; CPU seconds a board / mc's"
        )
        mine = pilot_of(Path(folder) / "pair-1", "one", "other").seconds
        for number, spec in enumerate(CONTROLS):
            other = "random" if spec == "heuristic" else "heuristic"
            run = played(Path(folder) / f"control-{number}", spec, other, MORE * boards)
            found = compare(Path(folder) / "pair-1", "one", "other", (run, "one", "other")).control
            theirs = pilot_of(run, "one", "other").seconds
            assert found is not None
            assert mine is not None
            assert theirs is not None
            cost = theirs / mine
            print(f"{spec} - {other}; {found.correlation:.2f}; {found.worth:.2f}; {cost:.2f}", flush=True)


def played(folder: Path, one: str, other: str, boards: int) -> Path:
    """A run of two bots, called "one" and "other"."""
    bots = [{"spec": one, "name": "one"}, {"spec": other, "name": "other"}]
    fields: dict[str, Any] = {"name": folder.name, "seed": 11, "bots": bots, "boards": boards}
    return run_tournament(fields, out=folder, trust=True)


if __name__ == "__main__":
    main()
