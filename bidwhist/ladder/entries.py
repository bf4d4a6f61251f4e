"""What has been submitted to a ladder: a line of `entries.jsonl` for each bot."""

from collections.abc import Sequence
from pathlib import Path
from typing import Final

import msgspec

from bidwhist.check.report import Report
from bidwhist.errors import RunError
from bidwhist.files import read_file, write_atomically
from bidwhist.results.manifest import BotEntry

ENTRIES: Final = "entries.jsonl"
_HEX: Final = frozenset("0123456789abcdef")


class CardLine(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """An examination of a bot's report card."""

    key: str
    passed: bool | None
    words: str


class Entry(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A bot of a ladder. `spec`: names it, in the folder of its copy if it is `kept` in one; `submitted`: when, in UTC;
    `card`: what the check found; `trusted`: it plays in the arena's own processes."""

    name: str
    version: str | None
    spec: str
    sha256: str
    submitted: str
    card: list[CardLine]
    kept: bool = True
    trusted: bool = False

    @property
    def as_bot(self) -> BotEntry:
        """The entry of a run's manifest."""
        return BotEntry(self.name, self.spec, self.sha256, kept=self.spec if self.kept else None)


def card_lines(report: Report) -> list[CardLine]:
    """What is kept of a report card."""
    return [CardLine(line.key, line.passed, line.words) for line in report.lines]


def read_entries(ladder: Path) -> list[Entry]:
    """The bots submitted to the ladder in a folder, in the order in which they came. Raises RunError."""
    path = ladder / ENTRIES
    try:
        lines = read_file(path).splitlines()
    except FileNotFoundError:
        return []
    except OSError as error:
        raise RunError(f"{path}: cannot be read: {error.strerror}") from error
    entries: list[Entry] = []
    for number, line in enumerate(lines, 1):
        try:
            entry = msgspec.json.decode(line, type=Entry)
            _check(entry, entries)
        except (msgspec.DecodeError, ValueError, RecursionError) as error:
            raise RunError(f"{path}: is damaged: line {number}: {error}") from None
        entries.append(entry)
    return entries


def _check(entry: Entry, before: Sequence[Entry]) -> None:
    if len(entry.sha256) != 64 or not set(entry.sha256) <= _HEX:
        raise ValueError(f"{entry.sha256!r} is no SHA-256")
    if any(each.name == entry.name for each in before):
        raise ValueError(f"the name {entry.name!r} stands there twice")


def write_entries(ladder: Path, entries: Sequence[Entry]) -> None:
    """Write all entries. Raises Stopped if the disk refuses."""
    write_atomically(ladder / ENTRIES, b"".join(msgspec.json.encode(entry) + b"\n" for entry in entries))
