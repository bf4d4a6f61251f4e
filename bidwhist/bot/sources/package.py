"""Installed packages, and modules that are one file: where they lie, and the hash of their Python files."""

import hashlib
import importlib.util
from collections.abc import Iterator
from pathlib import Path


def is_there(package: str) -> bool:
    """True if there is a package of that name that could be imported."""
    try:
        return importlib.util.find_spec(package) is not None
    except ValueError:  # of a module that has no file, such as __main__
        return False


def package_hash(package: str) -> str:
    """SHA-256, in hex, over the names and contents of the package's Python files."""
    digest = hashlib.sha256()
    for name, path in _files(package):
        digest.update(name.encode() + b"\0" + path.read_bytes() + b"\0" if name else path.read_bytes())
    return digest.hexdigest()


def has_python_files(package: str) -> bool:
    """False for a module that is built into Python, say."""
    return any(True for _ in _files(package))


def package_folder(package: str) -> Path | None:
    """The folder in which the package's folder lies, or the file of a module that is one; None if it is neither."""
    found = importlib.util.find_spec(package)
    folders = list(found.submodule_search_locations or ()) if found else []
    if len(folders) == 1 and Path(folders[0]).name == package:
        return Path(folders[0]).parent
    file = Path(found.origin) if found and found.origin else None
    return file.parent if not folders and file is not None and file.name == f"{package}.py" else None


def _files(package: str) -> Iterator[tuple[str, Path]]:
    """Python files with their names in the package; of a module that is one file, this one with ''."""
    found = importlib.util.find_spec(package)
    folders = list(found.submodule_search_locations or ()) if found else []
    for folder in map(Path, folders):
        for path in sorted(folder.rglob("*.py")):
            yield path.relative_to(folder).as_posix(), path
    if not folders and found and found.origin and Path(found.origin).is_file():
        yield "", Path(found.origin)
