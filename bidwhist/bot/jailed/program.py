"""A program of a stranger's, started in a jail for each seat."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from bidwhist.bot.jailed.jail import Jail
from bidwhist.bot.jailed.scratch import Scratch
from bidwhist.bot.limits import Limits
from bidwhist.jail.client import start as start_jailed
from bidwhist.jail.confine import Confinement
from bidwhist.jail.server import Request
from bidwhist.process.child import Child
from bidwhist.process.output import Output
from bidwhist.results.manifest import Isolated

_TARGET: Final = "bidwhist.jail.server:run_program"
_OF_PREFIX: Final = ("bin", "lib", "lib64", "libexec", "share")


@dataclass(frozen=True)
class JailedStart:
    """Starts a program that may read what belongs to it, in a process that may write nothing but its scratch folder."""

    jail: Jail

    @property
    def isolation(self) -> Isolated:
        """The isolation of its processes."""
        return self.jail.isolation

    def start(
        self, command: Sequence[str], output: Output, folder: Path, limits: Limits, *, readable: Sequence[Path]
    ) -> Child:
        """The process of a command, started in its folder; `readable`: its files, wherever they lie.

        Raises OSError, or Stopped for a limit of the machine.
        """
        from bidwhist.bot.deciders.protocol import LINE_LIMIT  # loads the engine

        scratch = Scratch(Path(self.jail.address).parent, limits.scratch)
        terms = Confinement(
            scratch.path,
            (folder, *readable, *_belonging(Path(command[0]))),
            limits.memory,
            program=True,
            isolated=self.jail.isolated,
        )
        try:
            request = Request(_TARGET, ([*command], folder), terms)
            return start_jailed(
                self.jail.address, request, output, line_limit=LINE_LIMIT, at_end=scratch.remove, watch=scratch.check
            )
        except BaseException:
            scratch.remove()
            raise


def _belonging(program: Path) -> list[Path]:
    """A program, and what is installed with it if it lies in a folder `bin` or `shims`."""
    found = [program, program.resolve()]
    for each in tuple(found):
        if each.parent.name == "shims":  # of a manager of versions, which has all that belongs to it in one folder
            found.append(each.parent.parent)
        if each.parent.name == "bin":
            found += [each.parent.parent / name for name in _OF_PREFIX]
    return found
