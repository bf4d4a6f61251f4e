"""Playing a table again, to show what its row does not hold."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from bidwhist.arena.block import Setting, play_part
from bidwhist.arena.players import find_player, seat_player
from bidwhist.errors import RunError
from bidwhist.results.manifest import read_manifest, seed_of
from bidwhist.results.schema import Part


def replay_columns(run: Path, unit: int, a: int, b: int) -> Mapping[str, Any]:
    """The columns of one unit (board or game) of a pairing of bot indices, plays included, in both orientations.

    Raises RunError when a bot is not the one that played in the run.
    """
    manifest = read_manifest(run)
    deciders = {}
    for index in (a, b):
        entry = manifest.bots[index]
        player = find_player(entry.spec, entry.name, [Path(manifest.folder), Path.cwd()])
        if player.entry.sha256 != entry.sha256:
            raise RunError(f"{run}: bot {entry.name!r} has changed since the run: its plays cannot be shown")
        deciders[index] = seat_player(player, manifest.rule_set())
    setting = Setting(manifest.rule_set(), seed_of(run, manifest), manifest.is_games)
    return play_part(setting, Part(0, a, b, unit, 1), deciders)
