"""Bots in any language: `cmd:./mybot --depth 3`."""

import hashlib
import os
import shlex
import shutil
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final, Self

from bidwhist.bot.limits import LIMITS, Limits
from bidwhist.bot.metadata import Metadata
from bidwhist.bot.sources.files import copy_file, file_digest, find_file, is_file
from bidwhist.bot.sources.source import BotSource, Copy
from bidwhist.bot.spec import Spec
from bidwhist.errors import BotSpecError
from bidwhist.results.manifest import BotEntry
from bidwhist.rules import CLASSIC, Rules

if TYPE_CHECKING:
    from bidwhist.bot.deciders.command import CommandBot
    from bidwhist.engine.decider import Decider

_PREFIX: Final = "cmd:"


@dataclass(frozen=True)
class CommandSource(BotSource):
    """A command. `words`: the program's path and its arguments; `folder`: where it is started."""

    words: tuple[str, ...]
    folder: Path

    @classmethod
    def find(cls, spec: Spec, name: str, folders: Sequence[Path]) -> Self | None:
        """A bot whose spec begins with `cmd:`.

        Its hash covers the command's text and the contents of all files that it names: the program, if it is given
        with a path, and every further word that is the path of a file. What these load, and a program found by its
        bare name, such as an interpreter, are not in it.
        """
        if not spec.body.startswith(_PREFIX):
            return None
        program, *arguments = _words(spec)
        folder, path, files = _place(spec, program, arguments, folders)
        digest = hashlib.sha256(_text(spec).encode())
        for file in files:
            digest.update(file_digest(spec.text, file))
        return cls(BotEntry(name, spec.text, digest.hexdigest()), spec, (path, *arguments), folder)

    def load(self, rules: Rules, limits: Limits = LIMITS) -> "Decider":
        """A process for each seat, started."""
        bot = self._bot(rules, limits)
        try:
            bot.introduce_all()
        except BaseException:
            bot.close()
            raise
        return bot

    def probe(self, rules: Rules, limits: Limits = LIMITS) -> None:
        """Start the process of one seat, and end it."""
        with self._bot(rules, limits) as bot:
            bot.introduce(0)

    def metadata(self) -> Metadata:
        """The name and version in its hello."""
        with self._bot(CLASSIC, LIMITS) as bot:
            title = bot.introduce(0)
        return Metadata(title.name or None, title.version or None)

    def _bot(self, rules: Rules, limits: Limits) -> "CommandBot":
        from bidwhist.bot.deciders.command import CommandBot

        return CommandBot(self.entry.name, self.words, rules, dict(self.spec.parameters), self.folder, limits)

    def copy_to(self, folder: Path) -> Copy:
        """Copy the files that the command names, which are looked for in the working folder.

        Files there keep their paths; others come to lie beside them. A program from elsewhere that is given the bot's
        files is taken for an interpreter, and stays where it is.
        """
        here = Path.cwd()
        program, *arguments = _words(self.spec)
        words, stems = [program], []
        files = {word for word in arguments if is_file(here / word)}
        if "/" in program and (not _is_outside(program) or not files):
            place = self._copy(find_file(program, [here]), program, folder)
            words, stems = [f"./{place.name}" if _is_outside(program) else program], [place.stem]
        elif "/" in program:
            words = [os.path.abspath(program)]  # noqa: PTH100  # links stay: a program may look at its own path
        for word in arguments:
            if word in files:
                place = self._copy(here / word, word, folder)
                stems.append(place.stem)
                word = place.name if _is_outside(word) else word
            words.append(word)
        if not stems:
            raise BotSpecError(
                f"bot {self.spec.text!r}: names no file that could be kept; a ladder holds what it has a copy of"
            )
        command = _text(self.spec) if words == [program, *arguments] else shlex.join(words)
        return Copy(f"{_PREFIX}{command}{self.spec.query}", f"{stems[0]}{self.spec.query}")

    def _copy(self, source: Path, word: str, folder: Path) -> Path:
        """Copy a file that the command names by `word`; its new place."""
        target = folder / (Path(word).name if _is_outside(word) else word)
        if target.exists() and target.read_bytes() != source.read_bytes():
            raise BotSpecError(f"bot {self.spec.text!r}: two of its files are called {target.name}")
        if not target.exists():
            copy_file(source, target)
        return target


def _text(spec: Spec) -> str:
    return spec.body.removeprefix(_PREFIX).strip()


def _words(spec: Spec) -> list[str]:
    """The words of the command, quoted as in a shell. Raises BotSpecError."""
    try:
        words = shlex.split(_text(spec))
    except ValueError:
        raise BotSpecError(
            f"bot {spec.text!r}: a quotation mark or a backslash in the command has no second half"
        ) from None
    if "\0" in spec.body:
        raise BotSpecError(f"bot {spec.text!r}: a command has no NUL characters")
    if not words:
        raise BotSpecError(f"bot {spec.text!r}: names no command")
    return words


def _place(spec: Spec, program: str, arguments: Sequence[str], folders: Sequence[Path]) -> tuple[Path, str, list[Path]]:
    """The folder where a command starts, its program's path, and the files that it names. Raises BotSpecError."""
    if "/" in program:
        file = find_file(program, folders)
        folder = next(each for each in folders if (each / program).resolve() == file)
        path = os.path.abspath(folder / program)  # noqa: PTH100  # links stay: a program may look at its own path
        if not os.access(path, os.X_OK):
            raise BotSpecError(f"bot {spec.text!r}: {path} may not be executed; `chmod +x` allows it")
        return folder, path, [file, *_files(folder, arguments)]
    found = shutil.which(program)
    if found is None:
        near = f"; a program in a folder is written with a slash: ./{program}"
        raise BotSpecError(f"bot {spec.text!r}: there is no program {program!r} in the search path{near}")
    folder = next((each for each in folders if _files(each, arguments)), folders[0])
    return folder, os.path.abspath(found), _files(folder, arguments)  # noqa: PTH100


def _files(folder: Path, words: Sequence[str]) -> list[Path]:
    return [folder / word for word in words if is_file(folder / word)]


def _is_outside(word: str) -> bool:
    return Path(word).is_absolute() or ".." in Path(word).parts
