"""The standing of a ladder."""

from dataclasses import dataclass
from typing import Final

from bidwhist.bot.sources.absent import AbsentSource
from bidwhist.errors import RunError
from bidwhist.ladder.ladder import Ladder
from bidwhist.results.manifest import RUNNING
from bidwhist.results.standings import Score, standings_of

_LEFT_OUT: Final = "could not be loaded, or failed, when the last bot was submitted"


@dataclass(frozen=True)
class Place:
    """A bot's place, from 1, by instant runoff: it does not depend on who wins most of the weak. In "swiss", where not
    all meet, it is by rating.

    `version` and `submitted` (UTC) are None for bots of the field. `disqualified`: it has failed at too many tables.
    """

    place: int
    bot: str
    version: str | None
    spec: str
    sha256: str
    submitted: str | None
    score: Score
    disqualified: bool


def standing_of(ladder: Ladder) -> list[Place]:
    """All bots that have played, the best first; empty before the first game. Raises RunError."""
    manifest = ladder.manifest()
    if manifest is None:
        return []
    bots = {bot.name: bot for bot in manifest.bots}
    places = []
    standings = standings_of(ladder.run).standings
    for place, row in enumerate(sorted(standings, key=lambda row: row.runoff or 0), 1):
        bot, entry = bots[row.bot], ladder.entry(row.bot)
        if row.rank is None:
            raise RunError(f"{ladder.run}: bot {row.bot!r} sees all hands, and a ladder has no place for it")
        version, submitted = (entry.version, entry.submitted) if entry else (None, None)
        places.append(Place(place, row.bot, version, bot.spec, bot.sha256, submitted, row.score, row.disqualified))
    return places


def set_aside(ladder: Ladder) -> dict[str, str]:
    """Bots that keep their place and play no more, as their source is lost or changed, or as they could not be loaded
    or failed when the last bot was submitted; with the reasons. Raises RunError."""
    manifest = ladder.manifest()
    without = manifest.stages[-1].without if manifest else ()
    left_out = {manifest.bots[place].name: _LEFT_OUT for place in without} if manifest else {}
    return left_out | {bot.entry.name: bot.reason for bot in ladder.bots() if isinstance(bot, AbsentSource)}


def unplayed(ladder: Ladder) -> list[str]:
    """Names of submissions whose games are not all played: they were interrupted. Raises RunError."""
    manifest = ladder.manifest()
    if manifest is None:
        return [entry.name for entry in ladder.entries]
    done = {bot.name for bot in manifest.bots}
    if manifest.state == RUNNING:
        done.discard(manifest.bots[-1].name)
    return [entry.name for entry in ladder.entries if entry.name not in done]
