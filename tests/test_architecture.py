"""Imports go downwards only, house bots see no more than the rules, and help is shown without the compiler."""

import ast
import importlib
import re
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest

import bidwhist
import bidwhist_bots

FOLDERS = {"bidwhist": Path(bidwhist.__path__[0]), "bidwhist_bots": Path(bidwhist_bots.__path__[0])}

ROOT = Path(__file__).parent.parent
PAGE = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")


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
BOTS = [name for name in MODULES if name.split(".")[0] == "bidwhist_bots"]


CHECK = """
import sys
from importlinter.cli import lint_imports
sys.exit(lint_imports(sys.argv[1], no_cache=True, no_logo=True))
"""


def check_layers(folder: Path) -> subprocess.CompletedProcess[str]:
    """Hold the imports of the packages that Python finds in `folder` to the contracts of the project."""
    command = [sys.executable, "-c", CHECK, str(ROOT / "pyproject.toml")]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)


def test_imports_keep_to_the_layers() -> None:
    done = check_layers(ROOT)
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.parametrize(
    ("file", "line", "contract"),
    [
        ("bidwhist/rules.py", "from bidwhist.state import step", "Layers of the package"),
        ("bidwhist/bot/deciders/scalar.py", "def late():\n    from bidwhist.bot.sources import find", "Layers of bots"),
        ("bidwhist/actions.py", "from bidwhist import notation", "No imports in a circle"),
        ("bidwhist/solver/quick.py", "import bidwhist_bots.order", "House bots lie beneath what loads them"),
        ("bidwhist_bots/random.py", "from bidwhist.table import Table", "House bots import the rules"),
        ("bidwhist/extra.py", "", "Layers of the package"),
    ],
)
def test_a_wrong_import_breaks_a_contract(tmp_path: Path, file: str, line: str, contract: str) -> None:
    for package, folder in FOLDERS.items():
        shutil.copytree(folder, tmp_path / package, ignore=shutil.ignore_patterns("__pycache__"))
    with (tmp_path / file).open("a", encoding="utf-8") as module:
        module.write(f"\n{line}\n")
    done = check_layers(tmp_path)
    assert done.returncode == 1, done.stdout + done.stderr
    assert re.search(rf"^{contract}.* BROKEN$", done.stdout, re.MULTILINE), done.stdout


def test_the_page_shows_the_layers() -> None:
    contracts = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["importlinter"][
        "contracts"
    ]
    layers = {each["id"]: each["layers"] for each in contracts if each["id"] in ("layers", "bots")}
    shown = [block.splitlines() for block in re.findall(r"^```text\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)]
    assert shown == [layers["layers"], layers["bots"]]


def test_the_page_names_every_file_in_its_folder() -> None:
    named = {}
    for entry in re.findall(r"^- \*\*`([\w/]+)/`\*\*(.*?)(?=^- \*\*|^#|\Z)", PAGE, re.MULTILINE | re.DOTALL):
        named[entry[0]] = sorted(re.findall(r"`(\w+\.py)`", entry[1]))
    files: dict[str, list[str]] = {}
    for package, folder in FOLDERS.items():
        for path in sorted(folder.rglob("*.py")):
            if path.name != "__init__.py":
                place = "/".join((package, *path.relative_to(folder).parent.parts))
                files.setdefault(place.replace("bidwhist_bots", "bots/bidwhist_bots"), []).append(path.name)
    assert named == files


def test_where_the_code_of_house_bots_is_imported() -> None:
    """By name in two modules, in which a bot's module is looked up; else only what all of them share."""
    shared = {"bidwhist_bots", "bidwhist_bots.parameters", "bidwhist_bots.search"}
    imported = {name: others & set(BOTS) for name, others in IMPORTS.items() if name not in BOTS}
    assert set().union(*imported.values()) == shared
    by_name = [
        name
        for name, path in MODULES.items()
        if re.search(r"\bimport_module\(f?\"?(bidwhist_bots|\{_PACKAGE\})", path.read_text(encoding="utf-8"))
    ]
    assert by_name == ["bidwhist.bot.deciders.kernel", "bidwhist.bot.sources.house"]


def test_the_package_itself_imports_nothing_heavy() -> None:
    assert IMPORTS["bidwhist"] == {"bidwhist._moved", "bidwhist._version"}


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
from bidwhist.arena.run import run
from bidwhist.arena.tournament import prepare
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


def test_every_library_has_a_line() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    wanted = [
        *project["dependencies"],
        *(each for extra in project["optional-dependencies"].values() for each in extra),
    ]
    names = {name for each in wanted if (name := re.split(r"[\[><=]", each)[0]) != project["name"]}
    page = (ROOT / "docs" / "libraries.md").read_text(encoding="utf-8")
    told = re.findall(r"^\| ([\w, -]+) \|", page, re.MULTILINE)
    assert {name for cell in told for name in cell.split(", ")} - {"library", "---"} == names
