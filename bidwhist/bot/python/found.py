"""Looking into a module for the function, class or set of compiled functions that a spec means."""

import functools
import inspect
from dataclasses import dataclass
from types import ModuleType
from typing import Any, Final

from bidwhist.bot.metadata import Metadata, metadata_of
from bidwhist.errors import BotSpecError
from bidwhist.text import echo

FUNCTIONS: Final = ("call", "prepare", "play")
"""The functions of a compiled bot."""

BATCH: Final = "act_batch"
_ASKED: Final = (BATCH, "act")  # names of what is asked, the first that is there

ACCEPTED: Final = (
    "a function act(obs) or act_batch(rows), a class with such a method, or functions call, prepare and play"
)


@dataclass(frozen=True)
class Found:
    """The thing that plays, the name it has in its module, and the file that its lines are reported from."""

    name: str
    thing: Any
    module: ModuleType
    source: str

    @property
    def is_compiled(self) -> bool:
        """True for a module, or what else has attributes, with the functions of a compiled bot."""
        return _has_functions(self.thing)

    def metadata(self) -> Metadata:
        """The metadata of its class, or else of its module. Raises BotSpecError."""
        return metadata_of(self.thing if inspect.isclass(self.thing) else self.module, self.source)


def look_into(text: str, module: ModuleType, name: str | None) -> Found:
    """The thing that plays in the module of the bot with the spec `text`, or what has `name` there.

    Raises BotSpecError.
    """
    source = module.__file__ or module.__name__
    if name:
        return _checked(text, Found(name, _named(text, module, name), module, source))
    if _has_functions(module):
        return Found(module.__name__, module, module, source)
    for each in _ASKED:
        if hasattr(module, each):
            return _checked(text, Found(each, getattr(module, each), module, source))
    only = _only_class(text, module)
    return Found(only.__name__, only, module, source)


def method_of(kind: type) -> str | None:
    """Name of the method that a class is asked by; None for a class that is no bot."""
    return next((name for name in _ASKED if callable(getattr(kind, name, None))), None)


def check_function(text: str, name: str, found: Any) -> None:
    """Refuse what is no function, and an object's method, whose state all seats would share. Raises BotSpecError."""
    if not callable(found):
        raise BotSpecError(f"bot {echo(text)}: {name} is a {type(found).__name__}; it needs {ACCEPTED}")
    if inspect.iscoroutinefunction(found):
        raise BotSpecError(f"bot {echo(text)}: {name} is async; it needs {ACCEPTED}")
    owner = _owner(found)
    if owner is not None:
        kind = type(owner).__name__
        raise BotSpecError(
            f"bot {echo(text)}: {name} is an object of {kind}, or a method of one, which all seats and tables would "
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


def _checked(text: str, found: Found) -> Found:
    if not inspect.isclass(found.thing) and not found.is_compiled:
        check_function(text, found.name, found.thing)
    return found


def _named(text: str, module: ModuleType, name: str) -> Any:
    thing: Any = module
    for part in name.split("."):
        if not hasattr(thing, part):
            raise BotSpecError(f"bot {echo(text)}: {module.__file__} has no {name}; it needs {ACCEPTED}")
        thing = getattr(thing, part)
    return thing


def _only_class(text: str, module: ModuleType) -> type:
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
    raise BotSpecError(f"bot {echo(text)}: a bot file has {ACCEPTED}; {module.__file__} has {found}")


def _has_functions(found: Any) -> bool:
    return all(callable(getattr(found, name, None)) for name in FUNCTIONS)
