"""The source that a function is made of, found in the files by name, without importing or running them.

A kernel consists of its own statements, of those of the functions that it calls, and of the values of the globals that
these read, which other top-level statements of our modules compute at import. `digest_of` covers them all: it follows
every word of a statement that names something at the top level of the module or that is imported there. A word in a
comment counts as well (docstrings are left out), so the digest may cover too much, and never too little, as long as our
modules

- write nothing into each other and load no data file at import;
- look nothing up by a text that is put together (`getattr`, `globals`), but for modules of a package that its
  `__init__.py` names in the statement that they are looked up by;
- register an overload beside the function that it is for.

Imports within functions count like those at the top, since a function that runs at import may use them. Imports for the
type checker alone do not.
"""

import ast
import hashlib
import importlib.util
import re
import sys
from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path
from typing import Final

# Packages that are always followed. Otherwise a module is if it lies in the same folder as the one that is asked about.
_PACKAGES: Final = ("bidwhist", "bidwhist_bots")
# They say where compiled code is kept, and nothing of what it is.
_IGNORED: Final = ("bidwhist._cache", "bidwhist._sources", "bidwhist.activity")
_EVERYTHING: Final = "*"
_NAMES: Final = re.compile(r"[^\W\d]\w*(?:\.[^\W\d]\w*)*")

Name = tuple[str, str]  # a module, and a name at its top level or _EVERYTHING


class _Module:
    """The top level of a module's file.

    `defined`: texts of the statements that bind a name. `loose`: texts of statements that run for their effect.
    `imported`: where a name that is imported comes from.
    """

    def __init__(self, path: Path) -> None:
        text = path.read_text(encoding="utf-8")
        self.is_package = path.name == "__init__.py"
        self.defined: dict[str, list[str]] = {}
        self.loose: list[str] = []
        self.imported: dict[str, Name] = {}
        lines = text.splitlines()
        for node in _run_time_statements(ast.parse(text).body):
            self._add(node, "\n".join(lines[number - 1] for number in _lines_of(node)))

    def _add(self, node: ast.stmt, text: str) -> None:
        if "import " in text:
            for each in ast.walk(node):
                self.imported |= _imports(each)
        if isinstance(node, ast.Import | ast.ImportFrom):
            return
        names = _bound_names(node)
        for name in names:
            self.defined.setdefault(name, []).append(text)
        if not names and not _is_docstring(node):
            self.loose.append(text)

    def texts(self, name: str) -> list[str]:
        """Statements behind a name: those that bind it, or all where it is not known (a module's `__getattr__`)."""
        if name in self.defined:
            return self.defined[name]
        return [] if name in self.imported else [text for each in self.defined.values() for text in each]


def _run_time_statements(body: list[ast.stmt]) -> Iterator[ast.stmt]:
    for node in body:
        if isinstance(node, ast.If) and isinstance(node.test, ast.Name) and node.test.id == "TYPE_CHECKING":
            yield from _run_time_statements(node.orelse)
        else:
            yield node


def _lines_of(node: ast.stmt) -> list[int]:
    """The line numbers of a statement: with its decorators, without its docstring."""
    first = min([node.lineno, *(each.lineno for each in getattr(node, "decorator_list", ()))])
    numbers = set(range(first, (node.end_lineno or first) + 1))
    if isinstance(node, ast.FunctionDef | ast.ClassDef) and len(node.body) > 1 and _is_docstring(node.body[0]):
        numbers -= set(range(node.body[0].lineno, (node.body[0].end_lineno or 0) + 1))
    return sorted(numbers)


def _bound_names(node: ast.stmt) -> list[str]:
    """Names that a statement binds; none for one that (also) does something else."""
    if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
        return [node.name]
    targets = node.targets if isinstance(node, ast.Assign) else [node.target] if isinstance(node, ast.AnnAssign) else []
    names = [each for target in targets for each in (target.elts if isinstance(target, ast.Tuple) else [target])]
    return [each.id for each in names if isinstance(each, ast.Name)] if _are_names(names) else []


def _are_names(targets: list[ast.expr]) -> bool:
    return all(isinstance(each, ast.Name) for each in targets)


