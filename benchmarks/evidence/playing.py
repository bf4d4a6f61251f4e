"""Playing an experiment into a folder of its own: only what is not there yet, and nothing of another tournament."""

from collections.abc import Callable
from pathlib import Path
from typing import Final

from bidwhist.bot.sources.find import find_bot
from bidwhist.errors import RunError
from bidwhist.play import run_tournament
from bidwhist.public import OBSERVATION_VERSION
from bidwhist.results.manifest import MANIFEST, BotEntry, Manifest, read_manifest
from bidwhist.results.schema import SCHEMA_VERSION
from bidwhist.rules import RULES_VERSION
from evidence.plan import AGAIN, Experiment

_VERSIONS: Final = {"rules": RULES_VERSION, "observation": OBSERVATION_VERSION, "schema": SCHEMA_VERSION}

Say = Callable[[str], None]


def play(
    experiment: Experiment,
    results: Path,
    seed: int,
    units: int,
    *,
    jobs: int | None = None,
    executor: str = "processes",
    say: Say = print,
) -> Path:
    """Play an experiment with at least `units` boards or games into a folder in `results`, which is returned.

    A run that holds so many stays as it is, but for parts that are lost or damaged; one that holds fewer goes on. One
    of other bots, or another plan, is put aside under its date. Raises what `run_tournament` does.
    """
    run = results / experiment.name
    old = _manifest(run)
    if old is not None and not is_same(old, experiment, seed):
        say(f"{run}: was played by other bots, or another plan: put aside as {_put_aside(run, old).name}")
        old = None
    if old is not None:
        units = max(units, old.units)
    run_tournament(experiment.fields(seed, units), out=run, resume=True, jobs=jobs, executor=executor)
    return run


def _manifest(run: Path) -> Manifest | None:
    return read_manifest(run) if (run / MANIFEST).exists() else None


def is_same(old: Manifest, experiment: Experiment, seed: int) -> bool:
    """True if a run can be gone on with: the same plan, and the same bots, to which others may have been added."""
    fields = experiment.fields(seed, 1)
    return (
        old.seed == seed
        and old.format == fields["format"]
        and old.pairing == fields.get("pairing", "round-robin")
        and old.challengers == fields.get("challengers", [])
        and old.record == fields.get("record", "auto")
        and _entries(experiment)[: len(old.bots)] == old.bots
        and all(old.versions[kind] == version for kind, version in _VERSIONS.items())
    )


def _entries(experiment: Experiment) -> list[BotEntry]:
    """The bots as a manifest has them, with the hashes of today."""
    names = [*experiment.bots, *([experiment.bots[0] + AGAIN] if len(experiment.bots) == 1 else [])]
    return [find_bot(name.removesuffix(AGAIN), name, [Path.cwd()]).entry for name in names]


def _put_aside(run: Path, old: Manifest) -> Path:
    """Give a run's folder a name with the time when it was begun."""
    aside = run.with_name(f"{run.name}.{old.started.replace(':', '')}")
    if aside.exists():
        raise RunError(f"{aside}: is there already; move it away")
    return run.rename(aside)
