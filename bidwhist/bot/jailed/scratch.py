"""The folder that a jailed process may write, and the cap on what lies in it."""

import os
import secrets
import shutil
import stat
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Final

from bidwhist.faults import Fault
from bidwhist.process.fault import ProcessFault

_PAUSE: Final = 0.02  # seconds between two looks
_MOST_FILES: Final = 4096


class Scratch:
    """A new folder."""

    def __init__(self, folder: Path, megabytes: int) -> None:
        """Make it in `folder`, under a name that nobody can guess."""
        self.path = folder / secrets.token_hex(16)
        self.path.mkdir(0o700)
        self._most = megabytes << 20
        self._looked = time.monotonic()

    def check(self) -> None:
        """Look at it now and then. Raises ProcessFault if it holds too much."""
        now = time.monotonic()
        if now - self._looked < _PAUSE:
            return
        size = 0
        for files, (_, found) in enumerate(regular_files(self.path, everything=True)):
            size += found.st_blocks * 512
            if size > self._most or files > _MOST_FILES:
                raise ProcessFault(
                    f"wrote more than {self._most >> 20} MB or {_MOST_FILES:,} files into its scratch folder",
                    Fault.LIMIT,
                )
        self._looked = time.monotonic()

    def remove(self) -> None:
        """Remove it with all that lies in it."""
        shutil.rmtree(self.path, ignore_errors=True)
        if self.path.exists():  # a folder without rights, say
            for folder, names, _ in os.walk(self.path):
                for each in (folder, *(os.path.join(folder, name) for name in names)):  # noqa: PTH118  # as os.walk
                    with suppress(OSError):
                        os.chmod(each, 0o700, follow_symlinks=False)  # noqa: PTH101  # as above
            shutil.rmtree(self.path, ignore_errors=True)


def regular_files(folder: Path, *, everything: bool = False) -> Iterator[tuple[Path, os.stat_result]]:
    """Files below a folder; links are not followed. `everything`: whatever lies there, folders and links too."""
    waiting = [folder]
    while waiting:
        with suppress(OSError), os.scandir(waiting.pop()) as entries:
            for entry in entries:
                with suppress(OSError):
                    found = entry.stat(follow_symlinks=False)
                    if stat.S_ISDIR(found.st_mode):
                        waiting.append(Path(entry.path))
                    if everything or stat.S_ISREG(found.st_mode):
                        yield Path(entry.path), found
