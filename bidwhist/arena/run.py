"""A run: from a tournament to its folder of results. The only writer of that folder.

The state of a run is the set of its finished parts. Whatever stopped it, a resume plays the parts that are missing;
a part is played from the seed alone, so the bytes are those of an undisturbed run.
"""

import os
import platform
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from functools import partial
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import msgspec
import numpy as np
import pyarrow as pa

from bidwhist._version import __version__
from bidwhist.arena.config import SECRET, Config, draw_seed
from bidwhist.arena.executors import EXECUTORS, Executor, Job, PlayedPart
from bidwhist.arena.lock import LOCK, locked
from bidwhist.arena.part import Setting
from bidwhist.bot.jailed.isolation import STRANGERS, Isolation, contained
from bidwhist.bot.probing import probe_all
from bidwhist.bot.sources.find import find_bot
from bidwhist.bot.sources.keep import COPIES, find_kept, keep, remove_unnamed
from bidwhist.bot.sources.source import BotSource
from bidwhist.errors import BotSpecError, ConfigError, RunError
from bidwhist.files import refused
from bidwhist.public import OBSERVATION_VERSION
from bidwhist.results.manifest import (
    CLOSED,
    FINISHED,
    MANIFEST,
    PLAY_VERSIONS,
    RUNNING,
    BotEntry,
    Manifest,
    Stage,
    commitment,
    read_manifest,
    read_secret,
    secret_file,
    seed_of,
    write_manifest,
)
from bidwhist.results.parts import is_done, planned_parts, stray_files
from bidwhist.results.processor_time import TIMINGS
from bidwhist.results.reasons import add_reasons
from bidwhist.results.schedule import Plan, by_stretch
from bidwhist.results.schema import PARTS, SCHEMA_VERSION, Part, write_part
from bidwhist.results.standings import DERIVED
from bidwhist.results.terms import OnFault
from bidwhist.rules import RULES_VERSION

if TYPE_CHECKING:
    from bidwhist.results.stopping import Watch

OUTPUT: Final = "timings/output.txt"
"""What the bots of a run have printed; a process may leave 64 KB there."""

_SMALL_SEED: Final = 1 << 64
_BUSY: Final = "another run is writing there"


@dataclass(frozen=True)
class Progress:
    """How far a run is: parts finished, of how many, and tables played so far in this process."""

    parts_done: int
    parts: int
    tables: int


Report = Callable[[Progress], None]


@dataclass(frozen=True)
class Tournament:
    """A tournament with its bots found: what a run plays."""

    config: Config
    bots: tuple[BotSource, ...]
    folder: Path  # where relative paths of bots are looked for first
    absent: frozenset[str] = frozenset()  # names of bots that have played and cannot play any more

    @property
    def name(self) -> str:
        """The tournament's name."""
        return self.config.name or "tournament"

    @property
    def is_guessable(self) -> bool:
        """True if bots that are not trusted could find the seed, and with it all hands, by trying small numbers."""
        seed = self.config.seed
        return seed != SECRET and int(seed) < _SMALL_SEED and any(bot.contained for bot in self.bots)

    def plan(self) -> Plan:
        """How its bots are paired."""
        hands = self.config.rule_set().cap if self.config.format == "games" else 1
        names = [bot.entry.name for bot in self.bots]
        config = self.config
        may_stop = config.stop is not None
        return Plan.by_names(config.pairing, config.challengers, names, hands, may_stop=may_stop, rounds=config.rounds)

    def most_tables(self) -> int:
        """Rows of the finished run: exactly in the format `boards`, at most in `games`."""
        return self.plan().most_tables(len(self.bots), self.config.units)


def default_folder(config: Config) -> Path:
    """`results/<name>` in the working folder."""
    return Path("results") / (config.name or "tournament")


def prepare(
    config: Config, folders: Sequence[Path], going_on: Path | None = None, isolation: Isolation = STRANGERS
) -> Tournament:
    """Find the bots of a tournament and load each once; relative paths are looked for in `folders`.

    `going_on`: the folder of a run that may be there already. A bot whose files are gone is taken from its copy there.
    `isolation`: of all bots, beside those that the tournament says it trusts. Raises BotSpecError.
    """
    bots = tuple(
        contained(_find(spec, name, folders, going_on), replace(isolation, trust=isolation.trust or trusted))
        for (spec, name), trusted in zip(config.bot_lines, config.trusted, strict=True)
    )
    probe_all(bots, config.rule_set(), config.bot_limits())
    return Tournament(config, bots, folders[0])


