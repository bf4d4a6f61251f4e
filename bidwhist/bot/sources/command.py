"""Bots in any language: `cmd:./mybot --depth 3`."""

import os
import posixpath
import shlex
import shutil
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Final, NamedTuple, Self

from bidwhist.bot.limits import LIMITS, Limits
from bidwhist.bot.metadata import Metadata
from bidwhist.bot.python.owned import owned_files
from bidwhist.bot.sources.files import (
    TooLarge,
    digest_of,
    find_path,
    hash_files,
    is_dir,
    is_file,
    list_files,
    refuse_links,
)
from bidwhist.bot.sources.source import BotSource
from bidwhist.bot.spec import Spec
from bidwhist.errors import BotSpecError
from bidwhist.results.manifest import BotEntry, Isolated
from bidwhist.rules import CLASSIC, Rules
from bidwhist.text import echo

if TYPE_CHECKING:
    from bidwhist.bot.deciders.command import CommandBot, Starter
    from bidwhist.engine.decider import Decider

_PREFIX: Final = "cmd:"


@dataclass(frozen=True)
class CommandSource(BotSource):
    """A command. `words`: the program's path and its arguments; `folder`: where it is started; `places`: its files;
    `title`: the name of its program or script."""

    words: tuple[str, ...]
    folder: Path
    places: Mapping[str, Path]
    title: str
    starter: "Starter | None" = None
    """Starts its processes, if not in the usual way."""

    @classmethod
    def find(cls, spec: Spec, name: str, folders: Sequence[Path]) -> Self | None:
        """A bot whose spec begins with `cmd:`.

        Its hash covers the command and its files: those that it names, the program itself if it is given with a path,
        and what belongs to each of them. That is the whole folder of a file that lies in a folder of its own, and of
        another one in Python what it imports beside it.
        """
        if not spec.body.startswith(_PREFIX):
            return None
        words = _words(spec)
        folder, path = _place(spec, words, folders)
        command = _Command.of(spec, folder, words)
        digest = digest_of(hash_files(spec.text, command.files), shlex.join(command.words))
        kept = f"{_PREFIX}{shlex.join(command.words)}{spec.query}" if command.files else None
        entry = BotEntry(name, spec.text, digest, kept=kept, uncovered=command.uncovered)
        return cls(entry, spec, (path, *words[1:]), folder, command.files, command.title + spec.query)

    def load(self, rules: Rules, limits: Limits = LIMITS) -> "Decider":
        """The bot, none of whose processes has been started."""
        return self._bot(rules, limits)

    def probe(self, rules: Rules, limits: Limits = LIMITS) -> None:
        """Start the process of one seat, and end it."""
        with self._bot(rules, limits) as bot:
            bot.introduce(0)

    def warm_up(self, rules: Rules) -> None:
        """Compile what questions are written with."""
        from bidwhist.bot.deciders.questions import prepare_writing

        prepare_writing()

    def metadata(self) -> Metadata:
        """The name and version in its hello."""
        with self._bot(CLASSIC, LIMITS) as bot:
            title = bot.introduce(0)
        return Metadata(title.name or None, title.version or None)

    def _bot(self, rules: Rules, limits: Limits) -> "CommandBot":
        from bidwhist.bot.deciders.command import CommandBot, start_plainly

        start = partial(self.starter.start, readable=self.readable) if self.starter else start_plainly
        return CommandBot(self.entry.name, self.words, rules, dict(self.spec.parameters), self.folder, limits, start)

    @property
    def listed(self) -> bool:
        """A list of its files stands beside a copy."""
        return True

    @property
    def isolation(self) -> Isolated:
        """By who starts its processes."""
        return self.starter.isolation if self.starter else "none"

    def moved(self, found: BotSource) -> BotSource:
        """The same bot in its copy, started in the same way."""
        return replace(found, starter=self.starter) if isinstance(found, CommandSource) else found

    @property
    def files(self) -> Mapping[str, Path]:
        """By their places: as the command names them, those from elsewhere beside them."""
        return self.places

    @property
    def identity(self) -> tuple[object, ...]:
        """The hash, which covers the command as it stands in a copy."""
        return (type(self).__name__, self.entry.sha256, tuple(sorted(self.spec.parameters)))

    @property
    def stem(self) -> str:
        """The name of its program or script."""
        return self.title


