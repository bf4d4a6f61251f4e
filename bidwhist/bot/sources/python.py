"""Bots written in Python: a file, a folder, or a module of an installed package."""

from abc import abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePath
from types import ModuleType
from typing import TYPE_CHECKING, ClassVar, Final, Self

from bidwhist.bot.limits import LIMITS, Limits
from bidwhist.bot.metadata import Metadata
from bidwhist.bot.python.found import Found, look_into
from bidwhist.bot.python.importing import Space, blamed_on, import_module
from bidwhist.bot.python.owned import owned_files
from bidwhist.bot.sources.archive import unpack
from bidwhist.bot.sources.files import (
    MOST_BYTES,
    MOST_FILES,
    TooLarge,
    digest_of,
    find_path,
    hash_files,
    is_dir,
    is_file,
    is_listed,
    list_files,
    refuse_links,
)
from bidwhist.bot.sources.package import has_python_files, is_there, package_folder, package_hash
from bidwhist.bot.sources.requirements import FILE as REQUIREMENTS
from bidwhist.bot.sources.requirements import check_requirements
from bidwhist.bot.sources.source import BotSource
from bidwhist.bot.spec import Spec
from bidwhist.errors import BotSpecError
from bidwhist.results.manifest import BotEntry
from bidwhist.rules import Rules
from bidwhist.text import echo

if TYPE_CHECKING:
    from bidwhist.bot.deciders.python import Variant
    from bidwhist.engine.decider import Decider

_MAIN: Final = "bot.py"
"""The file of a folder that plays."""


@dataclass(frozen=True)
class PythonSource(BotSource):
    """A bot in Python.

    `taken`: the name of what plays in its module, if it is given; `root`: the folder that its files lie in, None for a
    package that is too large to be copied; `main`: the file, relative to it, or the module's name, that plays;
    `places`: all its files, relative to `root`.
    """

    taken: str | None
    root: Path | None
    main: str
    places: tuple[str, ...]

    runs_in_process: ClassVar[bool] = True

    @property
    def files(self) -> Mapping[str, Path]:
        """By their places."""
        return {} if self.root is None else {place: self.root / place for place in self.places}

    def _import(self, variant: str = "") -> ModuleType:
        """The module, once for each `variant`. Raises BotSpecError."""
        if self.root is None:
            return import_module(self.spec.text, self.main)
        owner = f"{self.entry.name}\0{self.entry.sha256}\0{variant}"
        return Space(owner, self.root, self.places, self.main).load(self.spec.text)

    def _found(self) -> Found:
        return look_into(self.spec.text, self._import(), self.taken)

    @property
    def path(self) -> Path | None:
        """The file that plays."""
        return None if self.root is None else self.root / self.main

    @property
    def _variant(self) -> "Variant | None":
        """Makes the module anew, where that is possible."""
        return None if self.root is None else self._import

    def load(self, rules: Rules, limits: Limits = LIMITS) -> "Decider":
        """A scalar, batch or compiled bot, as was found in the module."""
        from bidwhist.bot.context import Context
        from bidwhist.bot.deciders.python import python_bot

        with blamed_on(self.spec.text, self.path):
            return python_bot(self.entry.name, self.spec, self._found(), Context(rules, limits), self._variant)

    def metadata(self) -> Metadata:
        """Attributes of its class, or else of its module."""
        with blamed_on(self.spec.text, self.path):
            return self._found().metadata()

    @property
    def identity(self) -> tuple[object, ...]:
        """The hash of its files, and what plays there, whatever they are called."""
        return (PythonSource.__name__, self.entry.sha256, self.taken, tuple(sorted(self.spec.parameters)))

    @property
    @abstractmethod
    def stem(self) -> str:
        """A name for it without its path."""


def _rest(spec: Spec, taken: str | None) -> str:
    return (f":{taken}" if taken else "") + spec.query


@dataclass(frozen=True)
class FileSource(PythonSource):
    """`path/file.py[:Name]`, with the files of its folder that it imports."""

    @classmethod
    def find(cls, spec: Spec, name: str, folders: Sequence[Path]) -> Self | None:
        """A bot whose spec ends with .py, or has a name after it."""
        if not spec.body.endswith(".py") and ".py:" not in spec.body:
            return None
        target, _, taken = spec.body.rpartition(":") if ".py:" in spec.body else (spec.body, "", "")
        file = find_path(spec.text, target, folders)
        if file.suffix != ".py":
            raise BotSpecError(f"bot {echo(spec.text)}: {target} is a link to {file}, whose name does not end with .py")
        places = owned_files(file.parent, file.name)
        files = {place: file.parent / place for place in places}
        refuse_links(spec.text, files, file.parent)
        digest = digest_of(hash_files(spec.text, files))
        kept = file.name + _rest(spec, taken)
        entry = BotEntry(name, spec.text, digest, kept=kept)
        return cls(entry, spec, taken or None, file.parent, file.name, tuple(places))

    @property
    def stem(self) -> str:
        """The file's name."""
        return self.main.removesuffix(".py") + _rest(self.spec, self.taken)


