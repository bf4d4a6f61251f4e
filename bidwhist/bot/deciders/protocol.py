"""The messages between the arena and a bot that is a program of its own; docs/protocol.md tells each field.

A message is a JSON object on a line of its own, in UTF-8. Here they are made and read; `bidwhist.process` carries them.
Version 1 has one question in a message, version 2 many, which `questions.py` writes.
"""

from collections.abc import Mapping, Sequence
from typing import Any, Final, NamedTuple

import msgspec

from bidwhist.actions import ACTIONS, is_action
from bidwhist.bot.deciders.answers import no_action
from bidwhist.bot.limits import Limits
from bidwhist.cards import Seat, cards_of
from bidwhist.faults import Fault
from bidwhist.observation import Obs
from bidwhist.process.fault import ProcessFault
from bidwhist.rules import Rules
from bidwhist.text import quoted, shown

VERSIONS: Final = (1, 2)
RANDOM_NUMBERS: Final = 8
MOST_QUESTIONS: Final = 256
"""Most questions of a message in version 2."""
LINE_LIMIT: Final = 1 << 16
"""Most bytes of any line from a bot, its end included."""

# In version 2 most bytes of an answer: so many, and so many more for each question.
_ANSWER_BYTES: Final = 1 << 12
_ACTION_BYTES: Final = (LINE_LIMIT - _ANSWER_BYTES) // MOST_QUESTIONS

_TITLE_LIMIT: Final = 100

# Properties of Obs that a message has under their own names; those that are masks there are lists of cards here.
_AS_THEY_ARE: Final = (
    *("phase", "legal", "seat", "partner", "hand", "kitty", "buried", "dealer", "declarer", "bid", "level", "strain"),
    *("naming", "trump", "direction", "contract", "played", "trick", "winning", "winner", "left", "tricks", "scores"),
    *("sets", "target"),
)
_LATER: Final = ("to_discard",)  # what version 2 has beside those of version 1

FIELDS: Final = (*_AS_THEY_ARE, "calls", "gone", "led", "void", "random", *_LATER)
"""Names of the fields of an observation in version 2, in the order in which they are written."""


class Title(NamedTuple):
    """The name and version in a bot's hello; empty where it does not say."""

    name: str
    version: str


class Hello(NamedTuple):
    """A bot's hello: the version that it speaks, its title, and the fields of an observation that it wants."""

    version: int
    title: Title
    fields: tuple[str, ...]


class AnswerFault(ProcessFault):
    """One of several answers is no action. `answers`: the actions before it."""

    def __init__(self, reason: str, answers: Sequence[int]) -> None:
        super().__init__(reason, Fault.ILLEGAL)
        self.answers = answers


def line_of(message: Mapping[str, Any]) -> bytes:
    """A message as it is sent."""
    return msgspec.json.encode(message) + b"\n"


def hello(rules: Rules, seat: Seat, parameters: Mapping[str, str], limits: Limits) -> bytes:
    """The first message: what does not change as long as the process lives.

    Bots of version 1 may check that `protocol` is 1, and ignore fields that they do not know.
    """
    return line_of(
        {
            "type": "hello",
            "protocol": VERSIONS[0],
            "protocols": VERSIONS,
            "rules": {**rules.as_dict(), "hand_size": rules.hand_size},
            "seat": seat,
            "parameters": dict(parameters),
            "limits": {"start": limits.start, "answer": limits.answer},
        }
    )


def observe(number: int, player: int, obs: Obs) -> bytes:
    """The question `number`, to one of the seat's players, in version 1."""
    return line_of({"type": "observe", "id": number, "player": player, "observation": observation(obs)})


def observe_all(number: int, questions: bytes) -> bytes:
    """The message `number` of version 2; `questions`: JSON objects with commas between them."""
    return b'{"type":"observe","id":%d,"questions":[%b]}\n' % (number, questions)


def end(player: int) -> bytes:
    """The table of a player is over, in version 1."""
    return line_of({"type": "end", "player": player})


def end_all(players: Sequence[int]) -> bytes:
    """The tables of these players are over, in version 2."""
    return line_of({"type": "end", "players": players})


QUIT: Final = line_of({"type": "quit"})


