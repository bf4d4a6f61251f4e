"""Examining a bot: what is asked of it, and what is made of its answers."""

from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from typing import Final

import numpy as np

from bidwhist.activity import busy
from bidwhist.bot.jailed.isolation import STRANGERS, Isolation, contained
from bidwhist.bot.limits import LIMITS, Limits
from bidwhist.bot.sources.find import find_bot
from bidwhist.bot.sources.keep import keep
from bidwhist.bot.sources.source import BotSource
from bidwhist.check.lab import Lab, Order
from bidwhist.check.report import Line, Report
from bidwhist.check.task import Contest, Failed, Integers, Meet, Met, Positions, Replay, Replayed
from bidwhist.check.watch import START
from bidwhist.errors import BotSpecError, RulesError
from bidwhist.notation import format_action
from bidwhist.process.folder import TemporaryFolder
from bidwhist.rules import PRESETS, known_or_nearest
from bidwhist.text import echo

OPPONENTS: Final = ("random", "heuristic")
MOST_BOARDS: Final = 300
"""Boards against each opponent, if the bot is fast enough."""

_SECONDS: Final = 6.0  # of the bot's own time, for each time that it is asked all questions
_CONTEST_SECONDS: Final = 20.0
_FEWEST_BOARDS: Final = 10
_MEGABYTE: Final = 1 << 20
_DECISIONS: Final = 1_000_000  # a bot that grows has to stay within its memory for so many
_ENOUGH: Final = 400  # decisions from which one can tell whether memory grows
_DECISIONS_A_BOARD: Final = 2 * 2 * 11  # two tables, two seats, about eleven cards or calls each


def check(
    bot: str | BotSource,
    *,
    presets: Sequence[str] = (),
    limits: Limits = LIMITS,
    boards: int | None = None,
    positions: int = 12,
    folders: Sequence[Path] = (),
    lab: Lab | None = None,
    isolation: Isolation = STRANGERS,
) -> Report:
    """Examine a bot, given or by its spec, in processes of its own; the report card. What is examined is a copy of it.

    `presets`: where it shall play (default: those that it claims); `boards`: against each opponent (default: as many
    as it plays in 20 s, 300 at most; 0: none); `positions`: boards in every preset of which all decisions are
    examined; `folders`: where a file is looked for (default: the working folder); `lab`: where it is done, for who
    checks many bots; `isolation`: whether the bot is trusted. Raises BotSpecError if there is no such bot or it sees
    all hands, Stopped if it cannot be copied, RulesError for an unknown preset. All faults of the bot are in the
    report, that of its import included.
    """
    for name in presets:
        wrong = known_or_nearest(name, list(PRESETS))
        if wrong:
            raise RulesError(f"preset {echo(name)}: there is none of that name; {wrong}")
    source = bot
    if isinstance(source, str):
        source = contained(find_bot(source, source, [*folders, Path.cwd()]), isolation)
    if source.entry.cheats:
        raise BotSpecError(
            f"bot {source.entry.name!r}: sees all hands: others are measured by it in tournaments, and it has no place "
            f"on a ladder"
        )
    report = Report(source.entry.spec, source.entry.sha256, source.entry.name)
    with ExitStack() as stack:
        place = lab or stack.enter_context(Lab())
        copies = stack.enter_context(TemporaryFolder("check"))
        kept = keep(source, copies)
        met = _meet(report, place, Meet(kept, limits, tuple(presets), _SECONDS, positions))
        if met is not None and met.positions:
            _replay(report, place, met, kept, limits)
        if met is not None and not met.faults and boards != 0 and not {"time", "start"} & set(report.faults):
            _contest(report, place, met, kept, limits, boards)
    return report


def _meet(report: Report, lab: Lab, task: Meet) -> Met | None:
    """Let it start and play: what came of that, or None if the bot did not live through it."""
    with busy("the bot plays, and all that it is asked is kept"):
        done = lab.do(Order(task))[0]
    report.output = done.output
    if done.failure:
        key = START if done.where == START else "time" if done.late else "legal"
        where = "" if done.where == START or not done.where else f"{done.where}: "
        report.lines.append(Line(key, False, f"{where}the bot {done.failure}"))
        return None
    met: Met = done.answer
    report.output += met.output
    if met.failure is not None:
        report.lines.append(Line("start", False, met.failure))
        return None
    report.name = met.metadata.name or report.name
    report.version = met.metadata.version
    report.presets = task.presets or met.metadata.presets
    asked = sum(len(each.rows) for each in met.positions)
    late = {preset: fault for preset, fault in met.faults.items() if fault.late}
    wrong = {preset: fault for preset, fault in met.faults.items() if not fault.late}
    asked_in = [preset for preset in report.presets if preset not in late]
    if wrong:
        report.lines.append(Line("legal", False, _grouped(wrong)))
    elif asked_in:
        report.lines.append(Line("legal", True, f"{asked:,} decisions in {_presets(asked_in)}"))
    else:
        report.lines.append(Line("legal", None, "not told: it gives no answer in time"))
    if late:
        report.lines.append(Line("time", False, _grouped(late)))
    return met


