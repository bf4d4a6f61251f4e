"""The module search path: what is installed comes before the working folder, whose files may have any name."""

import os
from collections.abc import Sequence
from contextlib import suppress


def installed_first(path: Sequence[str]) -> list[str]:
    """A module search path of absolute paths, with the working folder, under whatever name, at its end."""
    here = ""
    with suppress(OSError):  # the working folder is gone
        here = os.getcwd()  # noqa: PTH109  # pathlib is yet to be imported, from the path that this returns
    absolute = [os.path.join(here, each) if here else each for each in path]  # noqa: PTH118  # as above
    local = {here, os.path.join(here, ""), os.path.join(here, ".")}  # noqa: PTH118  # as above
    others = [each for each in absolute if each not in local]
    return others + [here] * (len(others) < len(absolute))
