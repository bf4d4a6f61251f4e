"""From a spec to its source: the list of all kinds of bots."""

from collections.abc import Sequence
from pathlib import Path
from typing import Final

from bidwhist.bot.sources.command import CommandSource
from bidwhist.bot.sources.files import is_dir, is_file
from bidwhist.bot.sources.house import HouseSource
from bidwhist.bot.sources.provided import ProvidedSource
from bidwhist.bot.sources.python import FileSource, FolderSource, ModuleSource, ZipSource
from bidwhist.bot.sources.source import BotSource, NamedBot
from bidwhist.bot.spec import cut_at_mark, parse_spec
from bidwhist.errors import BotSpecError
from bidwhist.rules import known_or_nearest
from bidwhist.text import echo

SOURCES: Final[tuple[type[BotSource], ...]] = (
    CommandSource,
    FileSource,
    ZipSource,
    ModuleSource,
    HouseSource,
    ProvidedSource,
    FolderSource,
)
"""The kinds of bots. A spec belongs to the first that finds a bot for it."""


def find_bot(text: str, name: str | None = None, folders: Sequence[Path] = ()) -> BotSource:
    """The bot of a spec, to be called `name` (default: the spec). Raises BotSpecError.

    A relative path is looked for in `folders` in turn (default: the working folder).
    """
    places = list(folders) or [Path.cwd()]
    if "?" in text and any(is_file(folder / text) or is_dir(folder / text) for folder in places):
        raise BotSpecError(
            f"bot {echo(text)}: a file or folder with a ? in its name has to be renamed{cut_at_mark(text)}"
        )
    spec = parse_spec(text)
    for kind in SOURCES:
        source = kind.find(spec, text if name is None else name, places)
        if source is not None:
            return source
    known = list(dict.fromkeys(each for kind in SOURCES for each in kind.names()))
    raise BotSpecError(f"bot {echo(text)}: there is no bot {echo(spec.body)}; {known_or_nearest(spec.body, known)}")


def named_bots() -> list[NamedBot]:
    """All bots that can be named without a path."""
    return [bot for kind in SOURCES for bot in kind.named()]