def _find(spec: str, name: str, folders: Sequence[Path], going_on: Path | None) -> BotSource:
    try:
        return find_bot(spec, name, folders)
    except BotSpecError:
        with suppress(RunError, BotSpecError):
            manifest = read_manifest(going_on) if going_on else None
            for entry in manifest.bots if manifest else ():
                if going_on and entry.kept and (entry.name, entry.spec) == (name, spec):
                    return find_kept(entry, going_on / COPIES)
        raise


def run(
    tournament: Tournament,
    out: Path,
    *,
    resume: bool = False,
    jobs: int | None = None,
    executor: str = "processes",
    report: Report = lambda progress: None,
) -> Manifest:
    """Play a tournament into the folder `out` and derive its standings; the manifest as it stands at the end.

    Raises RunError when `out` holds something else or cannot be made, Stopped (BotFault) when a fault of a bot, a
    process or the disk ends it, ConfigError for an unknown executor or no jobs.
    """
    if executor not in EXECUTORS or (jobs is not None and jobs < 1):
        raise ConfigError(f"executor {executor!r}, jobs {jobs}: executor is one of {tuple(EXECUTORS)}, jobs at least 1")
    out = out.absolute()  # a bot may change the working folder
    _make_folder(out)
    with locked(out, _BUSY):
        manifest, seed = _open(tournament, out, resume)
        bots = [keep(bot, out / COPIES) for bot in tournament.bots]
        remove_unnamed(out / COPIES, {bot.sha256 for bot in manifest.bots})
        write_manifest(out, manifest)
        _clear_leftovers(out)
        setting = Setting(manifest.rule_set(), seed, manifest.is_games)
        job = Job(setting, tuple(bots), manifest, tournament.config.bot_limits())
        workers = jobs or tournament.config.jobs or _processors()
        _Play(job, out, EXECUTORS[executor], workers, report).all()
        _derive(out)
        manifest = read_manifest(out)
        if manifest.state == RUNNING:
            manifest.state = FINISHED
            manifest.finished = _now()
            write_manifest(out, manifest)
    return manifest


@dataclass(frozen=True)
class _Play:
    """The parts of a run, to be played."""

    job: Job
    out: Path
    executor: Executor
    workers: int
    report: Report

    def all(self) -> None:
        """Play the parts that are missing; for a run that may stop early, note in its manifest how it has ended."""
        manifest = self.job.manifest
        if manifest.stop is not None and manifest.stopped is None:
            self._until_sure()
            return
        self._missing()
        if manifest.rounds is not None:
            self._rounds()

    def _rounds(self) -> None:
        """Play the rounds that are still wanted. They are written down before they are played."""
        from bidwhist.results.rounds import next_round  # loads the compiler

        manifest = self.job.manifest
        while pairs := next_round(self.out, manifest):
            manifest.stages.append(msgspec.structs.replace(manifest.stages[-1], pairs=tuple(pairs)))
            manifest.state, manifest.finished = RUNNING, None
            write_manifest(self.out, manifest)
            self._missing()

    def _until_sure(self) -> None:
        manifest = self.job.manifest
        from bidwhist.results.stopping import Watch  # loads the compiler

        watch = Watch(self.out, manifest)
        self._missing(watch)
        if watch.stopped is not None:
            # Others may have gone on to later boards meanwhile. These parts are missed by nobody until it is noted.
            _remove_parts(self.out, [part for part in planned_parts(manifest) if part.first >= watch.stopped])
        manifest.outcome = watch.outcome
        write_manifest(self.out, manifest)
        if watch.stopped is not None:
            self._missing()  # parts that have ended later are played as far as the run goes

    def _missing(self, watch: "Watch | None" = None) -> None:
        parts = planned_parts(self.job.manifest)
        missing = [part for part in by_stretch(parts) if not is_done(self.out, self.job.manifest, part)]
        if watch is not None:
            for part in {*parts} - {*missing}:
                watch.see(part)
        wanted = missing if watch is None else watch.wanted(missing)
        workers = min(self.workers, max(len(missing), 1))
        done, tables = len(parts) - len(missing), 0
        self.report(Progress(done, len(parts), tables))
        for played in self.executor(self.job, wanted, workers, partial(_keep_output, self.out)):
            if watch is not None and not any(watch.wanted([played.part])):
                continue  # it was begun before the run stopped
            _write_part(self.out, played)
            if watch is not None:
                watch.see(played.part)
            tables += played.tables
            done += 1
            self.report(Progress(done, len(parts), tables))