def _is_docstring(node: ast.stmt) -> bool:
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)


def _imports(node: ast.AST) -> dict[str, Name]:
    if isinstance(node, ast.ImportFrom) and node.module and not node.level:
        return {each.asname or each.name: (node.module, each.name) for each in node.names}
    if isinstance(node, ast.Import):
        whole = {each.asname: (each.name, _EVERYTHING) for each in node.names if each.asname}
        return whole | {
            top: (top, _EVERYTHING) for each in node.names if not each.asname for top in [each.name.partition(".")[0]]
        }
    return {}


@cache
def _file_of(module: str) -> Path | None:
    """The file of a module, which need not be loaded; its package is not loaded, either. None if there is none."""
    top, _, rest = module.partition(".")
    origin = getattr(sys.modules.get(top), "__file__", None)
    if origin is None and top not in sys.modules:
        spec = importlib.util.find_spec(top)
        origin = spec.origin if spec else None
    if origin is None or not origin.endswith(".py"):
        return None
    path = Path(origin)
    if rest:
        if path.name != "__init__.py":
            return None
        place = path.parent.joinpath(*rest.split("."))
        path = place.with_name(place.name + ".py")
        path = path if path.is_file() else place / "__init__.py"
    return path if path.is_file() else None


@cache
def _module(name: str) -> _Module | None:
    path = _file_of(name)
    return _Module(path) if path else None


def _resolve(module: str, names: list[str]) -> Name:
    """The meaning of `module.names[0].names[1]...`: a name in the innermost module, or all of that."""
    for name in names:
        if name == _EVERYTHING or _file_of(f"{module}.{name}") is None:
            return module, name
        module = f"{module}.{name}"
    return module, _EVERYTHING


@cache
def _uses(name: Name) -> tuple[tuple[str, ...], tuple[Name, ...]]:
    """The statements behind a name, with those of its module that run for their effect, and the names that they use."""
    module = _module(name[0])
    if module is None:
        return (), ()
    texts = (*module.loose, *module.texts(name[1]))
    used: list[Name] = []
    if name[1] in module.imported and name[1] not in module.defined:
        source, inner = module.imported[name[1]]
        used.append(_resolve(source, [inner]))
    for word in {word for text in texts for word in _NAMES.findall(text)}:
        first, *rest = word.split(".")
        if first in module.defined:
            used.append((name[0], first))
        elif first in module.imported:
            source, inner = module.imported[first]
            inner_names = rest if inner == _EVERYTHING else [inner, *rest]
            used.append(_resolve(source, inner_names))
        elif module.is_package and _file_of(f"{name[0]}.{first}"):
            used.append((f"{name[0]}.{first}", _EVERYTHING))
    return texts, tuple(used)


def _reached(names: Iterable[Name], folder: Path | None) -> dict[Name, tuple[str, ...]]:
    """The statements behind names and behind all that they use, in our packages and in modules in `folder`."""
    found: dict[Name, tuple[str, ...]] = {}
    open_names = list(names)
    while open_names:
        name = open_names.pop()
        if name not in found and _is_followed(name[0], folder):
            found[name], used = _uses(name)
            open_names += used
    return found


def _is_followed(module: str, folder: Path | None) -> bool:
    top = module.partition(".")[0]
    if top in _PACKAGES:
        return module not in _IGNORED
    file = _file_of(top)
    return file is not None and _home_of(file) == folder


def _home_of(file: Path) -> Path:
    return file.parent.parent if file.name == "__init__.py" else file.parent


def digest_of(module: str, name: str) -> str | None:
    """Hex digest of all source that `name`, at the top level of a module, is made of; None for a module without a file.

    The project's options for the compiler are a part of it.
    """
    if _file_of(module) is None:
        return None
    top = _file_of(module.partition(".")[0])
    found = _reached([(module, name), ("bidwhist._jit", _EVERYTHING)], _home_of(top) if top else None)
    digest = hashlib.blake2b(digest_size=10)
    for each in sorted(found):
        digest.update("\0".join([*each, *found[each], ""]).encode())
    return digest.hexdigest()
