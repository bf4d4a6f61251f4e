"""Compiled code is kept by its sources: edits elsewhere compile nothing, clones share it, old code is removed."""

import dis
import importlib
import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path
from types import FunctionType, ModuleType
from typing import Any

import pytest

import bidwhist
import bidwhist_bots
from bidwhist import _cache, _sources, bits
from bidwhist.bits import count
from bidwhist.bot.deciders.digest import digest_of

PACKAGES = (bidwhist, bidwhist_bots)
ENTRY_POINTS = (
    "bidwhist.bot.deciders.kernel:_play_sequences",
    "bidwhist.engine.batch:_seat",
    "bidwhist.engine.batch:_play_round",
    *(f"bidwhist_bots.mc:{name}" for name in ("_begin", "_extend", "_best")),
    *(f"bidwhist_bots.pimc:{name}" for name in ("_begin", "_extend")),
    "bidwhist_bots.oracle:_extend",
    "bidwhist.solver.values:tricks_of",
    "bidwhist.solver.contracts:tricks_by_lead",
)
MONTHS_AGO = time.time() - 100 * 24 * 3600


def clone(folder: Path) -> Path:
    """A copy of the packages."""
    for package in PACKAGES:
        shutil.copytree(package.__path__[0], folder / package.__name__, ignore=shutil.ignore_patterns("__pycache__"))
    return folder


def started(folder: Path, code: Path, script: str, **environment: str) -> subprocess.Popen[str]:
    """A process that runs a script with the packages in `folder`, and keeps compiled code in `code`."""
    return subprocess.Popen(
        [sys.executable, "-P", "-B", "-c", script],
        env={**os.environ, "PYTHONPATH": str(folder), "NUMBA_CACHE_DIR": str(code), **environment},
        stdout=subprocess.PIPE,
        text=True,
    )


def said(process: "subprocess.Popen[str]") -> str:
    output = process.communicate()[0]
    assert process.returncode == 0
    return output.strip()


# Prints what was compiled, a name for each signature; what is loaded from disk is not among it.
DRAW = """
import sys
from numba.core import event
import bidwhist
from bidwhist.streams import below, new_stream
assert bidwhist.__path__[0].startswith(sys.path[0])
with event.install_recorder("numba:compile") as recorder:
    assert 0 <= below(new_stream(1), 5) < 5
started = [each.data["dispatcher"].__name__ for _, each in recorder.buffer if each.is_start]
print(*sorted(name for name in started if name in ("below", "draw")))  # what they are made of has no code of its own
"""


def edit(path: Path, old: str, new: str) -> None:
    text = path.read_text(encoding="utf-8")
    assert old in text
    path.write_text(text.replace(old, new, 1), encoding="utf-8")


def test_only_an_edit_of_what_is_compiled_compiles(tmp_path: Path) -> None:
    source, code = clone(tmp_path / "source"), tmp_path / "code"
    assert said(started(source, code, DRAW)) == "below draw"
    edit(source / "bidwhist" / "cli" / "run.py", '"""', '"""Other words. ')
    edit(source / "bidwhist" / "state.py", "\n@jit", "\n# a comment\n\n\n@jit")
    edit(source / "bidwhist" / "streams.py", "def use_key(", "def _new(): ...\n\n\ndef use_key(")
    assert said(started(source, code, DRAW)) == ""
    edit(source / "bidwhist" / "bits.py", "def high_product(", "# a comment here\ndef high_product(")
    assert said(started(source, code, DRAW)) == ""
    edit(source / "bidwhist" / "streams.py", "_TURNED: Final = np.uint64(0xB", "_TURNED: Final = np.uint64(0xC")
    assert said(started(source, code, DRAW)) == "below draw"
    edit(source / "bidwhist" / "streams.py", "int64(high_product(", "int64(0 + high_product(")
    assert said(started(source, code, DRAW)) == "below draw"


def test_two_clones_compile_once(tmp_path: Path) -> None:
    code = tmp_path / "code"
    processes = [started(clone(tmp_path / name), code, DRAW) for name in ("one", "two")]
    assert sorted(map(said, processes)) == ["", "below draw"]


def test_switches_keep_code_apart(tmp_path: Path) -> None:
    source, code = clone(tmp_path / "source"), tmp_path / "code"
    for switches, compiled in (
        ({}, "below draw"),
        ({"NUMBA_BOUNDSCHECK": "1"}, "below draw"),
        ({"NUMBA_DISABLE_JIT": "1"}, ""),
        ({}, ""),
        ({"NUMBA_BOUNDSCHECK": "1"}, ""),
    ):
        assert said(started(source, code, DRAW, **switches)) == compiled


# --------------------------------------------------------------------------------------------- sources of a function


