"""The messages between the arena and a bot that is a program of its own; docs/protocol.md tells each field.

A message is a JSON object on a line of its own, in UTF-8. Here they are made and read; `bidwhist.process` carries them.
"""

from collections.abc import Mapping
from typing import Any, Final, NamedTuple

import msgspec

from bidwhist.actions import is_action
from bidwhist.bot.deciders.answers import no_action
from bidwhist.bot.limits import Limits
from bidwhist.cards import Seat, cards_of
from bidwhist.faults import Fault
from bidwhist.observation import Obs
from bidwhist.process.fault import ProcessFault
from bidwhist.rules import Rules
from bidwhist.text import quoted, shown

PROTOCOL_VERSION: Final = 1
RANDOM_NUMBERS: Final = 8
LINE_LIMIT: Final = 1 << 16
"""Most bytes of an answer, its end of line included."""

_TITLE_LIMIT: Final = 100

# Properties of Obs that a message has under their own names; those that are masks there are lists of cards here.
_AS_THEY_ARE: Final = (
    *("phase", "legal", "seat", "partner", "hand", "kitty", "buried", "dealer", "declarer", "bid", "level", "strain"),
    *("naming", "trump", "direction", "contract", "played", "trick", "winning", "winner", "left", "tricks", "scores"),
    *("sets", "target"),
)


class Title(NamedTuple):
    """The name and version in a bot's hello; empty where it does not say."""

    name: str
    version: str


def line_of(message: Mapping[str, Any]) -> bytes:
    """A message as it is sent."""
    return msgspec.json.encode(message) + b"\n"


def hello(rules: Rules, seat: Seat, parameters: Mapping[str, str], limits: Limits) -> bytes:
    """The first message: what does not change as long as the process lives."""
    return line_of(
        {
            "type": "hello",
            "protocol": PROTOCOL_VERSION,
            "rules": {**rules.as_dict(), "hand_size": rules.hand_size},
            "seat": seat,
            "parameters": dict(parameters),
            "limits": {"start": limits.start, "answer": limits.answer},
        }
    )


def observe(number: int, player: int, obs: Obs) -> bytes:
    """The question `number` to one of the seat's players."""
    return line_of({"type": "observe", "id": number, "player": player, "observation": observation(obs)})


def end(player: int) -> bytes:
    """The table of a player is over."""
    return line_of({"type": "end", "player": player})


QUIT: Final = line_of({"type": "quit"})


def observation(obs: Obs) -> dict[str, Any]:
    """An observation as JSON values, with some random numbers of the decision's stream."""
    return {
        **{name: getattr(obs, name) for name in _AS_THEY_ARE},
        "calls": list(obs.calls.items()),
        "gone": cards_of(obs.gone_mask),
        "led": cards_of(obs.led_mask),
        "void": [cards_of(mask) for mask in obs.void_masks],
        "random": [obs.random.random() for _ in range(RANDOM_NUMBERS)],
    }


def title_of(line: bytes) -> Title:
    """The title in a bot's hello. Raises ProcessFault."""
    message = _message(line, "hello")
    version = message.get("protocol")
    if type(version) is not int or version != PROTOCOL_VERSION:
        said = shown(repr, version) if "protocol" in message else "no version"
        raise ProcessFault(f"its hello has {said} as protocol; this arena speaks {PROTOCOL_VERSION}", Fault.MESSAGE)
    title = Title(message.get("name", ""), message.get("version", ""))
    for key, value in zip(Title._fields, title, strict=True):
        if not isinstance(value, str) or len(value) > _TITLE_LIMIT or not value.isprintable():
            wanted = f"a text of at most {_TITLE_LIMIT} printable characters"
            raise ProcessFault(f"its hello has {shown(repr, value)} as {key}, which is not {wanted}", Fault.MESSAGE)
    return title


def action_of(line: bytes, number: int) -> int:
    """The action in an answer to the question `number`. Raises ProcessFault."""
    message = _message(line, "action")
    said = message.get("id")
    if type(said) is not int or said != number:
        raise ProcessFault(
            f"answered with id {shown(repr, said)}: question {number} waits for its answer", Fault.MESSAGE
        )
    if "action" not in message:
        raise ProcessFault(f"answered {quoted(line)}, which has no action", Fault.MESSAGE)
    action: object = message["action"]
    if not is_action(action):
        raise ProcessFault(no_action(action), Fault.ILLEGAL)
    return action


def _message(line: bytes, kind: str) -> dict[str, Any]:
    wanted = f"a JSON object of type {kind!r}"
    try:
        message: object = msgspec.json.decode(line)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        raise ProcessFault(f"wrote {quoted(line)}, which is no JSON, where {wanted} was due", Fault.MESSAGE) from None
    if not isinstance(message, dict) or message.get("type") != kind:
        raise ProcessFault(f"wrote {quoted(line)}, where {wanted} was due", Fault.MESSAGE)
    return message
