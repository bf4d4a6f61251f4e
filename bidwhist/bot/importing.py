"""Importing what a spec names: the module of a bot file or of a package."""

import hashlib
import importlib
import importlib.util
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import ModuleType

from bidwhist.bot.fault import describe_error, shown
from bidwhist.bot.source import package_hash
from bidwhist.bot.spec import Spec
from bidwhist.errors import BidWhistError, BotSpecError


@contextmanager
def blamed_on(spec: Spec, file: Path | None) -> Iterator[None]:
    """Turn what a stranger's code raises while it is looked at into BotSpecError."""
    try:
        yield
    except BidWhistError:
        raise
    except (Exception, SystemExit, GeneratorExit) as error:
        raise BotSpecError(f"bot {spec.text!r} cannot be loaded: {describe_error(error, str(file))}") from error


def import_bot(spec: Spec, file: Path | None) -> ModuleType:
    """The module of a spec of kind 'file' (with its `file`) or 'module'. Raises BotSpecError."""
    return import_file(spec, file) if file else _import_module(spec)


def source_hash(spec: Spec, file: Path | None) -> str:
    """SHA-256, in hex, of a bot's `file`, or for a spec of kind 'module' of all sources of its package.

    Raises BotSpecError.
    """
    if file:
        return hashlib.sha256(file.read_bytes()).hexdigest()
    package = spec.target.partition(".")[0]
    try:
        found = importlib.util.find_spec(package)
    except ValueError:  # of a module that has no file, such as __main__
        found = None
    if found is None:
        raise BotSpecError(f"bot {spec.text!r}: there is no module {package}")
    return package_hash(package)


def import_file(spec: Spec, file: Path, variant: str = "") -> ModuleType:
    """The module of a file, made once for each `variant`. Raises BotSpecError."""
    # Two files of one name in two folders are two modules.
    unique = "bidwhist_bot_" + hashlib.sha256(f"{file}{variant}".encode()).hexdigest()[:16]
    if unique in sys.modules:
        return sys.modules[unique]
    found = importlib.util.spec_from_file_location(unique, file)
    if found is None or found.loader is None:
        raise BotSpecError(f"bot {spec.text!r}: {file} is no Python file")
    module = importlib.util.module_from_spec(found)
    sys.modules[unique] = module
    try:
        found.loader.exec_module(module)
    except (Exception, SystemExit, GeneratorExit) as error:
        del sys.modules[unique]
        raise BotSpecError(f"bot {spec.text!r} cannot be imported: {describe_error(error, str(file))}") from error
    return module


def _import_module(spec: Spec) -> ModuleType:
    try:
        return importlib.import_module(spec.target)
    except (Exception, SystemExit, GeneratorExit) as error:
        reason = f"{type(error).__name__}: {shown(str, error)}"
        raise BotSpecError(f"bot {spec.text!r}: module {spec.target} cannot be imported: {reason}") from error