def functions_under(function: Any, found: set[tuple[str, str]]) -> set[tuple[str, str]]:
    """Our functions that one reaches through the globals of the running modules: the module and name of each."""
    function = getattr(function, "py_func", function)
    if not isinstance(function, FunctionType) or function.__module__.partition(".")[0] not in _sources._PACKAGES:
        return found
    name = (function.__module__, function.__qualname__.partition(".")[0])
    if name in found and not function.__closure__:
        return found
    found.add(name)
    for cell in function.__closure__ or ():
        functions_under(cell.cell_contents, found)
    read = {each.argval for each in dis.get_instructions(function) if each.opname == "LOAD_GLOBAL"}
    for value in [function.__globals__.get(word) for word in read]:
        is_module = isinstance(value, ModuleType)
        for each in [getattr(value, word, None) for word in function.__code__.co_names] if is_module else [value]:
            functions_under(each, found)
    return found


def function_at(entry_point: str) -> Any:
    module, _, name = entry_point.partition(":")
    return getattr(importlib.import_module(module), name)


@pytest.mark.parametrize("entry_point", ENTRY_POINTS)
def test_the_digest_covers_every_function_that_the_compiler_sees(entry_point: str) -> None:
    module, _, name = entry_point.partition(":")
    under = functions_under(function_at(entry_point), set())
    assert len(under) > 5
    covered = _sources._reached([(module, name)], None).keys()
    assert not {each for each in under if each[0] not in ("bidwhist._jit", *_sources._IGNORED)} - covered


def sources(folder: Path, monkeypatch: pytest.MonkeyPatch, modules: dict[str, str]) -> Any:
    """The digest of names in modules that are written into a folder."""
    for name, text in modules.items():
        path = folder / f"{name}.py"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    monkeypatch.syspath_prepend(folder)
    for each in (_sources._file_of, _sources._module, _sources._uses):
        each.cache_clear()
    return _sources.digest_of


KERNEL_SOURCE = """
from aside import VALUES, unused
import whole as w
from pack import part

if True:
    LIMIT = 3

def f(x):
    return x + VALUES[0] + w.helper(x) + part.deep(x) + LIMIT
"""
ASIDE = "BASE = 1\nVALUES = [0]\nVALUES[0] = BASE\ndef unused(): return 1\n"


@pytest.mark.parametrize(
    ("module", "old", "new", "matters"),
    [
        ("aside", "BASE = 1", "BASE = 2", True),  # what a global is computed from
        ("aside", "VALUES[0] = BASE", "VALUES[0] = 0", True),  # a statement that runs for its effect
        ("aside", "return 1", "return 2", False),
        ("whole", "x * 2", "x * 3", True),  # through a module's other name
        ("whole", "'words'", "'other'", False),
        ("pack/part", "x - 1", "x - 2", True),  # in a module of a package
        ("pack/part", "x - 9", "x - 8", False),
        ("kernel", "LIMIT = 3", "LIMIT = 4", True),
        ("pack/__init__", "", "A = 1\n", False),
    ],
)
def test_what_a_digest_depends_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, module: str, old: str, new: str, matters: bool
) -> None:
    modules = {
        "kernel": KERNEL_SOURCE,
        "aside": ASIDE,
        "whole": "def helper(x):\n    'words'\n    return x * 2\n",
        "pack/__init__": "",
        "pack/part": "def deep(x): return x - 1\ndef other(x): return x - 9\n",
    }
    before = sources(tmp_path, monkeypatch, modules)("kernel", "f")
    modules[module] = modules[module].replace(old, new, 1)
    assert (sources(tmp_path, monkeypatch, modules)("kernel", "f") != before) == matters


def test_a_function_without_a_file_has_no_digest() -> None:
    assert _sources.digest_of("no_such_module", "f") is None
    assert _sources.digest_of("sys", "exit") is None


