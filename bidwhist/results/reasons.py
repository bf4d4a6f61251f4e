"""Why bots failed in a run, in words: of every part the first fault of each kind. It varies from run to run."""

from collections.abc import Iterable
from pathlib import Path
from typing import Final, TypeAlias

import msgspec

from bidwhist.files import read_file, refused

REASONS: Final = "timings/faults.jsonl"

Place: TypeAlias = tuple[str, str, int, str, str, str]
"""Bot, kind of fault, board, opponent, seat and decision."""


class FaultReason(msgspec.Struct, frozen=True):
    """A fault of the kind `fault` (as `crash`), of `bot` against `opponent`, where it was, and why it came about."""

    bot: str
    fault: str
    board: int
    opponent: str
    seat: str
    decision: str
    reason: str

    @property
    def place(self) -> Place:
        """All but the reason."""
        return self.bot, self.fault, self.board, self.opponent, self.seat, self.decision


def add_reasons(run: Path, reasons: Iterable[FaultReason]) -> None:
    """Add to the reasons that a run has kept. Raises Stopped if the disk refuses."""
    lines = b"".join(msgspec.json.encode(each) + b"\n" for each in reasons)
    if lines:
        try:
            with (run / REASONS).open("ab") as file:
                file.write(lines)
        except OSError as error:
            raise refused(run / REASONS, "written", error) from error


def read_reasons(run: Path) -> dict[Place, str]:
    """The reasons that a run has kept, by `place`; what cannot be read is left out."""
    found: dict[Place, str] = {}
    try:
        lines = read_file(run / REASONS).splitlines()
    except OSError:
        return {}
    for line in lines:
        try:
            reason = msgspec.json.decode(line, type=FaultReason)
        except (msgspec.MsgspecError, RecursionError):
            continue
        found[reason.place] = reason.reason
    return found
