"""The yardstick: random deals in plain C, compiled where a compiler is."""

import shutil
import subprocess
from collections.abc import Callable
from importlib.resources import as_file, files
from pathlib import Path
from typing import Final

_DEALS: Final = 200_000


def yardstick(folder: Path) -> Callable[[], float] | None:
    """Compile the C program into `folder`; a function that runs it and gives deals a second of CPU time.

    None without clang and gcc, or where it does not compile: it needs an x86-64 processor with BMI2.
    """
    compiler = shutil.which("clang") or shutil.which("gcc")
    program = folder / "playout"
    with as_file(files("bidwhist.bench") / "playout.c") as source:
        command = [compiler or "", "-O3", "-march=native", str(source), "-o", str(program)]
        if not compiler or subprocess.run(command, capture_output=True, check=False).returncode:
            return None
    return lambda: _deals_a_second(program)


def _deals_a_second(program: Path) -> float:
    command = [str(program), str(_DEALS), "1"]
    words = subprocess.run(command, capture_output=True, text=True, check=True).stdout.split()
    return float(words[words.index("median") + 1])
