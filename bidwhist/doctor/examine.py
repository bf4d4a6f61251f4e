"""The attacks on this machine, each in a jailed process of its own, and what follows from them."""

import os
import signal
import time
from collections.abc import Callable, Sequence
from contextlib import ExitStack, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, TypeAlias

import msgspec

from bidwhist.bot.jailed.isolation import Level, level
from bidwhist.bot.jailed.scratch import Scratch
from bidwhist.doctor.attack import Attack, Outcome
from bidwhist.doctor.attacks import ATTACKS, CHANNELS
from bidwhist.doctor.inside import Said, attack
from bidwhist.doctor.missing import missing
from bidwhist.doctor.scene import LEFT, SHELL, Process
from bidwhist.doctor.surroundings import Surroundings
from bidwhist.doctor.victim import Legacy, live
from bidwhist.jail.client import Server, start
from bidwhist.jail.confine import Confinement
from bidwhist.jail.server import Request
from bidwhist.process.child import Child, Pipes
from bidwhist.process.deadline import Deadline
from bidwhist.process.fault import ProcessFault
from bidwhist.process.output import Output

MEMORY: Final = 40
"""Megabytes that an attacker may take."""
ROOM: Final = 16
"""Megabytes that an attacker may write."""
_WAIT: Final = 30.0  # seconds for an attack

Launch: TypeAlias = Callable[[Callable[..., None], Any, Path, Callable[[], None]], Child]
"""Starts a process that calls a function with an argument: that, its scratch folder, and what watches over it."""


@dataclass(frozen=True)
class Finding:
    """The finding of an attack; `kind`: `bot` for a bot in Python, `program` for one that is a program."""

    theme: str
    attack: Attack
    kind: str
    outcome: Outcome
    words: str


@dataclass(frozen=True)
class Diagnosis:
    """The result of an examination. `findings`: of attacks; `channels`: of ways to find something out that may be open;
    `missing`: what a better machine would have, and how to get it."""

    findings: Sequence[Finding]
    channels: Sequence[Finding]
    missing: Sequence[str]

    @property
    def level(self) -> Level:
        """The level that the machine reaches: with an attack that succeeds, never `jail`."""
        offered = level()
        return Level.PROCESS if offered == Level.JAIL and self.successes else offered

    @property
    def successes(self) -> list[Finding]:
        """Attacks that succeeded."""
        return [each for each in self.findings if each.outcome == Outcome.SUCCEEDED]

    @property
    def is_sound(self) -> bool:
        """True if strangers' bots can be contained."""
        return self.level == Level.JAIL

    def as_dict(self) -> dict[str, Any]:
        """Plain data."""

        def shown(found: Sequence[Finding]) -> list[dict[str, str]]:
            return [
                {
                    "theme": each.theme,
                    "attack": each.attack.name,
                    "title": each.attack.title,
                    "kind": each.kind,
                    "outcome": each.outcome.name.lower(),
                    "words": each.words,
                }
                for each in found
            ]

        return {
            "level": str(self.level),
            "missing": list(self.missing),
            "attacks": shown(self.findings),
            "channels": shown(self.channels),
        }


def examine(progress: Callable[[str], None] = lambda words: None) -> Diagnosis:
    """Try all attacks. Raises Stopped if processes cannot be started."""
    reached = level()
    if reached == Level.NONE:
        return Diagnosis([], [], missing())
    findings: list[Finding] = []
    channels: list[Finding] = []
    with ExitStack() as stack:
        server = Server("bidwhist.doctor.inside:prepare")
        stack.callback(server.close)
        for kind in ("bot", "program"):
            launch = jailed(server, program=kind == "program", isolated=reached == Level.JAIL)
            with Ring(launch, Process(server.pid), Path(server.folder)) as ring:
                for theme, attacks in ATTACKS.items():
                    progress(f"attacks of a {kind}: {theme}")
                    for each in attacks:
                        if not (kind == "program" and each.allowed):
                            findings.append(ring.try_out(theme, each, kind))
                channels += [ring.try_out("channels", each, kind) for each in CHANNELS]
    return Diagnosis(findings, channels, missing())


def jailed(server: Server, *, program: bool, isolated: bool = True) -> Launch:
    """Starting processes in the jail of a bot, or of a program."""

    def launch(function: Callable[..., None], argument: Any, scratch: Path, watch: Callable[[], None]) -> Child:
        readable = (Path(argument.shared).parent,) if isinstance(argument, Legacy) else (argument[1].shared.parent,)
        terms = Confinement(scratch, readable, MEMORY, program=program, isolated=isolated)
        target = f"{function.__module__}:{function.__name__}"
        return start(server.address, Request(target, argument, terms), Output(1 << 12), watch=watch)

    return launch


def unconfined(function: Callable[..., None], argument: Any, scratch: Path, watch: Callable[[], None]) -> Child:
    """Starting processes without a jail, in which the attacks show what they can do."""

    def work(pipes: Pipes) -> None:
        os.chdir(scratch)
        function(pipes, [], argument)

    return Child.fork(work, Output(1 << 12))


class Ring:
    """Attackers and their surroundings. A context manager."""

    def __init__(self, launch: Launch, server: Process | None, folder: Path) -> None:
        """`launch`: how processes are started; `server`: the parent, if there is one; `folder`: where scratch folders
        lie."""
        self._launch = launch
        self._server = server
        self._folder = folder
        self._surroundings = Surroundings(MEMORY, ROOM)
        self._stack = ExitStack()

    def __enter__(self) -> "Ring":
        with ExitStack() as stack:
            surroundings = stack.enter_context(self._surroundings)
            self._own = Scratch(self._folder, ROOM)
            stack.callback(self._own.remove)
            self._partner = surroundings.add_partner(
                lambda legacy: self._launch(live, legacy, self._own.path, lambda: None)
            )
            self._stack = stack.pop_all()
        return self

    def __exit__(self, *of_error: object) -> None:
        self._stack.close()

    def try_out(self, theme: str, tried: Attack, kind: str) -> Finding:
        """Try an attack, and look at what it has left."""
        scratch = Scratch(self._folder, ROOM)
        try:
            scene = self._surroundings.scene(scratch.path, self._server or self._surroundings.host, self._partner)
            child = self._launch(attack, (tried.name, scene), scratch.path, scratch.check)
            try:
                said = _heard(child)
            finally:
                child.end()
            left = self._surroundings.traces()
            if _lives_on(scratch.path / LEFT):
                left.append("a process lives on")
        finally:
            scratch.remove()
        if left:
            return Finding(theme, tried, kind, Outcome.SUCCEEDED, "; ".join(left))
        return Finding(theme, tried, kind, said.outcome, said.words)


def _heard(child: Child) -> Said:
    """The words of the attacker, or its end."""
    try:
        return msgspec.json.decode(child.receive(Deadline(_WAIT)), type=Said)
    except ProcessFault as fault:
        if fault.reason == f"exited with code {SHELL}":
            return Said(Outcome.SUCCEEDED, "it became a shell")
        return Said(Outcome.HELD, fault.reason)
    except msgspec.DecodeError:
        return Said(Outcome.HELD, "said nothing that can be read")


def _lives_on(note: Path) -> bool:
    """True if the process whose number stands in a file is there; it is ended."""
    with suppress(OSError, ValueError):
        pid = int(note.read_text("ascii"))
        for _ in range(20):
            os.kill(pid, 0)
            time.sleep(0.02)
        os.kill(pid, signal.SIGKILL)
        return True
    return False
