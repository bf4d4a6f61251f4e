"""The solver with each technique left out gives the same answers as the whole."""

import os
import random
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import bidwhist
from bidwhist.solver import techniques
from bidwhist.solver.front import score_cards
from dds import random_position

NAMES = [name for name in vars(techniques) if name.isupper()]
PRINT_ANSWERS = "import test_solver_techniques as t; print(t.answers())"


def answers() -> list[list[tuple[int, int]]]:
    """Tricks of every card in positions beyond the reach of brute force."""
    rng = random.Random(7)
    positions = [random_position(rng, 6 + index % 3, played=index % 4) for index in range(60)]
    return [sorted((score.card, score.least) for score in score_cards(position)) for position in positions]


def answers_without(name: str, folder: Path) -> str:
    """What `answers` are in a copy of the package in which a technique is left out."""
    package = Path(bidwhist.__path__[0])
    shutil.copytree(package, folder / "bidwhist", ignore=shutil.ignore_patterns("__pycache__"))
    path = folder / "bidwhist" / "solver" / "techniques.py"
    text, changed = re.subn(rf"^{name}: Final = True", f"{name}: Final = False", path.read_text("utf-8"), flags=re.M)
    assert changed == 1
    path.write_text(text, encoding="utf-8")
    paths = os.pathsep.join([str(folder), str(Path(__file__).parent)])
    environment = {**os.environ, "PYTHONPATH": paths}
    command = [sys.executable, "-c", PRINT_ANSWERS]
    return subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=True).stdout


@pytest.mark.long
@pytest.mark.parametrize("name", NAMES)
def test_answers_without_a_technique(name: str, tmp_path: Path) -> None:
    without = answers_without(name, tmp_path)
    if name != "RUNS":
        assert without.strip() == str(answers())
        return
    # Without runs every card is listed, so compare what each card takes.
    whole = [dict(each) for each in answers()]
    for row, found in zip(whole, eval(without), strict=True):
        assert row.items() <= dict(found).items()
