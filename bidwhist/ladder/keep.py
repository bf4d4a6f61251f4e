"""Keeping the source of a submitted bot, so that what plays later is what was submitted.

What is asked for its hash, examined and played is the copy; the author's own files are read once.
"""

from dataclasses import replace
from pathlib import Path

import msgspec

from bidwhist.bot.sources.find import find_bot
from bidwhist.bot.sources.keep import keep
from bidwhist.bot.sources.source import BotSource
from bidwhist.errors import BotSpecError
from bidwhist.text import echo


def keep_submitted(text: str, copies: Path) -> BotSource:
    """Find the bot of a spec in the working folder, and copy it into the folder `copies`; the bot in its copy.

    Its entry has the spec that it has there, since nobody but its author has its own. Raises BotSpecError, or Stopped
    if the disk refuses.
    """
    author = find_bot(text)
    entry = author.entry
    if not author.files and entry.uncovered:
        raise BotSpecError(
            f"bot {echo(text)}: has no file that could be kept ({entry.uncovered}); a ladder holds what it has a copy of"
        )
    spec = entry.spec if entry.kept is None else entry.kept
    own = msgspec.structs.replace(entry, name=author.stem, spec=spec)
    return replace(keep(replace(author, entry=own), copies), entry=own)
