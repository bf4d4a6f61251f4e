"""The source of jailed processes: one server for this process and those that it starts."""

import os
from typing import Final, NamedTuple

from bidwhist.jail.client import Server
from bidwhist.process.endings import at_end
from bidwhist.results.manifest import Isolated

_PREPARE: Final = "bidwhist.bot.jailed.inside:prepare"
_VARIABLE: Final = "BIDWHIST_JAIL"  # the address of the server, for processes that this one starts


class Jail(NamedTuple):
    """A way to start jailed processes. `isolated`: the system can confine them fully."""

    isolated: bool

    @property
    def isolation(self) -> Isolated:
        """The word for it."""
        return "jail" if self.isolated else "process"

    def started(self) -> "Jail":
        """The same, with the server started: before anything of a hand is known, and for all processes of this one."""
        assert self.address
        return self

    @property
    def address(self) -> str:
        """The address of their server, which is started when it is first asked for.

        Sets of texts have the same order in them as in this process: it has the same PYTHONHASHSEED.
        """
        seed = os.environ.get("PYTHONHASHSEED", "0")
        seed = seed if seed.isdigit() else "0"
        found, _, of = os.environ.get(_VARIABLE, "").rpartition("#")
        if found and of == seed:
            return found
        server = Server(_PREPARE, seed)
        at_end(server.close)
        os.environ[_VARIABLE] = f"{server.address}#{seed}"
        return server.address
