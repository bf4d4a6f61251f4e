"""A conversation with the example bot, as docs/protocol.md shows it: `python tests/transcript.py` prints it."""

import re
from collections.abc import Iterator
from pathlib import Path
from unittest.mock import patch

import numpy as np

from bidwhist.bot.deciders.command import CommandBot
from bidwhist.bot.sources.find import find_bot
from bidwhist.observation import OBSERVATION
from bidwhist.process.child import Child
from bidwhist.process.deadline import Deadline
from bidwhist.rules import preset
from bidwhist.table import Table

EXAMPLES = Path(__file__).parent.parent / "examples" / "cmd"
WIDTH = 112


def conversation() -> list[tuple[str, str]]:
    """Every line that is said, with who says it: the call and the first card of a seat, and what is around them."""
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
        _play()
    return said


def _play() -> None:
    rules = preset("traditional")
    table = Table.deal(1, 0, rules)
    seat, asked = table.observe().seat, 0
    source = find_bot("cmd:./pass_and_follow.py?style=calm", "mine", [EXAMPLES])
    with patch.object(CommandBot, "introduce_all"), source.load(rules) as bot:  # one seat is enough
        while asked < 2:
            obs = table.observe()
            if obs.seat == seat and obs.phase in ("call", "play"):
                asked += 1
                table.act(int(bot.decide(np.array([obs.row], OBSERVATION), np.zeros(1, np.int64))[0]))
            else:
                table.act(obs.legal[0])
        bot.finish(np.zeros(1, np.int64))


def transcript() -> str:
    """The conversation; lines too long for a page are broken."""
    return "\n".join(part for who, line in conversation() for part in _broken(who, line)) + "\n"


def _broken(who: str, line: str) -> Iterator[str]:
    part = "> " if who == "arena" else "< "
    for piece in re.findall("[^,]+,?", line):
        if len(part + piece) > WIDTH:
            yield part.rstrip()
            part = "    "
        part += piece
    yield part


if __name__ == "__main__":
    print(transcript(), end="")