def close(out: Path) -> Manifest:
    """Publish the seed of a finished run with a secret seed; it can no longer be extended.

    Raises RunError, or Stopped if the disk refuses.
    """
    read_manifest(out)  # before the lock's file is made where no run is
    with locked(out, _BUSY):
        manifest = read_manifest(out)
        if not manifest.secret:
            raise RunError(f"{out}: its seed is no secret: there is nothing to close")
        if manifest.state == RUNNING:
            raise RunError(f"{out}: is not finished: resume it first")
        manifest.seed = seed_of(out, manifest)
        manifest.state = CLOSED
        write_manifest(out, manifest)
        try:
            secret_file(out).unlink(missing_ok=True)
        except OSError as error:
            raise refused(secret_file(out), "removed", error) from error
    return manifest


def take_back(out: Path) -> None:
    """Undo the last extension of an unfinished run: its parts, its stage, and the bots that came with it.

    Raises RunError if the run is finished, or was never extended; Stopped if the disk refuses.
    """
    with locked(out, _BUSY):
        manifest = read_manifest(out)
        if manifest.state != RUNNING or len(manifest.extensions) == 1:
            raise RunError(f"{out}: there is no unfinished extension to take back")
        stages = manifest.stages[: manifest.extensions[-1]]
        added = planned_parts(manifest)[Plan.of(manifest).count_parts(stages) :]
        # The parts first: stopped in between, the run is one with parts missing, which is nothing new.
        _remove_parts(out, added)
        manifest.stages = stages
        manifest.bots = manifest.bots[: stages[-1].bots]
        write_manifest(out, manifest)


def _write_part(out: Path, played: PlayedPart) -> None:
    write_part(out / PARTS, played.part, played.data)
    seconds = round(played.cpu_seconds, 3)
    add_reasons(out, played.reasons)
    _note_timing(out, {"part": played.part.number, "tables": played.tables, "cpu_seconds": seconds})


def _remove_parts(out: Path, parts: Iterable[Part]) -> None:
    """Remove what there is of the files of parts. Raises Stopped if the disk refuses."""
    try:
        for part in parts:
            (out / PARTS / part.file_name).unlink(missing_ok=True)
    except OSError as error:
        raise refused(out / PARTS, "written", error) from error


def _derive(out: Path) -> None:
    """Write the standings. What counts them is loaded now, with the compiler, when the workers have gone."""
    from bidwhist.results.standings import write_derived

    write_derived(out)


def _note_timing(out: Path, line: dict[str, int | float]) -> None:
    """Add a line to what varies from run to run."""
    path = out / TIMINGS
    try:
        with path.open("ab") as file:
            file.write(msgspec.json.encode(line) + b"\n")
    except OSError as error:
        raise refused(path, "written", error) from error


def _keep_output(out: Path, text: str) -> None:
    """Keep what a process of the run, or a bot in it, has printed."""
    with suppress(OSError), (out / OUTPUT).open("a", encoding="utf-8") as file:
        file.write(text if text.endswith("\n") else text + "\n")


def _make_folder(out: Path) -> None:
    """Make what is missing of a run's folder. Raises RunError, or Stopped if the disk is full."""
    for folder in (out, out / PARTS, out / "timings"):
        try:
            if folder == out and out.is_dir() and not (out / MANIFEST).exists():
                _refuse_foreign(out)
            folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise refused(folder, "written", error) from error


