"""What plays in a module: the function, class or set of compiled functions that a spec means."""

import functools
import inspect
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import Any, Final

from bidwhist.bot.claims import Claims, claims_of
from bidwhist.bot.importing import import_bot
from bidwhist.bot.spec import Spec
from bidwhist.errors import BotSpecError

FUNCTIONS: Final = ("call", "prepare", "play")
"""The functions of a compiled bot."""

BATCH: Final = "act_batch"
_ASKED: Final = (BATCH, "act")  # names of what is asked, the first that is there

ACCEPTED: Final = (
    "a function act(obs) or act_batch(rows), a class with such a method, or functions call, prepare and play"
)


@dataclass(frozen=True)
class Found:
    """What plays, the name it has in its module, and the file that its lines are reported from."""

    name: str
    thing: Any
    module: ModuleType
    source: str

    @property
    def is_compiled(self) -> bool:
        """True for a module, or what else has attributes, with the functions of a compiled bot."""
        return _has_functions(self.thing)

    def claims(self) -> Claims:
        """What the bot says of itself: its class, or else its module. Raises BotSpecError."""
        return claims_of(self.thing if inspect.isclass(self.thing) else self.module, self.source)


def find_bot(spec: Spec, file: Path | None) -> Found:
    """What plays for a spec of kind 'file' (with its `file`) or 'module'. Raises BotSpecError."""
    module = import_bot(spec, file)
    source = module.__file__ or spec.target
    if spec.name:
        return _checked(spec, Found(spec.name, _named(spec, module), module, source))
    if _has_functions(module):
        return Found(module.__name__, module, module, source)
    for name in _ASKED:
        if hasattr(module, name):
            return _checked(spec, Found(name, getattr(module, name), module, source))
    only = _only_class(spec, module)
    return Found(only.__name__, only, module, source)


def method_of(kind: type) -> str | None:
    """Name of the method that a class is asked by; None for a class that is no bot."""
    return next((name for name in _ASKED if callable(getattr(kind, name, None))), None)


def check_function(spec: Spec, name: str, found: Any) -> None:
    """Refuse what is no function, and an object's method, whose state all seats would share. Raises BotSpecError."""
    if not callable(found):
        raise BotSpecError(f"bot {spec.text!r}: {name} is a {type(found).__name__}; it needs {ACCEPTED}")
    if inspect.iscoroutinefunction(found):
        raise BotSpecError(f"bot {spec.text!r}: {name} is async; it needs {ACCEPTED}")
    owner = _owner(found)
    if owner is not None:
        kind = type(owner).__name__
        raise BotSpecError(
            f"bot {spec.text!r}: {name} is an object of {kind}, or a method of one, which all seats and tables would "
            f"share; name the class instead, of which each gets an object of its own"
        )


def _owner(found: Any) -> Any:
    """The object that a callable belongs to or is; None for a function, however it is wrapped."""
    if isinstance(found, functools.partial):
        return _owner(found.func)
    if inspect.ismethod(found):
        return None if inspect.isclass(found.__self__) else found.__self__
    if inspect.isroutine(found) or hasattr(found, "__wrapped__"):
        return None
    return found


def _checked(spec: Spec, found: Found) -> Found:
    if not inspect.isclass(found.thing) and not found.is_compiled:
        check_function(spec, found.name, found.thing)
    return found


def _named(spec: Spec, module: ModuleType) -> Any:
    thing: Any = module
    for part in str(spec.name).split("."):
        if not hasattr(thing, part):
            raise BotSpecError(f"bot {spec.text!r}: {module.__file__} has no {spec.name}; it needs {ACCEPTED}")
        thing = getattr(thing, part)
    return thing


def _only_class(spec: Spec, module: ModuleType) -> type:
    """The one class of a module that is a bot. Raises BotSpecError."""
    classes = [
        each
        for each in dict.fromkeys(each for each in vars(module).values() if inspect.isclass(each))
        if each.__module__ == module.__name__ and method_of(each)
    ]
    if len(classes) == 1:
        return classes[0]
    found = "several such classes: " + ", ".join(each.__name__ for each in classes) if classes else "none of them"
    parts = [name for name in FUNCTIONS if hasattr(module, name)]
    if parts and not classes:
        missing = " and ".join(name for name in FUNCTIONS if name not in parts)
        found = f"{' and '.join(parts)}, but no {missing}"
    raise BotSpecError(f"bot {spec.text!r}: a bot file has {ACCEPTED}; {module.__file__} has {found}")


def _has_functions(found: Any) -> bool:
    return all(callable(getattr(found, name, None)) for name in FUNCTIONS)
