"""A process of a check: it does one task, and is ended by its own watch if the bot does not answer."""

import faulthandler
import tempfile
from pathlib import Path
from typing import IO, Any, Final

from bidwhist.arena.config import make_config
from bidwhist.arena.players import find_player
from bidwhist.arena.run import Tournament, run
from bidwhist.bot.context import Limits
from bidwhist.check.meet import SEED, meet, warm_up
from bidwhist.check.replay import replay
from bidwhist.check.report import Strength
from bidwhist.check.task import Contest, Meet, Task
from bidwhist.errors import BidWhistError
from bidwhist.process import Child, or_end
from bidwhist.results.standings import standings_of

_LEAST_PATIENCE: Final = 10.0  # seconds; a machine may be busy with other things
_MOST_WAIT: Final = 60.0  # seconds, for many answers at once
_TIMES: Final = 20  # so many times the limit of a decision


class Died(Exception):
    """The process of a task has ended without an answer; the text says why."""


def patience_of(limits: Limits) -> float:
    """Seconds after which a decision is taken for one that never ends."""
    return max(_LEAST_PATIENCE, _TIMES * limits.decision)


class Trial:
    """A task that is done in a process of its own."""

    def __init__(self, task: Task, hash_seed: int = 0) -> None:
        self._folder = tempfile.TemporaryDirectory(prefix="bidwhist-check-")
        self._file = task.player.file
        self._watch = Path(self._folder.name) / "watch.txt"
        self._child = Child("bidwhist.check.trial:serve", {"PYTHONHASHSEED": str(hash_seed)})
        self._child.pipe.send((task, str(self._watch)))

    def answer(self) -> Any:
        """Wait for what comes of it. Raises Died, or the BidWhistError that it raised."""
        try:
            found = self._child.pipe.recv()
        except (EOFError, OSError):
            found = None
        self._child.end(patience=3)
        watched = self._watch.read_text(encoding="utf-8", errors="replace") if self._watch.exists() else ""
        self._folder.cleanup()
        if isinstance(found, BidWhistError):
            raise found
        if found is None:
            raise Died(self._why(watched))
        return found

    @property
    def output(self) -> str:
        """What the bot has printed, when the task is done."""
        return self._child.output.text

    def _why(self, watched: str) -> str:
        if "Timeout" in watched:
            return f"gave no answer in time{_place(watched, self._file)}"
        code = self._child.process.returncode
        how = f"signal {-code}" if code < 0 else f"exit code {code}"
        return f"ended the process that it played in ({how}){self._child.output.last_words()}"


def _place(watched: str, file: Path | None) -> str:
    """Where the main thread was: the innermost line of the bot's file, or else of what is not of the arena."""
    main = watched.rpartition("(most recent call first):")[2]
    lines = [line.strip() for line in main.splitlines() if line.strip().startswith("File ")]
    own = str(Path(__file__).parent.parent)
    places = [line for line in lines if file and f'"{file}"' in line] or [line for line in lines if own not in line]
    return f": {places[0]}" if places else ""


def serve(pipe: Any) -> None:
    """What the process does."""
    task, watch = or_end(pipe.recv)
    with Path(watch).open("w", encoding="utf-8") as file:
        try:
            answer = _do(task, file)
        except BidWhistError as error:
            answer = type(error)(str(error))
        or_end(pipe.send, answer)


def _do(task: Task, file: IO[str]) -> Any:
    def guard(seconds: float) -> None:
        """End the process after some seconds, and tell where it was; 0: it need not be."""
        if seconds:
            faulthandler.dump_traceback_later(min(seconds, _MOST_WAIT), exit=True, file=file)
        else:
            faulthandler.cancel_dump_traceback_later()

    if isinstance(task, Contest):
        return _contest(task)
    warm_up()
    patience = patience_of(task.limits)
    return meet(task, guard, patience) if isinstance(task, Meet) else replay(task, guard, patience)


def _contest(task: Contest) -> list[Strength]:
    """The bot against its opponents, as a tournament."""
    name = task.player.entry.name
    opponents = [{"spec": each, "name": f"{each} (opponent)"} for each in task.opponents]
    config = make_config(
        {
            "seed": SEED,
            "rules": task.preset,
            "boards": task.boards,
            "bots": [{"spec": task.player.entry.spec, "name": name}, *opponents],
            "pairing": "gauntlet",
            "challengers": [name],
        },
        "check",
    )
    players = (task.player, *(find_player(each["spec"], each["name"], []) for each in opponents))
    with tempfile.TemporaryDirectory(prefix="bidwhist-check-") as folder:
        run(Tournament(config, players, Path(folder)), Path(folder), executor="inline")
        pairings = standings_of(Path(folder)).pairings
    results = []
    for spec, line in zip(task.opponents, opponents, strict=True):
        score = next(each.score for each in pairings if (each.bot, each.opponent) == (name, line["name"]))
        assert score.points_per_board is not None
        results.append(Strength(spec, score.points_per_board, score.ci95, score.boards, task.preset))
    return results
