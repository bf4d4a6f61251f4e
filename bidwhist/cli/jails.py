"""The end of the jails that a command has used."""

import sys
from typing import Final

_JAIL: Final = "bidwhist.bot.jailed.jail"


def end_jails() -> None:
    """End what starts jailed processes, if this process has started it. Nothing is loaded for that."""
    if _JAIL in sys.modules:
        sys.modules[_JAIL].end_servers()
