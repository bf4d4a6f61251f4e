"""Importing the modules of bots, each bot's into a space of its own.

A bot's modules are those that its files make. Two bots may have a module of one name, or be the same file: each has its
own modules, and what one changes in them, the other does not see. The import statements of a bot's modules look into
its space first, but for the standard library and bidwhist; then they do what they always do. Nothing is added to the
places where Python looks for modules, and no compiled Python code is kept or read, since it could be that of another
file.
"""

import builtins
import hashlib
import importlib
import importlib.util
import sys
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from importlib.abc import MetaPathFinder
from importlib.machinery import EXTENSION_SUFFIXES, ExtensionFileLoader, ModuleSpec, SourceFileLoader
from pathlib import Path
from types import CodeType, ModuleType
from typing import Any, Final

from bidwhist.bot.python.errors import describe_error
from bidwhist.bot.python.owned import FOREIGN, owned_files
from bidwhist.errors import BidWhistError, BotSpecError
from bidwhist.text import echo, shown

_PREFIX: Final = "bidwhist_bot_"


@contextmanager
def blamed_on(text: str, file: Path | None) -> Iterator[None]:
    """Turn what the code of the bot with the spec `text` raises while it is looked at into BotSpecError."""
    try:
        yield
    except BidWhistError:
        raise
    except (Exception, SystemExit, GeneratorExit) as error:
        raise BotSpecError(f"bot {echo(text)} cannot be loaded: {describe_error(error, str(file))}") from error


class Space:
    """The modules of one bot."""

    def __init__(self, owner: str, root: Path, files: Collection[str], main: str) -> None:
        """`owner` tells bots apart; `files`: the bot's files, relative to the folder `root`, which may be imported;
        `main`: the one of them that is imported first."""
        self.package: Final = _PREFIX + hashlib.sha256(f"{root}\0{owner}".encode()).hexdigest()[:16]
        self._root = root
        self._main = main
        self._main_name = main.removesuffix("/__init__.py").removesuffix(".py").replace(".", "_").replace("/", ".")
        self._files = frozenset(files)
        self._tops = {place.partition("/")[0].partition(".")[0] for place in files} - FOREIGN
        self.builtins: Final = {**vars(builtins), "__import__": self._import}

    def load(self, text: str) -> ModuleType:
        """The first module of the bot with the spec `text`, imported when it is first asked for.

        Raises BotSpecError.
        """
        full = f"{self.package}.{self._main_name}"
        if full in sys.modules:
            return sys.modules[full]
        self._open()
        try:
            return importlib.import_module(full)
        except (Exception, SystemExit, GeneratorExit) as error:
            self._close()
            file = str(self._root / self._main)
            raise BotSpecError(f"bot {echo(text)} cannot be imported: {describe_error(error, file)}") from error

    def find(self, full: str) -> ModuleSpec | None:
        """The spec of a module that has this full name; None if the bot has no such file."""
        name = full.removeprefix(f"{self.package}.")
        place = self._place(name)
        path = name.replace(".", "/")
        if place is None:
            if not any(each.startswith(f"{path}/") for each in self._files):
                return None
            spec = ModuleSpec(full, None, is_package=True)
            spec.submodule_search_locations = [str(self._root / path)]
            return spec
        file = str(self._root / place)
        kind = _SourceLoader(full, file, self) if place.endswith(".py") else ExtensionFileLoader(full, file)
        inner = [str(self._root / path)] if place.endswith("/__init__.py") else None
        return importlib.util.spec_from_file_location(full, file, loader=kind, submodule_search_locations=inner)

    def _place(self, module: str) -> str | None:
        """The file of a module; None if there is none."""
        if module == self._main_name:
            return self._main
        path = module.replace(".", "/")
        names = [f"{path}/__init__.py", f"{path}.py", *(path + suffix for suffix in EXTENSION_SUFFIXES)]
        return next((name for name in names if name in self._files), None)

    def _open(self) -> None:
        """Have Python find the space's modules."""
        if _FINDER not in sys.meta_path:
            sys.meta_path.insert(0, _FINDER)
        if self.package not in _spaces:
            _spaces[self.package] = self
            package = ModuleType(self.package)
            package.__path__ = [str(self._root)]
            sys.modules[self.package] = package

    def _close(self) -> None:
        """Forget all modules of the space, after one could not be imported."""
        _spaces.pop(self.package, None)
        for name in [each for each in sys.modules if each == self.package or each.startswith(f"{self.package}.")]:
            del sys.modules[name]

    def _import(
        self,
        name: str,
        globals: Mapping[str, Any] | None = None,
        locals: Mapping[str, Any] | None = None,
        fromlist: Sequence[str] | None = (),
        level: int = 0,
    ) -> ModuleType:
        """In place of `__import__` for the modules of the space."""
        top = name.partition(".")[0]
        if level or top not in self._tops:
            return builtins.__import__(name, globals, locals, fromlist or (), level)
        module = builtins.__import__(f"{self.package}.{name}", globals, locals, fromlist or (), 0)
        return module if fromlist else sys.modules[f"{self.package}.{top}"]


class _SourceLoader(SourceFileLoader):
    """Runs a module's source as it is in its file, with the import statement of its space."""

    def __init__(self, full: str, file: str, space: Space) -> None:
        super().__init__(full, file)
        self._space = space

    def get_code(self, fullname: str) -> CodeType:
        """The source, compiled now."""
        file = self.get_filename(fullname)
        code: CodeType = self.source_to_code(self.get_data(file), file)
        return code

    def exec_module(self, module: ModuleType) -> None:
        """Run the module."""
        module.__dict__["__builtins__"] = self._space.builtins
        super().exec_module(module)


class _Finder(MetaPathFinder):
    """Finds modules of spaces by their full names."""

    def find_spec(
        self, fullname: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        package, _, module = fullname.partition(".")
        return _spaces[package].find(fullname) if module and package in _spaces else None


_FINDER: Final = _Finder()
_spaces: Final[dict[str, Space]] = {}


def import_file(text: str, file: Path, variant: str = "") -> ModuleType:
    """The module of a bot file with those that it imports beside it, once for each `variant`. Raises BotSpecError."""
    return Space(variant, file.parent, owned_files(file.parent, file.name), file.name).load(text)


def import_module(text: str, name: str) -> ModuleType:
    """The module `name` of an installed package, for the bot with the spec `text`. Raises BotSpecError."""
    try:
        return importlib.import_module(name)
    except (Exception, SystemExit, GeneratorExit) as error:
        reason = f"{type(error).__name__}: {shown(str, error)}"
        raise BotSpecError(f"bot {echo(text)}: module {name} cannot be imported: {reason}") from error
