"""Keeping the source of a bot, so that what plays later is what was submitted.

A bot's files lie in a folder named by their SHA-256 and may not be written. What is asked for its hash, examined and
played is this copy; the author's own files are read once.
"""

import shutil
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from bidwhist.bot.sources.find import find_bot
from bidwhist.bot.sources.source import BotSource
from bidwhist.errors import Stopped

SOURCES: Final = "bots"
_STAGE: Final = ".new"  # where files lie until their hash is known


@dataclass(frozen=True)
class Kept:
    """A bot whose source is kept in `folder`, and a name for it without its path."""

    bot: BotSource
    folder: Path
    stem: str

    @property
    def spec(self) -> str:
        """The text that names the bot in its folder."""
        return self.bot.spec.text

    @property
    def sha256(self) -> str:
        """Hash of the source."""
        return self.bot.entry.sha256


def keep(text: str, sources: Path) -> Kept:
    """Find the bot of a spec in the working folder, and keep its source in the folder `sources`.

    Of a bot file that file is kept, of a command all files that it names. A bot of a package plays from where it is
    installed, and its Python files are kept for the record. Raises BotSpecError, or Stopped if the disk refuses.
    """
    author = find_bot(text)
    stage = sources / _STAGE
    try:
        shutil.rmtree(stage, ignore_errors=True)
        stage.mkdir(parents=True)
        copy = author.copy_to(stage)
        staged = find_bot(copy.spec, folders=[stage])
        final = sources / staged.entry.sha256
        if any(stage.iterdir()) and not final.exists():
            stage.rename(final)
    except OSError as error:
        raise Stopped(f"bot {text!r}: its source cannot be kept in {sources}: {error.strerror}") from error
    finally:
        shutil.rmtree(stage, ignore_errors=True)
    spec = staged.spec_in(final)
    return Kept(find_kept(spec, spec, final), final, copy.stem)


def find_kept(spec: str, name: str, folder: Path) -> BotSource:
    """The bot of a spec in the folder where it is kept. Raises BotSpecError."""
    return find_bot(spec, name, [folder]).seen_from(f"{SOURCES}/{folder.name}")


def remove_unnamed(sources: Path, hashes: set[str]) -> None:
    """Remove kept sources but those with these hashes: they were refused, or left by an interruption."""
    for folder in sources.glob("*"):
        if folder.name not in hashes and (folder.name == _STAGE or len(folder.name) == 64):
            shutil.rmtree(folder, ignore_errors=True)
