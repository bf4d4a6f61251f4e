"""What the rule fields of other presets cost `classic`: the engine as it is, against a copy that knows only classic.

In the copy every `rules["field"]` that a kernel reads is replaced by its value under classic, so that the compiler
drops whatever other rules need. Both play the same random hands, in turn, each in a process of its own; the ratio of
their CPU times is printed for each repeat, with the median. Command: python benchmarks/rule_cost.py
"""

import re
import shutil
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

import bidwhist
from bidwhist.rules import CLASSIC, OPTIONS

REPEATS = 9
HANDS = 400_000


def classic_only(folder: Path) -> None:
    """Write a copy of the package into `folder` in which kernels find classic's fields as constants."""
    shutil.copytree(Path(bidwhist.__file__).parent, folder / "bidwhist", ignore=shutil.ignore_patterns("__pycache__"))
    record = CLASSIC.record()
    for path in (folder / "bidwhist").glob("*.py"):
        text = path.read_text(encoding="utf-8")
        for name in (*OPTIONS, "hand_size"):
            text = re.sub(rf'(public\["rules"\]|\brules)\["{name}"\]', str(int(record[name])), text)
        path.write_text(text, encoding="utf-8")


def start(package: Path) -> subprocess.Popen[str]:
    """A process that plays when it is sent a line."""
    command = [sys.executable, str(Path(__file__).with_name("playouts.py")), str(package), str(HANDS)]
    return subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)


def play(process: subprocess.Popen[str]) -> tuple[float, int]:
    """CPU seconds of one repeat, and the sum of points that shows that both play alike."""
    assert process.stdin is not None
    assert process.stdout is not None
    process.stdin.write("\n")
    process.stdin.flush()
    seconds, total = process.stdout.readline().split()
    return float(seconds), int(total)


def main() -> None:
    """Print the ratios."""
    with tempfile.TemporaryDirectory() as folder:
        classic_only(Path(folder))
        whole, plain = start(Path(bidwhist.__file__).parent.parent), start(Path(folder))
        play(whole)
        play(plain)
        ratios = []
        for _ in range(REPEATS):
            (all_rules, total), (one_rule, same) = play(whole), play(plain)
            assert total == same
            ratios.append(all_rules / one_rule)
            print(f"all rules {HANDS / all_rules:,.0f} hands/s  classic only {HANDS / one_rule:,.0f}  {ratios[-1]:.3f}")
        print(f"median: all rules take {statistics.median(ratios):.3f} of the time of classic only")


if __name__ == "__main__":
    main()