def _presets(names: Sequence[str]) -> str:
    return "all presets" if set(names) == set(PRESETS) else ", ".join(names)


def _grouped(faults: Mapping[str, Failed]) -> str:
    """Faults by preset in words, each once; where they differ by their place alone, that in the first preset."""
    presets_by_reason: dict[str, list[str]] = {}
    for preset, fault in faults.items():
        presets_by_reason.setdefault(fault.reason, []).append(preset)
    groups = []
    for presets in presets_by_reason.values():
        first = faults[presets[0]].words
        is_same = all(faults[preset].words == first for preset in presets)
        groups.append(f"in {_presets(presets)}" + (f": {first}" if is_same else f"; in {presets[0]}: {first}"))
    return "; ".join(groups)


# --- the same decisions again ---


def _replay(report: Report, lab: Lab, met: Met, bot: BotSource, limits: Limits) -> None:
    """Ask the bot again, in several ways, and compare."""

    def ask(*orders: Order) -> list[Replayed]:
        with busy("the bot is asked the same again"):
            every = lab.do(*orders)
        for done in every:
            if done.failure:
                raise _Unanswered(done.failure)
        return [done.answer for done in every]

    same = Replay(bot, limits, met.positions)
    untimed = replace(same, timed=[np.zeros(0, np.int64) for _ in met.positions])
    try:
        (first,) = ask(Order(same))  # alone: its time counts
        slow = replace(same, timed=_slow_tables(met.positions, first, limits))
        repeat, hashed = ask(Order(slow), Order(untimed, hash_seed=1))
        backward, anew = ask(Order(replace(untimed, backward=True)), Order(replace(untimed, anew=True)))
    except _Unanswered as error:
        if "time" not in report.faults:
            report.lines.append(Line("time", False, f"asked again, the bot {error}"))
        return
    again = {"repeat": repeat, "hash": hashed, "forget": backward, "blind": anew}
    report.lines.insert(0, _start_line(min(first.start, again["repeat"].start), limits))
    if "time" not in report.faults:
        report.lines.append(_time_line(first, again["repeat"], limits))
    report.lines.append(_memory_line(first, limits))
    _compare(report, met.positions, first, again, by_clock=bot.by_clock)


class _Unanswered(Exception):
    """The bot has not lived through the questions; the text follows its name."""


def _slow_tables(positions: list[Positions], first: Replayed, limits: Limits) -> list[Integers]:
    """By preset the tables with a decision that took too long, and so may count against the bot."""
    return [
        np.unique(each.tables[seconds > limits.decision])
        for each, seconds in zip(positions, first.seconds, strict=True)
    ]


def _start_line(seconds: float, limits: Limits) -> Line:
    # Of two starts the faster: the first may have compiled what is then kept.
    return Line("start", seconds <= limits.start, f"in {seconds:.2f} s (limit {limits.start:g} s)")


def _time_line(first: Replayed, again: Replayed, limits: Limits) -> Line:
    # Of two times that a slow decision took, the shorter: what else the machine did shall not count against the bot.
    seconds = np.minimum(np.concatenate(first.seconds), np.concatenate(again.seconds))
    median, high = np.quantile(seconds, [0.5, 0.99])
    words = f"median {1e3 * median:.2f} ms, 99th percentile {1e3 * high:.2f} ms (limit {1e3 * limits.decision:g} ms)"
    return Line("time", bool(high <= limits.decision), words)


