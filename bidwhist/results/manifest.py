"""The manifest of a run: what was played, by whom, under which rules, in which stages."""

from pathlib import Path
from typing import Final, Literal, TypeAlias

import msgspec

from bidwhist.errors import RulesError, RunError
from bidwhist.files import write_atomically
from bidwhist.results.schema import MAX_SEED, SCHEMA_VERSION
from bidwhist.rules import OPTIONS, PRESETS, Rules, Value

MANIFEST: Final = "manifest.json"
State: TypeAlias = Literal["running", "finished", "closed"]
RUNNING: Final = "running"
FINISHED: Final = "finished"
CLOSED: Final = "closed"


class BotEntry(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A bot of a run: the name in all tables, its spec as written, the hash of its source, and whether it sees all
    hands."""

    name: str
    spec: str
    sha256: str
    cheats: bool = False


class Stage(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What a run was to hold after it was started or extended: the first `bots` of its bots, on `units` boards or
    games."""

    bots: int
    units: int


class Manifest(msgspec.Struct, forbid_unknown_fields=True):
    """`manifest.json`. `seed` is None while the seed of a run is secret."""

    name: str
    format: Literal["boards", "games"]
    rules: dict[str, str | int | bool]
    seed: int | None
    pairing: Literal["round-robin", "gauntlet"]
    challengers: list[str]
    record: Literal["auto", "results", "plays"]  # as written
    bots: list[BotEntry]
    stages: list[Stage]
    state: State
    versions: dict[str, str | int]
    host: dict[str, str | int]
    folder: str  # of the tournament file: where relative paths of bots are looked for first
    started: str
    finished: str | None = None
    secret: bool = False

    @property
    def is_games(self) -> bool:
        """True for the format `games`."""
        return self.format == "games"

    @property
    def units(self) -> int:
        """Boards or games that the run is to hold for every pairing."""
        return self.stages[-1].units

    @property
    def hands_a_unit(self) -> int:
        """Hands that a unit (board or game) has at most."""
        return self.rule_set().cap if self.is_games else 1

    def rule_set(self) -> Rules:
        """The rules as a Rules value."""
        fields: dict[str, Value] = {name: self.rules[name] for name in OPTIONS}
        return Rules(**fields, preset=str(self.rules.get("preset", "classic")))  # type: ignore[arg-type]


def read_manifest(run: Path) -> Manifest:
    """The manifest in a run's folder. Raises RunError if there is none or it is damaged."""
    path = run / MANIFEST
    try:
        manifest = msgspec.json.decode(path.read_bytes(), type=Manifest)
        _check(manifest)
    except FileNotFoundError:
        raise RunError(f"{run}: is no run's folder: it has no {MANIFEST}") from None
    except OSError as error:
        raise RunError(f"{path}: cannot be read: {error.strerror}") from error
    except (msgspec.DecodeError, RulesError, ValueError, KeyError, RecursionError) as error:
        raise RunError(f"{path}: is no manifest of a run: {error}") from error
    version = manifest.versions.get("schema")
    if version != SCHEMA_VERSION:
        raise RunError(f"{path}: schema: version {version}, and this program reads {SCHEMA_VERSION}")
    return manifest


def _check(manifest: Manifest) -> None:
    """Raises RulesError, KeyError or ValueError for what the types do not tell."""
    manifest.rule_set()
    names = [bot.name for bot in manifest.bots]
    if manifest.rules.get("preset", "classic") not in PRESETS:
        raise ValueError("rules: there is no such preset")
    if manifest.seed is not None and not 0 <= manifest.seed <= MAX_SEED:
        raise ValueError("seed: is not from 0 to 2**128 - 1")
    if manifest.seed is None and not manifest.secret:
        raise ValueError("seed: is missing")
    if not manifest.stages or not all(2 <= stage.bots <= len(names) and stage.units > 0 for stage in manifest.stages):
        raise ValueError("stages: do not fit the bots")
    if not set(manifest.challengers) <= set(names):
        raise ValueError("challengers: are none of the bots")
    if missing := {"rules", "observation", "schema"} - manifest.versions.keys():
        raise ValueError(f"versions: {', '.join(sorted(missing))} missing")


def secret_file(run: Path) -> Path:
    """Where the seed of a run with a secret seed is kept until the run is closed: beside its folder."""
    folder = run.resolve()  # a run may be called "."
    return folder.with_name(folder.name + ".secret-seed")


def seed_of(run: Path, manifest: Manifest) -> int:
    """The run's seed, secret or not. Raises RunError."""
    if manifest.seed is not None:
        return manifest.seed
    path = secret_file(run)
    try:
        seed = int(path.read_text(encoding="ascii"), 16)
    except (OSError, ValueError) as error:
        raise RunError(f"{run}: the seed is secret, and {path} cannot be read: {error}") from None
    if not 0 <= seed <= MAX_SEED:
        raise RunError(f"{path}: is no seed of 128 bits")
    return seed


def write_manifest(run: Path, manifest: Manifest) -> None:
    """Write the manifest of a run. Raises Stopped if the disk refuses."""
    write_atomically(run / MANIFEST, msgspec.json.format(msgspec.json.encode(manifest), indent=2) + b"\n")