class _Command(NamedTuple):
    """A command as it stands for its copy: its words, its files by their places there, a name for it, and what the copy
    does not hold."""

    words: list[str]
    files: dict[str, Path]
    title: str
    uncovered: str | None

    @classmethod
    def of(cls, spec: Spec, folder: Path, words: Sequence[str]) -> "_Command":
        """The command with these words that is started in `folder`. Raises BotSpecError."""
        program = words[0]
        named = {number: path for number, word in enumerate(words) if number and (path := _path_in(word, folder))}
        # A program from elsewhere that is given the bot's files is taken for an interpreter, and stays where it is.
        is_ours = "/" in program and not (_is_outside(program) and named)
        if is_ours:
            named = {0: program, **named}
        kept, left = list(words), []
        files: dict[str, Path] = {}
        own: list[tuple[dict[str, Path], Path]] = []  # files, and the folder in which they lie
        for number, word in named.items():
            place = Path(word).name if _is_outside(word) else posixpath.normpath(word)
            found, is_whole = _files_with(folder, word, place)
            root = folder / word if is_dir(folder / word) else (folder / word).parent
            # The program itself may be a link: whoever names it wants what it leads to.
            own.append(({each: path for each, path in found.items() if number or each != place}, root))
            for each in found.keys() & files.keys():
                if not found[each].samefile(files[each]):
                    raise BotSpecError(f"bot {echo(spec.text)}: two of its files are called {each}")
            files |= found
            if _is_outside(word):
                kept[number] = kept[number].removesuffix(word) + place if number else f"./{place}"
            if not is_whole:
                left.append(f"other files beside {place}")
        for found, root in own:
            refuse_links(spec.text, found, root, files.values())
        if not is_ours:
            kept[0] = os.path.abspath(folder / program) if "/" in program else program  # noqa: PTH100  # links stay
            left.append(program)
        title = next((Path(place).stem for place in files), Path(program).name)
        return cls(kept, files, title, " and ".join(left) or None)


def _path_in(word: str, folder: Path) -> str | None:
    """The path of a file or a folder that a word of a command is, or that stands behind its sign of equality."""
    for path in (word, word.partition("=")[2]):
        if path and (
            is_file(folder / path) or (posixpath.normpath(path) not in (".", "..", "/") and is_dir(folder / path))
        ):
            return path
    return None


def _files_with(folder: Path, word: str, place: str) -> tuple[dict[str, Path], bool]:
    """The file or folder that a command names, for its `place` in a copy, and those that belong to it; and whether that
    is all that lies beside it."""
    path = folder / word
    with suppress(TooLarge, OSError):
        if is_dir(path) and _is_outside(word):
            return {posixpath.join(place, each): path / each for each in list_files(path)}, True
        whole = place if is_dir(path) else posixpath.dirname(place)
        if whole:
            return {each: folder / each for each in list_files(folder, whole)}, True
    if is_dir(path):
        return {}, False
    files = {place: path}
    if place.endswith(".py"):
        beside = Path(posixpath.dirname(place))
        files |= {(beside / each).as_posix(): path.parent / each for each in owned_files(path.parent, path.name)}
    return files, False


def _text(spec: Spec) -> str:
    return spec.body.removeprefix(_PREFIX).strip()


def _words(spec: Spec) -> list[str]:
    """The words of the command, quoted as in a shell. Raises BotSpecError."""
    try:
        words = shlex.split(_text(spec))
    except ValueError:
        raise BotSpecError(
            f"bot {echo(spec.text)}: a quotation mark or a backslash in the command has no second half"
        ) from None
    if "\0" in spec.body:
        raise BotSpecError(f"bot {echo(spec.text)}: a command has no NUL characters")
    if not words:
        raise BotSpecError(f"bot {echo(spec.text)}: names no command")
    return words


def _place(spec: Spec, words: Sequence[str], folders: Sequence[Path]) -> tuple[Path, str]:
    """The folder where a command starts, and its program's path. Raises BotSpecError."""
    program, *arguments = words
    if "/" in program:
        file = find_path(spec.text, program, folders)
        folder = next(each for each in folders if (each / program).exists() and (each / program).resolve() == file)
        path = os.path.abspath(folder / program)  # noqa: PTH100  # links stay: a program may look at its own path
        if not os.access(path, os.X_OK):
            raise BotSpecError(f"bot {echo(spec.text)}: {path} may not be executed; `chmod +x` allows it")
        return folder, path
    found = shutil.which(program)
    if found is None:
        near = f"; a program in a folder is written with a slash: ./{program}"
        raise BotSpecError(f"bot {echo(spec.text)}: there is no program {echo(program)} in the search path{near}")
    folder = next((each for each in folders if any(is_file(each / word) for word in arguments)), folders[0])
    return folder, os.path.abspath(found)  # noqa: PTH100  # as above


def _is_outside(word: str) -> bool:
    return Path(word).is_absolute() or ".." in Path(word).parts