def _refuse_foreign(out: Path) -> None:
    """Do not put a run into a folder that holds other things."""
    ours = {PARTS, COPIES, "timings", MANIFEST, *DERIVED, LOCK}
    if any(path.name.removesuffix(".tmp") not in ours for path in out.iterdir()):
        raise RunError(f"{out}: holds other files and is no run's folder; choose another with --out")


def _open(tournament: Tournament, out: Path, resume: bool) -> tuple[Manifest, int]:
    """The manifest to go on with, a new one, or that of the run in `out`, extended where asked; and the seed."""
    if not (out / MANIFEST).exists():
        return _begin(tournament, out, resume)
    old = read_manifest(out)
    if not resume:
        raise RunError(f"{out}: holds the {old.state} run {old.name!r}; go on with --resume, or choose another --out")
    seed = seed_of(out, old)
    given = tournament.config.seed
    new = _new_manifest(tournament, seed if given == SECRET else int(given))
    known = {bot.name: bot for bot in old.bots if bot.name in tournament.absent}
    new.bots = [_as_it_played(bot, known.get(bot.name, bot)) for bot in new.bots]
    _check_identity(out, old, new)
    old.bots = new.bots[: len(old.bots)]  # with what does not count for the identity
    _extend(out, old, new)
    return old, seed


def _begin(tournament: Tournament, out: Path, resume: bool) -> tuple[Manifest, int]:
    """A new manifest, and the seed. Where a run has lost its manifest, it is made anew for the parts that are there."""
    config = tournament.config
    secret = secret_file(out)
    if not resume and config.seed == SECRET and secret.exists():
        raise RunError(
            f"{secret}: keeps the seed of an earlier run; go on with it by --resume, move the file away, or choose "
            f"another --out"
        )
    if config.seed != SECRET:
        seed = int(config.seed)
    elif secret.exists():
        seed = read_secret(out)
    else:
        seed = _keep_secret(secret)
    manifest = _new_manifest(tournament, seed)
    parts = planned_parts(manifest)
    found = [part for part in parts if (out / PARTS / part.file_name).exists()]
    names = [part.file_name for part in found] + stray_files(out, manifest)
    if names and not resume:
        raise RunError(f"{out / PARTS}: holds {names[0]} of a run that has no {MANIFEST}; go on with it by --resume")
    foreign = [part.file_name for part in found if not is_done(out, manifest, part)] + stray_files(out, manifest)
    if foreign:
        raise RunError(
            f"{out / PARTS}: holds {foreign[0]}, which is damaged or belongs to another tournament, and there is no "
            f"{MANIFEST} to tell; move it away to go on"
        )
    return manifest, seed


def _keep_secret(path: Path) -> int:
    """Draw a secret seed, and keep it in a file that only its owner can read."""
    seed = draw_seed()
    try:
        descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        with os.fdopen(descriptor, "w", encoding="ascii") as file:
            file.write(f"{seed:032x}\n")
            file.flush()
            os.fsync(file.fileno())
    except OSError as error:
        with suppress(OSError):
            path.unlink(missing_ok=True)
        raise refused(path, "written", error) from error
    return seed


def _new_manifest(tournament: Tournament, seed: int) -> Manifest:
    config, rules = tournament.config, tournament.config.rule_set()
    secret = config.seed == SECRET
    absent = [place for place, bot in enumerate(tournament.bots) if bot.entry.name in tournament.absent]
    return Manifest(
        name=tournament.name,
        format=config.format,
        rules={"preset": rules.preset, **rules.as_dict()},
        seed=None if secret else seed,
        seed_commitment=commitment(seed),
        secret=secret,
        pairing=config.pairing,
        challengers=config.challengers,
        record=config.record,
        most_faults=config.most_faults,
        stop=config.stop,
        rounds=config.rounds,
        bots=[
            msgspec.structs.replace(bot.entry, on_fault=_on_fault(config, bot), isolation=bot.isolation)
            for bot in tournament.bots
        ],
        stages=[Stage(len(tournament.bots), config.units, tuple(absent))],
        state=RUNNING,
        versions={
            "bidwhist": __version__,
            "rules": RULES_VERSION,
            "observation": OBSERVATION_VERSION,
            "schema": SCHEMA_VERSION,
            "numpy": np.__version__,
            "numba": version("numba"),
            "pyarrow": pa.__version__,
            "python": platform.python_version(),
        },
        host={"system": platform.system(), "machine": platform.machine(), "processors": _processors()},
        folder=str(tournament.folder.resolve()),
        started=_now(),
    )


