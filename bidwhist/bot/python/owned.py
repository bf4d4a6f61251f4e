"""The files that a bot in Python is made of: those of its own folder that it imports, directly or through each other.

They are found in the source, and nothing is imported for it. So what an import statement names is found, and what a
program makes up while it runs is not; `bidwhist.bot.python.importing` imports no more than that either.
"""

import ast
import sys
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path, PurePosixPath
from typing import Final

FOREIGN: Final = sys.stdlib_module_names | {
    "bidwhist",
    "bidwhist_bots",
    "numpy",
    "numba",
    "llvmlite",
    "pandas",
    "scipy",
}
"""Modules that a file of the same name in a bot's folder does not stand in for: what Python has, and what bots are
written with."""


def owned_files(root: Path, main: str) -> list[str]:
    """The paths, relative to the folder `root` and sorted, of the bot file `main` and of all that it imports there.

    A file that cannot be read or parsed is one that imports nothing.
    """
    found: set[str] = set()
    waiting = [main]
    while waiting:
        place = waiting.pop()
        if place not in found:
            found.add(place)
            waiting += _imported(root, place)
    return sorted(found)


def _imported(root: Path, place: str) -> Iterator[str]:
    """Files below `root` that the file at `place` imports."""
    try:
        tree = ast.parse((root / place).read_bytes())
    except (OSError, SyntaxError, ValueError, RecursionError, MemoryError):
        return
    package = PurePosixPath(place).parent.parts
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            for alias in node.names:
                yield from _files(root, tuple(alias.name.split(".")))
        elif isinstance(node, ast.ImportFrom):
            base = package[: len(package) - node.level + 1] if node.level else ()
            module = (*base, *(node.module.split(".") if node.module else ()))
            yield from _files(root, module, is_relative=node.level > 0)
            for alias in node.names:
                yield from _files(root, (*module, alias.name), is_relative=node.level > 0)


def _files(root: Path, module: tuple[str, ...], *, is_relative: bool = False) -> Iterator[str]:
    """The file of a module, and those of the packages that it lies in."""
    if not module or (module[0] in FOREIGN and not is_relative):
        return
    for length in range(1, len(module) + 1):
        path = "/".join(module[:length])
        for place in (f"{path}/__init__.py", f"{path}.py"):
            with suppress(OSError, ValueError):
                if (root / place).is_file():
                    yield place
                    break