@dataclass(frozen=True)
class FolderSource(PythonSource):
    """`path/folder[:Name]`: a folder with `bot.py`, and whatever else lies in it."""

    @classmethod
    def find(cls, spec: Spec, name: str, folders: Sequence[Path]) -> Self | None:
        """A bot whose spec is a path with a slash, or the name of a folder."""
        target, _, taken = spec.body.partition(":")
        if "/" not in target and not any(is_dir(folder / target) for folder in folders):
            return None
        folder = find_path(spec.text, target, folders, folder=True)
        if not is_file(folder / _MAIN):
            raise BotSpecError(f"bot {echo(spec.text)}: the folder {folder} has no {_MAIN}")
        return cls._of(spec, name, folder, taken)

    @classmethod
    def _of(cls, spec: Spec, name: str, folder: Path, taken: str) -> Self:
        """The bot in a folder, by the name `taken` in its module. Raises BotSpecError."""
        # A copy is a folder in a folder, which has the list of its files.
        root = folder.parent if is_listed(folder.parent) else folder
        below = folder.name if root != folder else ""
        try:
            listed = list_files(root, below)
        except OSError as error:
            raise BotSpecError(f"bot {echo(spec.text)}: {folder} cannot be read: {error.strerror}") from error
        except TooLarge:
            raise BotSpecError(
                f"bot {echo(spec.text)}: {folder} has more than {MOST_FILES:,} files or {MOST_BYTES >> 20} MB"
            ) from None
        places = [place.removeprefix(f"{below}/") for place in listed]
        if REQUIREMENTS in places:
            check_requirements(spec.text, folder / REQUIREMENTS)
        files = {place: folder / place for place in places}
        refuse_links(spec.text, files, folder)
        hashed = hash_files(spec.text, files)
        kept = f"./{_FOLDER}{_rest(spec, taken)}"
        entry = BotEntry(name, spec.text, digest_of(hashed, "folder"), kept=kept)
        return cls(entry, spec, taken or None, folder, _MAIN, tuple(places))

    @property
    def listed(self) -> bool:
        """A list of its files stands beside a copy."""
        return True

    @property
    def files(self) -> Mapping[str, Path]:
        """In a folder, so that no name of theirs is a name of ours."""
        return {f"{_FOLDER}/{place}": path for place, path in super().files.items()}

    @property
    def readable(self) -> tuple[Path, ...]:
        """The folder."""
        return (self.root,) if self.root else ()

    @property
    def stem(self) -> str:
        """The folder's name."""
        return (self.root.name if self.root else "") + _rest(self.spec, self.taken)


@dataclass(frozen=True)
class ZipSource(FolderSource):
    """`path/bot.zip[:Name]`: such a folder in an archive."""

    @classmethod
    def find(cls, spec: Spec, name: str, folders: Sequence[Path]) -> Self | None:
        """A bot whose spec ends with .zip, or has a name after it."""
        target, colon, taken = spec.body.partition(f"{_ZIP}:")
        if not colon and not spec.body.endswith(_ZIP):
            return None
        target = target + _ZIP if colon else target
        file = find_path(spec.text, target, folders)
        return cls._of(spec, name, unpack(spec.text, file, _MAIN), taken)

    @property
    def stem(self) -> str:
        """The archive's name."""
        return PurePath(self.spec.body.partition(f"{_ZIP}:")[0]).name.removesuffix(_ZIP) + _rest(self.spec, self.taken)


_ZIP: Final = ".zip"
_FOLDER: Final = "bot"
"""The folder of a folder's copy."""


@dataclass(frozen=True)
class ModuleSource(PythonSource):
    """`package.module:Name`."""

    stays: ClassVar[str] = "its package is as it was"

    @classmethod
    def find(cls, spec: Spec, name: str, folders: Sequence[Path]) -> Self | None:
        """A bot whose spec has a colon in it."""
        module, colon, taken = spec.body.partition(":")
        if not colon or "/" in module:
            return None
        copy = next((folder for folder in folders if is_listed(folder)), None)
        if (not taken and copy is None) or not all(part.isidentifier() for part in module.split(".")):
            raise BotSpecError(f"bot {echo(spec.text)}: needs package.module:Name")
        return cls.of(spec, name, module, taken or None, copy)

    @classmethod
    def of(cls, spec: Spec, name: str, module: str, taken: str | None, copy: Path | None = None) -> Self:
        """The bot that a spec means in a module, installed or in a `copy`. Raises BotSpecError if there is no such
        package."""
        package = module.partition(".")[0]
        if copy is None and not is_there(package):
            raise BotSpecError(f"bot {echo(spec.text)}: there is no module {package}")
        root = package_folder(package) if copy is None else copy
        try:
            below = package if root is not None and (root / package).is_dir() else ""
            places = [] if root is None else list_files(root, below) if below else [f"{package}.py"]
        except OSError as error:
            raise BotSpecError(f"bot {echo(spec.text)}: {package} cannot be read: {error.strerror}") from error
        except TooLarge:
            root, places = None, []
        main = next((each for each in _module_files(module) if each in places), None)
        if root is None and not has_python_files(package):
            raise BotSpecError(f"bot {echo(spec.text)}: {package} has no Python files that could be hashed")
        if root is None or main is None:
            uncovered = f"what is not Python in {package}, which plays from where it is installed"
            entry = BotEntry(name, spec.text, package_hash(package), uncovered=uncovered)
            return cls(entry, spec, taken, None, module, ())
        hashed = hash_files(spec.text, {place: root / place for place in places})
        entry = BotEntry(name, spec.text, digest_of(hashed, "package"), kept=f"{module}:{taken or ''}{spec.query}")
        return cls(entry, spec, taken, root, main, tuple(places))

    @property
    def listed(self) -> bool:
        """A list of its files stands beside a copy."""
        return True

    @property
    def identity(self) -> tuple[object, ...]:
        """The package's hash, and what plays there, whether by its name or not."""
        return (self.entry.sha256, self.main, self.taken, tuple(sorted(self.spec.parameters)))

    @property
    def stem(self) -> str:
        """The spec."""
        return self.spec.text


def _module_files(module: str) -> tuple[str, str]:
    """The places that the file of a module can have."""
    path = module.replace(".", "/")
    return f"{path}/__init__.py", f"{path}.py"
