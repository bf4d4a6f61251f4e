"""Tables of who beats whom: pairings, games, bids, cards and calls apart, worlds and time, strangers, oracles."""

from collections.abc import Iterator
from typing import Any

import pandas as pd

from bidwhist.stats.intervals import Estimate
from evidence.apart import Gains, gains
from evidence.figures import (
    board_points,
    boards_needed,
    deviation,
    difference,
    games_won,
    made,
    mean,
    own_points,
    share_of_way,
)
from evidence.found import Found, Run
from evidence.plan import BASE, RANDOM, alike
from evidence.text import Grid, percent, points, share


def pairs(run: Run) -> Iterator[tuple[str, str, Any]]:
    """The pairings of a run, each once, the stronger bot first, with its score."""
    seen = set()
    for pairing in sorted(run.standings.pairings, key=lambda each: -(each.score.points_per_board or 0)):
        pair = frozenset((pairing.bot, pairing.opponent))
        if pair not in seen:
            seen.add(pair)
            yield pairing.bot, pairing.opponent, pairing.score


def by_boards(runs: list[Run]) -> Grid:
    """Points per board of every pairing."""
    rows = [
        (bot, other, points(_estimate(score)), score.boards, f"{100 * score.boards_won:.0f}%")
        for run in runs
        for bot, other, score in pairs(run)
    ]
    head = ("bot", "against", "points per board", "boards", "boards won")
    return Grid("Boards", head, rows)


def _estimate(score: Any) -> Estimate | None:
    return None if score.points_per_board is None else Estimate(score.points_per_board, score.ci95)


def by_games(runs: list[Run]) -> Grid:
    """Games to the target, each with the bots in both orientations."""
    rows = []
    for run in runs:
        for bot, other, score in pairs(run):
            won = games_won(run.frame, bot, other)
            rows.append((bot, other, share(mean(won)), 2 * len(won), points(_estimate(score)), score.tables))
    return Grid("Games", ("bot", "against", "games won", "games", "points a hand", "hands"), rows)


def bids(runs: list[Run], by: str) -> Grid:
    """Contracts declared and made by `level` or `strain`: of each bot against the one that all have met, and of that
    one against each, so that what stands below each other was made against the same."""
    frames: dict[str, pd.DataFrame] = {}
    for run in runs:
        for bot in set(run.bots) - {BASE, RANDOM} if BASE in run.bots else ():
            frame = run.frame[_has(run.frame, bot) & _has(run.frame, BASE)]
            if len(frame) > len(frames.get(bot, ())):
                frames[bot] = frame
    bots = [bot for run in runs for bot in run.bots if bot in frames]
    pairs = [(one, other) for bot in dict.fromkeys(bots) for one, other in ((bot, BASE), (BASE, bot))]
    pairs.sort(key=lambda pair: pair[0] == BASE)
    values = sorted({value for frame in frames.values() for value in frame[by].dropna().unique()})
    rows = []
    for one, other in pairs:
        frame = frames[other if one == BASE else one]
        cells = [_bids_cell(frame[frame[by] == value], one) for value in values]
        rows.append((one, other, _bids_cell(frame, one), *cells))
    about = f"Contracts that a bot declared against `{BASE}`, and it against each, and the share of them that was made."
    return Grid(f"Bids by {by}", ("bot", "against", "all", *map(str, values)), rows, about)


def _has(frame: pd.DataFrame, bot: str) -> "pd.Series[bool]":
    """Whether a bot sits at each table."""
    return (frame["bot_ns"] == bot) | (frame["bot_ew"] == bot)


def _bids_cell(frame: pd.DataFrame, bot: str) -> str:
    declared, estimate = made(frame, bot)
    return f"{declared:,}: {share(estimate)}" if declared else "-"


def cards_apart(runs: list[Run], yardstick: Run | None) -> list[Grid]:
    """Card play alone, and the declarer's and the defenders' share of it."""
    whole = by_boards(runs)
    rows: list[tuple[Any, ...]] = []
    if yardstick is not None:
        rows = [row for run in runs for row in _sides(run, yardstick.frame)]
    about = (
        f"Points a hand, declared by the bot or defended by it, against `{BASE}`, beyond what `{BASE}` makes against "
        "itself with the same cards and contract. Their mean is the bot's points per board."
    )
    head = ("bot", "as declarer", "more than above", "as defender", "more than above", "boards")
    return [Grid("Cards alone", whole.head, whole.rows), Grid("Declarer and defenders apart", head, rows, about)]


