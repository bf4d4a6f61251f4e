"""Small runs in a folder, played by bots that do not matter much, for the tests of what is made of results."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from bidwhist._jit import jit
from bidwhist.arena.part import Setting, play_part
from bidwhist.bits import count, nth
from bidwhist.engine.decider import Decider
from bidwhist.public import OBSERVATION_VERSION
from bidwhist.results.identity import identity_of
from bidwhist.results.manifest import (
    FINISHED,
    RUNNING,
    BotEntry,
    Manifest,
    Stage,
    commitment,
    read_manifest,
    write_manifest,
)
from bidwhist.results.parts import planned_parts
from bidwhist.results.schema import PARTS, SCHEMA_VERSION, Part, encode_part, write_part
from bidwhist.results.sealed import SealedFile
from bidwhist.rules import CLASSIC, RULES_VERSION, Rules
from bidwhist.state import first_action
from bidwhist.streams import below

SEED = 20261130
STARTED = "2026-11-30T12:00:00Z"


@jit
def _decide(rows: Any, actions: Any, stream: Any, shift: int) -> None:
    for place in range(len(rows)):
        row = rows[place]
        stream[0] = row["key"] + np.uint64(shift)
        choice = min(below(stream, count(row["legal"])), below(stream, count(row["legal"])))
        actions[place] = first_action(row["public"]["phase"]) + nth(row["legal"], choice)


class LowBot(Decider):
    """Any legal action, low ids more often (so that it bids low); `shift` makes two of them differ."""

    def __init__(self, name: str, shift: int) -> None:
        super().__init__(name)
        self._shift = shift

    def decide(self, rows: Any, sequences: Any) -> Any:
        actions = np.zeros(len(rows), np.int64)
        _decide(rows, actions, np.zeros(1, np.uint64), self._shift)
        return actions


def manifest_of(
    bots: Sequence[str],
    stages: Sequence[tuple[int, int]],
    *,
    games: bool = False,
    rules: Rules = CLASSIC,
    plays: bool = False,
    challengers: Sequence[str] = (),
    finished: bool = True,
    name: str = "small",
) -> Manifest:
    return Manifest(
        name=name,
        format="games" if games else "boards",
        rules={**rules.as_dict(), "preset": rules.preset},
        seed=SEED,
        seed_commitment=commitment(SEED),
        pairing="gauntlet" if challengers else "round-robin",
        challengers=list(challengers),
        record="plays" if plays else "results",
        bots=[BotEntry(bot, bot, "0" * 64) for bot in bots],
        stages=[Stage(*stage) for stage in stages],
        state=FINISHED if finished else RUNNING,
        versions={"rules": RULES_VERSION, "observation": OBSERVATION_VERSION, "schema": SCHEMA_VERSION},
        host={"system": "test"},
        folder=".",
        started=STARTED,
    )


def make_run(run: Path, manifest: Manifest, *, leave_out: Sequence[int] = (), alike: bool = False) -> Path:
    """Play a run into a folder, without the parts of the numbers left out; `alike`: all bots play the same."""
    (run / PARTS).mkdir(parents=True)
    write_manifest(run, manifest)
    assert manifest.seed is not None
    setting = Setting(manifest.rule_set(), manifest.seed, manifest.is_games, manifest.pairing)
    deciders = {index: LowBot(bot.name, 0 if alike else index) for index, bot in enumerate(manifest.bots)}
    for part in planned_parts(manifest):
        if part.number not in leave_out:
            columns = play_part(setting, part, {bot: deciders[bot] for bot in manifest.bots_of(part)})
            put_part(run, manifest, part, columns)
    return run


def put_part(run: Path, manifest: Manifest, part: Part, columns: Any) -> None:
    """Write a part of a run with any columns."""
    identity, plays = identity_of(manifest, part), manifest.record == "plays"
    write_part(run / PARTS, part, encode_part(part, identity, columns, games=manifest.is_games, plays=plays))


def table_of(path: Path) -> Any:
    """A part as a pyarrow table, whatever it holds."""
    return SealedFile(path).read()


def part_files(run: Path) -> list[Path]:
    """The files of a run's parts, in order."""
    return sorted((run / PARTS).glob("part-*.parquet"))


def rewrite_part(run: Path, number: int, change: Callable[[dict[str, Any]], None]) -> None:
    """Write a part of a run anew, whole and sealed, with columns that `change` has changed."""
    manifest = read_manifest(run)
    part = planned_parts(manifest)[number]
    table = table_of(run / PARTS / part.file_name)
    columns = {name: table.column(name).to_numpy().copy() for name in table.column_names}
    if manifest.record == "plays":
        plays = [np.frombuffer(cards, np.int8) for cards in columns["plays"]]
        columns["plays"] = np.array([np.pad(cards, (0, 52 - len(cards)), constant_values=-1) for cards in plays])
    change(columns)
    put_part(run, manifest, part, columns)


def set_values(name: str, places: Any, value: Any) -> Callable[[dict[str, Any]], None]:
    """A change for `rewrite_part`: one column's values at some rows."""

    def change(columns: dict[str, Any]) -> None:
        columns[name][places] = value

    return change


def keep_rows(rows: Any) -> Callable[[dict[str, Any]], None]:
    """A change for `rewrite_part`: only some rows, in some order."""

    def change(columns: dict[str, Any]) -> None:
        for name in columns:
            columns[name] = columns[name][rows]

    return change
