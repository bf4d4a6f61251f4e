"""An observation on disk: written by a bot that wonders, read again under a debugger."""

import json
from pathlib import Path
from typing import Any

import numpy as np

from bidwhist.bot.author.asking import Seated
from bidwhist.bot.author.debugger import Debugger
from bidwhist.bot.sources.find import find_bot
from bidwhist.cards import cards_of
from bidwhist.errors import BotFault, NotationError
from bidwhist.files import read_file
from bidwhist.notation import format_action, format_hand
from bidwhist.observation import OBSERVATION, Obs
from bidwhist.process.fault import ProcessFault
from bidwhist.public import OBSERVATION_VERSION
from bidwhist.rules import rules_of


def _plain(value: Any) -> Any:
    if isinstance(value, np.void):
        return {name: _plain(value[name]) for name in value.dtype.names or ()}
    return value.tolist()


def _fill(record: Any, values: Any, where: str) -> None:
    for name in record.dtype.names:
        if not isinstance(values, dict) or name not in values:
            raise NotationError(f"{where}: field {name!r} is missing")
        if record.dtype[name].names:
            _fill(record[name], values[name], f"{where}: {name}")
            continue
        try:
            record[name] = values[name]
        except (TypeError, ValueError, OverflowError) as error:
            raise NotationError(f"{where}: field {name!r}: {error}") from None


def dump_observation(obs: Obs, path: str | Path) -> None:
    """Write a decision's observation as JSON: every field of it, and a few lines for people under `readable`."""
    legal = [format_action(action) for action in obs.legal]
    readable = {"hand": format_hand(obs.hand_mask), "legal": legal, "contract": obs.contract, "repr": repr(obs)}
    content = {"observation": _plain(obs.row), "readable": readable}
    Path(path).write_text(json.dumps(content, indent=1) + "\n", encoding="utf-8")


def load_observation(path: str | Path) -> Obs:
    """The observation in a file that `dump_observation` wrote. Raises NotationError, naming file and field."""
    try:
        data = read_file(Path(path))
    except OSError as error:
        raise NotationError(f"{path}: cannot be read: {error.strerror}") from error
    except ValueError as error:  # a path with a NUL
        raise NotationError(f"{str(path)!r}: cannot be read: {error}") from error
    try:
        content = json.loads(data)
    except ValueError as error:
        raise NotationError(f"{path}: is no JSON: {error}") from error
    values = content.get("observation") if isinstance(content, dict) else None
    if not isinstance(values, dict):
        raise NotationError(f"{path}: has no field 'observation'")
    rows = np.zeros(1, OBSERVATION)
    _fill(rows[0], values, str(path))
    version = rows[0]["public"]["version"]
    if version != OBSERVATION_VERSION:
        raise NotationError(f"{path}: is an observation of version {version}; this program has {OBSERVATION_VERSION}")
    if not cards_of(int(rows[0]["legal"])):
        raise NotationError(f"{path}: has no legal action")
    return Obs(rows[0])


def replay_observation(path: str | Path, act: Any, *, debugger: bool = False) -> int:
    """The answer that a bot gives to a dumped observation.

    `act`: a function act(obs), an object with a method `act`, or the spec of a bot of any kind, such as "mybot.py".
    With `debugger` the call starts under pdb, at the first line of a bot written in Python. Raises NotationError,
    BotSpecError, whatever the bot raises, and BotFault if it gives no action otherwise.
    """
    obs = load_observation(path)
    if not isinstance(act, str):
        function = getattr(act, "act", act)
        given: Any = Debugger().runcall(function, obs) if debugger else function(obs)
        return int(given)
    with Seated(find_bot(act), rules_of(obs.row["public"]["rules"]), debugger=debugger) as bot:
        answer = bot.ask_why(obs) if debugger else bot.ask(obs)
    if answer.action is not None:
        return answer.action
    if answer.error is not None and not isinstance(answer.error, ProcessFault):
        raise answer.error
    raise BotFault(f"bot {act!r}: {answer.fault}")