def _on_fault(config: Config, bot: BotSource) -> OnFault:
    """The policy for a bot's faults. One that sees all hands is no stranger's, and stops the run."""
    if bot.entry.cheats:
        return "stop"
    return config.on_fault or ("substitute" if bot.contained else "stop")


def _check_identity(out: Path, old: Manifest, new: Manifest) -> None:
    """Refuse to mix two tournaments in one folder, saying what differs."""
    edited = [
        before.name
        for before, now in zip(old.bots, new.bots, strict=False)
        if (before.name, before.spec) == (now.name, now.spec) and before.sha256 != now.sha256
    ]
    changes = [
        f"{field}: {_plain(old, field)!r} in the run, {_plain(new, field)!r} now"
        for field in ("name", "format", "secret", "pairing", "challengers", "record", "most_faults", "stop", "rounds")
        if getattr(old, field) != getattr(new, field)
    ]
    if not old.secret and old.seed != new.seed:
        changes.append(f"seed: {old.seed} in the run, {new.seed} now")
    changes += _differences("rules", old.rules, new.rules)
    changes += _differences("version", *({kind: each.versions[kind] for kind in PLAY_VERSIONS} for each in (old, new)))
    for place, bot in enumerate(old.bots):
        if place >= len(new.bots):
            changes.append(f"bots: {bot.name!r} is missing now")
        elif bot.name not in edited and _identity(bot) != _identity(new.bots[place]):
            changes += _differences(f"bot {place + 1}", _identity(bot), _identity(new.bots[place]))
    if changes:
        raise RunError(f"{out}: is another tournament: " + "; ".join(changes))
    if edited:
        names = ", ".join(map(repr, edited))
        have = "have" if len(edited) > 1 else "has"
        raise RunError(f"{out}: {names} {have} been edited since this run was started; choose another --out")


def _plain(manifest: Manifest, field: str) -> Any:
    """A field of a manifest as it is written in a tournament file."""
    return msgspec.to_builtins(getattr(manifest, field))


def _as_it_played(bot: BotEntry, before: BotEntry) -> BotEntry:
    """The entry of a bot with what only its source, if it were there, would tell of how it plays."""
    return msgspec.structs.replace(bot, on_fault=before.on_fault, isolation=before.isolation)


def _identity(bot: BotEntry) -> dict[str, Any]:
    """The facts of a bot that a resume must find unchanged."""
    return {each: getattr(bot, each) for each in ("name", "spec", "sha256", "cheats", "on_fault", "isolation")}


def _differences(what: str, old: dict[str, Any], new: dict[str, Any]) -> list[str]:
    return [
        f"{what} {key}: {old.get(key)!r} in the run, {new.get(key)!r} now"
        for key in {**old, **new}
        if old.get(key) != new.get(key) and key != "preset"
    ]


def _extend(out: Path, old: Manifest, new: Manifest) -> None:
    stage, held = new.stages[0], old.stages[-1]
    if stage.units < held.units:
        raise RunError(
            f"{out}: holds {held.units} {old.format} already; a run can be extended, not cut to {stage.units}"
        )
    plan = Plan.of(new)
    stages = [*old.stages, stage]
    if len(new.bots) == len(old.bots) and plan.count_parts(stages) == plan.count_parts(old.stages):
        return
    if old.state == CLOSED:
        raise RunError(f"{out}: is closed, its seed published; it cannot be extended")
    old.bots = new.bots
    old.stages = stages
    old.state = RUNNING
    old.finished = None


def _clear_leftovers(out: Path) -> None:
    for path in [*out.glob("*.tmp"), *(out / PARTS).glob("*.tmp")]:
        with suppress(OSError):
            path.unlink()


def _processors() -> int:
    """Processors that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def _now() -> str:
    return datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
