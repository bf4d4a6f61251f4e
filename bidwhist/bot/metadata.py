"""What a bot says of itself, in its class or module: `name`, `version`, and the `presets` that it plays."""

from dataclasses import dataclass
from typing import Any, Final

from bidwhist.errors import BotSpecError
from bidwhist.rules import PRESETS, known_or_nearest
from bidwhist.text import is_label, shown

_MOST_LETTERS: Final = 80


@dataclass(frozen=True)
class Metadata:
    """None for what a bot does not say; `presets` are all of them then."""

    name: str | None = None
    version: str | None = None
    presets: tuple[str, ...] = tuple(PRESETS)


def metadata_of(owner: Any, where: str) -> Metadata:
    """The metadata in an object's attributes. Raises BotSpecError, with `where` before the reason."""
    name, version = (_text(owner, key, where) for key in ("name", "version"))
    presets = getattr(owner, "presets", None)
    if presets is None:
        return Metadata(name, version)
    if not isinstance(presets, list | tuple) or not presets or not all(isinstance(each, str) for each in presets):
        raise BotSpecError(f"{where}: presets = {shown(repr, presets)} is no list of names of presets")
    for each in presets:
        wrong = known_or_nearest(each, list(PRESETS))
        if wrong:
            raise BotSpecError(f"{where}: presets: there is no preset {each!r}; {wrong}")
    return Metadata(name, version, tuple(dict.fromkeys(presets)))


def _text(owner: Any, key: str, where: str) -> str | None:
    value = getattr(owner, key, None)
    if not isinstance(value, str):
        return None  # something else of the same name
    if not is_label(value, _MOST_LETTERS):
        raise BotSpecError(f"{where}: {key} = {shown(repr, value)} is no line of text of up to {_MOST_LETTERS} letters")
    return value
