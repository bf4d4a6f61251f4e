"""The two things one wants from Python: play a board, run a tournament."""

from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Any

from bidwhist.arena.config import Config, make_config, read_config
from bidwhist.arena.part import Setting, play_part
from bidwhist.arena.run import run
from bidwhist.arena.tournament import default_folder, prepare
from bidwhist.bot.jailed.isolation import Isolation, contained
from bidwhist.bot.loading import load_bot
from bidwhist.bot.sources.find import find_bot
from bidwhist.errors import ConfigError
from bidwhist.record import Recorded, play_out
from bidwhist.results.schema import MAX_SEED, Part
from bidwhist.results.terms import rules_from
from bidwhist.rules import CLASSIC, Rules, Value
from bidwhist.table import Table


def play_board(
    ns: str,
    ew: str,
    *,
    seed: int,
    board: int,
    rules: str | Mapping[str, Value] | Rules = CLASSIC,
    folders: Sequence[Path] = (),
    trust: bool = False,
) -> Table:
    """Play one board between the bots of two specs and return the finished table.

    `rules`: a preset's name, a mapping of `preset` and fields, or a Rules value; `folders`: where bot files are looked
    for (default: the working folder); `trust`: the bots are your own and play in this process. Raises BotSpecError,
    RulesError, ConfigError or BotFault.
    """
    rule_set = rules if isinstance(rules, Rules) else rules_from(rules)
    if type(seed) is not int or type(board) is not int:
        raise ConfigError(f"seed {seed!r}, board {board!r}: both are integers")
    if not 0 <= seed <= MAX_SEED or not 0 <= board < 1 << 62:
        raise ConfigError(f"seed {seed}, board {board}: a seed is 0 to 2**128 - 1, a board number 0 to 2**62 - 1")
    places = [*folders, Path.cwd()]
    with ExitStack() as stack:
        bots = [
            stack.enter_context(load_bot(contained(find_bot(spec, spec, places), Isolation(trust)), rule_set))
            for spec in (ns, ew)
        ]
        for bot, seats in zip(bots, ((0, 2), (1, 3)), strict=True):
            bot.ready(seats)
        columns = play_part(Setting(rule_set, seed, games=False), Part(0, 0, 1, board, 1), dict(enumerate(bots)))
    row = {name: column[0] for name, column in columns.items()}
    calls = [int(row[f"call_{place}"]) for place in range(1, 5)]
    plays = [int(card) for card in row["plays"] if card >= 0]
    table = Table.deal(seed, board, rule_set)
    return play_out(table, Recorded(calls, int(row["naming"]), int(row["discards"]), plays)).table


def run_tournament(
    tournament: str | Path | Mapping[str, Any],
    *,
    out: str | Path | None = None,
    resume: bool = False,
    jobs: int | None = None,
    executor: str = "processes",
    trust: bool = False,
    allow_weak_isolation: bool = False,
    **overrides: Any,
) -> Path:
    """Run a tournament, from its file or from its fields as a mapping; returns the run's folder.

    `out` defaults to `results/<name>` in the working folder; `overrides` replace fields (`seed=1, boards=100`).
    `trust`: all bots are your own, and play in the arena's processes; `allow_weak_isolation`: strangers' bots may play
    on a machine that cannot contain them.
    Raises ConfigError, BotSpecError, RunError or Stopped.
    """
    config, folders = _config(tournament, overrides)
    folder = Path(out) if out is not None else default_folder(config)
    prepared = prepare(config, folders, folder if resume else None, Isolation(trust, allow_weak_isolation))
    run(prepared, folder, resume=resume, jobs=jobs, executor=executor)
    return folder


def _config(tournament: str | Path | Mapping[str, Any], overrides: Mapping[str, Any]) -> tuple[Config, list[Path]]:
    if isinstance(tournament, str | Path):
        path = Path(tournament)
        return read_config(path, overrides), [path.resolve().parent, Path.cwd()]
    return make_config({**tournament, **overrides}, "tournament"), [Path.cwd()]
