"""The solver beside DDS (through endplay): the same positions, the same run, one thread, CPU time.

    python benchmarks/solver.py            the tables of docs/performance.md
    python benchmarks/solver.py ablation   time and nodes with each technique left out

DDS is called in batches of 200, in its own binary format; only the time within its library counts.
"""

import os
import random
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "tests"))  # for the way to DDS; what is imported below needs it

from bidwhist.rules import PRESETS  # noqa: E402
from bidwhist.solver import techniques  # noqa: E402
from bidwhist.solver.contracts import table  # noqa: E402
from bidwhist.solver.front import score_cards, solve  # noqa: E402
from bidwhist.solver.position import Position  # noqa: E402
from bidwhist.solver.worlds import score_worlds  # noqa: E402

REPEATS = 5
NAMES = [name for name in vars(techniques) if name.isupper()]


def cpu(work: Callable[[], object]) -> float:
    """CPU seconds of a piece of work."""
    began = time.process_time()
    work()
    return time.process_time() - began


def ratio(ours: Callable[[], float], theirs: Callable[[], float]) -> tuple[float, float]:
    """Median of the ratios of interleaved repeats, and the least time of ours."""
    pairs = [(ours(), theirs()) for _ in range(REPEATS)]
    return statistics.median(a / b for a, b in pairs), min(a for a, _ in pairs)


def against_dds(size: int, count: int) -> None:
    """Print a row: the value of positions of `size` cards a hand."""
    from dds import VALUE, dds_scores, random_position

    rng = random.Random(size)
    positions = [random_position(rng, size) for _ in range(count)]
    nodes = [solve(position).nodes for position in positions]

    def ours() -> float:
        return cpu(lambda: [solve(position) for position in positions])

    found, seconds = ratio(ours, lambda: dds_scores(positions, VALUE)[1])
    tail = np.percentile(nodes, 99) / np.mean(nodes)
    print(
        f"| {size:2} | {found:.3f} | {1e3 * seconds / count:.3f} ms | {np.mean(nodes):,.0f} | {tail:.1f} |", flush=True
    )


def cards_against_value(count: int) -> None:
    """Print what all cards on lead cost, beside the value alone."""
    from dds import random_position

    rng = random.Random(99)
    positions = [random_position(rng, 12) for _ in range(count)]
    found, _ = ratio(
        lambda: cpu(lambda: [score_cards(position) for position in positions]),
        lambda: cpu(lambda: [solve(position) for position in positions]),
    )
    print(f"all cards on lead / value only, 12 cards: {found:.2f}", flush=True)


def decisions(count: int, worlds: int) -> list[list[Position]]:
    """Decisions at trick 4 of suit contracts, each as layouts of the cards that its player does not see."""
    from bidwhist.actions import FIRST_NAMING
    from bidwhist.cards import cards_of
    from dds import play_on, random_position

    rng = random.Random(4)
    found = []
    for turn in range(count):
        position = play_on(rng, random_position(rng, 9, namings=range(FIRST_NAMING, FIRST_NAMING + 12)), turn % 4)
        own = position.turn
        hidden = [card for seat in range(4) if seat != own for card in cards_of(position.hands[seat])]
        sizes = [bin(hand).count("1") for hand in position.hands]
        layouts: list[Position] = []
        while len(layouts) < worlds:
            rng.shuffle(hidden)
            rest, hands = list(hidden), list(position.hands)
            for seat in range(4):
                if seat != own:
                    hands[seat] = sum(1 << rest.pop() for _ in range(sizes[seat]))
            layout = try_position(hands, position)
            layouts += [layout] if layout else []
        found.append(layouts)
    return found


def try_position(hands: Sequence[int], like: Position) -> Position | None:
    """The position with these hands, if the cards on the table have followed suit in it."""
    from bidwhist.errors import PositionError

    try:
        return Position((hands[0], hands[1], hands[2], hands[3]), like.naming, like.leader, like.trick)
    except PositionError:
        return None


def worlds_against_dds(count: int, worlds: int) -> None:
    """Print how much faster `score_worlds` is than DDS at the same decisions."""
    from dds import ALL_CARDS, dds_scores

    asked = decisions(count, worlds)

    def ours() -> float:
        return sum(cpu(lambda layouts=layouts: score(layouts)) for layouts in asked)

    def score(layouts: list[Position]) -> Any:
        first = layouts[0]
        return score_worlds([layout.hands for layout in layouts], first.naming, first.leader, first.trick)

    found, _ = ratio(lambda: sum(dds_scores(layouts, ALL_CARDS)[1] for layouts in asked), ours)
    print(f"DDS / score_worlds, trick 4, suit contracts, {worlds} worlds: {found:.2f}", flush=True)


