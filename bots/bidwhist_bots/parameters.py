"""Parameters that a house bot declares: words to choose from, or a whole number within bounds.

A bot's module has them as `PARAMETERS`, by name; the first word is the default.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final, TypeAlias

Values: TypeAlias = dict[str, str | int]
"""Values of parameters, by name."""


@dataclass(frozen=True)
class Number:
    """A whole number from `least` to `most`. Without a default it is left out, unless it is given.

    `instead_of`: the parameter whose place it takes. `is_clock`: with it the answers depend on the machine's speed.
    """

    default: int | None
    least: int
    most: int
    instead_of: str | None = None
    is_clock: bool = False


Parameter: TypeAlias = tuple[str, ...] | Number

_MOST_DIGITS: Final = 18
_MOST_SHOWN: Final = 40  # characters of a wrong value that a message repeats


class Parameters:
    """The parameters that a bot has."""

    def __init__(self, declared: Mapping[str, Parameter]) -> None:
        self._declared = declared

    def items(self) -> Iterator[tuple[str, Parameter]]:
        """Names and declarations, in order."""
        yield from self._declared.items()

    def parse(self, bot: str, given: tuple[tuple[str, str], ...]) -> Values:
        """The values that texts stand for. Raises ValueError, saying what is wrong; `bot`: its name, for that."""
        values: Values = {}
        for key, text in given:
            if key not in self._declared:
                choice = f"it has {', '.join(self._declared)}" if self._declared else "it has none"
                raise ValueError(f"{bot} has no parameter {key!r}; {choice}")
            values[key] = _parse(key, text, self._declared[key])
        for key in values:
            declared = self._declared[key]
            if isinstance(declared, Number) and declared.instead_of in values:
                raise ValueError(f"parameter {key} stands instead of {declared.instead_of}, not beside it")
        return values

    def fill(self, values: Values) -> Values:
        """The values with the defaults of all that is not given and has one."""
        defaults = {key: each.default if isinstance(each, Number) else each[0] for key, each in self.items()}
        return {key: value for key, value in {**defaults, **values}.items() if value is not None}

    def codes(self, values: Values) -> list[int]:
        """Filled values as integers for compiled code, in order: words by their place, numbers as they are."""
        return [
            int(values[key]) if isinstance(each, Number) else each.index(str(values[key])) for key, each in self.items()
        ]

    def has_clock(self, values: Values) -> bool:
        """True if one of the values makes the bot play by the clock."""
        return any(isinstance(each, Number) and each.is_clock and key in values for key, each in self.items())


def parameters_of(module: Any) -> Parameters:
    """The parameters of a bot's module; none if it declares none."""
    return Parameters(getattr(module, "PARAMETERS", {}))


def _parse(key: str, text: str, declared: Parameter) -> str | int:
    shown = repr(text if len(text) <= _MOST_SHOWN else f"{text[:_MOST_SHOWN]}...")
    if not isinstance(declared, Number):
        if text not in declared:
            raise ValueError(f"parameter {key}: {shown} is none of {', '.join(declared)}")
        return text
    is_number = text.isascii() and text.isdigit() and len(text) <= _MOST_DIGITS
    if not is_number or not declared.least <= int(text) <= declared.most:
        raise ValueError(f"parameter {key}: {shown} is no whole number from {declared.least} to {declared.most}")
    return int(text)
