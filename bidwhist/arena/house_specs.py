"""Which house bot a spec names, and with what parameters; the code of the bots is not loaded for it."""

from bidwhist.bot.spec import Spec
from bidwhist.errors import BotSpecError
from bidwhist_bots import HOUSE_BOTS


def house_parameters(spec: Spec) -> tuple[str, tuple[tuple[str, str], ...]]:
    """The bot of a house spec and all its parameters, defaults filled in. Raises BotSpecError."""
    known = HOUSE_BOTS[spec.target].parameters
    given = dict(spec.parameters)
    for key, value in given.items():
        if key not in known:
            choice = f"it has {', '.join(known)}" if known else "it has none"
            raise BotSpecError(f"bot {spec.text!r}: {spec.target} has no parameter {key!r}; {choice}")
        if value not in known[key]:
            raise BotSpecError(f"bot {spec.text!r}: parameter {key}: {value!r} is none of {', '.join(known[key])}")
    return spec.target, tuple((key, given.get(key, values[0])) for key, values in known.items())
