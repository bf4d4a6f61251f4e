"""The watch beside a bot: it ends the process if the bot does not answer, and keeps where the bot was."""

import faulthandler
from pathlib import Path
from typing import Final

from bidwhist.bot.limits import Limits
from bidwhist.process.noted import Notes, last_note

START: Final = "start"
"""Where a bot is while it is imported and made."""

_LEAST_PATIENCE: Final = 10.0  # seconds; a machine may be busy with other things
_MOST_WAIT: Final = 60.0  # seconds, for many answers at once
_CONTEST_WAIT: Final = 900.0
_STARTS: Final = 3  # so many times the limit of a start
_TIMES: Final = 20  # so many times the limit of a decision


class Watch:
    """The watch of a task, with files in the task's folder. It works while the bot holds the interpreter's lock.

    A bot that is `contained`, in processes of its own, is ended there; its watch only keeps where it was.
    """

    def __init__(self, folder: Path, limits: Limits, *, contained: bool) -> None:
        self._contained = contained
        self._file = (folder / "watch").open("w", encoding="utf-8")
        self._notes = Notes(folder / "at")
        self._limits = limits

    def start(self) -> None:
        """The bot is imported and made."""
        self.note(START)
        self._end_after(_STARTS * self._limits.start)

    def ask(self, decisions: int = 1) -> None:
        """The bot is asked for so many decisions at once."""
        patience = max(_LEAST_PATIENCE, _TIMES * self._limits.decision)
        self._end_after(max(patience, min(patience * decisions, _MOST_WAIT)))

    def play(self) -> None:
        """The bot plays a tournament."""
        self._end_after(_CONTEST_WAIT)

    def rest(self) -> None:
        """The bot has answered."""
        faulthandler.cancel_dump_traceback_later()

    def note(self, where: str) -> None:
        """Keep what is done now."""
        self._notes.write(where)

    def _end_after(self, seconds: float) -> None:
        if not self._contained:
            faulthandler.dump_traceback_later(seconds, exit=True, file=self._file)


def where_it_was(folder: Path) -> str:
    """The last note; '' if there is none."""
    return last_note(folder / "at")


def timed_out(folder: Path, file: Path | None) -> str | None:
    """None if the watch has not ended the process; else the line of the bot's `file` in which it was, or ''."""
    try:
        watched = (folder / "watch").read_text("utf-8", "replace")
    except OSError:
        return None
    if "Timeout" not in watched:
        return None
    main = watched.rpartition("(most recent call first):")[2]  # of threads the main one comes last
    lines = [line.strip() for line in main.splitlines() if line.strip().startswith("File ")]
    own = str(Path(__file__).parent.parent)
    places = [line for line in lines if file and f'"{file}"' in line]
    places += [line for line in lines if own not in line and '"<string>"' not in line]  # not our own start
    return places[0] if places else ""