@pytest.mark.parametrize("function", [lambda cards: count(cards), lambda cards: bits.count(cards)])
def test_a_users_function_is_known_by_our_sources_too(function: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    before = digest_of([function])
    assert digest_of([function]) == before
    monkeypatch.setattr(_sources, "digest_of", lambda module, name: "edited")
    assert digest_of([function]) != before


# ------------------------------------------------------------------------------------------------------- what is kept


@pytest.mark.parametrize("entry_point", ENTRY_POINTS)
def test_entry_points_are_compiled_functions(entry_point: str) -> None:
    assert hasattr(function_at(entry_point), "py_func") or bool(os.environ.get("NUMBA_DISABLE_JIT"))


def test_what_is_compiled_is_known_without_the_compiler(tmp_path: Path) -> None:
    source = clone(tmp_path / "source")
    ask = (
        "import sys; from bidwhist._cache import is_compiled; print(is_compiled('bidwhist.streams:below'));"
        "assert not {'numba', 'llvmlite', 'numpy'} & sys.modules.keys()"
    )
    assert said(started(source, tmp_path / "code", ask)) == "False"
    said(started(source, tmp_path / "code", DRAW))
    assert said(started(source, tmp_path / "code", ask)) == "True"


# ------------------------------------------------------------------------------------------------- folders in common

HOLD = """
import sys
from pathlib import Path
from bidwhist._cache import held
with held(Path(sys.argv[1])):
    print("held", flush=True)
    sys.stdin.readline()
"""


def holder(folder: Path) -> "subprocess.Popen[str]":
    """A process that holds a folder until it is spoken to."""
    return subprocess.Popen(
        [sys.executable, "-c", HOLD, str(folder)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )


def wait_for_hold(process: "subprocess.Popen[str]") -> None:
    assert process.stdout is not None
    assert process.stdout.readline() == "held\n"


def kept_for_months(home: Path, name: str) -> Path:
    folder = home / "code-0" / name
    with _cache.held(folder):
        (folder / "f.1.nbc").touch()
    os.utime(folder, (MONTHS_AGO, MONTHS_AGO))
    return folder


def test_what_was_not_used_for_a_month_is_removed(tmp_path: Path) -> None:
    kept_for_months(tmp_path, "unused")
    used, unlocked = kept_for_months(tmp_path, "used"), kept_for_months(tmp_path, "unlocked")
    (unlocked / _cache._LOCK).unlink()  # as earlier versions left it
    os.utime(unlocked, (MONTHS_AGO, MONTHS_AGO))
    with _cache.held(used):
        pass
    _cache.remove_unused(tmp_path)
    assert sorted(tmp_path.glob("code-*/*")) == [used]
    assert (used / "f.1.nbc").exists()
    os.utime(used, (MONTHS_AGO, MONTHS_AGO))
    _cache.remove_unused(tmp_path)
    assert not list(tmp_path.iterdir())


def test_what_another_process_holds_is_not_removed(tmp_path: Path) -> None:
    folder = kept_for_months(tmp_path, "f")
    process = holder(folder)
    wait_for_hold(process)
    os.utime(folder, (MONTHS_AGO, MONTHS_AGO))
    _cache.remove_unused(tmp_path)
    assert (folder / "f.1.nbc").exists()
    process.communicate("go\n")
    _cache.remove_unused(tmp_path)
    assert not folder.exists()


def test_a_process_that_starts_while_its_folder_is_removed_makes_it_anew(tmp_path: Path) -> None:
    """It waits for the lock of the folder that is removed, and must not take that for its own."""
    folder = kept_for_months(tmp_path, "f")
    with _cache._locked(folder):  # as the process that removes it
        process = holder(folder)
        while len(openers(folder / _cache._LOCK)) < 2:
            time.sleep(0.01)
        folder.rename(folder.with_name("removed"))
    wait_for_hold(process)
    assert [path.name for path in folder.iterdir()] == [_cache._LOCK]
    process.communicate("go\n")


def openers(path: Path) -> set[str]:
    """Processes that have a file open."""
    found = set()
    for link in Path("/proc").glob("[0-9]*/fd/*"):
        try:
            if link.samefile(path):
                found.add(link.parts[2])
        except OSError:
            continue
    return found


def test_a_process_that_was_killed_holds_nothing(tmp_path: Path) -> None:
    first = holder(tmp_path / "f")
    wait_for_hold(first)
    second = holder(tmp_path / "f")
    first.send_signal(signal.SIGKILL)
    wait_for_hold(second)
    second.communicate("go\n")
    first.communicate()


def test_who_waits_too_long_goes_on(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    process = holder(tmp_path / "f")
    wait_for_hold(process)
    monkeypatch.setattr(_cache, "_PATIENCE", 0.1)
    with _cache.held(tmp_path / "f"), _cache.held(tmp_path / "f"):
        assert process.poll() is None
    process.communicate("go\n")


@pytest.mark.parametrize("variable", ["NUMBA_CACHE_DIR", "XDG_CACHE_HOME", "HOME"])
def test_a_home_that_cannot_be_written(tmp_path: Path, variable: str) -> None:
    """Compiled code goes to the folder for temporary files, which must be the user's own."""
    (tmp_path / "file").touch()
    environment = {
        name: value for name, value in os.environ.items() if name not in ("NUMBA_CACHE_DIR", "XDG_CACHE_HOME")
    }
    environment |= {variable: str(tmp_path / "file" / "home"), "TMPDIR": str(tmp_path)}
    script = "from bidwhist._cache import HOME; print(HOME)"
    done = subprocess.run([sys.executable, "-c", script], env=environment, capture_output=True, text=True, check=True)
    assert Path(done.stdout.strip()) == tmp_path / f"bidwhist-{os.getuid()}"


def test_without_any_folder_everything_is_compiled_anew(tmp_path: Path) -> None:
    source = clone(tmp_path / "source")
    script = "import bidwhist._cache as c; c.CODE = c.HOME = None\n" + DRAW
    for _ in range(2):
        assert said(started(source, tmp_path / "code", script)) == "below draw"
