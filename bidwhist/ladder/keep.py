"""Keeping the source of a bot, so that what plays later is what was submitted.

A bot's files lie in a folder named by their SHA-256 and may not be written. What is asked for its hash, examined and
played is this copy; the author's own files are read once.
"""

import importlib.util
import os
import shlex
import shutil
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

import msgspec

from bidwhist.arena.players import Player, find_player
from bidwhist.bot.spec import Spec, find_file, words_of
from bidwhist.errors import BotSpecError, Stopped

SOURCES: Final = "bots"
_STAGE: Final = ".new"  # where files lie until their hash is known


@dataclass(frozen=True)
class Kept:
    """A bot whose source is kept: the player with its spec as it stands in `folder`, and the name of its file."""

    player: Player
    folder: Path
    stem: str

    @property
    def spec(self) -> str:
        """The text that names the bot in its folder."""
        return self.player.spec.text

    @property
    def sha256(self) -> str:
        """Hash of the source."""
        return self.player.entry.sha256

    @property
    def key(self) -> tuple[object, ...]:
        """What is the same for the same bot, whatever its file was called."""
        return identity(self.player)


def identity(player: Player) -> tuple[object, ...]:
    """What makes two players the same bot: source, what is taken from it, parameters."""
    spec = player.spec
    target = None if spec.kind == "file" else spec.target
    return (spec.kind, player.entry.sha256, target, spec.name, tuple(sorted(spec.parameters)))


def keep(text: str, sources: Path) -> Kept:
    """Find the bot of a spec in the working folder, and keep its source in the folder `sources`.

    Of a bot file that file is kept, of a command all files that it names. A bot of a package plays from where it is
    installed, and its Python files are kept for the record. Raises BotSpecError, or Stopped if the disk refuses.
    """
    author = find_player(text, text, [Path.cwd()])
    stage = sources / _STAGE
    try:
        shutil.rmtree(stage, ignore_errors=True)
        stage.mkdir(parents=True)
        spec, stem = _copy(author, stage)
        staged = find_player(spec, spec, [stage])
        final = sources / staged.entry.sha256
        if author.spec.kind != "house" and not final.exists():
            stage.rename(final)
    except OSError as error:
        raise Stopped(f"bot {text!r}: its source cannot be kept in {sources}: {error.strerror}") from error
    finally:
        shutil.rmtree(stage, ignore_errors=True)
    if staged.file:  # the same source may be there in a file of another name
        spec = spec.replace(staged.file.name, next(path.name for path in final.iterdir() if path.is_file()), 1)
    return Kept(find_kept(spec, spec, final), final, stem)


def find_kept(spec: str, name: str, folder: Path) -> Player:
    """The player of a spec that names a bot in the folder where it is kept. Raises BotSpecError."""
    player = find_player(spec, name, [folder])
    if not player.file:
        return player
    # In the manifest of a run the spec tells where the file is, seen from the ladder's folder.
    entry = msgspec.structs.replace(player.entry, spec=f"{SOURCES}/{folder.name}/{spec}")
    return replace(player, entry=entry)


def _copy(author: Player, stage: Path) -> tuple[str, str]:
    """Copy the files of a bot; the spec that names it there, and what its file is called."""
    spec = author.spec
    if author.file:
        _copy_file(author.file, stage / author.file.name)
        taken = f":{spec.name}" if spec.name else ""
        return f"{author.file.name}{taken}{_query(spec)}", f"{author.file.stem}{taken}{_query(spec)}"
    if spec.kind == "command":
        command, stem = _copy_command(spec, stage)
        return f"cmd:{command}{_query(spec)}", f"{stem}{_query(spec)}"
    if spec.kind == "module":
        _copy_package(spec.target.partition(".")[0], stage)
    return spec.text, spec.text


def _query(spec: Spec) -> str:
    _, mark, query = spec.text.partition("?")
    return mark + query


def _copy_file(source: Path, target: Path) -> None:
    target.parent.mkdir(parents=True, exist_ok=True)
    shutil.copyfile(source, target)
    target.chmod(0o555 if os.access(source, os.X_OK) else 0o444)


def _copy_package(package: str, stage: Path) -> None:
    found = importlib.util.find_spec(package)
    assert found is not None  # its hash is known
    for folder in map(Path, found.submodule_search_locations or ()):
        for path in folder.rglob("*.py"):
            _copy_file(path, stage / package / path.relative_to(folder))
    if not found.submodule_search_locations and found.origin:
        _copy_file(Path(found.origin), stage / Path(found.origin).name)


def _copy_command(spec: Spec, stage: Path) -> tuple[str, str]:
    """Copy the files that a command names; the command as it reads there, and the name of the bot's own file.

    Files in the working folder keep their paths; others come to lie beside them. A program from elsewhere that is
    given the bot's files is taken for an interpreter, and stays where it is.
    """
    here = Path.cwd()
    program, *arguments = words_of(spec.text, spec.target)
    words, stems = [program], []
    files = {word for word in arguments if _is_file(here / word)}
    if "/" in program and (not _is_outside(program) or not files):
        place = _place(spec, find_file(program, [here]), program, stage)
        words, stems = [f"./{place.name}" if _is_outside(program) else program], [place.stem]
    elif "/" in program:
        words = [os.path.abspath(program)]  # noqa: PTH100  # links stay: a program may look at its own path
    for word in arguments:
        if word in files:
            place = _place(spec, here / word, word, stage)
            stems.append(place.stem)
            word = place.name if _is_outside(word) else word
        words.append(word)
    if not stems:
        raise BotSpecError(f"bot {spec.text!r}: names no file that could be kept; a ladder holds what it has a copy of")
    changed = words != [program, *arguments]
    return shlex.join(words) if changed else spec.target, stems[0]


def _place(spec: Spec, source: Path, word: str, stage: Path) -> Path:
    """Copy a file that a command names by `word`; where it lies now."""
    target = stage / (Path(word).name if _is_outside(word) else word)
    if target.exists() and target.read_bytes() != source.read_bytes():
        raise BotSpecError(f"bot {spec.text!r}: two of its files are called {target.name}")
    if not target.exists():
        _copy_file(source, target)
    return target


def _is_outside(word: str) -> bool:
    return Path(word).is_absolute() or ".." in Path(word).parts


def _is_file(path: Path) -> bool:
    try:
        return path.is_file()
    except OSError:  # a name that is too long, say
        return False


def remove_unnamed(sources: Path, hashes: set[str]) -> None:
    """Remove kept sources but those with these hashes: they were refused, or left by an interruption."""
    for folder in sources.glob("*"):
        if folder.name not in hashes and (folder.name == _STAGE or len(folder.name) == 64):
            shutil.rmtree(folder, ignore_errors=True)
