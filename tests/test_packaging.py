"""What is built and installed: the two packages, and none of the folders around them."""

import email
import importlib.metadata
import json
import re
import subprocess
import sys
import sysconfig
import zipfile
from pathlib import Path

import pytest

from bidwhist._version import __version__

pytestmark = pytest.mark.packaging

ROOT = Path(__file__).resolve().parent.parent

# Prints where each of the named modules would be imported from, or null for one that cannot be found.
LOCATE = """
import importlib.util, json, sys

def locate(name):
    spec = importlib.util.find_spec(name)
    if spec is None:
        return None
    return list(spec.submodule_search_locations or [spec.origin])

print(json.dumps({name: locate(name) for name in sys.argv[1:]}))
"""


def run(*command: str | Path, cwd: Path) -> str:
    done = subprocess.run([str(part) for part in command], cwd=cwd, capture_output=True, text=True, check=False)
    assert done.returncode == 0, f"{command}:\n{done.stdout}\n{done.stderr}"
    return done.stdout


def is_below(path: str, folder: Path) -> bool:
    return Path(path).resolve().is_relative_to(folder.resolve())


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wheel, built without network access by the hatchling that is installed here."""
    folder = tmp_path_factory.mktemp("wheel")
    options = ["--no-deps", "--no-build-isolation", "--no-index", "--disable-pip-version-check", "--quiet"]
    run(sys.executable, "-m", "pip", "wheel", *options, "--wheel-dir", folder, ROOT, cwd=folder)
    (built,) = folder.glob("*.whl")
    return built


@pytest.fixture(scope="module")
def wheel_files(wheel: Path) -> dict[str, bytes]:
    with zipfile.ZipFile(wheel) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


@pytest.fixture(scope="module")
def dist_info(wheel_files: dict[str, bytes]) -> dict[str, bytes]:
    prefix = f"bidwhist-{__version__}.dist-info/"
    return {name.removeprefix(prefix): data for name, data in wheel_files.items() if name.startswith(prefix)}


def test_wheel_is_pure_python(wheel: Path) -> None:
    assert wheel.name == f"bidwhist-{__version__}-py3-none-any.whl"


def test_wheel_has_the_two_packages_and_nothing_else(wheel_files: dict[str, bytes]) -> None:
    tops = {name.split("/")[0] for name in wheel_files}
    assert tops == {"bidwhist", "bidwhist_bots", f"bidwhist-{__version__}.dist-info"}


@pytest.mark.parametrize("package", ["bidwhist", "bots/bidwhist_bots"])
def test_wheel_has_every_source_file(package: str, wheel_files: dict[str, bytes]) -> None:
    folder = ROOT / package
    sources = {path.relative_to(folder.parent).as_posix() for path in folder.rglob("*.py")}
    assert f"{folder.name}/__init__.py" in sources
    sources |= {path.relative_to(folder.parent).as_posix() for path in folder.rglob("*.c")}
    assert sources <= wheel_files.keys()
    assert f"{folder.name}/py.typed" in wheel_files


def test_wheel_has_no_caches(wheel_files: dict[str, bytes]) -> None:
    assert [name for name in wheel_files if re.search(r"__pycache__|\.(pyc|nbi|nbc)$", name)] == []


def test_wheel_metadata(dist_info: dict[str, bytes]) -> None:
    metadata = email.message_from_bytes(dist_info["METADATA"])
    assert metadata["Name"] == "bidwhist"
    assert metadata["Version"] == __version__
    assert metadata["Requires-Python"] == ">=3.11"
    assert metadata["License-Expression"] == "Apache-2.0"
    assert dist_info["licenses/LICENSE"] == (ROOT / "LICENSE").read_bytes()
    assert set(metadata.get_all("Provides-Extra", [])) == {"dev", "notebook"}


def test_wheel_has_the_command(dist_info: dict[str, bytes]) -> None:
    assert "bw-arena = bidwhist.cli:main" in dist_info["entry_points.txt"].decode().splitlines()


def test_installed_wheel_exposes_only_the_two_packages(wheel: Path, tmp_path: Path) -> None:
    target = tmp_path / "target"
    options = ["--no-deps", "--no-index", "--disable-pip-version-check", "--quiet", "--root-user-action=ignore"]
    run(sys.executable, "-m", "pip", "install", *options, "--target", target, wheel, cwd=tmp_path)

    # -S leaves out the .pth files, among them that of an editable install; -I the current folder and PYTHONPATH.
    paths = [str(target), *dict.fromkeys(sysconfig.get_path(name) for name in ("purelib", "platlib"))]
    setup = f"import sys; sys.path[:] += {paths!r}; import bidwhist, bidwhist_bots\n"
    printed = run(sys.executable, "-I", "-S", "-c", setup + LOCATE, "bidwhist", "bidwhist_bots", "bots", cwd=tmp_path)
    found = json.loads(printed)
    assert found["bots"] is None
    for package in ("bidwhist", "bidwhist_bots"):
        assert all(is_below(path, target) for path in found[package]), found


def test_this_install_exposes_the_two_packages_but_not_the_tree(tmp_path: Path) -> None:
    """Holds for the install that runs this test: an editable one in development, and any other as well."""
    setup = "import bidwhist, bidwhist_bots\n"
    names = ("bidwhist", "bidwhist_bots", "bots", "tests")
    found = json.loads(run(sys.executable, "-I", "-c", setup + LOCATE, *names, cwd=tmp_path))
    assert found["bidwhist"]
    assert found["bidwhist_bots"]
    assert found["bots"] is None
    # Some other distribution may have put a `tests` into site-packages; that of this tree must not be found.
    assert found["tests"] is None or not any(is_below(path, ROOT / "tests") for path in found["tests"])


def test_installed_version() -> None:
    assert importlib.metadata.version("bidwhist") == __version__


def test_changelog_mentions_the_version() -> None:
    headings = re.findall(r"^## \[([^\]]+)\]", (ROOT / "CHANGELOG.md").read_text(encoding="utf-8"), re.MULTILINE)
    assert headings[:1] == ["Unreleased"] or __version__ in headings


def test_lock_pins_every_package_and_names_no_address() -> None:
    lines = (ROOT / "requirements.lock").read_text(encoding="utf-8").splitlines()
    pins = [line for line in lines if line and not line.startswith("#")]
    assert pins
    assert [line for line in pins if not re.match(r"[a-z0-9.-]+==[^\s@:]+( ; .+)?$", line)] == []
