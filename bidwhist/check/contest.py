"""A bot plays against opponents, as a small tournament."""

from bidwhist.arena.config import make_config
from bidwhist.arena.run import run
from bidwhist.arena.tournament import Tournament
from bidwhist.bot.sources.find import find_bot
from bidwhist.check.meet import SEED
from bidwhist.check.report import Strength
from bidwhist.check.task import Contest
from bidwhist.check.watch import Watch
from bidwhist.process.folder import TemporaryFolder
from bidwhist.results.standings import standings_of


def contest(task: Contest, watch: Watch) -> list[Strength]:
    """What the bot makes against each of the opponents. Raises BotFault."""
    name = task.bot.entry.name
    opponents = {each: f"{each} (opponent)" for each in task.opponents}
    fields = {
        "seed": SEED,
        "rules": task.preset,
        "boards": task.boards,
        "bots": [task.bot.entry.spec, *({"spec": spec, "name": other} for spec, other in opponents.items())],
        "pairing": "gauntlet",
        "challengers": [name],
        "on_fault": "stop",
    }
    bots = (task.bot, *(find_bot(spec, other) for spec, other in opponents.items()))
    watch.play()
    with TemporaryFolder("check") as folder:
        run(Tournament(make_config(fields, "check"), bots, folder), folder, executor="inline")
        pairings = standings_of(folder).pairings
    watch.rest()
    results = []
    for spec, other in opponents.items():
        score = next(each.score for each in pairings if (each.bot, each.opponent) == (name, other))
        assert score.points_per_board is not None
        results.append(Strength(spec, score.points_per_board, score.ci95, score.boards, task.preset))
    return results
