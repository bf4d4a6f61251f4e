"""Files of a bot: looked up, listed, hashed, and copied."""

import hashlib
import json
import os
import re
import shutil
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Final, NamedTuple

from bidwhist.bot.spec import cut_at_mark
from bidwhist.errors import BotSpecError
from bidwhist.text import echo

MOST_FILES: Final = 4096
MOST_BYTES: Final = 256 << 20

STAGE: Final = ".new"
"""The folder of a copy until it is whole and gets the name of its hash."""

_COPY: Final = re.compile(rf"[0-9a-f]{{64}}|{re.escape(STAGE)}")
_NOT_OURS: Final = frozenset({"__pycache__", ".git"})  # names of files and folders that are no part of a bot


def is_ours(parts: Iterable[str]) -> bool:
    """True unless one of the parts of a path is the name of what is no part of a bot."""
    return _NOT_OURS.isdisjoint(parts)


class TooLarge(Exception):
    """A folder has more files, or more bytes, than a bot may have."""


class File(NamedTuple):
    """A file of a bot: where it lies, and its SHA-256."""

    path: Path
    digest: bytes


def is_file(path: Path) -> bool:
    """True for a file; False for what is none, even by its name."""
    try:
        return path.is_file()
    except (OSError, ValueError):  # a name that is too long, say, or has a NUL
        return False


def is_dir(path: Path) -> bool:
    """True for a folder; False for what is none, even by its name."""
    try:
        return path.is_dir()
    except (OSError, ValueError):
        return False


def find_path(text: str, target: str, folders: Sequence[Path], *, folder: bool = False) -> Path:
    """The file, or the `folder`, `target` of the bot with the spec `text`, looked for in `folders` in turn.

    Raises BotSpecError.
    """
    for each in folders:
        try:
            path = (each / target).resolve(strict=True)
        except FileNotFoundError:
            continue
        except (OSError, ValueError, RuntimeError) as error:  # too long a name, a NUL, links in a circle
            reason = error.strerror if isinstance(error, OSError) else str(error)
            raise BotSpecError(f"bot {echo(text)}: cannot be looked up: {reason}") from error
        if path.is_dir() if folder else path.is_file():
            return path
    places = " or ".join(dict.fromkeys(str(each) for each in folders))
    raise BotSpecError(
        f"bot {echo(text)}: there is no such {'folder' if folder else 'file'} in {places}{cut_at_mark(text)}"
    )


def list_files(folder: Path, below: str = "") -> list[str]:
    """Paths, relative to `folder`, of all files in its folder `below`; of a copy those that are in its list.

    Links to folders are not followed. Raises OSError, or TooLarge.
    """
    if is_listed(folder):
        return [place for place in _listed(folder) if place.startswith(f"{below}/" if below else "")]
    found: list[str] = []
    size = 0
    for path, folders, names in os.walk(folder / below, onerror=_raise):
        folders[:] = sorted(set(folders) - _NOT_OURS)
        for name in set(names) - _NOT_OURS:
            file = Path(path, name)
            if file.is_file():  # and no pipe, nor a link that leads nowhere
                size += file.stat().st_size
                found.append(file.relative_to(folder).as_posix())
        if len(found) > MOST_FILES or size > MOST_BYTES:
            raise TooLarge
    return sorted(found)


def refuse_links(text: str, files: Mapping[str, Path], root: Path, others: Iterable[Path] = ()) -> None:
    """Refuse files of the bot with the spec `text` that are links out of its folder `root`, by their places.

    What they lead to may be anything that the user can read, and a bot would get a copy; unless that is among the
    `others` of its files. Raises BotSpecError.
    """
    whole = root.resolve()
    known = {path.resolve() for path in others if not path.is_symlink()}
    for place, path in sorted(files.items()):
        leads_to = path.resolve()
        if not leads_to.is_relative_to(whole) and leads_to not in known:
            raise BotSpecError(
                f"bot {echo(text)}: its file {echo(place)} is a link that leads out of {root}; "
                "a bot has its files in its own folder"
            )


def _raise(error: OSError) -> None:
    raise error


def hash_files(text: str, files: Mapping[str, Path]) -> dict[str, File]:
    """The files of the bot with the spec `text`, by their places, each with its digest. Raises BotSpecError."""
    hashed = {}
    for place, path in sorted(files.items()):
        try:
            with path.open("rb") as opened:
                hashed[place] = File(path, hashlib.file_digest(opened, "sha256").digest())
        except OSError as error:
            raise BotSpecError(f"bot {echo(text)}: {path} cannot be read: {error.strerror}") from error
    return hashed


def digest_of(files: Mapping[str, File], before: str = "") -> str:
    """SHA-256, in hex, of the files with their places, after the text `before`; of a single file that of the file."""
    if len(files) == 1 and not before:
        return next(iter(files.values())).digest.hex()
    digest = hashlib.sha256(before.encode("utf-8", "surrogateescape") + b"\0")
    for place, file in sorted(files.items()):
        digest.update(place.encode("utf-8", "surrogateescape") + b"\0" + file.digest)
    return digest.hexdigest()


def copy_files(files: Mapping[str, Path], folder: Path) -> None:
    """Copy files to their places in a new folder, so that nobody may write them. Raises OSError."""
    for place, path in files.items():
        target = folder / place
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(path, target)
        target.chmod(0o555 if os.access(path, os.X_OK) else 0o444)


def listing_of(copy: Path) -> Path:
    """The file beside a copy's folder that lists its files: others, which a bot may have written there, are none of
    its."""
    return copy.with_name(f"{copy.name}.json")


def write_listing(places: Iterable[str], copy: Path) -> None:
    """List the files of a copy. Raises OSError."""
    listing_of(copy).write_text(json.dumps(sorted(places), indent=0) + "\n", encoding="utf-8")


def _listed(copy: Path) -> list[str]:
    """The files in the list of a copy; none if it is damaged, which the hash will tell."""
    with suppress(OSError, ValueError, TypeError):
        return sorted(map(str, json.loads(listing_of(copy).read_text(encoding="utf-8"))))
    return []


def is_listed(folder: Path) -> bool:
    """True for the folder of a copy that has a list of its files."""
    return bool(_COPY.fullmatch(folder.name)) and is_file(listing_of(folder))
