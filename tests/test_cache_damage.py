"""Kept code that is damaged, unreadable or cannot be written is compiled anew; code of others is never run."""

import errno
import os
import stat
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from bidwhist import _cache

as_user = pytest.mark.skipif(os.getuid() != 0, reason="only the system's own user can give files away")

# A kernel with a short compile and a NumPy function, as the two ways to compile; prints which of them was compiled.
RUN = """
from numba.core import compiler
compiled = set()
compile_extra = compiler.compile_extra
def noting(typing, target, function, *others, **named):
    compiled.add(function.__name__)
    return compile_extra(typing, target, function, *others, **named)
compiler.compile_extra = noting
from bidwhist.streams import below, new_stream
from bidwhist.rows import count
assert 0 <= below(new_stream(1), 5) < 5
assert count(7) == 3
print(*sorted(compiled & {"below", "count"}))
"""


def run(code: Path, before: str = "", **environment: str) -> str:
    done = subprocess.run(
        [sys.executable, "-c", before + RUN],
        env={**os.environ, "NUMBA_CACHE_DIR": str(code), **environment},
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout.strip()


@pytest.fixture(scope="module")
def kept(tmp_path_factory: pytest.TempPathFactory) -> Path:
    code = tmp_path_factory.mktemp("kept") / "code"
    assert run(code) == "below count"
    assert run(code) == ""
    return code


def truncate(path: Path) -> None:
    path.write_bytes(path.read_bytes()[: path.stat().st_size // 2])


def flip(path: Path) -> None:
    data = bytearray(path.read_bytes())
    data[len(data) // 2] ^= 1
    path.write_bytes(data)


def empty(path: Path) -> None:
    path.write_bytes(b"")


def make_folder(path: Path) -> None:
    path.unlink()
    path.mkdir()
    (path / "inside").touch()


def make_dangling(path: Path) -> None:
    path.unlink()
    path.symlink_to("nowhere")


@pytest.mark.parametrize("damage", [truncate, flip, empty, Path.unlink, make_folder, make_dangling])
@pytest.mark.parametrize("pattern", ["*.nbi", "*.nbc", "digests.json", "*"])
def test_damaged_code_is_compiled_anew_and_replaced(kept: Path, damage: Callable[[Path], None], pattern: str) -> None:
    paths = [path for path in kept.glob(f"code-*/*/{pattern}") if path.name != "lock"]
    assert len(paths) >= 2
    for path in paths:
        damage(path)
    assert run(kept) == "below count"
    assert run(kept) == ""


def test_a_folder_that_is_a_file(kept: Path) -> None:
    """It stays, and what would be kept there is compiled each time."""
    for folder in kept.glob("code-*/*"):
        moved = folder.rename(folder.with_name("aside-" + folder.name))
        folder.touch()
        assert moved.is_dir()
    assert run(kept) == "below count"
    for file in [path for path in kept.glob("code-*/*") if path.is_file()]:
        file.unlink()
        file.with_name("aside-" + file.name).rename(file)
    assert run(kept) == ""


# Writing fails as on a full disk, for all that is kept; temporary files are made by other means.
FULL = """
import builtins, errno, io, os, pathlib
real = builtins.open
def full(file, mode="r", *others, **named):
    if ("w" in mode or "a" in mode) and "code-" in os.fspath(file) and "lock" not in os.fspath(file):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), file)
    return real(file, mode, *others, **named)
builtins.open = io.open = full
"""


def test_on_a_full_disk_everything_is_compiled_and_nothing_is_kept(tmp_path: Path) -> None:
    for _ in range(2):
        assert run(tmp_path / "code", FULL) == "below count"
    assert not list((tmp_path / "code").glob("code-*/*/*.nb*"))
    assert run(tmp_path / "code") == "below count"
    assert run(tmp_path / "code") == ""


# The disk is full after the index and before the code.
HALF = FULL.replace('"lock" not in', '".nbc" in')


def test_a_disk_that_is_full_halfway(tmp_path: Path) -> None:
    assert HALF != FULL
    assert run(tmp_path / "code", HALF) == "below count"
    assert run(tmp_path / "code") == "below count"
    assert run(tmp_path / "code") == ""


def test_who_listens_is_told_why_code_is_not_kept(tmp_path: Path) -> None:
    told = (
        "from bidwhist.activity import listening\nsaid = []\ncontext = listening(said.append)\ncontext.__enter__()\n"
        + FULL
    )
    script = (
        told + RUN + "from bidwhist.streams import draw\ndraw(new_stream(1))\nprint(*filter(None, said), sep='\\n')"
    )
    environment = {**os.environ, "NUMBA_CACHE_DIR": str(tmp_path / "code")}
    done = subprocess.run([sys.executable, "-c", script], env=environment, capture_output=True, text=True, check=True)
    assert f"(it cannot be kept in {tmp_path / 'code'}" in done.stdout
    assert os.strerror(errno.ENOSPC) in done.stdout


def test_files_that_cannot_be_removed_are_not_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "f.nbc").write_bytes(b"damaged")

    def refuse(path: Path) -> None:
        raise PermissionError(errno.EACCES, "refused")

    monkeypatch.setattr(Path, "unlink", refuse)
    with _cache.held(tmp_path) as is_usable:
        assert not is_usable


# --------------------------------------------------------------------------------------------------- folders of others


def home_of(**environment: str) -> str:
    """The folder of compiled code in a process with this environment."""
    others = ("NUMBA_CACHE_DIR", "XDG_CACHE_HOME", "HOME", "TMPDIR")
    kept = {name: value for name, value in os.environ.items() if name not in others}
    script = "from bidwhist._cache import HOME; print(HOME)"
    done = subprocess.run(
        [sys.executable, "-c", script], env={**kept, **environment}, capture_output=True, text=True, check=True
    )
    return done.stdout.strip()


def temporary(tmp_path: Path) -> Path:
    """A folder for temporary files as systems have it, and in it where code would be kept."""
    (tmp_path / "tmp").mkdir(exist_ok=True)
    (tmp_path / "tmp").chmod(0o1777)
    return tmp_path / "tmp" / f"bidwhist-{os.getuid()}"


def nowhere(tmp_path: Path) -> dict[str, str]:
    """A home that cannot be written, and a folder for temporary files."""
    (tmp_path / "file").touch()
    return {"HOME": str(tmp_path / "file" / "home"), "TMPDIR": str(tmp_path / "tmp")}


def test_the_folder_among_temporary_files_is_private(tmp_path: Path) -> None:
    folder = temporary(tmp_path)
    assert home_of(**nowhere(tmp_path)) == str(folder)
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    assert home_of(**nowhere(tmp_path)) == str(folder)


@as_user
def test_another_users_folder_among_temporary_files_is_not_used(tmp_path: Path) -> None:
    folder = temporary(tmp_path)
    folder.mkdir(mode=0o700)
    os.chown(folder, 65534, 65534)
    assert home_of(**nowhere(tmp_path)) == "None"


@as_user
def test_another_users_link_among_temporary_files_is_not_used(tmp_path: Path) -> None:
    folder, own = temporary(tmp_path), tmp_path / "own"
    own.mkdir(mode=0o700)
    folder.symlink_to(own)
    os.lchown(folder, 65534, 65534)
    assert home_of(**nowhere(tmp_path)) == "None"


@pytest.mark.parametrize("variable", ["NUMBA_CACHE_DIR", "XDG_CACHE_HOME", "HOME"])
@pytest.mark.parametrize("mode", [0o770, 0o707, 0o777])
def test_a_folder_that_others_can_write_is_not_used(tmp_path: Path, variable: str, mode: int) -> None:
    below = {"NUMBA_CACHE_DIR": "", "XDG_CACHE_HOME": "bidwhist", "HOME": ".cache/bidwhist"}[variable]
    folder = tmp_path / "home" / below
    environment = {variable: str(tmp_path / "home"), "TMPDIR": str(temporary(tmp_path).parent)}
    assert home_of(**environment) == str(folder)
    folder.chmod(mode)
    assert home_of(**environment) == str(temporary(tmp_path))


def test_a_folder_that_others_can_replace_is_not_used(tmp_path: Path) -> None:
    environment = {"NUMBA_CACHE_DIR": str(tmp_path / "open" / "code"), "TMPDIR": str(temporary(tmp_path).parent)}
    assert home_of(**environment) == str(tmp_path / "open" / "code")
    (tmp_path / "open").chmod(0o777)
    assert home_of(**environment) == str(temporary(tmp_path))
    (tmp_path / "open").chmod(0o1777)
    assert home_of(**environment) == str(tmp_path / "open" / "code")


def test_an_own_link_is_followed(tmp_path: Path) -> None:
    (tmp_path / "large").mkdir(mode=0o700)
    (tmp_path / "link").symlink_to(tmp_path / "large")
    assert home_of(NUMBA_CACHE_DIR=str(tmp_path / "link")) == str(tmp_path / "link")
