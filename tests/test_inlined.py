"""Functions without machine code of their own do the same as Numba's usual ones, from the compiler and from disk."""

import os
import subprocess
import sys
from pathlib import Path

# A kernel of all that is special: functions called by Python and by others, several calls of the same, recursion,
# errors whose words are constants, arrays that are made in one function and used in another.
MODULE = """
import numpy as np
from bidwhist._jit import jit, shared

@shared
def check(x):
    if x > 7:
        raise ValueError("more than seven", x > 8)
    return x

@jit
def steps(n):
    return 0 if n <= 0 else 1 + steps(n - 2)

@shared
def powers(base, n):
    values = np.empty(n, np.float64)
    for place in range(n):
        values[place] = base**place
    return values

@jit
def total(n, factor):
    values = powers(1.5, n)
    return values.sum() * factor + max(n, 3) + steps(n)

@jit
def kernel(n):
    first, second = total(n, 0.1), total(n, 3)
    return first + second / 3.0 + check(n) + len(powers(2, n))
"""
SCRIPT = """
import sys
sys.path.insert(0, sys.argv[1])
import numba
if sys.argv[2] == "plain":
    numba.version_info = numba.version_info._replace(major=99)
import bidwhist._inlined
assert bool(bidwhist._inlined.OPTIONS) == (sys.argv[2] == "inlined")
import own
for n in (0, 1, 7, 8, 9):
    try:
        print(float(own.kernel(n)).hex(), int(own.steps(n)), float(own.total(n, 2)).hex())
    except ValueError as error:
        print(repr(error))
"""


def answers(folder: Path, how: str, **environment: str) -> str:
    done = subprocess.run(
        [sys.executable, "-B", "-c", SCRIPT, str(folder), how],
        env={**os.environ, "NUMBA_CACHE_DIR": str(folder / how), **environment},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_it_makes_no_difference(tmp_path: Path) -> None:
    (tmp_path / "own.py").write_text(MODULE, encoding="utf-8")
    expected = answers(tmp_path, "plain", NUMBA_DISABLE_JIT="1")
    assert expected.count("ValueError('more than seven'") == 2
    assert answers(tmp_path, "plain") == expected  # with a version that was not tried
    assert answers(tmp_path, "inlined") == expected
    assert answers(tmp_path, "inlined") == expected  # from disk
