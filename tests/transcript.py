"""Conversations with a bot, as docs/protocol.md shows them: `python tests/transcript.py` prints one for each version.

That of version 2 is with the example; that of version 1 is with the example as it was before there was another version.
"""

import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from unittest.mock import patch

import numpy as np

from bidwhist.bot.sources.find import find_bot
from bidwhist.observation import OBSERVATION
from bidwhist.process.child import Child
from bidwhist.process.deadline import Deadline
from bidwhist.rules import preset
from bidwhist.table import Table

FOLDERS = {
    1: Path(__file__).parent / "data" / "starters",
    2: Path(__file__).parent.parent / "examples" / "cmd",
}
BOARDS = {1: [0], 2: [0, 4]}
WIDTH = 112


def conversation(version: int) -> list[tuple[str, str]]:
    """Every line that is said, with who says it: a seat's call, in version 2 at two tables, and its card at one."""
    said: list[tuple[str, str]] = []
    send, line, farewell = Child.send, Child.receive, Child.close_input

    def note(data: bytes) -> None:
        said.extend(("arena", each) for each in data.decode().splitlines())

    def noted_send(child: Child, data: bytes, deadline: Deadline) -> None:
        note(data)
        send(child, data, deadline)

    def noted_line(child: Child, deadline: Deadline) -> bytes:
        answer = line(child, deadline)
        said.append(("bot", answer.decode().rstrip()))
        return answer

    def noted_farewell(child: Child, data: bytes) -> None:
        note(data)
        farewell(child, data)

    with (
        patch.object(Child, "send", noted_send),
        patch.object(Child, "receive", noted_line),
        patch.object(Child, "close_input", noted_farewell),
    ):
        _play(FOLDERS[version], BOARDS[version])
    return said


def _play(folder: Path, boards: Sequence[int]) -> None:
    rules = preset("traditional")
    tables = [Table.deal(1, board, rules) for board in boards]
    seat = tables[0].observe().seat
    source = find_bot("cmd:./pass_and_follow.py?style=calm", "mine", [folder])
    with source.load(rules) as bot:

        def ask(asked: list[Table]) -> None:
            rows = np.array([table.observe(key).row for key, table in enumerate(asked)], OBSERVATION)
            assert set(rows["seat"].tolist()) == {seat}
            for table, action in zip(asked, bot.decide(rows, np.arange(len(rows))).tolist(), strict=True):
                table.act(action)

        ask(tables)
        while (obs := tables[0].observe()).phase != "play" or obs.seat != seat:
            tables[0].act(obs.legal[0])
        ask(tables[:1])
        bot.finish(np.arange(len(tables)))


def transcript(version: int) -> str:
    """The conversation; lines too long for a page are broken."""
    return "\n".join(part for who, line in conversation(version) for part in _broken(who, line)) + "\n"


def _broken(who: str, line: str) -> Iterator[str]:
    part = "> " if who == "arena" else "< "
    for piece in re.findall("[^,]+,?", line):
        if len(part + piece) > WIDTH:
            yield part.rstrip()
            part = "    "
        part += piece
    yield part


if __name__ == "__main__":
    print(*map(transcript, FOLDERS), sep="\n", end="")
