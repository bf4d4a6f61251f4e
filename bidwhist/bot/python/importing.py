"""Importing the module of a bot: a file, or a module of an installed package."""

import hashlib
import importlib
import importlib.util
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import ModuleType

from bidwhist.bot.python.errors import describe_error
from bidwhist.errors import BidWhistError, BotSpecError
from bidwhist.text import shown


@contextmanager
def blamed_on(text: str, file: Path | None) -> Iterator[None]:
    """Turn what the code of the bot with the spec `text` raises while it is looked at into BotSpecError."""
    try:
        yield
    except BidWhistError:
        raise
    except (Exception, SystemExit, GeneratorExit) as error:
        raise BotSpecError(f"bot {text!r} cannot be loaded: {describe_error(error, str(file))}") from error


def import_file(text: str, file: Path, variant: str = "") -> ModuleType:
    """The module of the file of the bot with the spec `text`, made once for each `variant`. Raises BotSpecError."""
    # Two files of one name in two folders are two modules.
    unique = "bidwhist_bot_" + hashlib.sha256(f"{file}{variant}".encode()).hexdigest()[:16]
    if unique in sys.modules:
        return sys.modules[unique]
    found = importlib.util.spec_from_file_location(unique, file)
    if found is None or found.loader is None:
        raise BotSpecError(f"bot {text!r}: {file} is no Python file")
    module = importlib.util.module_from_spec(found)
    sys.modules[unique] = module
    try:
        found.loader.exec_module(module)
    except (Exception, SystemExit, GeneratorExit) as error:
        del sys.modules[unique]
        raise BotSpecError(f"bot {text!r} cannot be imported: {describe_error(error, str(file))}") from error
    return module


def import_module(text: str, name: str) -> ModuleType:
    """The module `name` of a package, for the bot with the spec `text`. Raises BotSpecError."""
    try:
        return importlib.import_module(name)
    except (Exception, SystemExit, GeneratorExit) as error:
        reason = f"{type(error).__name__}: {shown(str, error)}"
        raise BotSpecError(f"bot {text!r}: module {name} cannot be imported: {reason}") from error