def _sides(run: Run, yardstick: pd.DataFrame) -> Iterator[tuple[Any, ...]]:
    """Each bot but the common opponent, as declarer and as defender, and how much more than the one before."""
    before: Gains | None = None
    for bot in run.bots:
        if bot != BASE:
            gain = gains(run.frame, bot, BASE, yardstick)
            more = [points(difference(*pair)) for pair in zip(gain, before, strict=True)] if before else ["-", "-"]
            own = [points(mean(part)) for part in gain]
            yield bot, own[0], more[0], own[1], more[1], len(gain.declarer)
            before = gain


def calls_apart(runs: list[Run]) -> Grid:
    """Calls, namings and discards alone."""
    whole = by_boards(runs)
    return Grid("Calls alone", whole.head, whole.rows)


def steps(run: Run) -> Grid:
    """A ladder of parameters: each against the common opponent, and how much it gains on the one before."""
    rows, before = [], None
    for bot in run.bots[1:]:
        own = board_points(run.frame, bot, run.bots[0])
        rows.append((bot, points(mean(own)), "-" if before is None else points(difference(own, before)), len(own)))
        before = own
    return Grid(
        run.experiment.name.capitalize(), ("bot", f"over {run.bots[0]}", "more than the one above", "boards"), rows
    )


def strangers(run: Run) -> Grid:
    """Every searching bot against opponents that are unlike its model, and against the first of them."""
    rows = []
    others = [bot for bot in run.bots if bot not in run.experiment.challengers]
    for other in others:
        first = board_points(run.frame, run.experiment.challengers[0], other)
        for bot in run.experiment.challengers:
            own = board_points(run.frame, bot, other)
            more = "-" if bot == run.experiment.challengers[0] else points(difference(own, first))
            rows.append((bot, other, points(mean(own)), more, len(own)))
    head = ("bot", "against", "points per board", f"more than {run.experiment.challengers[0]}", "boards")
    return Grid("Strangers", head, rows)


def ways(found: Found) -> Grid | None:
    """Which part of an oracle's lead on the common opponent every bot has, on the same boards."""
    oracles = found.runs.get("oracles")
    if oracles is None:
        return None
    rows = []
    for oracle in oracles.bots[1:]:
        whole = board_points(oracles.frame, oracle, BASE)
        rows.append((oracle, oracle, points(mean(whole)), "100%", len(whole)))
        for run in found.those("pairings", "slow", "best"):
            for bot in (bot for bot in run.bots if bot not in (BASE, RANDOM)):
                part = board_points(run.frame, bot, BASE)
                if len(part):
                    both = len(part.index.intersection(whole.index))
                    rows.append((bot, oracle, points(mean(part)), percent(share_of_way(part, whole)), both))
    return Grid("The way to the oracle", ("bot", "oracle", f"over {BASE}", "share of the way", "boards"), rows)


def spread(runs: list[Run]) -> Grid:
    """How far single boards lie from their mean, and what playing them twice saves."""
    rows = []
    for run in runs:
        for bot, other, _ in pairs(run):
            table, board = own_points(run.frame, bot, other)["own"], board_points(run.frame, bot, other)
            if len(board) > 1:
                one, two = deviation(table), deviation(board)
                needed, without = boards_needed(two, 0.1), boards_needed(one, 0.1)
                saved = f"{without / (2 * needed):.1f}" if needed else "-"
                rows.append((bot, other, f"{one:.2f}", f"{two:.2f}", f"{needed:,}", saved, len(board)))
    head = (
        "bot",
        "against",
        "of a table",
        "of a board",
        "boards for ±0.1",
        "tables without / with duplicates",
        "boards",
    )
    about = (
        "Standard deviations of a bot's points at a table, and of a board's mean of both tables; after how many boards "
        "the 95% interval is ±0.1; and how many times as many tables it would take with new cards at every table."
    )
    return Grid("Variance of duplicate boards", head, rows, about)


def selves(found: Found) -> dict[str, Run]:
    """The runs of bots that play themselves, by bot."""
    return {run.bots[0]: run for name, run in found.runs.items() if name == alike(run.bots[0])}
