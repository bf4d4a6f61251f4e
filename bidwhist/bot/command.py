"""Bots in any language: a command that speaks the protocol of docs/protocol.md, behind the interface of the engine.

A process plays one seat, at all tables that the arena's own process plays, and is asked one question at a time.
"""

import errno
import hashlib
import os
import shutil
import weakref
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from bidwhist.bot.child import Child, Deadline
from bidwhist.bot.context import LIMITS, Limits
from bidwhist.bot.errorlog import ErrorLog
from bidwhist.bot.protocol import (
    QUIT,
    ProtocolFault,
    Title,
    action_of,
    end,
    hello,
    observe,
    title_of,
)
from bidwhist.bot.scalar import Act
from bidwhist.bot.spec import Spec, find_file, words_of
from bidwhist.cards import Seat
from bidwhist.engine.batch import DecisionFailed
from bidwhist.errors import BotSpecError
from bidwhist.observation import Obs, observations
from bidwhist.rules import Rules

_PATIENCE: Final = 1.0  # seconds to exit after `quit`


class _Talk:
    """What has been said to one process, and what it has still to be told."""

    def __init__(self, child: Child, greeting: bytes, limits: Limits) -> None:
        """Exchange the hellos. Raises ProtocolFault."""
        self.child = child
        self._limit = limits.answer
        self._questions = 0
        self._numbers: dict[int, int] = {}  # what the process calls the player of a sequence
        self._players = 0
        self._ends: list[bytes] = []
        deadline = Deadline(limits.start)
        try:
            child.send(greeting, deadline)
            line = child.line(deadline)
        except ProtocolFault as fault:
            raise ProtocolFault(f"{fault.reason}, before its hello") from None
        self.title: Title = title_of(line)

    def ask(self, sequence: int, obs: Obs) -> int:
        """The answer of a sequence's player. Raises ProtocolFault."""
        if sequence not in self._numbers:
            self._numbers[sequence] = self._players
            self._players += 1
        number = self._questions
        self._questions += 1
        self.child.check_silence()
        deadline = Deadline(self._limit)
        self.child.send(self._unsaid() + observe(number, self._numbers[sequence], obs), deadline)
        return action_of(self.child.line(deadline), number)

    def forget(self, sequence: int) -> None:
        """The sequence is over. The process is told with the next message: telling can fail, forgetting cannot."""
        if sequence in self._numbers:
            self._ends.append(end(self._numbers.pop(sequence)))

    def farewell(self) -> None:
        """Say what is left to say, and that it is all over."""
        self.child.farewell(self._unsaid() + QUIT)

    def _unsaid(self) -> bytes:
        ends = b"".join(self._ends)
        self._ends.clear()
        return ends


def _end_all(talks: dict[Seat, _Talk]) -> None:
    for talk in talks.values():
        talk.farewell()
    deadline = Deadline(_PATIENCE)
    while talks:
        talks.popitem()[1].child.stop(deadline)


