"""What a bot's code is known by: a hash of its sources."""

import hashlib
import importlib.util
from pathlib import Path


def package_hash(package: str) -> str:
    """SHA-256, in hex, over the names and contents of a package's Python files, or of a module that is one file."""
    found = importlib.util.find_spec(package)
    folders = list(found.submodule_search_locations or ()) if found else []
    digest = hashlib.sha256()
    for folder in folders:
        for path in sorted(Path(folder).rglob("*.py")):
            digest.update(path.relative_to(folder).as_posix().encode() + b"\0" + path.read_bytes() + b"\0")
    if not folders and found and found.origin and Path(found.origin).is_file():
        digest.update(Path(found.origin).read_bytes())
    return digest.hexdigest()
