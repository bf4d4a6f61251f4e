"""The source of jailed processes: one server for this process and those that it starts."""

import atexit
import os
from typing import Final, NamedTuple

from bidwhist.jail.client import Server
from bidwhist.results.manifest import Isolated

_PREPARE: Final = "bidwhist.bot.jailed.inside:prepare"
_VARIABLE: Final = "BIDWHIST_JAIL"  # the address of the server, for processes that this one starts


_servers: Final[list[Server]] = []  # that this process has started


@atexit.register
def end_servers() -> None:
    """End the servers that this process has started, with their folders; also called when Python exits."""
    while _servers:
        _servers.pop().close()


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
        _servers.append(server)
        os.environ[_VARIABLE] = f"{server.address}#{seed}"
        return server.address