def observation(obs: Obs, version: int = VERSIONS[0]) -> dict[str, Any]:
    """An observation as JSON values, with some random numbers of the decision's stream."""
    values = {
        **{name: getattr(obs, name) for name in _AS_THEY_ARE},
        "calls": list(obs.calls.items()),
        "gone": cards_of(obs.gone_mask),
        "led": cards_of(obs.led_mask),
        "void": [cards_of(mask) for mask in obs.void_masks],
        "random": [obs.random.random() for _ in range(RANDOM_NUMBERS)],
    }
    if version > 1:
        too_many = obs.left[obs.seat] - obs.rules["hand_size"]
        values["to_discard"] = too_many if obs.phase == "discard" else 0
    return values


def hello_of(line: bytes) -> Hello:
    """A bot's hello. Raises ProcessFault."""
    message = _message(line, "hello")
    version = message.get("protocol")
    if type(version) is not int or version not in VERSIONS:
        said = shown(repr, version) if "protocol" in message else "no version"
        spoken = " and ".join(map(str, VERSIONS))
        raise ProcessFault(f"its hello has {said} as protocol; this arena speaks {spoken}", Fault.MESSAGE)
    title = Title(message.get("name", ""), message.get("version", ""))
    for key, value in zip(Title._fields, title, strict=True):
        if not isinstance(value, str) or len(value) > _TITLE_LIMIT or not value.isprintable():
            wanted = f"a text of at most {_TITLE_LIMIT} printable characters"
            raise ProcessFault(f"its hello has {shown(repr, value)} as {key}, which is not {wanted}", Fault.MESSAGE)
    return Hello(version, title, _wanted(message) if version > 1 else FIELDS)


def _wanted(message: Mapping[str, Any]) -> tuple[str, ...]:
    """The fields of an observation that a hello of version 2 asks for; all, if it does not say."""
    wanted = message.get("fields", FIELDS)
    if not isinstance(wanted, list | tuple):
        raise ProcessFault(f"its hello has {shown(repr, wanted)} as fields, which is no list of names", Fault.MESSAGE)
    for name in wanted:
        if name not in FIELDS:
            raise ProcessFault(
                f"its hello has {shown(repr, name)} among fields, which is no field of an observation", Fault.MESSAGE
            )
    return tuple(wanted)


def action_of(line: bytes, number: int) -> int:
    """The action in an answer of version 1 to the question `number`. Raises ProcessFault."""
    action: object = _answer(line, number, "question", "action")
    if not is_action(action):
        raise ProcessFault(no_action(action), Fault.ILLEGAL)
    return action


def actions_of(line: bytes, number: int, questions: int) -> list[int]:
    """The actions in an answer of version 2 to the message `number`, which had so many questions.

    Raises ProcessFault if the message is no answer, and AnswerFault if one of the actions is none.
    """
    most = _ANSWER_BYTES + _ACTION_BYTES * questions
    if len(line) > most:
        begin = quoted(line[:80])
        raise ProcessFault(
            f"wrote {len(line):,} bytes, where the answer to message {number} has at most {most:,}; "
            f"they begin with {begin}",
            Fault.MESSAGE,
        )
    actions: object = _answer(line, number, "message", "actions")
    if not isinstance(actions, list):
        raise ProcessFault(f"answered {quoted(line)}, where actions is no list", Fault.MESSAGE)
    if len(actions) != questions:
        raise ProcessFault(f"answered with {len(actions)} actions, where {questions} were due", Fault.MESSAGE)
    for place, action in enumerate(actions):
        if type(action) is not int or not 0 <= action < ACTIONS:
            raise AnswerFault(no_action(action), actions[:place])
    return actions


def _answer(line: bytes, number: int, asked: str, field: str) -> object:
    """The value of a field in an answer with this number. `asked`: what has that number, in words."""
    message = _message(line, "action")
    said = message.get("id")
    if type(said) is not int or said != number:
        raise ProcessFault(
            f"answered with id {shown(repr, said)}: {asked} {number} waits for its answer", Fault.MESSAGE
        )
    if field not in message:
        raise ProcessFault(f"answered {quoted(line)}, which has no {field}", Fault.MESSAGE)
    return message[field]


def _message(line: bytes, kind: str) -> dict[str, Any]:
    wanted = f"a JSON object of type {kind!r}"
    try:
        message: object = msgspec.json.decode(line)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        raise ProcessFault(f"wrote {quoted(line)}, which is no JSON, where {wanted} was due", Fault.MESSAGE) from None
    if not isinstance(message, dict) or message.get("type") != kind:
        raise ProcessFault(f"wrote {quoted(line)}, where {wanted} was due", Fault.MESSAGE)
    return message
