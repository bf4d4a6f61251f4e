"""Bots written in Python: making what plays from what was found in their module.

The file may hold read-only things at module level. A class with `act` is made anew for each seat and table (each seat
and game in the format `games`), so a player may remember what it has seen, and nothing else. A class with `act_batch`
is made once and remembers nothing.
"""

import inspect
from collections.abc import Callable
from dataclasses import replace
from types import ModuleType
from typing import Any, Final

from bidwhist.bot.context import Context
from bidwhist.bot.deciders.batch import BatchBot
from bidwhist.bot.deciders.compiled import CompiledBot
from bidwhist.bot.deciders.scalar import ScalarBot
from bidwhist.bot.python.errors import describe_error
from bidwhist.bot.python.found import BATCH, FUNCTIONS, Found, check_function, method_of
from bidwhist.bot.spec import Spec, value_of
from bidwhist.engine.decider import Decider
from bidwhist.errors import BotSpecError
from bidwhist.interrupts import UserInterrupt, user_interrupts
from bidwhist.observation import Obs
from bidwhist.text import echo

_CONTEXT: Final = "ctx"

Variant = Callable[[str], ModuleType]
"""Makes a module anew, once for each text."""


def python_bot(name: str, spec: Spec, found: Found, context: Context, variant: Variant | None) -> Decider:
    """The bot of a spec, given what was found in its module. Raises BotSpecError.

    `variant` makes the module anew where compiled functions may have parameters, which are values of the module.
    """
    if found.is_compiled:
        return _compiled_bot(name, spec, found, variant)
    if inspect.isclass(found.thing):
        return _class_bot(name, spec, found, context)
    if spec.parameters:
        raise BotSpecError(f"bot {echo(spec.text)}: a function takes no parameters; a class does")
    if found.name == BATCH:
        return BatchBot(name, found.thing, found.source, found.module)
    return ScalarBot(name, lambda: found.thing, found.source, found.module)


def _compiled_bot(name: str, spec: Spec, found: Found, variant: Variant | None) -> CompiledBot:
    thing = found.thing
    if spec.parameters:
        if variant is None or not inspect.ismodule(thing):
            raise BotSpecError(
                f"bot {echo(spec.text)}: of compiled bots, only a file without a name after it takes parameters"
            )
        thing = _with_parameters(spec, variant(repr(spec.parameters)))
    functions = tuple(getattr(thing, each) for each in FUNCTIONS)
    for each in functions:
        check_function(spec.text, each.__name__, each)
    return CompiledBot(name, functions, found.source, thing)


def _with_parameters(spec: Spec, module: ModuleType) -> ModuleType:
    """The module of a compiled bot with its parameters in place of the values that it gives them."""
    known = getattr(module, "parameters", ())
    if not isinstance(known, tuple | list) or not all(
        isinstance(each, str) and hasattr(module, each) for each in known
    ):
        where = module.__file__
        raise BotSpecError(f"bot {echo(spec.text)}: `parameters` of {where} is no tuple of names of values in the file")
    for key, text in spec.parameters:
        if key not in known:
            choice = f"its parameters are {', '.join(known)}" if known else "it lists none in `parameters`"
            raise BotSpecError(f"bot {echo(spec.text)}: there is no parameter {key!r}; {choice}")
        default, value = getattr(module, key), value_of(text)
        if type(value) is int and type(default) is float:
            value = float(value)
        if type(value) is not type(default):
            kind = type(default).__name__
            raise BotSpecError(f"bot {echo(spec.text)}: parameter {key}: {echo(text)} is no {kind}, as {default!r} is")
        setattr(module, key, value)
    return module


def _class_bot(name: str, spec: Spec, found: Found, context: Context) -> Decider:
    kind: type = found.thing
    method = method_of(kind)
    if method is None:
        raise BotSpecError(f"bot {echo(spec.text)}: class {kind.__name__} has no method act(self, obs) or act_batch")
    parameters = {key: value_of(text) for key, text in spec.parameters}
    if _CONTEXT in parameters:
        raise BotSpecError(f"bot {echo(spec.text)}: {_CONTEXT} is given by the arena and no parameter")
    takes_context = _takes_context(kind)

    def make() -> Any:
        if not takes_context:
            return getattr(kind(**parameters), method)
        own = replace(context)
        asked = getattr(kind(**parameters, ctx=own), method)
        return asked if method == BATCH else _WithContext(asked, own)

    try:
        with user_interrupts():
            first = make()
    except UserInterrupt:
        raise
    except BaseException as error:
        raise BotSpecError(f"bot {echo(spec.text)} cannot be made: {describe_error(error, found.source)}") from error
    if method == BATCH:
        return BatchBot(name, first, found.source, found.module)
    return ScalarBot(name, make, found.source, found.module)


def _takes_context(kind: type) -> bool:
    try:
        return _CONTEXT in inspect.signature(kind).parameters
    except (TypeError, ValueError):  # a class that does not tell how it is made
        return False


class _WithContext:
    """The `act` of an object with a context, which is turned to each decision first."""

    __slots__ = ("__self__", "_act", "_context")

    def __init__(self, act: Any, context: Context) -> None:
        self.__self__ = act.__self__
        self._act = act
        self._context = context

    def __call__(self, obs: Obs) -> int:
        self._context.turn_to(obs)
        answer: int = self._act(obs)
        return answer