def _memory_line(first: Replayed, limits: Limits) -> Line:
    asked = sum(len(each) for each in first.seconds)
    words = f"{max(first.peak, 0) / _MEGABYTE:.0f} MB (limit {limits.memory} MB)"
    if first.peak > limits.memory * _MEGABYTE:
        return Line("memory", False, words)
    steps = np.diff(first.memory[-4:]) / _MEGABYTE  # of the last three quarters
    pace = float(steps.sum()) / (0.75 * asked)
    if len(steps) == 3 and asked >= _ENOUGH and steps.min() >= 1 and pace * _DECISIONS > limits.memory:
        grows = f"grows by {1024 * pace:.1f} KB a decision, after {limits.memory / pace:,.0f} decisions to the limit"
        return Line("memory", False, f"{grows} of {limits.memory} MB")
    return Line("memory", True, words)


def _compare(
    report: Report, positions: list[Positions], first: Replayed, again: dict[str, Replayed], *, by_clock: bool
) -> None:
    """Of each way of asking: did the bot answer as before? What follows from an earlier fault is not told, and nothing
    of a bot that plays by the clock, which need not answer twice alike."""
    played = [each.answers for each in positions]
    same_order = [("repeat", first.answers, again["repeat"].answers), ("hash", first.answers, again["hash"].answers)]
    others = [
        ("forget", first.answers, again["forget"].answers),
        ("blind", first.answers, again["blind"].answers),
        ("order", first.answers, played),
    ]
    drawn = first.chance
    words = f"it draws from {' and '.join(drawn)}, which all bots of a process share" if drawn else "none is drawn from"
    report.lines.append(Line("chance", not drawn, words))
    reason = "it draws from global random sources" if drawn else _BY_CLOCK if by_clock else ""
    for key, one, other in [*same_order, *others]:
        if reason:
            report.lines.append(Line(key, None, f"not told: {reason}"))
            continue
        change = _first_change(positions, one, other)
        report.lines.append(Line(key, change is None, change or _SAME[key]))
        if change is not None:
            reason = _REASONS[key]


_BY_CLOCK: Final = "it plays by the clock, so its answers depend on the machine"
_SAME: Final = {
    "repeat": "asked twice, in two processes: the same answers",
    "hash": "under another PYTHONHASHSEED: the same answers",
    "forget": "tables in the opposite order: the same answers",
    "order": "all tables at once, and one after the other: the same answers",
    "blind": "the other hands dealt anew, in agreement with what was seen: the same answers",
}
_REASONS: Final = {
    "repeat": "it does not answer twice alike",
    "hash": "it depends on the order of sets",
    "forget": "it remembers other tables",
    "order": "it mixes tables up",
    "blind": "it sees hidden cards",
}


def _first_change(positions: list[Positions], one: Sequence[Integers], other: Sequence[Integers]) -> str | None:
    """The first decision that was answered in two ways, in words, and how many there were; None if there is none."""
    changed = sum(int((a != b).sum()) for a, b in zip(one, other, strict=True))
    for preset, a, b in zip(positions, one, other, strict=True):
        places = np.flatnonzero(a != b)
        if len(places):
            row, place = preset.rows[places[0]], int(places[0])
            answers = " and ".join(_word(int(each[place])) for each in (a, b))
            total = sum(map(len, one))
            seat = "NESW"[int(row["seat"])]
            return f"{changed:,} of {total:,} answers differ; first in {preset.preset}, seat {seat}: {answers}"
    return None


def _word(action: int) -> str:
    return "a fault" if action < 0 else format_action(action)


# --- strength ---


def _contest(report: Report, lab: Lab, met: Met, bot: BotSource, limits: Limits, boards: int | None) -> None:
    """Let it play against the opponents."""
    seconds_a_board = met.seconds * _DECISIONS_A_BOARD * len(OPPONENTS)
    fitting = int(_CONTEST_SECONDS / max(seconds_a_board, 1e-6))
    number = min(max(fitting, _FEWEST_BOARDS), MOST_BOARDS) if boards is None else boards
    preset = report.presets[0]
    with busy(f"the bot plays {number} boards against {' and '.join(OPPONENTS)}"):
        done = lab.do(Order(Contest(bot, limits, OPPONENTS, number, preset)))[0]
    if done.failure:
        report.lines.append(Line("strength", False, f"the bot {done.failure}"))
        return
    report.strengths = done.answer
    words = []
    for each in report.strengths:
        low, high = each.ci95 or (float("nan"), float("nan"))
        words.append(f"{each.points_per_board:+.2f} ({low:+.2f} to {high:+.2f}) against {each.opponent}")
    report.lines.append(Line("strength", None, f"points a board in {preset}, {number} boards: " + "; ".join(words)))
