"""Work done in a copy of this process, of which nothing is left but its answer.

Whatever a stranger's code does there, to the process, its threads or its working folder, this process goes on.
"""

import math
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from functools import partial
from importlib import import_module
from typing import Any, Final, NamedTuple, TypeAlias

from bidwhist.activity import start_over, tell
from bidwhist.errors import BidWhistError, Stopped, bare
from bidwhist.interrupts import UserInterrupt, keep_interrupts_to_bots
from bidwhist.process.deadline import Deadline
from bidwhist.process.endings import end_all
from bidwhist.process.fault import ProcessFault
from bidwhist.process.folder import TemporaryFolder
from bidwhist.process.output import Output
from bidwhist.process.python import Activity, Channel, PythonChild, reporting_to
from bidwhist.process.tree import adopt_orphans, end_children, end_with_parent

_PATIENCE: Final = 3.0  # seconds for a process that has answered to end by itself

Hear: TypeAlias = Callable[[Any], None]
"""Called with what the work sends on its way."""


class Outcome(NamedTuple):
    """The outcome of work: its answer, or the reason why there is none.

    `answer`: what it returned, or what it raised if that is a BidWhistError or a UserInterrupt; `fault`: why there is
    no answer, in words that follow the name of the process; `output`: what was printed.
    """

    answer: Any
    fault: str | None
    output: Output

    def result(self) -> Any:
        """The answer. Raises the error that it is; ProcessFault if there is none."""
        if self.fault is not None:
            raise ProcessFault(self.fault)
        if isinstance(self.answer, BaseException):
            raise self.answer
        return self.answer


class _Answer(NamedTuple):
    value: Any


class Forked:
    """A copy of this process that works; a context, which ends it."""

    def __init__(
        self, work: Callable[[Channel], Any], *, terminal: bool = False, takes_interrupts: bool = False
    ) -> None:
        """`work` is called with the copy's Channel to this process.

        `terminal`: it shares the standard streams; `takes_interrupts`: an interrupt there is the user's, and no fault
        of a bot.
        """
        self._process = PythonChild.fork(lambda channel: _do(work, channel, takes_interrupts), terminal=terminal)

    def __enter__(self) -> "Forked":
        return self

    def __exit__(self, *raised: object) -> None:
        self._process.end()

    @property
    def pid(self) -> int:
        """Its process id."""
        return self._process.child.pid

    def send(self, message: object) -> None:
        """Send an object to the work. Raises ProcessFault."""
        self._process.send(message)

    def outcome(self, hear: Hear = lambda message: None, seconds: float = math.inf) -> Outcome:
        """Wait for what comes of the work, which has ended then.

        Its activities are told here; `hear` is called with whatever else it sends. `seconds`: how long may pass without
        an answer, that of activities not counted.
        """
        answer = fault = None
        deadline = Deadline(seconds)
        try:
            while not isinstance(message := self._process.receive(deadline), _Answer):
                if isinstance(message, Activity):
                    tell(message.words)
                    deadline = Deadline(seconds if message.words is None else math.inf)
                else:
                    hear(message)
            answer = message.value
        except ProcessFault as error:
            fault = error.reason if deadline.left else f"gave no answer within {seconds:g} s"
        self._process.end(_PATIENCE if fault is None else 0)
        return Outcome(answer, fault, self._process.child.output)


def _do(work: Callable[[Channel], Any], channel: Channel, takes_interrupts: bool) -> None:
    start_over()
    if not takes_interrupts:
        keep_interrupts_to_bots()
    adopt_orphans()
    end_with_parent()
    with reporting_to(channel):
        try:
            answer = work(channel)
        except (BidWhistError, UserInterrupt) as error:
            answer = bare(error) if isinstance(error, BidWhistError) else type(error)(str(error))
    channel.send(_Answer(answer))
    end_all()
    end_children()


class ForkServer:
    """A process that is prepared once, and does each task in a copy of itself: none finds anything of another."""

    def __init__(self, prepare: str, hash_seed: int = 0) -> None:
        """`prepare`, written `module:function`, is called in the process, and gives the function from a task to its
        answer. `hash_seed`: its PYTHONHASHSEED."""
        # An empty working folder, where no file lies by chance.
        self._folder = TemporaryFolder("work")
        self._process = PythonChild.start(
            "bidwhist.process.forked:serve", {"PYTHONHASHSEED": str(hash_seed)}, self._folder.path
        )
        self._process.send(prepare)

    def begin(self, tasks: Sequence[Any], seconds: float = math.inf) -> None:
        """Do tasks, all at the same time; `seconds`: how long each may take. Raises ProcessFault."""
        self._process.send((tasks, seconds))

    def outcomes(self) -> list[Outcome]:
        """Wait for the outcomes of the tasks that have begun, in order.

        Raises ProcessFault if the process itself ends, Stopped if the machine refuses.
        """
        while isinstance(message := self._process.receive(), Activity):
            tell(message.words)
        if isinstance(message, Stopped):
            raise message
        outcomes: list[Outcome] = message
        return outcomes

    @property
    def last_words(self) -> str:
        """The end of what the process itself has printed, to be put behind a message."""
        return self._process.last_words

    def end(self) -> None:
        """End the process, with all that it does."""
        self._process.end()
        self._folder.remove()


def serve(channel: Channel) -> None:
    """The life of a process of a ForkServer."""
    module, _, name = channel.receive().partition(":")
    with reporting_to(channel):
        do = getattr(import_module(module), name)()
        while True:
            tasks, seconds = channel.receive()
            try:
                channel.send(_outcomes(do, tasks, seconds))
            except Stopped as error:  # by the machine
                channel.send(error)


def _outcomes(do: Callable[[Any], Any], tasks: Sequence[Any], seconds: float) -> list[Outcome]:
    """Do tasks in copies of this process, all at the same time. Raises Stopped if the machine refuses."""
    outcomes = []
    with ExitStack() as stack:
        running = [stack.enter_context(Forked(partial(_do_task, do, task))) for task in tasks]
        pids = {each.pid for each in running}
        for each in running:
            outcomes.append(each.outcome(seconds=seconds))
            pids.remove(each.pid)
            end_children(but=pids)
    return outcomes


def _do_task(do: Callable[[Any], Any], task: Any, channel: Channel) -> Any:
    return do(task)
