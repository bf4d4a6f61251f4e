"""A bot's spec: one string everywhere, with parameters behind it as in `random?calls=pass`.

The kinds of specs stand with the sources (`bidwhist.bot.sources.find`).
"""

from dataclasses import dataclass
from typing import TYPE_CHECKING
from urllib.parse import parse_qsl

from bidwhist._moved import moved_names
from bidwhist.errors import BotSpecError
from bidwhist.text import echo

if not TYPE_CHECKING:
    __getattr__ = moved_names(__name__)

Parameters = tuple[tuple[str, str], ...]


@dataclass(frozen=True)
class Spec:
    """A spec as written (`text`), taken apart into its `body` and its parameters, in the order given."""

    text: str
    body: str
    parameters: Parameters

    @property
    def query(self) -> str:
        """The parameters as they are written, with their question mark; '' without any."""
        return self.text[self.text.index("?") :] if "?" in self.text else ""


def cut_at_mark(text: str) -> str:
    """For messages about paths: how one with a question mark is read; '' without any."""
    body, mark, _ = text.partition("?")
    return f"; parameters begin with the ?, so the path is read as {echo(body)}" if mark else ""


def parse_spec(text: str) -> Spec:
    """Raises BotSpecError for a spec that names no bot, or whose parameters are not ?key=value&key=value."""
    body, mark, query = text.partition("?")
    if not body.strip():
        raise BotSpecError(f"bot {echo(text)}: names no bot")
    return Spec(text, body, _parameters(text, query) if mark else ())


def _parameters(text: str, query: str) -> Parameters:
    try:
        pairs = parse_qsl(query, keep_blank_values=True, strict_parsing=True)
    except ValueError:
        raise BotSpecError(f"bot {echo(text)}: parameters are written ?key=value&key=value") from None
    names = [key for key, _ in pairs]
    for key in names:
        if names.count(key) > 1:
            raise BotSpecError(f"bot {echo(text)}: parameter {key!r} stands twice")
    return tuple(pairs)


def value_of(text: str) -> int | float | bool | str:
    """A parameter's text as the Python value it spells."""
    if text in ("true", "false"):
        return text == "true"
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            continue
    return text
