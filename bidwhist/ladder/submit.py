"""Submitting a bot: its source is kept, the copy is examined, and plays all bots of the ladder on its boards.

The bot is entered before it plays, so that an interrupted submission is gone on with by the next one, whosever that
is. A bot that fails while it plays is taken off again, with all that it has played.
"""

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext, suppress
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

import msgspec

from bidwhist.arena.lock import LOCK, locked
from bidwhist.arena.run import Progress, run, take_back
from bidwhist.arena.tournament import Tournament
from bidwhist.bot.jailed.isolation import STRANGERS, Isolation, contained
from bidwhist.bot.limits import LIMITS, Limits
from bidwhist.bot.probing import probed
from bidwhist.bot.sources.absent import AbsentSource
from bidwhist.bot.sources.find import find_bot
from bidwhist.bot.sources.keep import keep, remove_unnamed
from bidwhist.bot.sources.source import BotSource
from bidwhist.check.examine import check
from bidwhist.check.report import Report
from bidwhist.errors import BotFault, BotSpecError, RunError, Stopped
from bidwhist.files import write_atomically
from bidwhist.ladder.entries import Entry, card_lines, write_entries
from bidwhist.ladder.ladder import FILE, NEW_FILE, Ladder, new_ladder, open_ladder
from bidwhist.ladder.standing import unplayed
from bidwhist.results.manifest import CLOSED, FINISHED, RUNNING
from bidwhist.results.terms import MOST_LETTERS, normalized
from bidwhist.text import echo, is_label


@dataclass(frozen=True)
class Options:
    """How a submission is done: the bot's name on the ladder (default: what it calls itself, or its file's name), the
    limits that it is examined for, where it plays, and whether it is trusted."""

    name: str | None = None
    limits: Limits = LIMITS
    jobs: int | None = None
    executor: str = "processes"
    isolation: Isolation = STRANGERS


Games = Callable[[str], AbstractContextManager[Callable[[Progress], None]]]


def _untold(bot: str) -> AbstractContextManager[Callable[[Progress], None]]:
    return nullcontext(lambda progress: None)


@dataclass(frozen=True)
class Told:
    """What is told while a submission is under way: the report card; and of games to come the bot that plays all
    others, in a context for the time that they take, which is told how far they are."""

    card: Callable[[Report], None] = lambda report: None
    games: Games = _untold


_USUAL: Final = Options()
_SILENT: Final = Told()


@dataclass(frozen=True)
class Submission:
    """What came of a submission. `bot`: its name on the ladder, None if it was refused. `report`: its report card,
    None if the ladder has the same source already and nothing was examined."""

    bot: str | None
    report: Report | None


def submit(spec: str, folder: Path, options: Options = Options(), told: Told = Told()) -> Submission:
    """Submit the bot of a spec to the ladder in `folder`, which is made if it is not there.

    Raises BotSpecError if the bot cannot be found or its name is taken, RunError or ConfigError if the ladder cannot
    be used, BotFault or Stopped if its games are stopped by a fault; the bot is not on the ladder then, unless it is
    the disk's.
    """
    with _workplace(folder.absolute()) as ladder:
        ladder.weak = options.isolation.weak
        author = find_submitted(spec, options.isolation)
        bots = ladder.bots()
        same = next((each.entry.name for each in bots if each.identity == author.identity), None)
        if same is not None:
            if same in unplayed(ladder) or ladder.manifest() is None:
                _catch_up(ladder, options, told)
            return Submission(same, None)
        _refuse_closed(ladder)
        if options.name is not None:
            _check_name(spec, options.name, bots)
        kept = keep(author, ladder.sources)
        report = _examined(ladder, kept, options)
        told.card(report)
        if not report.passed:
            return Submission(None, report)
        name = _check_name(spec, report.name if options.name is None else options.name, bots)
        _catch_up(ladder, options, told)
        bot = kept.entry
        is_kept = bot.kept is not None
        trusted = options.isolation.trust
        _enter(ladder, Entry(name, report.version, bot.spec, bot.sha256, _now(), card_lines(report), is_kept, trusted))
        _catch_up(ladder, options, told)
        return Submission(name, report)


def find_submitted(text: str, isolation: Isolation = STRANGERS) -> BotSource:
    """The bot of a spec in the working folder, called by it without its path, and with the spec that its copy has:
    nobody but its author has its own. Raises BotSpecError."""
    author = contained(find_bot(text), isolation)
    entry = author.entry
    if not author.files and entry.uncovered:
        raise BotSpecError(f"bot {echo(text)}: names no file that could be kept; a ladder holds what it has a copy of")
    spec = entry.spec if entry.kept is None else entry.kept
    return replace(author, entry=msgspec.structs.replace(entry, name=author.stem, spec=spec))


