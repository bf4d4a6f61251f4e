"""Bots written in Python: finding, importing and making them.

A file has a function or a class, see ACCEPTED; where there are both, the one that is asked for all rows at once is
taken. The file may hold read-only things at module level. A class with `act` is made anew for each seat and table
(each seat and game in the format `games`), so a player may remember what it has seen, and nothing else. A class with
`act_batch` is made once and remembers nothing.
"""

import hashlib
import importlib
import importlib.util
import inspect
import sys
from pathlib import Path
from types import ModuleType
from typing import Any, Final, TypeAlias

from bidwhist.bot.batch import BatchBot
from bidwhist.bot.compiled import FUNCTIONS, CompiledBot
from bidwhist.bot.fault import describe_error, shown
from bidwhist.bot.scalar import ScalarBot
from bidwhist.bot.source import package_hash
from bidwhist.bot.spec import Spec, value_of
from bidwhist.errors import BotSpecError

PythonBot: TypeAlias = ScalarBot | BatchBot | CompiledBot

_BATCH: Final = "act_batch"
_ASKED: Final = (_BATCH, "act")  # names of what is asked, the first that is there

ACCEPTED = "a function act(obs) or act_batch(rows), a class with such a method, or functions call, prepare and play"


def load_python_bot(spec: Spec, name: str, file: Path | None) -> PythonBot:
    """The bot of a spec of kind 'file' (with its `file`) or 'module'. Raises BotSpecError."""
    module = _import_file(spec, file) if file else _import_module(spec)
    found_name, found = _find(spec, module)
    source = module.__file__ or spec.target
    if _is_compiled(found):
        return _compiled_bot(spec, name, found, file)
    if inspect.isclass(found):
        return _class_bot(spec, name, found, source)
    _check_function(spec, found_name, found)
    return BatchBot(name, found, source) if found_name == _BATCH else ScalarBot(name, lambda: found, source)


def source_hash(spec: Spec, file: Path | None) -> str:
    """SHA-256, in hex, of a bot's `file`, or for a spec of kind 'module' of all sources of its package.

    Raises BotSpecError.
    """
    if file:
        return hashlib.sha256(file.read_bytes()).hexdigest()
    _import_module(spec)
    return package_hash(spec.target.partition(".")[0])


def _import_file(spec: Spec, file: Path, variant: str = "") -> ModuleType:
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


def _find(spec: Spec, module: ModuleType) -> tuple[str, Any]:
    """What plays, and its name in the module."""
    if spec.name:
        if not hasattr(module, spec.name):
            raise BotSpecError(f"bot {spec.text!r}: {module.__file__} has no {spec.name}; it needs {ACCEPTED}")
        return spec.name, getattr(module, spec.name)
    if _is_compiled(module):
        return module.__name__, module
    for name in _ASKED:
        if hasattr(module, name):
            return name, getattr(module, name)
    classes = [
        each
        for each in vars(module).values()
        if inspect.isclass(each) and each.__module__ == module.__name__ and _method(each)
    ]
    if len(classes) != 1:
        found = "neither" if not classes else "several such classes: " + ", ".join(each.__name__ for each in classes)
        raise BotSpecError(f"bot {spec.text!r}: a bot file has {ACCEPTED}; {module.__file__} has {found}")
    return classes[0].__name__, classes[0]


def _is_compiled(found: Any) -> bool:
    """True for a module, or what else has attributes, with the functions of a compiled bot."""
    return all(callable(getattr(found, name, None)) for name in FUNCTIONS)


def _compiled_bot(spec: Spec, name: str, found: Any, file: Path | None) -> CompiledBot:
    if spec.parameters and not (file and inspect.ismodule(found)):
        raise BotSpecError(f"bot {spec.text!r}: of compiled bots, only a file without a name after it takes parameters")
    if spec.parameters and file:
        found = _with_parameters(spec, file)
    code = source_hash(spec, file) + repr(spec.parameters)
    identity = hashlib.sha256(code.encode()).hexdigest()[:16]
    functions = tuple(getattr(found, each) for each in FUNCTIONS)
    return CompiledBot(name, functions, str(file or spec.target), identity)


def _with_parameters(spec: Spec, file: Path) -> ModuleType:
    """The module of a compiled bot, made anew, with its parameters in place of the values that it gives them."""
    module = _import_file(spec, file, repr(spec.parameters))
    known = getattr(module, "parameters", ())
    for key, text in spec.parameters:
        if key not in known:
            choice = f"its parameters are {', '.join(known)}" if known else "it lists none in `parameters`"
            raise BotSpecError(f"bot {spec.text!r}: there is no parameter {key!r}; {choice}")
        default, value = getattr(module, key), value_of(text)
        if type(value) is int and type(default) is float:
            value = float(value)
        if type(value) is not type(default):
            kind = type(default).__name__
            raise BotSpecError(f"bot {spec.text!r}: parameter {key}: {text!r} is no {kind}, as {default!r} is")
        setattr(module, key, value)
    return module


def _method(kind: type) -> str | None:
    """Name of the method that is asked; None for a class that is no bot."""
    return next((name for name in _ASKED if callable(getattr(kind, name, None))), None)


def _class_bot(spec: Spec, name: str, kind: type, source: str) -> PythonBot:
    method = _method(kind)
    if method is None:
        raise BotSpecError(f"bot {spec.text!r}: class {kind.__name__} has no method act(self, obs) or act_batch")
    parameters = {key: value_of(text) for key, text in spec.parameters}

    def make() -> Any:
        return getattr(kind(**parameters), method)

    try:
        first = make()
    except (Exception, SystemExit, GeneratorExit) as error:
        raise BotSpecError(f"bot {spec.text!r} cannot be made: {describe_error(error, source)}") from error
    return BatchBot(name, first, source) if method == _BATCH else ScalarBot(name, make, source)


def _check_function(spec: Spec, name: str, found: Any) -> None:
    if spec.parameters:
        raise BotSpecError(f"bot {spec.text!r}: a function takes no parameters; a class does")
    if not callable(found):
        raise BotSpecError(f"bot {spec.text!r}: {name} is a {type(found).__name__}; it needs {ACCEPTED}")
    if inspect.iscoroutinefunction(found):
        raise BotSpecError(f"bot {spec.text!r}: {name} is async; it needs {ACCEPTED}")
