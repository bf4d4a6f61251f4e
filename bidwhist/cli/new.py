"""`bw-arena new`."""

import importlib.util
import keyword
import sys
from contextlib import suppress
from importlib.machinery import ModuleSpec
from importlib.resources import files
from pathlib import Path
from typing import Final

import click

from bidwhist.errors import BotSpecError
from bidwhist.process.machine import machine_limits
from bidwhist.text import echo
from bidwhist_bots import HOUSE_BOTS

_NAME: Final = "mybot"  # in the files of bidwhist.starter
_KINDS: Final = ("function", "class", "batch", "compiled")


@click.command()
@click.argument("name")
@click.option("--kind", type=click.Choice(_KINDS), default="function", show_default=True, help="What the bot is.")
def command(name: str, kind: str) -> None:
    """Write NAME.py, a legal bot with comments, and test_NAME.py, its tests, into the working folder.

    A function answers one question at a time; a class may remember what it saw at its table; a batch bot answers many
    at once with NumPy; a compiled bot plays inside the engine.
    """
    _check_name(name)
    texts = {f"{name}.py": _starter(kind, name), f"test_{name}.py": _starter("test", name)}
    for file in texts:
        if Path(file).exists() or Path(file).is_symlink():
            raise BotSpecError(f"{file}: is there already, and is left as it is")
    for file, text in texts.items():
        _write(Path(file), text)
    click.echo(f"{name}.py, and its tests in test_{name}.py. Next:")
    for line, about in (
        (f"{name}.py", "edit it"),
        (f"pytest test_{name}.py", "run its tests" + _how_to_get("pytest")),
        (f"bw-arena check {name}.py", "see whether it is fit to play"),
    ):
        click.echo(f"  {line:<{len(name) + 20}}{about}")


def _write(path: Path, text: str) -> None:
    """Write a file wholly, or leave none."""
    what = f"{path.name[:80]}: cannot be written"
    try:
        with machine_limits(what):
            _write_wholly(path, text)
    except OSError as error:
        raise BotSpecError(f"{what}: {error.strerror}") from error


def _write_wholly(path: Path, text: str) -> None:
    try:
        with path.open("x", encoding="utf-8") as file:
            file.write(text)
    except OSError:
        with suppress(OSError):
            path.unlink()
        raise


def _starter(kind: str, name: str) -> str:
    return (files("bidwhist.starter") / f"bot_{kind}.py").read_text(encoding="utf-8").replace(_NAME, name)


def _check_name(name: str) -> None:
    """Raises BotSpecError for a name that no Python file should have."""
    if not name.isidentifier():
        hint = f"; say {name[:-3]}" if name.endswith(".py") and name[:-3].isidentifier() else ""
        raise BotSpecError(f"{echo(name)} is no name in Python: letters, digits and _, no digit first{hint}")
    if keyword.iskeyword(name):
        raise BotSpecError(f"{echo(name)} is a word of Python's own; take another name")
    if name in sys.stdlib_module_names:
        raise BotSpecError(
            f"{echo(name)} is a module of Python, which {name}.py would hide from your code; take another name"
        )
    if name in HOUSE_BOTS:
        raise BotSpecError(f"{echo(name)} is a bot of the house; take another name for yours")
    if _is_installed(name):
        raise BotSpecError(f"{echo(name)} is an installed package, which {name}.py would hide; take another name")


def _is_installed(name: str) -> bool:
    """True for what can be imported by this name, other than from the working folder."""
    try:
        found: ModuleSpec | None = importlib.util.find_spec(name)
    except (ImportError, ValueError):  # a module that is half there
        return True
    places = [Path(place) for place in (*(found.submodule_search_locations or ()), found.origin or "")] if found else []
    return found is not None and not any(place.resolve().parent == Path.cwd() for place in places)


def _how_to_get(package: str) -> str:
    return "" if importlib.util.find_spec(package) else f" (first: pip install {package})"