class CommandBot:
    """A command, started for a seat when it is first asked; a context that ends its processes when it is left."""

    def __init__(
        self,
        name: str,
        command: Sequence[str],
        rules: Rules,
        parameters: Mapping[str, str],
        folder: Path,
        limits: Limits = LIMITS,
    ) -> None:
        """`folder`: where the command is started."""
        self._name = name
        self._command = command
        self._rules = rules
        self._parameters = parameters
        self._folder = folder
        self._limits = limits
        self._talks: dict[Seat, _Talk] = {}
        self._logs: dict[Seat, ErrorLog] = {}
        self._singles = 0
        self._finalizer = weakref.finalize(self, _end_all, self._talks)  # also when Python exits

    @property
    def name(self) -> str:
        """The bot's name in messages."""
        return self._name

    @property
    def titles(self) -> dict[Seat, Title]:
        """What the processes call themselves, by seat."""
        return {seat: talk.title for seat, talk in self._talks.items()}

    @property
    def errors(self) -> dict[Seat, str]:
        """What has been written to standard error so far, by seat: the first 32 KB, and a count of the rest."""
        return {seat: log.text() for seat, log in self._logs.items()}

    def decide(self, rows: NDArray[np.void], sequences: NDArray[np.int64]) -> NDArray[np.int64]:
        """An action for each OBSERVATION row. Raises DecisionFailed, and BotSpecError if the command does not start."""
        answers = np.empty(len(rows), np.int64)
        for place, (obs, sequence) in enumerate(zip(observations(rows), sequences.tolist(), strict=True)):
            answers[place] = self._ask(obs, sequence, place)
        return answers

    def finish(self, sequences: NDArray[np.int64]) -> None:
        """Forget the players of these sequences."""
        over = sequences.tolist()
        for talk in self._talks.values():
            for sequence in over:
                talk.forget(sequence)

    def player(self) -> Act:
        """A new player, asked for a single decision. It raises DecisionFailed, and BotSpecError as `decide` does."""
        self._singles -= 1
        sequence = self._singles  # the engine's are not negative
        return lambda obs: self._ask(obs, sequence, 0)

    def close(self) -> None:
        """End the processes. One that is asked again is started anew, and remembers nothing."""
        _end_all(self._talks)

    def __enter__(self) -> "CommandBot":
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def introduce(self, seat: Seat) -> Title:
        """Start the process of a seat, if it does not run; what it calls itself. Raises BotSpecError."""
        try:
            return self._talk(seat).title
        except ProtocolFault as fault:
            reason = self._with_last_words(fault.reason, seat)
            raise BotSpecError(f"bot {self._name!r} cannot be started: {reason}") from fault

    def _talk(self, seat: Seat) -> _Talk:
        """The talk with a seat's process, begun if there is none."""
        if seat not in self._talks:
            child = self._start(seat)
            try:
                greeting = hello(self._rules, seat, self._parameters, self._limits)
                self._talks[seat] = _Talk(child, greeting, self._limits)
            except BaseException:
                child.stop()
                raise
        return self._talks[seat]

    def _ask(self, obs: Obs, sequence: int, place: int) -> int:
        seat = obs.seat
        try:
            return self._talk(seat).ask(sequence, obs)
        except BaseException as error:
            # Whatever came between question and answer, the answers would be out of step.
            talk = self._talks.pop(seat, None)
            if talk:
                talk.child.stop()
            if isinstance(error, ProtocolFault):
                raise DecisionFailed(place, self._with_last_words(error.reason, seat)) from error
            raise

    def _start(self, seat: Seat) -> Child:
        try:
            return Child(self._command, self._folder, self._logs.setdefault(seat, ErrorLog()))
        except OSError as error:
            program = self._command[0]
            raise BotSpecError(f"bot {self._name!r}: {program} cannot be started: {_reason(error)}") from error

    def _with_last_words(self, reason: str, seat: Seat) -> str:
        last = self._logs[seat].tail()
        return f"{reason}; the end of its standard error: {last}" if last else reason


def _reason(error: OSError) -> str:
    if error.errno == errno.ENOEXEC:
        return "it is no program; a script begins with a line such as #!/usr/bin/env python3"
    if error.errno == errno.ENOENT:
        return "there is no such file, or not the interpreter that its first line names"
    return error.strerror or type(error).__name__


class _Found(NamedTuple):
    """A command, found: its words with the program's path first, where it starts, and the files that it names."""

    words: list[str]
    folder: Path
    files: list[Path]


def load_command_bot(
    spec: Spec,
    name: str,
    folders: Sequence[Path],
    rules: Rules,
    limits: Limits = LIMITS,
) -> CommandBot:
    """The bot of a spec of kind 'command'; nothing is started yet. Raises BotSpecError."""
    found = _find(spec, folders)
    return CommandBot(name, found.words, rules, dict(spec.parameters), found.folder, limits)


def command_hash(spec: Spec, folders: Sequence[Path]) -> str:
    """SHA-256, in hex, of a command's text and of the contents of all files that it names. Raises BotSpecError.

    The files are the program, if it is given with a path, and every further word that is the path of a file. What
    these load, and a program found by its bare name, such as an interpreter, are not in it.
    """
    digest = hashlib.sha256(spec.target.encode())
    for file in _find(spec, folders).files:
        try:
            with file.open("rb") as opened:
                digest.update(hashlib.file_digest(opened, "sha256").digest())
        except OSError as error:
            raise BotSpecError(f"bot {spec.text!r}: {file} cannot be read: {error.strerror}") from error
    return digest.hexdigest()


def _find(spec: Spec, folders: Sequence[Path]) -> _Found:
    program, *arguments = words_of(spec.text, spec.target)
    if "/" in program:
        file = find_file(program, list(folders))
        folder = next(each for each in folders if (each / program).resolve() == file)
        path = os.path.abspath(folder / program)  # noqa: PTH100  # links stay: a program may look at its own path
        if not os.access(path, os.X_OK):
            raise BotSpecError(f"bot {spec.text!r}: {path} may not be executed; `chmod +x` allows it")
        return _Found([path, *arguments], folder, [file, *_files(folder, arguments)])
    found = shutil.which(program)
    if found is None:
        near = f"; a program in a folder is written with a slash: ./{program}"
        raise BotSpecError(f"bot {spec.text!r}: there is no program {program!r} in the search path{near}")
    folder = next((each for each in folders if _files(each, arguments)), folders[0])
    return _Found([os.path.abspath(found), *arguments], folder, _files(folder, arguments))  # noqa: PTH100


def _files(folder: Path, words: Sequence[str]) -> list[Path]:
    return [folder / word for word in words if _is_file(folder / word)]


def _is_file(path: Path) -> bool:
    try:
        return path.is_file()
    except OSError:  # a name that is too long, say
        return False
