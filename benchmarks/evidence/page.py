"""The page that is made of what was found."""

from pathlib import Path
from typing import Any, Final

from bidwhist.bot.sources.package import package_hash
from evidence import contests, games
from evidence.aims import aims
from evidence.found import Found, Run
from evidence.picture import draw
from evidence.plan import BASE, alike
from evidence.text import Grid, Section, markdown
from evidence.timing import PHASES, time_decisions

HEAD: Final = """# Strength

What the house bots are worth, measured, and what the game is like to those who search it. This page is written by a
program: `make strength` plays what is missing and writes it anew (hours; what is there is not played again), and
`make strength-quick` does the same with fewer boards (ten minutes on two cores), into `results/strength/`.

A figure in brackets is a 95% interval, with boards (or games) as what is drawn at random
([tournaments](tournaments.md#standings-and-intervals)). Points per board are the mean of both tables of a duplicate.
All boards come from one seed, so experiments have theirs in common, and bots are compared on the same cards.
"""


def write_page(found: Found, path: Path, seed: int, most: int, seconds: float) -> None:
    """Write the page as Markdown, and its picture beside it.

    `most` hands are looked at closely; each bot is timed for so many `seconds`.
    """
    sections = [
        Section("What is aimed at", [], [aims(found)]),
        experiments(found, seed),
        pairings(found),
        decisions(found, seed, seconds),
        apart(found),
        effort(found, path.with_suffix(".svg")),
        oracles(found),
        strangers(found),
        the_game(found, most),
    ]
    path.write_text(HEAD + "\n" + markdown(sections).rstrip() + "\n", encoding="utf-8")


def experiments(found: Found, seed: int) -> Section:
    """What was played, when, by which bots."""
    rows = [(name, *_facts(run)) for name, run in found.runs.items()]
    head = ("experiment", "bots", "boards or games", "begun", "finished", "CPU minutes")
    about = (
        f"Seed {seed}, rules `classic`. Hash of the sources of the house bots: `{package_hash('bidwhist_bots')[:16]}`. "
        "A run of other sources is never mixed with these. The runs lie in `results/strength/`, each a tournament of "
        "its own ([a run's folder](tournaments.md#a-runs-folder)), and can be looked at with `bw-arena table` and "
        "`bw-arena show`."
    )
    return Section("What was played", _told(about, found.why_not(*found.missing)), [Grid("Experiments", head, rows)])


def _facts(run: Run) -> tuple[Any, ...]:
    manifest = run.manifest
    bots = ", ".join(f"`{bot}`" for bot in run.bots)
    spent = run.cpu_seconds()
    minutes = "-" if spent is None else f"{spent / 60:.1f}"
    return bots, f"{manifest.units:,} {manifest.format}", manifest.started, manifest.finished or "-", minutes


def pairings(found: Found) -> Section:
    """Every pairing, and what becomes of bids."""
    boards = found.those("pairings", "slow", "best", "pairings-slow")
    played = found.those("games", "games-slow", "games-best")
    grids = [contests.by_boards(boards), contests.by_games(played)]
    grids += [contests.bids(boards, by) for by in ("level", "strain")]
    about = "Single boards at 0-0, and whole games to 7 points. A game is played twice, in both orientations."
    return Section("Every pairing", [about], grids)


def decisions(found: Found, seed: int, seconds: float) -> Section:
    """Milliseconds a decision."""
    rows = []
    for bot in _bots(found, "pairings", "slow", "best", "worlds", "time"):
        clocked = time_decisions(bot, _any_rules(found), seed, seconds=seconds)
        spent = 1000 * clocked.seconds
        each = [
            f"{part / number:.3g}" if number else "-" for part, number in zip(spent, clocked.decisions, strict=True)
        ]
        rows.append((bot, *each, f"{spent.sum() / clocked.decisions.sum():.3g}", f"{clocked.decisions.sum():,}"))
    about = (
        "CPU time of an answer, decisions without a choice left out: mean of boards played against the heuristic when "
        "the page was written. Machines differ, and this one is shared; a bot that is given milliseconds takes them."
    )
    head = ("bot", *PHASES, "all", "decisions")
    return Section("Time a decision", [about], [Grid("Milliseconds a decision", head, rows)])


def _bots(found: Found, *names: str) -> list[str]:
    return list(dict.fromkeys(bot for run in found.those(*names) for bot in run.bots))


def _any_rules(found: Found) -> Any:
    return next(iter(found.runs.values())).rules


def apart(found: Found) -> Section:
    """Auction, declarer and defenders apart."""
    grids = contests.cards_apart(found.those("cards", "cards-slow"), found.runs.get(alike(BASE)))
    grids.append(contests.calls_apart(found.those("calls")))
    about = (
        "*Cards alone*: both bots call, name and discard as the heuristic, so that a board has one contract at both "
        "tables. *Calls alone*: the heuristic plays the cards of both."
    )
    return Section("Auction, declarer and defenders apart", _told(about, found.why_not("cards", "cards-slow")), grids)


def effort(found: Found, picture: Path) -> Section:
    """Strength against worlds and against time."""
    about = "Each against the same opponent on the same boards, so that steps between them are known better than each."
    drawn = f"![Points per board by worlds and by milliseconds, with 95% intervals]({picture.name})"
    told = [about, drawn] if draw(found, picture) else [about]
    return Section("Worlds and time", told, [contests.steps(run) for run in found.those("worlds", "time")])


def oracles(found: Found) -> Section:
    """How far the bots are on the way to one that sees all cards."""
    grid = contests.ways(found)
    about = (
        f"Oracles see all hands; they are no players, but show how far there is to go. The share of the way is the "
        f"bot's points over `{BASE}` divided by the oracle's, on the boards that both have played."
    )
    return Section("The way to the oracle", _told(about, found.why_not("oracles")), [grid] if grid else [])


def strangers(found: Found) -> Section:
    """Opponents unlike the models."""
    about = (
        "Searching bots imagine that others play as the heuristic. These do not: `random?calls=pass` plays at random, "
        "`passer.py` passes whatever it holds, and `overbidder.py` bids a level more than the heuristic would."
    )
    grids = [contests.strangers(run) for run in found.those("strangers")]
    return Section("Opponents unlike the model", _told(about, found.why_not("strangers")), grids)


def the_game(found: Found, most: int) -> Section:
    """What the game is like."""
    selves = contests.selves(found)
    grids = [
        contests.spread(found.those("pairings")),
        games.promised_and_taken(selves, most),
        *games.calibration(selves, most),
        *games.natures(selves, most),
    ]
    about = (
        "Of bots that play against themselves, a board counts once. The measures are those of Long, Sturtevant, Buro "
        "and Furtak (2010), *Understanding the success of perfect information Monte Carlo sampling in game tree "
        "search*; how hands are counted is told here and in `benchmarks/evidence/nature.py`."
    )
    return Section("What the game is like", [about], grids)


def _told(*paragraphs: str) -> list[str]:
    """The paragraphs that have something to tell."""
    return [paragraph for paragraph in paragraphs if paragraph]
