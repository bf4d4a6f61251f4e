"""Folders for temporary files, of which none is left, not even by a process that was killed."""

import os
import shutil
import tempfile
from contextlib import suppress
from pathlib import Path
from types import TracebackType
from typing import IO, Any, Final

from bidwhist.locks import are_there, takes
from bidwhist.process.machine import machine_limits

_PREFIX: Final = "bidwhist-"
_LOCK: Final = "lock"
_FILES: Final = "files"


class TemporaryFolder:
    """A new folder, empty, at `path`; a context, which gives the path and removes the folder in the end.

    Its process holds a lock beside it. One whose process is gone is removed when the next folder is made.
    """

    def __init__(self, kind: str, *, place: Path | None = None, mode: int = 0o700) -> None:
        """`kind`: a word for its name; `place`: where to make it, if not in the usual folder; `mode`: its permissions.

        Raises Stopped for a limit of the machine, such as a full disk.
        """
        place = place or Path(tempfile.gettempdir())
        _remove_left(place)
        with machine_limits(f"no temporary folder can be made in {place}"):
            while (lock := self._make(kind, place, mode)) is None:
                pass
        self._lock: IO[Any] = lock

    def _make(self, kind: str, place: Path, mode: int) -> IO[Any] | None:
        """Make it; None if another process took it for one that was left."""
        self._whole = Path(tempfile.mkdtemp(prefix=f"{_PREFIX}{kind}-", dir=place))
        self.path = self._whole / _FILES
        try:
            lock = (self._whole / _LOCK).open("a")
            if not takes(lock):
                lock.close()
                return None
            self.path.mkdir()
            for each in (self.path, self._whole):
                each.chmod(mode)
        except FileNotFoundError:
            return None
        except BaseException:
            shutil.rmtree(self._whole, ignore_errors=True)
            raise
        return lock

    def remove(self) -> None:
        """Remove it, with all that lies in it."""
        shutil.rmtree(self._whole, ignore_errors=True)
        self._lock.close()

    def __enter__(self) -> Path:
        return self.path

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.remove()


def _remove_left(place: Path) -> None:
    """Remove the folders of processes of this user that were killed."""
    if not are_there():
        return
    for lock in place.glob(f"{_PREFIX}*/{_LOCK}"):
        with suppress(OSError):
            if lock.stat().st_uid != os.getuid():
                continue
            with lock.open("r+") as file:
                if takes(file):
                    shutil.rmtree(lock.parent, ignore_errors=True)
