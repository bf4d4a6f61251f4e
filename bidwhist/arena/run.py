"""A run: from a tournament to its folder of results. The only writer of that folder.

The state of a run is the set of its finished parts. Whatever stopped it, a resume plays the parts that are missing;
a part is played from the seed alone, so the bytes are those of an undisturbed run.
"""

from collections.abc import Callable, Iterable
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Final

import msgspec

from bidwhist.arena.executors import EXECUTORS, Executor, Job, PlayedPart
from bidwhist.arena.lock import LOCK, locked
from bidwhist.arena.opening import now, open_run, processors
from bidwhist.arena.part import Setting
from bidwhist.arena.tournament import Tournament
from bidwhist.bot.sources.keep import COPIES, keep, remove_unnamed
from bidwhist.errors import ConfigError, RunError
from bidwhist.files import refused
from bidwhist.results.manifest import (
    CLOSED,
    COPY,
    FINISHED,
    MANIFEST,
    RUNNING,
    Manifest,
    read_manifest,
    secret_file,
    seed_of,
    write_manifest,
)
from bidwhist.results.parts import is_done, planned_parts
from bidwhist.results.processor_time import TIMINGS
from bidwhist.results.reasons import add_reasons
from bidwhist.results.schedule import Plan, by_stretch
from bidwhist.results.schema import PARTS, Part, write_part
from bidwhist.results.standings import DERIVED

if TYPE_CHECKING:
    from bidwhist.results.stopping import Watch

OUTPUT: Final = "timings/output.txt"
"""What the bots of a run have printed; a process may leave 64 KB there."""

_BUSY: Final = "another run is writing there"


@dataclass(frozen=True)
class Progress:
    """How far a run is: parts finished, of how many, and tables played so far in this process."""

    parts_done: int
    parts: int
    tables: int


Report = Callable[[Progress], None]


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
        manifest, seed = open_run(tournament, out, resume)
        bots = [keep(bot, out / COPIES) for bot in tournament.bots]
        remove_unnamed(out / COPIES, {bot.sha256 for bot in manifest.bots})
        write_manifest(out, manifest)
        _clear_leftovers(out)
        setting = Setting(manifest.rule_set(), seed, manifest.is_games, manifest.pairing)
        job = Job(setting, tuple(bots), manifest, tournament.config.bot_limits())
        workers = jobs or tournament.config.jobs or processors()
        _Play(job, out, EXECUTORS[executor], workers, report).all()
        _derive(out)
        manifest = read_manifest(out)
        if manifest.state == RUNNING:
            manifest.state = FINISHED
            manifest.finished = now()
            write_manifest(out, manifest)
    return manifest


@dataclass
class _Play:
    """The parts of a run, to be played."""

    job: Job
    out: Path
    executor: Executor
    workers: int
    report: Report
    tables: int = 0  # played so far

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
        done = len(parts) - len(missing)
        self.report(Progress(done, len(parts), self.tables))
        for played in self.executor(self.job, wanted, workers, partial(_keep_output, self.out)):
            if watch is not None and not any(watch.wanted([played.part])):
                continue  # it was begun before the run stopped
            _write_part(self.out, played)
            if watch is not None:
                watch.see(played.part)
            self.tables += played.tables
            done += 1
            self.report(Progress(done, len(parts), self.tables))


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
    seconds = round(played.cpu_seconds, 6)
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
    ours = {PARTS, COPIES, "timings", MANIFEST, COPY, *DERIVED, LOCK}
    if any(path.name.removesuffix(".tmp") not in ours for path in out.iterdir()):
        raise RunError(f"{out}: holds other files and is no run's folder; choose another with --out")


def _clear_leftovers(out: Path) -> None:
    for path in [*out.glob("*.tmp"), *(out / PARTS).glob("*.tmp")]:
        with suppress(OSError):
            path.unlink()
