"""A bot's spec: one string everywhere.

`heuristic` (a house bot), `path/file.py[:Name]`, `package.module:Name`, `cmd:./mybot --depth 3`; parameters as in
`random?calls=pass`.
"""

import shlex
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import parse_qsl

from bidwhist.errors import BotSpecError


@dataclass(frozen=True)
class Spec:
    """A spec taken apart. `kind`: 'house', 'file', 'module' or 'command'.

    `target`: what is named, for a command its whole text; `name`: what to take from the file, if it is given.
    """

    text: str
    kind: str
    target: str
    name: str | None
    parameters: tuple[tuple[str, str], ...]


def parse_spec(text: str) -> Spec:
    """Raises BotSpecError, naming the spec and what is wrong with it."""
    body, mark, query = text.partition("?")
    parameters = _parameters(text, query) if mark else ()
    if body.startswith("cmd:"):
        words = words_of(text, body.removeprefix("cmd:"))
        if not words:
            raise BotSpecError(f"bot {text!r}: names no command")
        return Spec(text, "command", body.removeprefix("cmd:").strip(), None, parameters)
    if body.endswith(".py") or ".py:" in body:
        target, _, name = body.rpartition(":") if ".py:" in body else (body, "", "")
        return Spec(text, "file", target, name or None, parameters)
    if ":" in body:
        target, _, name = body.partition(":")
        if not name or not all(part.isidentifier() for part in target.split(".")):
            raise BotSpecError(f"bot {text!r}: needs package.module:Name")
        return Spec(text, "module", target, name, parameters)
    if not body.strip():
        raise BotSpecError(f"bot {text!r}: names no bot")
    return Spec(text, "house", body, None, parameters)


def _parameters(text: str, query: str) -> tuple[tuple[str, str], ...]:
    try:
        pairs = parse_qsl(query, keep_blank_values=True, strict_parsing=True)
    except ValueError:
        raise BotSpecError(f"bot {text!r}: parameters are written ?key=value&key=value") from None
    names = [key for key, _ in pairs]
    for key in names:
        if names.count(key) > 1:
            raise BotSpecError(f"bot {text!r}: parameter {key!r} stands twice")
    return tuple(pairs)


def words_of(text: str, command: str) -> list[str]:
    """The words of a command, quoted as in a shell. Raises BotSpecError, naming the spec `text`."""
    try:
        words = shlex.split(command)
    except ValueError:
        raise BotSpecError(f"bot {text!r}: a quotation mark or a backslash in the command has no second half") from None
    if "\0" in command:
        raise BotSpecError(f"bot {text!r}: a command has no NUL characters")
    return words


def find_file(target: str, folders: list[Path]) -> Path:
    """The bot file `target`, looked for in `folders` in turn. Raises BotSpecError."""
    for folder in folders:
        try:
            path = (folder / target).resolve()
            if path.is_file():
                return path
        except OSError as error:  # a name that is too long, say
            raise BotSpecError(f"bot {target[:80]!r}: cannot be looked up: {error.strerror}") from error
    places = " or ".join(dict.fromkeys(str(folder) for folder in folders))
    raise BotSpecError(f"bot {target!r}: there is no such file in {places}")


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
