"""A conversation with the example bot, as docs/protocol.md shows it: `python tests/transcript.py` prints it."""

import re
from collections.abc import Iterator
from pathlib import Path
from unittest.mock import patch

import numpy as np

from bidwhist.bot.child import Child, Deadline
from bidwhist.bot.command import load_command_bot
from bidwhist.bot.spec import parse_spec
from bidwhist.observation import OBSERVATION
from bidwhist.rules import preset
from bidwhist.table import Table

EXAMPLES = Path(__file__).parent.parent / "examples" / "cmd"
WIDTH = 112


def conversation() -> list[tuple[str, str]]:
    """Every line that is said, with who says it: the call and the first card of a seat, and what is around them."""
    said: list[tuple[str, str]] = []
    send, line, farewell = Child.send, Child.line, Child.farewell

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
        patch.object(Child, "line", noted_line),
        patch.object(Child, "farewell", noted_farewell),
    ):
        _play()
    return said


def _play() -> None:
    rules = preset("traditional")
    table = Table.deal(1, 0, rules)
    seat, asked = table.observe().seat, 0
    with load_command_bot(parse_spec("cmd:./pass_and_follow.py?style=calm"), "mine", [EXAMPLES], rules) as bot:
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
