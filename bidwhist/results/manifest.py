"""The manifest of a run: what was played, by whom, under which rules, in which stages."""

import hashlib
from pathlib import Path
from typing import Any, Final, Literal, TypeAlias

import msgspec

from bidwhist.errors import ConfigError, RulesError, RunError
from bidwhist.files import read_file, write_atomically
from bidwhist.results.schedule import MIXED, PARTNERS, Pair, side, sides
from bidwhist.results.schema import MAX_SEED, SCHEMA_VERSION, Part
from bidwhist.results.terms import (
    MOST_FAULTS,
    Format,
    OnFault,
    Pairing,
    Record,
    Share,
    Stop,
    Terms,
    all_rules_from,
    typed,
)
from bidwhist.rules import Rules
from bidwhist.text import echo

MANIFEST: Final = "manifest.json"
COPY: Final = ".manifest.json"
"""A copy of it: stages and rounds stand nowhere else."""
DEFAULT: Final = Path("results")
"""Where runs lie, in the working folder, unless something else is said."""

Isolated: TypeAlias = Literal["none", "process", "jail"]
State: TypeAlias = Literal["running", "finished", "closed"]
RUNNING: Final = "running"
FINISHED: Final = "finished"
CLOSED: Final = "closed"

PLAY_VERSIONS: Final = ("rules", "observation", "schema")
"""The versions that decide what is played and how it is written."""


