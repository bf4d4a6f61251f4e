"""Copies of bots, so that the bytes that were hashed are the bytes that play, then and ever after.

A bot's files lie in a folder that is named by its hash, at the places that they have for each other, and may not be
written. A bot that has no files of its own, such as a house bot, is not copied.
"""

import shutil
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Final

from bidwhist.bot.sources.files import STAGE, copy_files, listing_of, write_listing
from bidwhist.bot.sources.find import find_bot
from bidwhist.bot.sources.source import BotSource
from bidwhist.errors import BotSpecError, Stopped
from bidwhist.results.manifest import BotEntry
from bidwhist.text import echo

COPIES: Final = "bots"
"""The folder of copies, in a run and in a ladder."""


def keep(source: BotSource, copies: Path) -> BotSource:
    """Copy a bot into the folder `copies`, unless it is there; the bot in its copy, with the same entry.

    Raises BotSpecError if the bot's files change meanwhile, or Stopped if the disk refuses.
    """
    if not source.files:
        return source
    with suppress(BotSpecError):
        return source.moved(find_kept(source.entry, copies))
    stage, final = copies / STAGE, copies / source.entry.sha256
    try:
        shutil.rmtree(stage, ignore_errors=True)
        copy_files(source.files, stage)
        if source.listed:
            write_listing(source.files, stage)
        try:
            _found(source.entry, stage)
        except BotSpecError:
            name = echo(source.entry.name)
            raise BotSpecError(f"bot {name}: its files were edited while they were being copied; start again") from None
        if source.listed:
            listing_of(stage).replace(listing_of(final))
        if final.is_dir():
            _merge(source, stage, final)
        else:
            stage.rename(final)
    except OSError as error:
        name = echo(source.entry.name)
        raise Stopped(f"bot {name}: cannot be copied to {copies}: {error.strerror or error}") from error
    finally:
        _remove(stage)
    return source.moved(find_kept(source.entry, copies))


def _merge(source: BotSource, stage: Path, final: Path) -> None:
    """Put the files of a copy in place of damaged ones, or beside those of a bot that has the same bytes."""
    for place in source.files:
        target = final / place
        if target.is_dir() and not target.is_symlink():
            shutil.rmtree(target)
        target.parent.mkdir(parents=True, exist_ok=True)
        (stage / place).replace(target)


def find_kept(entry: BotEntry, copies: Path) -> BotSource:
    """The bot of a manifest's entry in its copy; a bot that is not copied, where it is.

    Raises BotSpecError if it is not there, or is not what its hash says.
    """
    if entry.kept is None:
        found = find_bot(entry.spec, entry.name)
        if found.entry.sha256 != entry.sha256:
            raise BotSpecError(f"bot {echo(entry.name)}: has changed; it can be loaded when {found.stays}")
        return replace(found, entry=entry)
    return _found(entry, copies / entry.sha256)


def _found(entry: BotEntry, folder: Path) -> BotSource:
    """The bot in the folder of a copy. Raises BotSpecError."""
    assert entry.kept is not None
    if not folder.is_dir():
        raise BotSpecError(f"bot {echo(entry.name)}: its copy in {folder} is gone")
    found = find_bot(entry.kept, entry.name, [folder])
    is_there = all(path.resolve().is_relative_to(folder.resolve()) for path in found.files.values())
    if not is_there or found.entry.sha256 != entry.sha256:
        raise BotSpecError(f"bot {echo(entry.name)}: its copy in {folder} is not what its hash says: it was changed")
    return replace(found, entry=entry)


def remove_unnamed(copies: Path, hashes: set[str]) -> None:
    """Remove copies but those with these hashes: they were refused, or left by an interruption."""
    for folder in copies.glob("*"):
        if folder.is_dir() and folder.name not in hashes and (folder.name == STAGE or len(folder.name) == 64):
            _remove(folder)


def _remove(copy: Path) -> None:
    shutil.rmtree(copy, ignore_errors=True)
    with suppress(OSError):
        listing_of(copy).unlink()
