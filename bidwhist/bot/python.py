"""Bots written in Python: a function `act(obs)`, or a class with a method `act`.

The file of such a bot may hold read-only things at module level. A class is made anew for each seat and table (each
seat and game in the format `games`), so a player may remember what it has seen, and nothing else.
"""

import hashlib
import importlib
import importlib.util
import inspect
import sys
import traceback
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any, Final, TypeAlias

import numpy as np
from numpy.typing import NDArray

from bidwhist.actions import ACTIONS
from bidwhist.bot.source import package_hash
from bidwhist.bot.spec import Spec, value_of
from bidwhist.engine.batch import DecisionFailed
from bidwhist.errors import BotSpecError
from bidwhist.observation import Obs

Act: TypeAlias = Callable[[Obs], int]

_MOST_TEXT: Final = 300

ACCEPTED = "a function act(obs), or a class with a method act(self, obs)"


class PythonBot:
    """A scalar bot behind the interface of the engine: one call for each decision."""

    def __init__(self, name: str, make: Callable[[], Act], file: str) -> None:
        """`make` gives the `act` of a new player; `file` is where its lines are reported from."""
        self._name = name
        self._make = make
        self._file = file
        self._players: dict[int, dict[int, Act]] = {}

    @property
    def name(self) -> str:
        """The bot's name in messages."""
        return self._name

    def player(self) -> Act:
        """The `act` of a new player."""
        return self._make()

    def decide(self, rows: NDArray[np.void], sequences: NDArray[np.int64]) -> NDArray[np.int64]:
        """An action for each OBSERVATION row. Raises DecisionFailed."""
        actions = np.empty(len(rows), np.int64)
        data, size = rows.tobytes(), rows.dtype.itemsize
        seats, tables = rows["seat"].tolist(), sequences.tolist()
        for place in range(len(rows)):
            try:
                player = self._player(tables[place], seats[place])
                answer: object = player(Obs(data[place * size : (place + 1) * size]))
            except KeyboardInterrupt:
                raise
            except BaseException as error:
                raise DecisionFailed(place, describe_error(error, self._file)) from error
            if isinstance(answer, bool) or not isinstance(answer, int | np.integer) or not 0 <= answer < ACTIONS:
                said = f"{shown(repr, answer)} ({type(answer).__name__})"
                raise DecisionFailed(place, f"answered {said}: an action is an integer 0-{ACTIONS - 1}")
            actions[place] = answer
        return actions

    def finish(self, sequences: NDArray[np.int64]) -> None:
        """Forget the players of these sequences."""
        for sequence in sequences:
            self._players.pop(int(sequence), None)

    def _player(self, sequence: int, seat: int) -> Act:
        players = self._players.setdefault(sequence, {})
        if seat not in players:
            players[seat] = self._make()
        return players[seat]


def shown(form: Callable[[Any], str], value: object) -> str:
    """A stranger's value as text, printable, of bounded length, whatever its own methods do."""
    try:
        text = form(value)
    except Exception:  # a stranger's __repr__ or __str__ may raise anything
        return f"<{type(value).__name__} that has no text>"
    text = "".join(letter if letter.isprintable() else " " for letter in text[:_MOST_TEXT])
    return text if len(text) < _MOST_TEXT else text + "..."


def describe_error(error: BaseException, file: str) -> str:
    """An exception in one line, with the last line of `file` that it passed through."""
    lines = [frame.lineno for frame in traceback.extract_tb(error.__traceback__) if frame.filename == file]
    where = f"{file}, line {lines[-1]}: " if lines else f"{file}: "
    if isinstance(error, SyntaxError) and error.filename == file:
        where = f"{file}, line {error.lineno}: "
    return f"{where}{type(error).__name__}: {shown(str, error)}"


def load_python_bot(spec: Spec, name: str, file: Path | None) -> PythonBot:
    """The bot of a spec of kind 'file' (with its `file`) or 'module'. Raises BotSpecError."""
    module = _import_file(spec, file) if file else _import_module(spec)
    found = _find(spec, module)
    source = module.__file__ or spec.target
    return PythonBot(name, _maker(spec, found, source), source)


def source_hash(spec: Spec, file: Path | None) -> str:
    """SHA-256, in hex, of a bot's `file`, or for a spec of kind 'module' of all sources of its package.

    Raises BotSpecError.
    """
    if file:
        return hashlib.sha256(file.read_bytes()).hexdigest()
    _import_module(spec)
    return package_hash(spec.target.partition(".")[0])


def _import_file(spec: Spec, file: Path) -> ModuleType:
    # Two files of one name in two folders are two modules.
    unique = "bidwhist_bot_" + hashlib.sha256(str(file).encode()).hexdigest()[:16]
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


def _find(spec: Spec, module: ModuleType) -> Any:
    if spec.name:
        if not hasattr(module, spec.name):
            raise BotSpecError(f"bot {spec.text!r}: {module.__file__} has no {spec.name}; it needs {ACCEPTED}")
        return getattr(module, spec.name)
    if hasattr(module, "act"):
        return module.act
    classes = [
        each
        for each in vars(module).values()
        if inspect.isclass(each) and each.__module__ == module.__name__ and callable(getattr(each, "act", None))
    ]
    if len(classes) != 1:
        found = "neither" if not classes else "several such classes: " + ", ".join(each.__name__ for each in classes)
        raise BotSpecError(f"bot {spec.text!r}: a bot file has {ACCEPTED}; {module.__file__} has {found}")
    return classes[0]


def _maker(spec: Spec, found: Any, source: str) -> Callable[[], Act]:
    parameters = {key: value_of(text) for key, text in spec.parameters}
    if inspect.isclass(found):
        if not callable(getattr(found, "act", None)):
            raise BotSpecError(f"bot {spec.text!r}: class {found.__name__} has no method act(self, obs)")

        player: Callable[..., Any] = found

        def make() -> Act:
            act: Act = player(**parameters).act
            return act

        try:
            make()
        except (Exception, SystemExit, GeneratorExit) as error:
            raise BotSpecError(f"bot {spec.text!r} cannot be made: {describe_error(error, source)}") from error
        return make
    if parameters:
        raise BotSpecError(f"bot {spec.text!r}: a function act(obs) takes no parameters; a class does")
    if not callable(found):
        raise BotSpecError(f"bot {spec.text!r}: {spec.name or 'act'} is a {type(found).__name__}; it needs {ACCEPTED}")
    if inspect.iscoroutinefunction(found):
        raise BotSpecError(f"bot {spec.text!r}: act is async; it needs {ACCEPTED}")
    function: Act = found
    return lambda: function
