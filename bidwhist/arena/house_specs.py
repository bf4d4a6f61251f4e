"""Which house bot a spec names, and with what parameters; the code of the bots is not loaded for it."""

from bidwhist.bot.spec import Spec
from bidwhist.errors import BotSpecError
from bidwhist_bots import HOUSE_BOTS, Number, Values

Parameters = tuple[tuple[str, str], ...]


def house_parameters(spec: Spec) -> tuple[str, Parameters]:
    """The bot of a house spec and all its parameters, defaults filled in; those without one are left out if not given.

    Raises BotSpecError.
    """
    known = HOUSE_BOTS[spec.target].parameters
    given = dict(spec.parameters)
    for key, value in given.items():
        if key not in known:
            choice = f"it has {', '.join(known)}" if known else "it has none"
            raise BotSpecError(f"bot {spec.text!r}: {spec.target} has no parameter {key!r}; {choice}")
        wrong = _what_is_wrong(value, known[key])
        if wrong:
            raise BotSpecError(f"bot {spec.text!r}: parameter {key}: {value!r} {wrong}")
    if {"worlds", "ms"} <= given.keys():
        raise BotSpecError(f"bot {spec.text!r}: parameter ms stands instead of worlds, not beside it")
    filled = {key: given.get(key, _default(values)) for key, values in known.items()}
    return spec.target, tuple((key, value) for key, value in filled.items() if value is not None)


def plays_by_the_clock(spec: Spec) -> bool:
    """True for a house bot that is given milliseconds: how far it gets depends on the machine."""
    return "ms" in dict(spec.parameters)


def _default(values: Values) -> str | None:
    if isinstance(values, Number):
        return None if values.default is None else str(values.default)
    return values[0]


def _what_is_wrong(value: str, values: Values) -> str | None:
    """What is wrong with a parameter's value, in words that follow it; None if nothing is."""
    if not isinstance(values, Number):
        return None if value in values else f"is none of {', '.join(values)}"
    if value.isascii() and value.isdigit() and len(value) < 19 and values.least <= int(value) <= values.most:
        return None
    return f"is no whole number from {values.least} to {values.most}"
