"""Files of a bot: looked up, hashed, and copied."""

import hashlib
import os
import shutil
from collections.abc import Sequence
from pathlib import Path

from bidwhist.errors import BotSpecError


def is_file(path: Path) -> bool:
    """True for a file; False for what is none, even by its name."""
    try:
        return path.is_file()
    except OSError:  # a name that is too long, say
        return False


def find_file(target: str, folders: Sequence[Path]) -> Path:
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


def file_digest(text: str, file: Path) -> bytes:
    """SHA-256 of a file of the bot whose spec is `text`. Raises BotSpecError."""
    try:
        with file.open("rb") as opened:
            return hashlib.file_digest(opened, "sha256").digest()
    except OSError as error:
        raise BotSpecError(f"bot {text!r}: {file} cannot be read: {error.strerror}") from error


def copy_file(source: Path, target: Path) -> None:
    """Copy a file so that nobody may write it; its folder is made. Raises OSError."""
    target.parent.mkdir(parents=True, exist_ok=True)
    shutil.copyfile(source, target)
    target.chmod(0o555 if os.access(source, os.X_OK) else 0o444)