@contextmanager
def _workplace(folder: Path) -> Iterator[Ladder]:
    """The ladder of a folder, for this process alone; at the end no source is left that was not entered."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        (folder / LOCK).touch()
    except OSError as error:
        raise RunError(f"{folder}: cannot be written: {error.strerror}") from error
    with locked(folder, "another bot is being submitted there; try again when it has played"):
        ladder = None
        try:
            ladder = open_ladder(folder) if (folder / FILE).exists() else new_ladder(folder)
            yield ladder
        finally:
            if ladder is not None:
                remove_unnamed(ladder.sources, {entry.sha256 for entry in ladder.entries})
            if not (folder / FILE).exists():
                _remove_empty(folder)


def _remove_empty(folder: Path) -> None:
    """Leave nothing of a ladder that was not made; a folder that holds other things is left alone."""
    with suppress(OSError):
        (folder / LOCK).unlink()
    for each in (folder / "bots", folder):
        with suppress(OSError):
            each.rmdir()


def _refuse_closed(ladder: Ladder) -> None:
    manifest = ladder.manifest()
    if manifest is not None and manifest.state == CLOSED:
        raise RunError(f"{ladder.folder}: is closed, its seed published; nothing can be submitted any more")


def _check_name(spec: str, name: str, bots: list[BotSource]) -> str:
    """The name, if a bot may be called so on the ladder. Raises BotSpecError."""
    if not is_label(name, MOST_LETTERS):
        raise BotSpecError(
            f"bot {echo(spec)}: {echo(name)} is no name: one is a line of up to {MOST_LETTERS} letters; "
            f"give another by --name"
        )
    for bot in bots:
        if normalized(bot.entry.name) == normalized(name):
            raise BotSpecError(
                f"bot {echo(spec)}: the name {name!r} is taken by another source (SHA-256 {bot.entry.sha256[:12]}); "
                f"give another by --name"
            )
    return name


def _examined(ladder: Ladder, kept: BotSource, options: Options) -> Report:
    """The report card of the kept copy, in the preset that the ladder's rules are made from.

    How strong it is, its games on the ladder tell.
    """
    presets = (ladder.config.rule_set().preset,)
    return check(kept, presets=presets, limits=options.limits, boards=0)


def _enter(ladder: Ladder, entry: Entry) -> None:
    write_entries(ladder.folder, [*ladder.entries, entry])
    ladder.entries.append(entry)


def _catch_up(ladder: Ladder, options: Options, told: Told) -> None:
    """Play all that is missing: the field among itself, then each submission against all that are there.

    A ladder that is not there yet is made. Raises BotFault, Stopped or BotSpecError.
    """
    if not (ladder.folder / FILE).exists():
        write_atomically(ladder.folder / FILE, NEW_FILE.encode())
    bots = _able(ladder, options)
    manifest = ladder.manifest()
    held = len((manifest or ladder.config).bots)
    whole = manifest is not None and manifest.state == FINISHED and manifest.units == ladder.config.units
    for number in range(held, len(bots) + 1):
        try:
            _extend(ladder, bots, number, options, _untold if whole and number == held else told.games)
        except (Stopped, BotSpecError) as error:
            newest = bots[number - 1].entry.name
            if isinstance(error.__cause__, OSError) or not _is_coming(ladder, newest):
                raise  # the disk's fault, or that of a bot which is there to stay
            _take_off(ladder, newest)
            _go_on(ladder, bots[: number - 1], options, _untold)
            raise type(error)(f"{error}; {newest!r} is not entered") from error


def _able(ladder: Ladder, options: Options) -> list[BotSource]:
    """The bots of the ladder; of those that have played, the ones that cannot be loaded any more are absent."""
    bots = ladder.bots()
    manifest = ladder.manifest()
    played = {entry.name for entry in manifest.bots} if manifest else set()
    old = [bot for bot in bots if bot.entry.name in played and not isinstance(bot, AbsentSource)]
    failures = {
        bot.entry.name: str(failure)
        for bot, failure in probed(old, ladder.config.rule_set(), options.limits)
        if failure is not None
    }
    return [_absent_for(bot, failures.get(bot.entry.name)) for bot in bots]


def _absent_for(bot: BotSource, reason: str | None) -> BotSource:
    return bot if reason is None else AbsentSource.of(bot.entry, reason)


def _extend(ladder: Ladder, bots: list[BotSource], number: int, options: Options, games: Games) -> None:
    """Have the run hold the first `number` bots. One that has been there before, and fails now, is set aside.

    Raises BotFault or Stopped.
    """
    while True:
        try:
            _go_on(ladder, bots[:number], options, games)
            return
        except BotFault as fault:
            old = bots[: number - 1] if _is_coming(ladder, bots[number - 1].entry.name) else bots[:number]
            guilty = next((bot for bot in old if bot.entry.name == fault.bot), None)
            if guilty is None or not _is_extended(ladder):
                raise
            take_back(ladder.run)
            bots[bots.index(guilty)] = AbsentSource.of(guilty.entry, str(fault))


def _go_on(ladder: Ladder, bots: list[BotSource], options: Options, games: Games) -> None:
    """Have the run hold these players, the last of them newly added perhaps. Raises BotFault or Stopped."""
    absent = frozenset(bot.entry.name for bot in bots if isinstance(bot, AbsentSource))
    tournament = Tournament(ladder.config, tuple(bots), ladder.folder, absent)
    with games(bots[-1].entry.name) as report:
        run(tournament, ladder.run, resume=True, jobs=options.jobs, executor=options.executor, report=report)


def _take_off(ladder: Ladder, name: str) -> None:
    """Undo that a bot was entered."""
    take_back(ladder.run)
    entries = [entry for entry in ladder.entries if entry.name != name]
    write_entries(ladder.folder, entries)
    ladder.entries[:] = entries


def _is_coming(ladder: Ladder, name: str) -> bool:
    """Whether a bot is a submission that the run has just been extended by."""
    manifest = ladder.manifest()
    if manifest is None or not _is_extended(ladder) or ladder.entry(name) is None:
        return False
    before, now = manifest.extensions[-2:]
    return manifest.stages[before].bots < manifest.stages[now].bots


def _is_extended(ladder: Ladder) -> bool:
    """Whether the last stage of the run is an extension that is under way."""
    manifest = ladder.manifest()
    return manifest is not None and manifest.state == RUNNING and len(manifest.extensions) > 1


def _now() -> str:
    return datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
