"""Several runs as one sample: bots are the same if they have the same name and source, boards if they have the same
seed and number.

Runs of different seeds are independent of each other. What two runs have both played, the same bots on the same boards,
counts once.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

import numpy as np
from numpy.typing import NDArray

from bidwhist.errors import RunError
from bidwhist.results.manifest import BotEntry, Manifest, read_manifest
from bidwhist.results.parts import present_parts
from bidwhist.results.schedule import MIXED
from bidwhist.results.tally import QUANTITIES, tally_run
from bidwhist.stats.ranks import Difference, Place, differences, places
from bidwhist.stats.ratings import ELO, Ratings, point_ratings, share_ratings
from bidwhist.stats.sample import Meeting, Sample

_DIGITS: Final = 9  # mathematical libraries differ in the last bits; the order must not
_LETTERS: Final = 8  # of a hash, that tell two bots of one name apart


@dataclass(frozen=True)
class Pool:
    """What several runs have in common.

    `names`: of the bots, those of one name told apart by their hashes; `runs`: in how many runs each has played;
    `order`: bots by points, the best first, those that see all hands left out; by bot the ratings `points` a board (in
    `games` a hand) and `elo` by shares won; `differences` between them and their `places`.
    """

    names: list[str]
    runs: list[int]
    sample: Sample
    points: Ratings
    elo: Ratings
    differences: list[Difference]
    places: list[Place]


def pool(runs: Sequence[Path]) -> Pool:
    """The bots of several runs, rated by all that they have played.

    Raises RunError for a folder that is no run's, for runs in "mixed", and for runs of other rules or another format
    than the first.
    """
    manifests = [read_manifest(run) for run in runs]
    for run, manifest in zip(runs, manifests, strict=True):
        if manifest.is_mixed:
            raise RunError(f'{run}: has pairing = "{MIXED}", whose bots are rated by that run alone: see its table')
    for run, manifest in zip(runs[1:], manifests[1:], strict=True):
        _check_alike(runs[0], manifests[0], run, manifest)
    bots: dict[tuple[str, str, str], BotEntry] = {}
    played: dict[tuple[str, str, str], int] = {}
    for manifest in manifests:
        for bot in manifest.bots:
            bots.setdefault(_key(bot), bot)
            played[_key(bot)] = played.get(_key(bot), 0) + 1
    place = {key: number for number, key in enumerate(bots)}
    aside = [place[key] for key, bot in bots.items() if bot.cheats]
    sample = Sample(len(bots), QUANTITIES, aside, by_table=("points",))
    first = _first_units(manifests)
    found: dict[tuple[int, int], list[Meeting]] = {}
    for run, manifest in zip(runs, manifests, strict=True):
        own = tally_run(run, manifest, present_parts(run, manifest)).sample
        sample.most = own.most
        for meeting in own.meetings.values():
            a, b = (place[_key(manifest.bots[bot])] for bot in (meeting.a, meeting.b))
            moved = replace(meeting, a=a, b=b, units=meeting.units + first[manifest.seed_commitment])
            found.setdefault((min(a, b), max(a, b)), []).append(moved if a < b else moved.swapped(QUANTITIES))
    for meetings in found.values():
        seen = np.zeros(0, np.int64)
        for meeting in meetings:
            sample.add(meeting.at(~np.isin(meeting.units, seen)))
            seen = np.union1d(seen, meeting.units)
    names = _labels(list(bots.values()))
    ranked = sorted((bot for bot in range(len(bots)) if bot not in aside), key=lambda bot: names[bot])
    points, elo = point_ratings(sample, ranked), share_ratings(sample, ranked)
    order = sorted(
        (bot for bot in ranked if points.estimates.df[bot] >= 0),
        key=lambda bot: -round(float(points.estimates.values[bot]), _DIGITS),
    )
    apart = differences(points.estimates, order)
    return Pool(
        names,
        [played[key] for key in bots],
        sample,
        points,
        replace(elo, estimates=elo.estimates * ELO),
        apart,
        places(order, apart),
    )


def _key(bot: BotEntry) -> tuple[str, str, str]:
    return bot.name, bot.spec if bot.kept is None else bot.kept, bot.sha256


def _labels(bots: Sequence[BotEntry]) -> list[str]:
    """The names of bots; where several have one name, each with the beginning of its hash, or else a number."""
    names = [bot.name for bot in bots]
    hashed = [
        name if names.count(name) == 1 else f"{name} ({bot.sha256[:_LETTERS]})"
        for name, bot in zip(names, bots, strict=True)
    ]
    return [
        name if hashed.count(name) == 1 else f"{name} #{hashed[: place + 1].count(name)}"
        for place, name in enumerate(hashed)
    ]


def _first_units(manifests: Sequence[Manifest]) -> dict[str, int]:
    """By commitment to the seed the number from which on the units of its runs are counted."""
    most: dict[str, int] = {}
    for manifest in manifests:
        most[manifest.seed_commitment] = max(most.get(manifest.seed_commitment, 0), manifest.units)
    ends: NDArray[np.int64] = np.cumsum([0, *most.values()])
    return dict(zip(most, ends.tolist(), strict=False))


def _check_alike(one: Path, first: Manifest, other: Path, second: Manifest) -> None:
    """Raises RunError for runs whose points mean different things."""
    if first.format != second.format:
        raise RunError(f"{other}: has {second.format}, and {one} has {first.format}: they cannot be rated together")
    rules, others = first.rule_set().as_dict(), second.rule_set().as_dict()
    for field, value in rules.items():
        if others[field] != value:
            differ = f"has the rule {field} = {others[field]!r}, and {one} has {value!r}"
            raise RunError(f"{other}: {differ}: they cannot be rated together")