def table_against_solves(preset: str, count: int) -> None:
    """Print what a table costs, beside as many separate solves as it holds leads."""
    from bidwhist.deal import board_cards
    from bidwhist.state import first_leader

    rules = PRESETS[preset]
    boards = [board_cards(rules, 10, board)[0] for board in range(count)]
    deals = [(int(n), int(e), int(s), int(w)) for n, e, s, w in boards]
    namings = sorted({naming for naming, _ in table(deals[0], rules)})
    leaders = sorted({int(first_leader(rules.record(), 0, declarer)) for declarer in range(4)})

    def solves() -> float:
        return cpu(lambda: [solve(Position(hands, n, seat)) for hands in deals for n in namings for seat in leaders])

    found, _ = ratio(lambda: cpu(lambda: [table(hands, rules, 0) for hands in deals]), solves)
    print(f"table / {len(namings) * len(leaders)} separate solves, {preset}: {found:.2f}", flush=True)


def starts() -> None:
    """Print CPU seconds of a first solve with an empty cache, and again."""
    code = "from bidwhist.solver.front import *; solve(Position((1, 2, 4, 8), 83, 0))"
    with tempfile.TemporaryDirectory() as folder:
        for what in ("cold compile", "warm start"):
            before = os.times()
            subprocess.run([sys.executable, "-c", code], env={**os.environ, "NUMBA_CACHE_DIR": folder}, check=True)
            after = os.times()
            spent = after.children_user + after.children_system - before.children_user - before.children_system
            print(f"{what}: {spent:.1f} s of CPU time", flush=True)


def measured(package: Path, count: int) -> tuple[float, float]:
    """Milliseconds and nodes a deal of 9 cards a hand, in a process that imports `package`."""
    command = [sys.executable, __file__, "positions", str(count)]
    environment = {**os.environ, "PYTHONPATH": str(package)}
    done = subprocess.run(command, env=environment, cwd=package, capture_output=True, text=True, check=True)
    seconds, nodes = map(float, done.stdout.split())
    return 1e3 * seconds / count, nodes / count


def positions_of_nine(count: int) -> None:
    """Print CPU seconds and nodes of `count` deals."""
    from dds import random_position

    rng = random.Random(9)
    positions = [random_position(rng, 9) for _ in range(count)]
    solve(positions[0])
    began = time.process_time()
    nodes = sum(solve(position).nodes for position in positions)
    print(time.process_time() - began, nodes)


def ablation(count: int = 100) -> None:
    """Print time and nodes with each technique left out."""
    print("| without | ms a deal | nodes a deal | time | nodes |\n|---|---|---|---|---|")
    whole = (1.0, 1.0)
    for name in ["", *NAMES]:
        with tempfile.TemporaryDirectory() as folder:
            ignored = shutil.ignore_patterns("__pycache__")
            shutil.copytree(ROOT / "bidwhist", Path(folder) / "bidwhist", ignore=ignored)
            path = Path(folder) / "bidwhist" / "solver" / "techniques.py"
            text = path.read_text(encoding="utf-8")
            path.write_text(
                re.sub(rf"^({name}): Final = True", r"\1: Final = False", text, flags=re.M) if name else text
            )
            row = measured(Path(folder), count)
        whole = whole if name else row
        factors = f"{row[0] / whole[0]:.2f} | {row[1] / whole[1]:.2f}"
        print(f"| {name.lower() or '-'} | {row[0]:.3f} | {row[1]:,.0f} | {factors} |", flush=True)


def main() -> None:
    """All tables."""
    print("| cards a hand | time / DDS | time | nodes | 99th percentile / mean of nodes |\n|---|---|---|---|---|")
    for size, count in ((6, 400), (8, 400), (10, 200), (12, 100)):
        against_dds(size, count)
    cards_against_value(40)
    worlds_against_dds(12, 40)
    table_against_solves("classic", 10)
    table_against_solves("traditional", 4)
    starts()
    from bidwhist.solver.workspace import WORKSPACE

    print(f"workspace: {WORKSPACE.itemsize / 2**20:.1f} MB")


if __name__ == "__main__":
    if sys.argv[1:2] == ["positions"]:
        positions_of_nine(int(sys.argv[2]))
    elif sys.argv[1:2] == ["ablation"]:
        ablation()
    else:
        main()
