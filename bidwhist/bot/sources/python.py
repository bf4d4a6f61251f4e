"""Bots written in Python: a file, or a module of an installed package."""

import hashlib
from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, ClassVar, Self

import msgspec

from bidwhist.bot.limits import LIMITS, Limits
from bidwhist.bot.metadata import Metadata
from bidwhist.bot.python.found import Found, look_into
from bidwhist.bot.python.importing import blamed_on, import_file, import_module
from bidwhist.bot.sources.files import copy_file, find_file
from bidwhist.bot.sources.package import copy_package, is_there, package_hash
from bidwhist.bot.sources.source import BotSource, Copy
from bidwhist.bot.spec import Spec
from bidwhist.errors import BotSpecError
from bidwhist.results.manifest import BotEntry
from bidwhist.rules import Rules

if TYPE_CHECKING:
    from bidwhist.bot.deciders.python import Variant
    from bidwhist.engine.decider import Decider


@dataclass(frozen=True)
class PythonSource(BotSource):
    """A bot in a Python module. `taken`: the name of what plays there, if it is given."""

    taken: str | None

    runs_in_process: ClassVar[bool] = True

    @abstractmethod
    def _import(self) -> ModuleType:
        """The module. Raises BotSpecError."""

    def _found(self) -> Found:
        return look_into(self.spec.text, self._import(), self.taken)

    @property
    def _variant(self) -> "Variant | None":
        """Makes the module anew, where that is possible."""
        return None

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


@dataclass(frozen=True)
class FileSource(PythonSource):
    """`path/file.py[:Name]`."""

    file: Path

    @classmethod
    def find(cls, spec: Spec, name: str, folders: Sequence[Path]) -> Self | None:
        """A bot whose spec ends with .py, or has a name after it."""
        if not spec.body.endswith(".py") and ".py:" not in spec.body:
            return None
        target, _, taken = spec.body.rpartition(":") if ".py:" in spec.body else (spec.body, "", "")
        file = find_file(target, folders)
        digest = hashlib.sha256(file.read_bytes()).hexdigest()
        return cls(BotEntry(name, spec.text, digest), spec, taken or None, file)

    def _import(self) -> ModuleType:
        return import_file(self.spec.text, self.file)

    @property
    def _variant(self) -> "Variant":
        return lambda variant: import_file(self.spec.text, self.file, variant)

    @property
    def path(self) -> Path:
        """The file."""
        return self.file

    @property
    def identity(self) -> tuple[object, ...]:
        """The file's hash, without its name."""
        return (type(self).__name__, self.entry.sha256, self.taken, tuple(sorted(self.spec.parameters)))

    def copy_to(self, folder: Path) -> Copy:
        """Copy the file, under its name."""
        copy_file(self.file, folder / self.file.name)
        return Copy(self.file.name + self._rest, self.file.stem + self._rest)

    def spec_in(self, folder: Path) -> str:
        """The name of the only file there."""
        return next(path.name for path in folder.iterdir() if path.is_file()) + self._rest

    def seen_from(self, prefix: str) -> Self:
        """With the path in its entry's spec."""
        return replace(self, entry=msgspec.structs.replace(self.entry, spec=f"{prefix}/{self.spec.text}"))

    @property
    def _rest(self) -> str:
        return (f":{self.taken}" if self.taken else "") + self.spec.query


@dataclass(frozen=True)
class ModuleSource(PythonSource):
    """`package.module:Name`."""

    module: str

    stays: ClassVar[str] = "its package is as it was"

    @classmethod
    def find(cls, spec: Spec, name: str, folders: Sequence[Path]) -> Self | None:
        """A bot whose spec has a colon in it."""
        if ":" not in spec.body:
            return None
        module, _, taken = spec.body.partition(":")
        if not taken or not all(part.isidentifier() for part in module.split(".")):
            raise BotSpecError(f"bot {spec.text!r}: needs package.module:Name")
        return cls.of(spec, name, module, taken)

    @classmethod
    def of(cls, spec: Spec, name: str, module: str, taken: str | None) -> Self:
        """The bot that a spec means in a module. Raises BotSpecError if there is no such package."""
        package = module.partition(".")[0]
        if not is_there(package):
            raise BotSpecError(f"bot {spec.text!r}: there is no module {package}")
        return cls(BotEntry(name, spec.text, package_hash(package)), spec, taken, module)

    def _import(self) -> ModuleType:
        return import_module(self.spec.text, self.module)

    @property
    def identity(self) -> tuple[object, ...]:
        """The package's hash, and what plays there, whether by its name or not."""
        return (self.entry.sha256, self.module, self.taken, tuple(sorted(self.spec.parameters)))

    def copy_to(self, folder: Path) -> Copy:
        """Copy the Python files of its package, for the record: it plays from where it is installed."""
        copy_package(self.module.partition(".")[0], folder)
        return Copy(self.spec.text, self.spec.text)
