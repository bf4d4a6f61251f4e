"""The manifest with which a run goes on: a new one, that of a run that is there, or the same extended."""

import os
import platform
from contextlib import suppress
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import pyarrow as pa

from bidwhist._version import __version__
from bidwhist.arena.config import SECRET, Config, draw_seed
from bidwhist.arena.tournament import Tournament
from bidwhist.bot.sources.source import BotSource
from bidwhist.errors import RunError
from bidwhist.files import refused
from bidwhist.public import OBSERVATION_VERSION
from bidwhist.results.manifest import (
    CLOSED,
    MANIFEST,
    PLAY_VERSIONS,
    RUNNING,
    BotEntry,
    Manifest,
    Stage,
    commitment,
    read_manifest,
    read_secret,
    restore_manifest,
    secret_file,
    seed_of,
)
from bidwhist.results.parts import is_done, planned_parts, stray_files
from bidwhist.results.schedule import Plan
from bidwhist.results.schema import PARTS, SCHEMA_VERSION
from bidwhist.results.terms import OnFault
from bidwhist.rules import RULES_VERSION


def open_run(tournament: Tournament, out: Path, resume: bool) -> tuple[Manifest, int]:
    """The manifest to go on with, a new one, or that of the run in `out`, extended where asked; and the seed."""
    if not (out / MANIFEST).exists() and not (resume and restore_manifest(out)):
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
        host={"system": platform.system(), "machine": platform.machine(), "processors": processors()},
        folder=str(tournament.folder.resolve()),
        started=now(),
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


def processors() -> int:
    """Processors that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def now() -> str:
    return datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
