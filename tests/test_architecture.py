"""Imports go downwards only, house bots see no more than the rules, and help is shown without the compiler."""

import ast
import importlib
import re
import subprocess
import sys
from collections.abc import Iterator
from graphlib import TopologicalSorter
from pathlib import Path

import pytest

import bidwhist
import bidwhist_bots

FOLDERS = {"bidwhist": Path(bidwhist.__path__[0]), "bidwhist_bots": Path(bidwhist_bots.__path__[0])}

ROOT = Path(__file__).parent.parent


def picture() -> list[str]:
    """Modules by their dotted names, in the order of the picture in docs/architecture.md."""
    page = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
    folder, names = "", []
    for line in page.partition("```text\n")[2].partition("```")[0].splitlines():
        if re.match(r"\S+/$", line):
            folder = line.removeprefix("bots/")
        elif line:
            found = re.match(r"  (\S+)\.py {2,}\S", line)
            assert found, line
            names.append((folder + found[1]).removesuffix("/__init__").replace("/", "."))
    return names


PICTURE = picture()


def modules() -> dict[str, Path]:
    """Path of every module of the two packages, by its dotted name."""
    found = {}
    for package, folder in FOLDERS.items():
        for path in sorted(folder.rglob("*.py")):
            parts = [package, *path.relative_to(folder).with_suffix("").parts]
            found[".".join(parts).removesuffix(".__init__")] = path
    return found


MODULES = modules()


def run_time_nodes(tree: ast.AST) -> Iterator[ast.AST]:
    """All nodes, also within functions, but not what only the type checker reads."""
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, ast.If) and isinstance(node.test, ast.Name) and node.test.id == "TYPE_CHECKING":
            continue
        yield node
        yield from run_time_nodes(node)


def imports_of(name: str) -> set[str]:
    """Our modules that this one imports anywhere."""
    found: set[str] = set()
    for node in run_time_nodes(ast.parse(MODULES[name].read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{name}: imports stand in full"
            source = str(node.module)
            found |= {each if each in MODULES else source for each in (f"{source}.{a.name}" for a in node.names)}
    return found & MODULES.keys() - {name}


IMPORTS = {name: imports_of(name) for name in MODULES}
ENGINE = [name for name in MODULES if name.startswith("bidwhist.") and name != "bidwhist.__main__"]
BOTS = [name for name in MODULES if name.split(".")[0] == "bidwhist_bots"]


def is_only_words(name: str) -> bool:
    """True for a module without code: the docstring of a package, perhaps with names of what lies in it."""
    return MODULES[name].name == "__init__.py" and name not in ("bidwhist", "bidwhist_bots", "bidwhist.cli")


def test_the_picture_has_every_module_once() -> None:
    assert sorted(PICTURE) == sorted(name for name in MODULES if not is_only_words(name))


@pytest.mark.parametrize("name", PICTURE)
def test_imports_go_upwards_in_the_picture(name: str) -> None:
    """Each module imports only modules above it; the package itself offers what lies anywhere."""
    for other in IMPORTS[name]:
        if not is_only_words(other) and name != "bidwhist":
            assert PICTURE.index(other) < PICTURE.index(name), f"{name} imports {other}"


def test_no_imports_in_a_circle() -> None:
    graph = {name: others for name, others in IMPORTS.items() if name != "bidwhist"}
    assert set(TopologicalSorter(graph).static_order()) >= graph.keys()  # raises CycleError with the circle


@pytest.mark.parametrize("name", BOTS)
def test_house_bots_import_the_rules_and_what_a_seat_sees(name: str) -> None:
    for other in IMPORTS[name]:
        assert other in BOTS or PICTURE.index(other) <= PICTURE.index("bidwhist.observation"), f"{name} imports {other}"


def test_two_modules_import_the_house_bots() -> None:
    code = set(BOTS) - {"bidwhist_bots"}  # the package itself is the list of them, plain data
    importers = {name for name in ENGINE if IMPORTS[name] & code}
    assert importers == {"bidwhist.arena.house", "bidwhist.arena.searching"}


def test_the_package_itself_imports_nothing_heavy() -> None:
    assert IMPORTS["bidwhist"] <= {"bidwhist._version"}


@pytest.mark.parametrize("name", bidwhist.__all__)
def test_what_the_package_offers_is_there(name: str) -> None:
    assert getattr(bidwhist, name) is not None
    assert name in dir(bidwhist)


def test_what_the_package_does_not_offer() -> None:
    with pytest.raises(AttributeError, match="module 'bidwhist' has no attribute 'nonsense'"):
        importlib.import_module("bidwhist").nonsense  # noqa: B018


HEAVY = ("numba", "llvmlite", "pandas", "pyarrow", "scipy", "matplotlib")
WITHOUT_HEAVY = f"""
import sys
{{}}
loaded = [name for name in {HEAVY} if name in sys.modules]
sys.exit(f"loaded {{{{loaded}}}}" if loaded else 0)
"""
SHOW_HELP = """
from bidwhist.cli import main
try:
    main({arguments})
except SystemExit as stop:
    assert not stop.code, stop.code
"""


def run_python(code: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, "-W", "error", "-c", code], capture_output=True, text=True, check=False)


def test_importing_the_package_loads_neither_compiler_nor_tables() -> None:
    done = run_python(WITHOUT_HEAVY.format("import bidwhist"))
    assert (done.returncode, done.stderr) == (0, "")


PREPARE = """
import pathlib
from bidwhist.arena.config import make_config
from bidwhist.arena.run import prepare, run
prepare(make_config({"seed": 1, "boards": 1, "bots": ["random", "heuristic"]}, "here"), [pathlib.Path()])
assert "numba" not in sys.modules
assert "pandas" not in sys.modules
"""


def test_who_only_has_parts_played_needs_no_compiler() -> None:
    done = run_python("import sys" + PREPARE)
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.parametrize("arguments", [["--help"], ["--version"]])
def test_help_loads_neither_compiler_nor_tables(arguments: list[str]) -> None:
    done = run_python(WITHOUT_HEAVY.format(SHOW_HELP.format(arguments=arguments)))
    assert (done.returncode, done.stderr) == (0, "")
    assert "bw-arena" in done.stdout
