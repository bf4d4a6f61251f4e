"""Compiled code of jailed bots that is kept from one process to the next.

A bot that is compiled takes seconds to start, and a process never plays twice. So the process that loads it before it
has been asked for anything leaves behind what it has compiled. Later processes of the same bot may read it; no other
process does, since it is a stranger's.
"""

import hashlib
import re
import shutil
import uuid
from contextlib import suppress
from pathlib import Path
from typing import Final

from bidwhist import _cache
from bidwhist.bot.jailed.inside import CODE
from bidwhist.bot.jailed.scratch import regular_files
from bidwhist.bot.sources.source import BotSource

_MOST: Final = 32 << 20  # bytes
_NAME: Final = re.compile(r"[\w.-]{1,200}")


def _folder(source: BotSource) -> Path | None:
    digest = hashlib.blake2b(repr(source.identity).encode("utf-8", "surrogateescape"), digest_size=16).hexdigest()
    return _cache.folder_of("jailed", "bot", digest)


def ready_code(source: BotSource) -> Path | None:
    """The folder with code that was compiled for a bot before; None if there is none."""
    folder = _folder(source)
    return folder if folder and folder.is_dir() else None


def keep_code(source: BotSource, scratch: Path) -> None:
    """Keep what a process that has loaded the bot, and nothing else, has compiled in its `scratch` folder."""
    folder, made = _folder(source), scratch / CODE
    found = [(path, size.st_size) for path, size in regular_files(made)]
    if folder is None or folder.is_dir() or not found or sum(size for _, size in found) > _MOST:
        return
    stage = folder.with_name(f"removed-{uuid.uuid4().hex}")
    with suppress(OSError):
        for path, _ in found:
            place = path.relative_to(made)
            if all(_NAME.fullmatch(part) for part in place.parts):
                (stage / CODE / place).parent.mkdir(parents=True, exist_ok=True)
                shutil.copyfile(path, stage / CODE / place, follow_symlinks=False)
        stage.rename(folder)
    shutil.rmtree(stage, ignore_errors=True)
