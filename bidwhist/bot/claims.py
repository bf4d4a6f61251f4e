"""What a bot says of itself, in its class or module: `name`, `version`, the `presets` that it plays, its reasons."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Final

from bidwhist.bot.fault import shown
from bidwhist.errors import BotSpecError
from bidwhist.observation import Obs
from bidwhist.rules import PRESETS, known_or_nearest

_MOST_LETTERS: Final = 80


@dataclass(frozen=True)
class Claims:
    """None for what a bot does not say; `presets` are all of them then."""

    name: str | None = None
    version: str | None = None
    presets: tuple[str, ...] = tuple(PRESETS)


def claims_of(found: Any, where: str) -> Claims:
    """The claims that an object's attributes make. Raises BotSpecError, with `where` before what is wrong."""
    name, version = (_text(found, key, where) for key in ("name", "version"))
    presets = getattr(found, "presets", None)
    if presets is None:
        return Claims(name, version)
    if not isinstance(presets, list | tuple) or not presets or not all(isinstance(each, str) for each in presets):
        raise BotSpecError(f"{where}: presets = {shown(repr, presets)} is no list of names of presets")
    for each in presets:
        wrong = known_or_nearest(each, list(PRESETS))
        if wrong:
            raise BotSpecError(f"{where}: presets: there is no preset {each!r}; {wrong}")
    return Claims(name, version, tuple(dict.fromkeys(presets)))


def explanation(owners: Iterable[Any], obs: Obs) -> str | None:
    """What a bot says of the answer that it has just given, by `explain(obs)` of the first of `owners` that has one."""
    for owner in owners:
        explain = getattr(owner, "explain", None)
        if callable(explain):
            said = explain(obs)
            return None if said is None else str(said)
    return None


def _text(found: Any, key: str, where: str) -> str | None:
    value = getattr(found, key, None)
    if not isinstance(value, str):
        return None  # something else of the same name
    if not value.strip() or not value.isprintable() or len(value) > _MOST_LETTERS:
        raise BotSpecError(f"{where}: {key} = {shown(repr, value)} is no line of text of up to {_MOST_LETTERS} letters")
    return value
