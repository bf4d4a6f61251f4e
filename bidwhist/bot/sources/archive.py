"""Zip archives of bots, unpacked so that nothing of them lies anywhere but in a folder of their own."""

import hashlib
import shutil
import stat
import tempfile
import uuid
import zipfile
import zlib
from contextlib import suppress
from pathlib import Path, PurePosixPath
from typing import IO, Final

from bidwhist import _cache
from bidwhist.bot.sources.files import MOST_BYTES, MOST_FILES, is_file, is_ours
from bidwhist.errors import BotSpecError, Stopped
from bidwhist.text import echo

_CHUNK: Final = 1 << 20
_MOST_PACKED: Final = MOST_BYTES
_LINK: Final = 0o120000  # type of a symbolic link, in the upper half of a member's attributes
_LONGEST: Final = 1024  # bytes of the name of a file with its folders
_DEEPEST: Final = 32  # folders in folders
_FOREIGN: Final = "__MACOSX"  # a folder that an archive program adds


def unpack(text: str, file: Path, main: str) -> Path:
    """The folder with the unpacked files of the archive of the bot with the spec `text`; `main` lies in it.

    What has been unpacked before is used again, by the digest of the archive. Raises BotSpecError for an archive with
    links, with names that lead elsewhere, or with too many files or bytes; Stopped if the disk refuses.
    """
    try:
        with file.open("rb") as opened:
            if opened.seek(0, 2) > _MOST_PACKED:
                raise BotSpecError(f"bot {echo(text)}: {file} has more than {_MOST_PACKED >> 20} MB")
            opened.seek(0)
            digest = hashlib.file_digest(opened, "sha256").hexdigest()
            folder = _home() / digest
            if not folder.is_dir():
                _unpack_to(text, file, opened, folder)
    except OSError as error:
        raise BotSpecError(f"bot {echo(text)}: {file} cannot be read: {error.strerror or error}") from error
    return _with_main(text, file, folder, main)


def _home() -> Path:
    """The folder of all unpacked archives, which nobody else can write into."""
    home = _cache.HOME or Path(tempfile.mkdtemp(prefix="bidwhist-"))
    folder = home / "archives"
    folder.mkdir(mode=0o700, exist_ok=True)
    return folder


def _unpack_to(text: str, file: Path, opened: IO[bytes], folder: Path) -> None:
    stage = folder.with_name(f".{uuid.uuid4().hex}")
    try:
        with zipfile.ZipFile(opened) as archive:
            members = _members(text, archive)
            stage.mkdir()
            left = MOST_BYTES
            for place, member in members.items():
                left -= _extract(text, archive, member, stage / place, left)
        with suppress(OSError):  # another process was faster
            stage.rename(folder)
    except (zipfile.BadZipFile, zlib.error, NotImplementedError, EOFError, ValueError) as error:
        if not zipfile.is_zipfile(opened):
            raise BotSpecError(f"bot {echo(text)}: {file} is no zip archive") from None
        raise BotSpecError(f"bot {echo(text)}: {file} is a zip archive that cannot be unpacked: {error}") from None
    except OSError as error:
        raise Stopped(f"bot {echo(text)}: cannot be unpacked to {folder.parent}: {error.strerror or error}") from error
    finally:
        shutil.rmtree(stage, ignore_errors=True)


def _members(text: str, archive: zipfile.ZipFile) -> dict[str, zipfile.ZipInfo]:
    """The files of an archive by their places. Raises BotSpecError."""
    found: dict[str, zipfile.ZipInfo] = {}
    for member in archive.infolist():
        name = echo(member.filename)
        path = PurePosixPath(member.filename)
        if member.flag_bits & 1:
            raise BotSpecError(f"bot {echo(text)}: its file {name} is encrypted")
        if stat.S_IFMT(member.external_attr >> 16) == _LINK:
            raise BotSpecError(f"bot {echo(text)}: its file {name} is a link; an archive of a bot has none")
        if path.is_absolute() or ".." in path.parts or "\\" in member.filename or ":" in path.parts[:1]:
            raise BotSpecError(f"bot {echo(text)}: its file {name} would lie outside of its folder")
        is_short = len(member.filename.encode()) <= _LONGEST and len(path.parts) <= _DEEPEST
        if not (member.filename.isprintable() and is_short and all(len(part.encode()) <= 200 for part in path.parts)):
            raise BotSpecError(f"bot {echo(text)}: its file {name} has no name that can be used")
        if member.is_dir() or path.parts[0] == _FOREIGN or not is_ours(path.parts):
            continue
        if path.as_posix() in found:
            raise BotSpecError(f"bot {echo(text)}: its file {name} is there twice")
        found[path.as_posix()] = member
        if len(found) > MOST_FILES:
            raise BotSpecError(f"bot {echo(text)}: it has more than {MOST_FILES:,} files")
    inner = next((place for place in found for above in PurePosixPath(place).parents if str(above) in found), None)
    if inner is not None:
        raise BotSpecError(f"bot {echo(text)}: its file {echo(inner)} lies in what is a file, too")
    return found


def _extract(text: str, archive: zipfile.ZipFile, member: zipfile.ZipInfo, target: Path, most: int) -> int:
    """Write a file of at most `most` bytes; how many it has. What the archive says of its size is not believed."""
    target.parent.mkdir(parents=True, exist_ok=True)
    size = 0
    with archive.open(member) as source, target.open("xb") as written:
        while data := source.read(_CHUNK):
            size += len(data)
            if size > most:
                raise BotSpecError(f"bot {echo(text)}: its files have more than {MOST_BYTES >> 20} MB when unpacked")
            written.write(data)
    return size


def _with_main(text: str, file: Path, folder: Path, main: str) -> Path:
    """The folder in which `main` lies: that of the archive, or the only one in it. Raises BotSpecError."""
    if is_file(folder / main):
        return folder
    inner = list(folder.iterdir())
    if len(inner) == 1 and is_file(inner[0] / main):
        return inner[0]
    raise BotSpecError(f"bot {echo(text)}: {file} has no {main}, at its top or in its only folder")
