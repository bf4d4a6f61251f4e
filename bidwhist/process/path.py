"""The module search path: what is installed comes before the working folder, whose files may have any name."""

import os
from collections.abc import Sequence
from contextlib import suppress


def installed_first(path: Sequence[str]) -> list[str]:
    """A module search path with the working folder, under whatever name, at its end."""
    here = ""
    with suppress(OSError):  # the working folder is gone
        here = os.getcwd()  # noqa: PTH109  # pathlib is yet to be imported, from the path that this returns
    local = [each for each in path if each in ("", ".", here)]
    return [each for each in path if each not in local] + local[:1]