class BotEntry(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A bot of a run.

    `name`: in all tables; `spec`: as written; `sha256`: of the source that plays; `cheats`: whether it sees all hands;
    `kept`: the spec by which it is found in its copy in the run's folder, None if there is none; `uncovered`: what
    neither the hash nor the copy covers, in words; `on_fault`: what comes of its faults;
    `isolation`: how it was kept from the arena, "none" for a bot that is trusted or one of the house.
    """

    name: str
    spec: str
    sha256: str
    cheats: bool = False
    kept: str | None = None
    uncovered: str | None = None
    on_fault: OnFault = "stop"
    isolation: Isolated = "none"


class Stage(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What a run was to hold after it was started or extended: the first `bots` of its bots, on `units` boards or
    games, but nothing more of the bots with the indices `without`.

    `pairs`: of a round in "swiss", the pairings that it added, by indices of bots; None for a start or an extension.
    """

    bots: int
    units: int
    without: tuple[int, ...] = ()
    pairs: tuple[tuple[int, int], ...] | None = None


class Outcome(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What a run that may stop early has found: the verdict on the first of its two bots, after so many boards or
    games, None if there is none; and the interval of the difference, which holds whenever it is looked at."""

    units: int
    verdict: Literal["ahead", "behind", "close"] | None
    interval: tuple[float, float]


class Manifest(msgspec.Struct, forbid_unknown_fields=True):
    """`manifest.json`. `seed` is None while the seed of a run is secret. `seed_commitment` is a digest of the seed, by
    which it can be recognised and not found; `derived` one of the parts and the tables that were made from them."""

    name: str
    format: Format
    rules: dict[str, str | int | bool]
    seed: int | None
    seed_commitment: str
    pairing: Pairing
    challengers: list[str]
    record: Record  # as written
    bots: list[BotEntry]
    stages: list[Stage]
    state: State
    versions: dict[str, str | int]
    host: dict[str, str | int]
    folder: str  # of the tournament file: where relative paths of bots are looked for first
    started: str
    finished: str | None = None
    secret: bool = False
    most_faults: Share = MOST_FAULTS
    derived: str | None = None
    stop: Stop | None = None
    rounds: int | None = None
    outcome: Outcome | None = None

    @property
    def is_games(self) -> bool:
        """True for the format `games`."""
        return self.format == "games"

    @property
    def is_mixed(self) -> bool:
        """True if two different bots are partners."""
        return self.pairing == MIXED

    def side(self, number: int) -> Pair:
        """The two bots of a side by index."""
        return side(self.pairing, number)

    def bots_of(self, part: Part) -> list[int]:
        """The bots of a part, two or in "mixed" four, each once, those of its first side first."""
        return list(dict.fromkeys([*self.side(part.a), *self.side(part.b)]))

    @property
    def sides(self) -> list[Pair]:
        """The two bots of every side."""
        return sides(self.pairing, len(self.bots))

    def side_name(self, number: int) -> str:
        """The name of a side: that of its bot, or those of two."""
        return PARTNERS.join(dict.fromkeys(self.bots[bot].name for bot in self.side(number)))

    @property
    def side_names(self) -> list[str]:
        """The names of all sides."""
        return [self.side_name(number) for number in range(len(self.sides))]

    @property
    def units(self) -> int:
        """Boards or games that the run is to hold for every pairing, if it has not stopped early."""
        return self.stages[-1].units

    @property
    def extensions(self) -> list[int]:
        """Places in `stages` of the start of the run and of its extensions, but not of its rounds."""
        return [place for place, stage in enumerate(self.stages) if stage.pairs is None]

    @property
    def stopped(self) -> int | None:
        """Boards or games of every pairing after which the run has stopped early; None if it has not."""
        return self.outcome.units if self.outcome and self.outcome.verdict else None

    @property
    def hands_a_unit(self) -> int:
        """Hands that a unit (board or game) has at most."""
        return self.rule_set().cap if self.is_games else 1

    def rule_set(self) -> Rules:
        """The rules as a Rules value."""
        return all_rules_from(self.rules)


def read_manifest(run: Path) -> Manifest:
    """The manifest in a run's folder. Raises RunError if there is none or it is damaged."""
    path = run / MANIFEST
    try:
        fields = msgspec.json.decode(read_file(path))
        _refuse_other_version(path, fields)
        manifest = typed(fields, Manifest)
        _check(manifest)
    except (FileNotFoundError, NotADirectoryError):
        raise RunError(f"{run}: {_no_run(run)}") from None
    except OSError as error:
        raise RunError(f"{path}: cannot be read: {error.strerror}") from error
    except (msgspec.DecodeError, ValueError, RecursionError, ConfigError) as error:
        raise RunError(
            f"{path}: is no manifest of a run: {error}; if it is damaged, remove it and go on with --resume, "
            f"which makes it anew"
        ) from None
    return manifest


def _no_run(run: Path) -> str:
    """Why a path is no run's folder, and perhaps which is meant."""
    if run.is_dir():
        inside = sorted(path.parent.name for path in run.glob(f"*/{MANIFEST}"))
        hint = f"; a run in it is {echo(str(run / inside[0]), bare=True)}" if inside else ""
        return f"is no run's folder: it has no {MANIFEST}{hint}"
    if run.exists():
        return "is a file, and not a run's folder"
    default = DEFAULT / run.name
    return "there is no such folder" + (f"; did you mean {default}?" if (default / MANIFEST).exists() else "")


def _refuse_other_version(path: Path, fields: Any) -> None:
    """Tell of a run of another version of the program before its fields are looked at. Raises RunError."""
    versions = fields.get("versions") if isinstance(fields, dict) else None
    if not isinstance(versions, dict):
        return
    schema = versions.get("schema")
    if type(schema) is int and schema != SCHEMA_VERSION:
        made_by = echo(versions.get("bidwhist", "of another version"), bare=True)
        raise RunError(
            f"{path}: has schema version {schema}, and this program reads {SCHEMA_VERSION}; "
            f"bidwhist {made_by}, which has played the run, can show it"
        )


def _check(manifest: Manifest) -> None:
    """Raises ConfigError for what the types do not tell."""
    try:
        rules = manifest.rule_set()
    except RulesError as error:
        raise ConfigError(f"rules: {error}") from None
    if not manifest.stages:
        raise ConfigError("stages: there are none")
    names = [bot.name for bot in manifest.bots]
    Terms(
        manifest.name,
        rules,
        manifest.format,
        manifest.seed,
        manifest.pairing,
        manifest.challengers,
        names,
        [bot.spec for bot in manifest.bots],
        {bot.on_fault for bot in manifest.bots},
        manifest.stages,
        manifest.stop,
        manifest.rounds,
    ).check()
    if manifest.seed is None and not manifest.secret:
        raise ConfigError("seed: is missing")
    if manifest.seed is not None and commitment(manifest.seed) != manifest.seed_commitment:
        raise ConfigError("seed: is not the one that seed_commitment stands for")
    for each in PLAY_VERSIONS:
        if type(manifest.versions.get(each)) is not int:
            raise ConfigError(f"versions: {each} is missing, or no integer")


def commitment(seed: int) -> str:
    """The digest that stands for a seed in the manifest and in every part."""
    return hashlib.blake2b(seed.to_bytes(16, "little"), digest_size=32, person=b"bidwhist seed").hexdigest()


def secret_file(run: Path) -> Path:
    """Where the seed of a run with a secret seed is kept until the run is closed: beside its folder."""
    folder = run.resolve()  # a run may be called "."
    return folder.with_name(folder.name + ".secret-seed")


def read_secret(run: Path) -> int:
    """The secret seed that is kept beside a run's folder. Raises RunError."""
    path = secret_file(run)
    try:
        seed = int(read_file(path), 16)
    except OSError as error:
        raise RunError(f"{run}: the seed is secret, and {path} cannot be read: {error.strerror}") from None
    except ValueError:
        raise RunError(f"{path}: is no seed in hexadecimal digits") from None
    if not 0 <= seed <= MAX_SEED:
        raise RunError(f"{path}: is no seed of 128 bits")
    return seed


def seed_of(run: Path, manifest: Manifest) -> int:
    """The run's seed, secret or not. Raises RunError."""
    if manifest.seed is not None:
        return manifest.seed
    seed = read_secret(run)
    if commitment(seed) != manifest.seed_commitment:
        raise RunError(f"{secret_file(run)}: is the seed of another run")
    return seed


def write_manifest(run: Path, manifest: Manifest) -> None:
    """Write the manifest of a run, and its copy. Raises Stopped if the disk refuses."""
    data = msgspec.json.format(msgspec.json.encode(manifest), indent=2) + b"\n"
    for name in (MANIFEST, COPY):
        write_atomically(run / name, data)


def restore_manifest(run: Path) -> bool:
    """Put the copy of a lost manifest into its place; False if there is none. Raises Stopped if the disk refuses."""
    try:
        data = read_file(run / COPY)
    except OSError:
        return False
    write_atomically(run / MANIFEST, data)
    return True
