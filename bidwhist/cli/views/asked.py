"""A decision that a bot is asked for again: where it was, and the answer, on the screen and for programs."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from rich.text import Text

from bidwhist.actions import Action
from bidwhist.bot.author.asking import Answer, Seated
from bidwhist.bot.author.dump import dump_observation, load_observation
from bidwhist.bot.jailed.isolation import Isolation, contained
from bidwhist.bot.sources.find import find_bot
from bidwhist.bot.sources.source import BotSource
from bidwhist.cli.views.observed import action_words, labelled, observation_lines
from bidwhist.errors import RunError
from bidwhist.notation import format_action, format_hand, format_seat, parse_seat
from bidwhist.observation import Obs
from bidwhist.process.machine import machine_limits
from bidwhist.replay.asking import ask_until
from bidwhist.replay.hand import HandAgain, Question
from bidwhist.replay.text import table_title
from bidwhist.results.hands import Hand, board_number, board_title, hands_played, pick_pairing
from bidwhist.results.manifest import Manifest, read_manifest
from bidwhist.rules import rules_of
from bidwhist.text import printable_name

_MOST_LINES: Final = 40  # of an explanation
_MOST_LETTERS: Final = 200


@dataclass(frozen=True)
class Situation:
    """What a bot is asked: `title` and `place` tell where it was, `taken` what was done there.

    `state`: the STATE record, where the hidden hands are known; `earlier`: the seat's decisions before, with the bot's
    answers of now.
    """

    source: BotSource
    obs: Obs
    title: str
    place: Mapping[str, Any]
    taken: Action | None = None
    state: Any = None
    earlier: Sequence[tuple[Question, Answer]] = field(default=())

    def dump(self, path: Path) -> None:
        """Write the observation into a file. Raises RunError, or Stopped if the disk is full."""
        try:
            with machine_limits(f"{path}: cannot be written"):
                dump_observation(self.obs, path)
        except OSError as error:
            raise RunError(f"{path}: cannot be written: {error.strerror}") from error

    def lines(self) -> Iterator[Text]:
        """What the seat sees, below a title."""
        yield Text(self.title, style="bold")
        yield from observation_lines(self.obs)

    def turns(self) -> Iterator[tuple[Question, Answer]]:
        """Earlier decisions at which the bot does now what it or another has not done in the run."""
        for question, answer in self.earlier:
            if answer.fault or (answer.action != question.taken and question.obs.phase != "discard"):
                yield question, answer


def situation_in_file(
    spec: str, isolation: Isolation, which: Mapping[str, Any], debug: bool
) -> tuple[Seated, Situation]:
    """The bot, and the decision in the file of `--observation`. Raises NotationError or BotSpecError."""
    path = which["observation"]
    obs = load_observation(path)
    source = contained(find_bot(spec), isolation)
    title = f"{printable_name(str(path))}: {format_seat(obs.seat)} to {obs.phase}"
    bot = Seated(source, rules_of(obs.row["public"]["rules"]), debugger=debug)
    return bot, Situation(source, obs, title, {"file": str(path)})


def situation_in_run(
    spec: str, isolation: Isolation, which: Mapping[str, Any], debug: bool
) -> tuple[Seated, Situation]:
    """The bot, and the decision that the options choose in a run. Raises RunError or BotSpecError."""
    run = which["run"]
    manifest, seat = read_manifest(run), parse_seat(which["seat"])
    board = board_number(manifest, which["board"], which["game"], which["hand"], mark="--")
    found = hands_played(run, manifest, board)
    hands = found[pick_pairing(manifest, list(found), which["pairing"])]
    hand = _table(hands, which["table"], [bot.spec == spec for bot in manifest.bots], seat)
    source = contained(find_bot(spec, spec, [Path.cwd(), Path(manifest.folder)]), isolation)
    bot = Seated(source, manifest.rule_set(), debugger=debug)
    earlier, question = ask_until(bot, HandAgain(run, manifest, hand), seat, which["decision"])
    place = {
        "run": str(run),
        "board": board,
        "table": hand.orientation + 1,
        "seat": which["seat"],
        "decision": question.name,
        "player": manifest.bots[hand.row["lineup"][seat]].name,
    }
    title = _title(manifest, hand, place)
    return bot, Situation(source, question.obs, title, place, question.taken, question.state, earlier)


def _table(hands: list[Hand], table: str | None, is_spec: list[bool], seat: int) -> Hand:
    """The hand of a pairing at one of its tables: without a number that where the bot asked sat there, or the first."""
    if table is None:
        chosen = next((hand for hand in hands if is_spec[hand.row["lineup"][seat]]), hands[0])
    else:
        chosen = next((hand for hand in hands if hand.orientation == int(table) - 1), hands[0])
        if chosen.orientation != int(table) - 1:
            raise RunError(f"--table: this hand was not played at table {table}")
    return chosen


def _title(manifest: Manifest, hand: Hand, place: Mapping[str, Any]) -> str:
    names = [manifest.bots[bot].name for bot in hand.row["lineup"]]
    where = f"{printable_name(manifest.name)}, {board_title(manifest, place['board'])}, table {place['table']}"
    return f"{where}: {table_title(names)}\n{place['seat']} decides {place['decision']}"


def answer_lines(situation: Situation, answer: Answer) -> Iterator[Text]:
    """The bot's answer, what was done in the run, the bot's reasons, and what it wrote to its standard error."""
    yield Text()
    phase, bot = situation.obs.phase, printable_name(situation.source.entry.name)
    yield labelled("answer", _answer(answer, phase)).append(f", by {bot}", style="default")
    if answer.fault and answer.action is not None:
        yield labelled("", f"which is not legal: {answer.fault}")
    if situation.taken is not None:
        done = action_words(situation.taken, phase)
        if phase == "discard":
            done.append(", or another of the discards: their order is not recorded")
        yield labelled("the run", done.append(f", by {printable_name(situation.place['player'])}"))
    for question, earlier in situation.turns():
        done = action_words(question.taken, question.obs.phase)
        now = _answer(earlier, question.obs.phase)
        yield labelled("before", f"{question.name}: ").append_text(now).append("; in the run ").append_text(done)
    for number, line in enumerate(_clean(answer.explanation or "")):
        yield labelled("" if number else "because", line)
    for number, line in enumerate(_clean(answer.errors)):
        yield labelled("" if number else "stderr", line)


def answer_json(situation: Situation, answer: Answer) -> dict[str, Any]:
    """The same for programs."""
    obs, taken = situation.obs, situation.taken
    return {
        "bot": {"spec": situation.source.entry.spec, "sha256": situation.source.entry.sha256},
        **situation.place,
        "phase": obs.phase,
        "hand": format_hand(obs.hand_mask),
        "contract": obs.contract,
        "trick": [[format_seat(seat), format_action(card)] for seat, card in obs.trick],
        "legal": obs.legal,
        "answer": _action_json(answer.action),
        "fault": answer.fault,
        "taken": _action_json(taken),
        "before": [
            {"decision": question.name, "answer": _action_json(earlier.action), "taken": _action_json(question.taken)}
            for question, earlier in situation.turns()
        ],
        "explanation": answer.explanation,
        "errors": answer.errors,
    }


def _action_json(action: Action | None) -> dict[str, Any] | None:
    return None if action is None else {"action": action, "text": format_action(action)}


def _answer(answer: Answer, phase: str) -> Text:
    return Text(f"none: {answer.fault}") if answer.action is None else action_words(answer.action, phase)


def _clean(text: str) -> list[str]:
    """A bot's text, a line each, printable, so many of them and so long."""
    lines = text.splitlines()
    shown = [printable_name(line.expandtabs())[:_MOST_LETTERS] for line in lines[:_MOST_LINES]]
    return shown + ["…"] * (len(lines) > _MOST_LINES)
